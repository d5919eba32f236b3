#include "counting/counters_state.hpp"

#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <map>
#include <mutex>
#include <utility>

#include "base/text.hpp"
#include "counting/places.hpp"
#include "counting/refusal.hpp"
#include "events/machine/encoding_access.hpp"
#include "events/machine/groups.hpp"
#include "events/syntax/modifiers.hpp"
#include "evname/schedule.hpp"

namespace evname {
namespace counting {
namespace {

constinit thread_local std::uint64_t this_number = 0;
std::atomic<std::uint64_t> last_number = 0;

/// The indexes of a group's events, the leader first.
using Group = std::vector<std::size_t>;

/// Returns the groups of events, in the order of their leaders.
std::vector<Group> groups_of(std::span<const Encoding> events) {
  std::map<std::size_t, Group> groups;
  for (std::size_t i = 0; i < events.size(); ++i) groups[events[i].leader].push_back(i);
  std::vector<Group> out;
  for (auto& [leader, members] : groups) out.push_back(std::move(members));
  return out;
}

/// Sets the leaders of the events that the schedule puts into no group, and returns which events
/// are counted. An event equal to a grouped one is not counted again. On another instance of its
/// unit it joins the corresponding group.
std::vector<bool> place_others(std::vector<Encoding>& events, std::vector<bool> grouped) {
  std::vector<bool> counted = grouped;
  std::map<std::pair<std::string_view, std::size_t>, std::size_t> leaders;
  for (std::size_t i = 0; i < events.size(); ++i) {
    if (grouped[i]) continue;
    events[i].leader = i;
    counted[i] = true;
    for (std::size_t k = 0; k < events.size(); ++k) {
      if (!grouped[k] || !machine::is_same_event(events[i], events[k])) continue;
      counted[i] = events[i].pmu != events[k].pmu;
      const auto key = std::pair(events[i].pmu, events[k].leader);
      if (counted[i]) events[i].leader = leaders.try_emplace(key, i).first->second;
      break;
    }
  }
  return counted;
}

Result<std::vector<Encoding>> scheduled(const Machine& machine, std::span<const Encoding> wanted,
                                        const Roots& roots) {
  auto made = schedule(machine, wanted, ScheduleOptions::live(roots));
  if (!made) return fail(std::move(made));
  std::vector<Encoding>& events = made->events;
  std::vector<bool> grouped(events.size());
  for (const Schedule::Pmu& pmu : made->pmus)
    for (const Schedule::Group& group : pmu.groups)
      for (const Schedule::Event& one : group) {
        events[one.event].leader = pmu.grouped ? group.front().event : one.event;
        grouped[one.event] = true;
      }
  const std::vector<bool> counted = place_others(events, std::move(grouped));
  std::vector<std::size_t> moved(events.size());
  std::vector<Encoding> out;
  for (std::size_t i = 0; i < events.size(); ++i) {
    moved[i] = out.size();
    if (counted[i]) out.push_back(events[i]);
  }
  for (Encoding& e : out) e.leader = moved[e.leader];
  return out;
}

Result<std::vector<Encoding>> arranged(const Machine& machine, std::span<const Encoding> wanted,
                                       const CounterOptions& options) {
  if (options.groups == Grouping::scheduled) return scheduled(machine, wanted, options.roots);
  std::vector<Encoding> events(wanted.begin(), wanted.end());
  if (options.groups == Grouping::regrouped) return machine.regroup(std::move(events));
  if (options.groups == Grouping::single)
    for (std::size_t i = 0; i < events.size(); ++i) events[i].leader = i;
  return events;
}

/// Returns true if each event has exactly one counter.
bool one_each(std::size_t events, std::span<const OpenCounter> counters) {
  std::vector<bool> seen(events);
  for (const OpenCounter& counter : counters) {
    if (seen[counter.event]) return false;
    seen[counter.event] = true;
  }
  return counters.size() == events;
}

}  // namespace

std::uint64_t this_thread_number() {
  static const int kRegistered = pthread_atfork(nullptr, nullptr, [] { this_number = 0; });
  (void)kRegistered;
  if (this_number == 0) this_number = ++last_number;
  return this_number;
}

bool is_this_thread(std::uint64_t number) { return number == this_number; }

}  // namespace counting

using counting::Group;

/// Opens the groups of a state, one after the other, and notes what the kernel refuses.
class Counters::State::GroupOpener {
 public:
  GroupOpener(State& state, const CountTarget& target, const CounterOptions& options,
              counting::ResolvedTarget& resolved)
      : state_(state),
        target_(target),
        options_(options),
        resolved_(resolved),
        pmus_(state.machine.pmus()) {}

