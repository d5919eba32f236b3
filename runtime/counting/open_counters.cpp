#include "counting/open_counters.hpp"

#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <map>
#include <mutex>
#include <utility>

#include "counting/refusal.hpp"
#include "events/machine/groups.hpp"
#include "evname/schedule.hpp"

namespace evname {
namespace counting {
namespace {

constinit thread_local std::uint64_t own_number = 0;
std::atomic<std::uint64_t> last_number = 0;

using Groups = std::vector<std::vector<std::size_t>>;

/// Members by their leaders, in the order of the events.
Groups groups_of(std::span<const Encoding> events) {
  std::map<std::size_t, std::vector<std::size_t>> groups;
  for (std::size_t i = 0; i < events.size(); ++i) groups[events[i].leader].push_back(i);
  Groups out;
  for (auto& [leader, members] : groups) out.push_back(std::move(members));
  return out;
}

bool is_same_event(const Encoding& a, const Encoding& b) {
  return words_of(a.code) == words_of(b.code) && a.modifiers == b.modifiers && a.bits == b.bits;
}

/// Events that no group has: the same as one that a group has, which are not counted again, or the
/// same on another instance of a unit, which are grouped alike. Sets their leaders and tells which
/// are counted.
std::vector<bool> place_others(std::vector<Encoding>& events, std::vector<bool> grouped) {
  std::vector<bool> counted = grouped;
  std::map<std::pair<std::string_view, std::size_t>, std::size_t> leaders;
  for (std::size_t i = 0; i < events.size(); ++i) {
    if (grouped[i]) continue;
    events[i].leader = i;
    counted[i] = true;
    for (std::size_t k = 0; k < events.size(); ++k) {
      if (!grouped[k] || !is_same_event(events[i], events[k])) continue;
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
  if (!made) return tl::unexpected<Error>(std::move(made.error()));
  std::vector<Encoding>& events = made->events;
  std::vector<bool> grouped(events.size());
  for (const PmuSchedule& pmu : made->pmus)
    for (const ScheduledGroup& group : pmu.groups)
      for (const ScheduledEvent& one : group) {
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
  if (options.groups == CountGroups::scheduled) return scheduled(machine, wanted, options.roots);
  std::vector<Encoding> events(wanted.begin(), wanted.end());
  if (options.groups == CountGroups::regrouped) return machine.regroup(std::move(events));
  if (options.groups == CountGroups::single)
    for (std::size_t i = 0; i < events.size(); ++i) events[i].leader = i;
  return events;
}

/// Opens the groups of a state.
class Opener {
 public:
  Opener(const Machine& machine, const CounterOptions& options, const CountTarget& target,
         Located& located, std::vector<Encoding>& events,
         std::vector<std::optional<Error>>& problems, std::vector<CountPlace>& places,
         CounterSets& files, std::deque<ClockAt>& clocks)
      : machine_(machine),
        options_(options),
        target_(target),
        located_(located),
        pmus_(machine.pmus()),
        events_(events),
        problems_(problems),
        places_(places),
        files_(files),
        clocks_(clocks) {}

  void open(std::vector<std::size_t> group);

 private:
  std::optional<CounterSets::Failure> open_everywhere(const std::vector<std::size_t>& group,
                                                      CountPlace& refused);
  void open_group(const std::vector<std::size_t>& group);
  void open_clock(std::size_t event);
  void lead_themselves(const std::vector<std::size_t>& group);
  const PmuInfo* pmu_of(const std::vector<std::size_t>& group) const;
  std::size_t index_of(CountPlace place);
  bool is_weak(const std::vector<std::size_t>& group) const;

  const Machine& machine_;
  const CounterOptions& options_;
  const CountTarget& target_;
  Located& located_;
  std::vector<PmuInfo> pmus_;
  std::vector<Encoding>& events_;
  std::vector<std::optional<Error>>& problems_;
  std::vector<CountPlace>& places_;
  CounterSets& files_;
  std::deque<ClockAt>& clocks_;
};

const PmuInfo* Opener::pmu_of(const std::vector<std::size_t>& group) const {
  for (const std::size_t index : group) {
    if (machine::is_software(events_[index])) continue;
    const auto at = std::ranges::find(pmus_, events_[index].pmu, &PmuInfo::name);
    if (at != pmus_.end()) return &*at;
  }
  return nullptr;
}

std::size_t Opener::index_of(CountPlace place) {
  const auto at = std::ranges::find(places_, place);
  if (at != places_.end()) return static_cast<std::size_t>(at - places_.begin());
  places_.push_back(place);
  return places_.size() - 1;
}

bool Opener::is_weak(const std::vector<std::size_t>& group) const {
  return std::ranges::any_of(group, [&](std::size_t index) {
    return events_[index].modifiers.find('W') != std::string::npos;
  });
}

/// Threads end and CPUs go while counters are opened: an error only if nowhere is left.
std::optional<CounterSets::Failure> Opener::open_everywhere(const std::vector<std::size_t>& group,
                                                            CountPlace& refused) {
  const PmuInfo* const pmu = pmu_of(group);
  const bool is_uncore = pmu != nullptr && pmu->is_uncore;
  const std::size_t before = files_.sets.size();
  std::optional<CounterSets::Failure> last = CounterSets::Failure{ENODEV, group.front(), false};
  const auto cpus = pmu != nullptr ? cpu_numbers(pmu->cpus) : std::vector<unsigned>();
  for (const CountPlace& place : places_of(located_, cpus, is_uncore)) {
    const bool of_task = located_.of_task && place.cpu < 0;
    const CounterSets::Where where{index_of(place), place, located_.cgroup_file, of_task};
    const auto failed = files_.open(events_, group, where, options_);
    if (!failed) {
      last.reset();
      continue;
    }
    const bool is_gone = failed->error == ESRCH || (failed->error == ENODEV && place.cpu >= 0);
    refused = place;
    if (is_gone && !last) continue;
    last = failed;
    if (!is_gone) break;
  }
  if (last) files_.close_from(before);
  return last;
}

void Opener::lead_themselves(const std::vector<std::size_t>& group) {
  for (const std::size_t index : group) {
    events_[index].leader = index;
    open_group({index});
  }
}

void Opener::open_group(const std::vector<std::size_t>& group) {
  CountPlace refused;
  const auto failed = open_everywhere(group, refused);
  if (!failed) {
    for (const std::size_t index : group) events_[index].leader = group.front();
    return;
  }
  if (group.size() > 1 && is_weak(group)) return lead_themselves(group);
  const Refused what{events_[failed->culprit], refused, failed->in_group,
                     located_.cgroup_file >= 0};
  problems_[failed->culprit] = refusal(what, failed->error, machine_, options_.roots);
  if (group.size() == 1) return;
  // The others are counted without it, as perf does, unless it leads them.
  std::vector<std::size_t> rest = group;
  std::erase(rest, failed->culprit);
  if (failed->culprit != group.front()) return open_group(rest);
  for (const std::size_t index : rest)
    problems_[index] = Error(problems_[failed->culprit]->code,
                             name_of(events_[index]) + ": the leader of its group can't be counted",
                             {}, problems_[failed->culprit]->text());
}

void Opener::open_clock(std::size_t event) {
  const auto clock = clock_of(events_[event].name);
  if (!clock || (target_.kind == CountTarget::Kind::cgroup && *clock != ClockKind::duration)) {
    problems_[event] =
        Error(Errc::unsupported, name_of(events_[event]) + ": nothing counts it here", {},
              "evname cpu and metrics tell facts about the machine");
    return;
  }
  for (const CountPlace& place : located_.places) {
    clocks_.emplace_back(event, index_of(place), *clock, target_.kind, place);
    if (*clock == ClockKind::duration) break;
  }
}

void Opener::open(std::vector<std::size_t> group) {
  std::erase_if(group, [&](std::size_t index) {
    if (events_[index].pmu == "tool") {
      open_clock(index);
      events_[index].leader = index;
      return true;
    }
    if (events_[index].code.has_type == 0)
      problems_[index] = known_problem(events_[index], machine_, options_.roots);
    return events_[index].code.has_type == 0;
  });
  if (!group.empty()) open_group(group);
}

/// Whether each event has one counter.
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
  static const int kRegistered = pthread_atfork(nullptr, nullptr, [] { own_number = 0; });
  (void)kRegistered;
  if (own_number == 0) own_number = ++last_number;
  return own_number;
}

bool is_this_thread(std::uint64_t number) { return number == own_number; }

}  // namespace counting

Result<std::unique_ptr<Counters::State>> Counters::State::open(const Machine& machine,
                                                               std::span<const Encoding> wanted,
                                                               const CountTarget& target,
                                                               const CounterOptions& options) {
  if (wanted.empty()) return fail(Errc::invalid_argument, "no events are named");
  auto events = counting::arranged(machine, wanted, options);
  if (!events) return tl::unexpected<Error>(std::move(events.error()));
  auto located = counting::Located::find(target, options.roots);
  if (!located) return tl::unexpected<Error>(std::move(located.error()));
  auto state = std::make_unique<State>(machine);
  state->roots = options.roots;
  state->owner = counting::this_thread_number();
  for (Encoding& e : *events)  // without modifiers perf stat excludes nothing
    if (e.modifiers.empty()) e.bits = attr_bits({});
  state->events = std::move(*events);
  state->problems.resize(state->events.size());
  for (const CountPlace& place : located->places) state->places.push_back(place);
  counting::Opener opener(machine, options, target, *located, state->events, state->problems,
                          state->places, state->files, state->clocks);
  for (auto& group : counting::groups_of(state->events)) opener.open(std::move(group));
  if (!options.partial)
    for (auto& problem : state->problems)
      if (problem) return tl::unexpected<Error>(std::move(*problem));
  state->only_in_user_space =
      state->clocks.empty() && counting::one_each(state->events.size(), state->files.counters) &&
      std::ranges::all_of(state->files.sets, &counting::CounterSet::in_user_space);
  return state;
}

}  // namespace evname
