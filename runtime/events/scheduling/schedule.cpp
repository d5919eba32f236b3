#include "evname/schedule.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <map>
#include <set>
#include <utility>

#include "base/text.hpp"
#include "events/machine/encoding_access.hpp"
#include "events/pmu/pmu.hpp"
#include "events/scheduling/counters.hpp"
#include "events/scheduling/demand.hpp"
#include "events/syntax/modifiers.hpp"

namespace evname::scheduling {
namespace {

constexpr std::size_t kMostEvents = 4096;  // of a PMU; more than the core of any model has

// Writes sentences on why events can't be counted, or not at once.

constexpr std::size_t kNamed = 8;  // events in a sentence before "and 3 more"

/// Returns "0-3,7".
std::string ranges(std::uint64_t set) {
  std::string out;
  int at = 0;
  while (set != 0) {
    const int skip = std::countr_zero(set);
    const int run = std::countr_one(set >> skip);
    at += skip;
    if (!out.empty()) out += ',';
    out += run == 1 ? fmt::format("{}", at) : fmt::format("{}-{}", at, at + run - 1);
    at += run;
    set = skip + run >= 64 ? 0 : set >> (skip + run);
  }
  return out;
}

/// Returns "0-3", "0,2", "fixed 1", "0-7 and fixed 0", with as few ranges as possible.
std::string counters_text(const CounterSet& counters) {
  std::string out = ranges(counters.generic);
  if (counters.fixed == 0) return out;
  return (out.empty() ? "" : out + " and ") + "fixed " + ranges(counters.fixed);
}

std::string events_text(std::span<const std::size_t> events, std::span<const std::string> names) {
  std::vector<std::string_view> told;
  for (const std::size_t event : events)
    if (told.size() < kNamed) told.push_back(names[event]);
  std::string out = joined(told, ", ");
  if (events.size() > told.size()) out += fmt::format(" and {} more", events.size() - told.size());
  return out;
}

std::string number_text(std::size_t count, std::string_view what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

/// Returns "2", "fixed 1" or, for an event that takes two, "2-3".
std::string counter_text(const Counter& counter, bool paired) {
  if (paired) return fmt::format("{}-{}", counter.index, counter.index + 1);
  return fmt::format("{}{}", counter.is_fixed ? "fixed " : "", counter.index);
}

/// Returns "5 events (a, b, c, d, e) for 4 counters (0-3) of cpu": at most eight are named.
std::string shortage_text(const Shortage& shortage, std::span<const std::string> names,
                          std::string_view pmu) {
  const std::string events = events_text(shortage.events, names);
  if (shortage.shared_kind != 0)
    return fmt::format("too many different values for the {} of {}: {}",
                       register_name(shortage.shared_kind), pmu, events);
  const std::string paired = shortage.paired == 0
                                 ? std::string()
                                 : fmt::format(", {} of them on two counters,", shortage.paired);
  return fmt::format("{}{} ({}){} for {} of {} ({})", shortage.busy ? "the NMI watchdog and " : "",
                     number_text(shortage.events.size(), "event"), events, paired,
                     number_text(static_cast<std::size_t>(shortage.counters.size()), "counter"),
                     pmu, counters_text(shortage.counters));
}

/// Returns "a can't be counted: it needs counter 4-7, and cpu has 0-3".
std::string no_counter_text(std::string_view event, const CounterSet& needed, std::string_view pmu,
                            const CounterSet& all) {
  return fmt::format("{} can't be counted: it needs counter {}, and {} has {}", event,
                     counters_text(needed), pmu, counters_text(all));
}

/// Returns "a can't be counted: " or "the group {a,b} can't be counted at once: ", and why.
std::string uncountable_text(std::span<const std::string> events, std::string_view why) {
  if (events.size() == 1) return fmt::format("{} can't be counted: {}", events.front(), why);
  return fmt::format("the group {{{}}} can't be counted at once: {}", joined(events, ","), why);
}

class Scheduler {
 public:
  Scheduler(const detail::MachineState& state, std::vector<Encoding> events,
            const ScheduleOptions& options)
      : state_(state), options_(options) {
    out_.events = std::move(events);
    for (const Encoding& e : out_.events)
      names_.push_back(e.has_given_name() ? std::string(e.name)
                                          : syntax::with_modifiers(e.name, e.modifiers));
  }

  Result<Schedule> run();

 private:
  bool is_ungrouped() const;
  std::vector<Need> needs_of(const PmuEvents& one, const PmuCounters& counters) const;
  Result<void> check(const PmuEvents& one, std::span<const Need> needs, const PmuCounters& counters,
                     const CounterSet& busy) const;
  Result<void> add_pmu(const PmuEvents& one);
  void add_software(const PmuEvents& one);
  void note_topdown(const PmuEvents& one);
  std::string why_split(const PmuEvents& one, std::span<const Need> needs,
                        const CounterSet& busy) const;
  void keep(Schedule::Pmu made);
  bool alike(const Schedule::Pmu& a, const Schedule::Pmu& b) const;
  std::vector<std::string> names_of(const PmuEvents& one) const;

  const detail::MachineState& state_;
  const ScheduleOptions& options_;
  Schedule out_;
  std::vector<std::string> names_;  ///< by event
};

bool Scheduler::is_ungrouped() const {
  switch (options_.constraint) {
    case GroupConstraint::none:
      return false;
    case GroupConstraint::no_group_events:
      return true;
    case GroupConstraint::no_group_events_nmi:
    case GroupConstraint::no_threshold_and_nmi:  // thresholds are always shown
      return options_.nmi_watchdog;
    case GroupConstraint::no_group_events_smt:
      return options_.smt;
  }
  return false;
}

std::vector<Need> Scheduler::needs_of(const PmuEvents& one, const PmuCounters& counters) const {
  std::vector<Need> needs(one.events.size());
  std::map<EventKey, std::size_t> numbers;
  for (std::size_t i = 0; i < needs.size(); ++i) {
    const Encoding& e = out_.events[one.events[i]];
    if (pmu_of(state_, e) == one.pmu) needs[i] = need_of(state_, *one.pmu, counters, e);
    needs[i].same = numbers.try_emplace(key_of(e), i).first->second;
  }
  return needs;
}

std::vector<std::string> Scheduler::names_of(const PmuEvents& one) const {
  std::vector<std::string> out;
  for (const std::size_t event : one.events) out.push_back(names_[event]);
  return out;
}

/// Checks that each bundle fits alone.
Result<void> Scheduler::check(const PmuEvents& one, std::span<const Need> needs,
                              const PmuCounters& counters, const CounterSet& busy) const {
  const std::vector<std::string> names = names_of(one);
  for (const Bundle& bundle : one.bundles) {
    for (const std::size_t i : bundle)
      if ((needs[i].counters.generic & ~counters.all.generic) != 0 ||
          (needs[i].counters.fixed & ~counters.all.fixed) != 0)
        return fail(Errc::out_of_range,
                    no_counter_text(names[i], needs[i].counters, one.name, counters.all));
    const auto lack = shortage(needs, bundle, busy);
    if (!lack) continue;
    std::vector<std::string> members;
    for (const std::size_t i : bundle) members.push_back(names[i]);
    return fail(Errc::out_of_range,
                uncountable_text(members, shortage_text(*lack, names, one.name)));
  }
  return {};
}

std::string Scheduler::why_split(const PmuEvents& one, std::span<const Need> needs,
                                 const CounterSet& busy) const {
  if (is_ungrouped()) return "MetricConstraint: its events are not to be grouped";
  Bundle all;
  for (const Bundle& bundle : one.bundles) all.insert(all.end(), bundle.begin(), bundle.end());
  const auto lack = shortage(needs, all, busy);
  return lack ? shortage_text(*lack, names_of(one), one.name) : std::string();
}

/// Topdown metrics are in a register that belongs to the slots.
void Scheduler::note_topdown(const PmuEvents& one) {
  for (const Bundle& bundle : one.bundles) {
    const auto encoding = [&](std::size_t i) -> const Encoding& {
      return out_.events[one.events[i]];
    };
    const bool has_slots = std::any_of(bundle.begin(), bundle.end(), [&](std::size_t i) {
      return (encoding(i).code.config[0] & 0xffff) == 0x400;  // event 0, unit mask 4
    });
    for (const std::size_t i : bundle)
      if (!has_slots && is_topdown_metric(state_, *one.pmu, encoding(i)))
        out_.warnings.push_back(
            fmt::format("{} counts only in a group with slots", names_[one.events[i]]));
  }
}

void Scheduler::add_software(const PmuEvents& one) {
  Schedule::Pmu made;
  made.pmus = {one.name};
  for (const Bundle& bundle : one.bundles) {
    Schedule::Group group;
    for (const std::size_t i : bundle) group.push_back({one.events[i], {}});
    made.groups.push_back(std::move(group));
  }
  made.grouped = !is_ungrouped();
  out_.pmus.push_back(std::move(made));
}

/// Makes each bundle a group of its own.
Partition ungrouped(const PmuEvents& one) {
  Partition out;
  out.groups = one.bundles.size();
  out.places.resize(one.events.size());
  for (std::size_t bundle = 0; bundle < one.bundles.size(); ++bundle)
    for (const std::size_t i : one.bundles[bundle]) out.places[i].group = bundle;
  return out;
}

std::vector<Schedule::Group> groups_of(const PmuEvents& one, std::span<const Need> needs,
                                       const Partition& split) {
  std::vector<Schedule::Group> out(split.groups);
  std::set<std::pair<std::size_t, std::size_t>> told;
  for (const Bundle& bundle : one.bundles)
    for (const std::size_t i : bundle) {
      const auto& place = split.places[i];
      if (!told.emplace(place.group, needs[i].same).second) continue;  // two bundles have it
      out[place.group].push_back({one.events[i], place.counter
                                                     ? counter_text(*place.counter, needs[i].paired)
                                                     : std::string()});
    }
  return out;
}

Result<void> Scheduler::add_pmu(const PmuEvents& one) {
  if (one.events.size() > kMostEvents)
    return fail(Errc::out_of_range,
                fmt::format("{} events of {} are too many to be scheduled: {} can be",
                            one.events.size(), one.name, kMostEvents));
  const PmuCounters counters = counters_of(state_, state_.pmus[*one.pmu], options_);
  const std::vector<Need> needs = needs_of(one, counters);
  CounterSet busy;
  if (options_.nmi_watchdog) busy = watchdog_counters(state_, *one.pmu, counters);
  if (auto done = check(one, needs, counters, busy); !done) return done;
  if (!counters.known)
    out_.warnings.push_back(fmt::format("the number of counters of {} is not known", one.name));
  note_topdown(one);
  Schedule::Pmu made;
  made.pmus = {one.name};
  made.generic_counters = static_cast<unsigned>(CounterSet{counters.all.generic, 0}.size());
  made.fixed_counters = static_cast<unsigned>(CounterSet{0, counters.all.fixed}.size());
  made.grouped = !is_ungrouped();
  const Partition split = made.grouped ? partition(needs, one.bundles, busy) : ungrouped(one);
  made.smallest = split.smallest;
  made.groups = groups_of(one, needs, split);
  if (made.groups.size() > 1) made.why = why_split(one, needs, busy);
  keep(std::move(made));
  return {};
}

bool Scheduler::alike(const Schedule::Pmu& a, const Schedule::Pmu& b) const {
  if (pmu::sort_stem(a.pmus.front()) != pmu::sort_stem(b.pmus.front())) return false;
  if (a.groups.size() != b.groups.size() || a.grouped != b.grouped) return false;
  const auto same_group = [&](const Schedule::Group& x, const Schedule::Group& y) {
    return std::equal(x.begin(), x.end(), y.begin(), y.end(),
                      [&](const Schedule::Event& p, const Schedule::Event& q) {
                        return names_[p.event] == names_[q.event] &&
                               machine::is_same_event(out_.events[p.event], out_.events[q.event]);
                      });
  };
  return std::equal(a.groups.begin(), a.groups.end(), b.groups.begin(), same_group);
}

/// Adds the answer for a PMU; instances of a unit that count the same become one.
void Scheduler::keep(Schedule::Pmu made) {
  for (Schedule::Pmu& known : out_.pmus)
    if (known.pmus.front() != kNoPmu && alike(known, made)) {
      known.pmus.push_back(made.pmus.front());
      return;
    }
  out_.pmus.push_back(std::move(made));
}

Result<Schedule> Scheduler::run() {
  for (const PmuEvents& one : collect(state_, out_.events)) {
    if (!one.pmu)
      add_software(one);
    else if (auto done = add_pmu(one); !done)
      return fail(std::move(done));
  }
  return std::move(out_);
}

}  // namespace
}  // namespace evname::scheduling

namespace evname {

bool Schedule::fits() const {
  return std::all_of(pmus.begin(), pmus.end(), [](const Schedule::Pmu& pmu) {
    return pmu.groups.size() < 2 || pmu.pmus.front() == scheduling::kNoPmu;
  });
}

Result<Schedule> schedule(const Machine& machine, std::span<const Encoding> events,
                          const ScheduleOptions& options) {
  if (options.constraint > GroupConstraint::no_threshold_and_nmi)
    return fail(Errc::invalid_argument, "there is no such constraint");
  const detail::MachineState& state = detail::state_of(machine);
  auto ordered = machine.regroup(scheduling::for_each_core(state, events));
  return scheduling::Scheduler(state, std::move(ordered), options).run();
}

Result<Schedule> schedule(const Machine& machine, std::string_view events,
                          const ScheduleOptions& options) {
  const auto encodings = machine.resolve(events);
  if (!encodings) return fail(encodings);
  return schedule(machine, *encodings, options);
}

}  // namespace evname