  void open(Group group);

 private:
  const PmuInfo* pmu_of(const Group& group) const;
  std::size_t index_of(Counters::Place place);
  bool is_weak(const Group& group) const;
  std::optional<counting::CounterSets::Failure> open_everywhere(const Group& group,
                                                                Counters::Place& refused);
  void open_singly(const Group& group);
  void open_group(const Group& group);
  void open_clock(std::size_t event);

  State& state_;
  const CountTarget& target_;
  const CounterOptions& options_;
  counting::ResolvedTarget& resolved_;
  std::vector<PmuInfo> pmus_;
};

const PmuInfo* Counters::State::GroupOpener::pmu_of(const Group& group) const {
  for (const std::size_t index : group) {
    if (machine::is_software(state_.events[index])) continue;
    const auto at = std::ranges::find(pmus_, state_.events[index].pmu, &PmuInfo::name);
    if (at != pmus_.end()) return &*at;
  }
  return nullptr;
}

std::size_t Counters::State::GroupOpener::index_of(Counters::Place place) {
  const auto at = std::ranges::find(state_.places, place);
  if (at != state_.places.end()) return static_cast<std::size_t>(at - state_.places.begin());
  state_.places.push_back(place);
  return state_.places.size() - 1;
}

bool Counters::State::GroupOpener::is_weak(const Group& group) const {
  return std::ranges::any_of(group, [&](std::size_t index) {
    return state_.events[index].modifiers.find('W') != std::string::npos;
  });
}

/// Opens a group at all its places. Threads may end (ESRCH) and CPUs go offline (ENODEV) meanwhile,
/// so it fails only if no place is left.
std::optional<counting::CounterSets::Failure> Counters::State::GroupOpener::open_everywhere(
    const Group& group, Counters::Place& refused) {
  const PmuInfo* const pmu = pmu_of(group);
  const bool is_uncore = pmu != nullptr && pmu->is_uncore;
  const std::size_t before = state_.files.sets.size();
  std::optional<counting::CounterSets::Failure> last =
      counting::CounterSets::Failure{ENODEV, group.front(), false};
  const auto cpus = pmu != nullptr ? parse_cpu_list(pmu->cpus) : std::vector<unsigned>();
  for (const Counters::Place& place : counting::places_of(resolved_, cpus, is_uncore)) {
    const bool of_task = resolved_.of_task && place.cpu < 0;
    const counting::CounterSets::Where where{index_of(place), place, resolved_.cgroup_file,
                                             of_task};
    const auto failed = state_.files.open(state_.events, group, where, options_);
    if (!failed) {
      last.reset();
      continue;
    }
    const bool is_gone = failed->error == ESRCH || failed->error == ENODEV;
    refused = place;
    if (is_gone && !last) continue;
    last = failed;
    if (!is_gone) break;
  }
  if (last) state_.files.close_from(before);
  return last;
}

void Counters::State::GroupOpener::open_singly(const Group& group) {
  for (const std::size_t index : group) {
    state_.events[index].leader = index;
    open_group({index});
  }
}

void Counters::State::GroupOpener::open_group(const Group& group) {
  Counters::Place refused;
  const auto failed = open_everywhere(group, refused);
  if (!failed) {
    for (const std::size_t index : group) state_.events[index].leader = group.front();
    return;
  }
  if (group.size() > 1 && is_weak(group)) return open_singly(group);
  const counting::Refused what{state_.events[failed->culprit], refused, failed->in_group,
                               resolved_.cgroup_file >= 0};
  state_.problems[failed->culprit] =
      counting::refusal(what, failed->error, state_.machine, options_.roots);
  if (group.size() == 1) return;
  // The other events are counted without it, as in perf, unless it leads them.
  Group rest = group;
  std::erase(rest, failed->culprit);
  if (failed->culprit != group.front()) return open_group(rest);
  for (const std::size_t index : rest)
    state_.problems[index] = Error(
        state_.problems[failed->culprit]->code,
        counting::name_of(state_.events[index]) + ": the leader of its group can't be counted", {},
        state_.problems[failed->culprit]->text());
}

void Counters::State::GroupOpener::open_clock(std::size_t event) {
  const auto clock = counting::clock_of(state_.events[event].name);
  if (!clock ||
      (target_.kind == CountTarget::Kind::cgroup && *clock != counting::ClockKind::duration)) {
    state_.problems[event] = Error(
        Errc::unsupported, counting::name_of(state_.events[event]) + ": nothing counts it here", {},
        "evname cpu and metrics tell facts about the machine");
    return;
  }
  for (const Counters::Place& place : resolved_.places) {
    state_.clocks.emplace_back(event, index_of(place), *clock, target_.kind, place);
    if (*clock == counting::ClockKind::duration) break;
  }
}

void Counters::State::GroupOpener::open(Group group) {
  std::erase_if(group, [&](std::size_t index) {
    if (state_.events[index].pmu == "tool") {
      open_clock(index);
      state_.events[index].leader = index;
      return true;
    }
    if (state_.events[index].code.has_type == 0)
      state_.problems[index] =
          counting::known_problem(state_.events[index], state_.machine, options_.roots);
    return state_.events[index].code.has_type == 0;
  });
  if (!group.empty()) open_group(group);
}

Result<std::unique_ptr<Counters::State>> Counters::State::open(const Machine& machine,
                                                               std::span<const Encoding> wanted,
                                                               const CountTarget& target,
                                                               const CounterOptions& options) {
  if (wanted.empty()) return fail(Errc::invalid_argument, "no events are named");
  if (options.groups > Grouping::single || options.space > CounterOptions::Space::kernel)
    return fail(Errc::invalid_argument, "there are no such groups, or no such space");
  auto events = counting::arranged(machine, wanted, options);
  if (!events) return fail(std::move(events));
  auto resolved = counting::ResolvedTarget::find(target, options.roots);
  if (!resolved) return fail(std::move(resolved));
  auto state = std::make_unique<State>(machine);
  state->roots = options.roots;
  state->owner = counting::this_thread_number();
  for (Encoding& e : *events) {  // without modifiers perf stat excludes nothing
    if (e.modifiers.empty()) e.bits = syntax::attr_bits({});
    if (options.space == CounterOptions::Space::as_written) continue;
    e.bits.exclude_user = options.space == CounterOptions::Space::kernel;
    e.bits.exclude_kernel = options.space == CounterOptions::Space::user;
  }
  state->events = std::move(*events);
  state->problems.resize(state->events.size());
  for (const Counters::Place& place : resolved->places) state->places.push_back(place);
  GroupOpener opener(*state, target, options, *resolved);
  for (auto& group : counting::groups_of(state->events)) opener.open(std::move(group));
  if (!options.partial)
    for (auto& problem : state->problems)
      if (problem) return fail(std::move(*problem));
  state->only_in_user_space =
      state->clocks.empty() && counting::one_each(state->events.size(), state->files.counters) &&
      std::ranges::all_of(state->files.sets, &counting::CounterSet::in_user_space);
  // Only the counter of a thread starts with a program's execution. perf starts the others earlier.
  if (options.enable_on_exec)
    if (auto done = state->start(true); !done) return fail(std::move(done));
  return state;
}

}  // namespace evname
