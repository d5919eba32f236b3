#include "evname/schedule.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "event/counter_need.hpp"
#include "event/counter_text.hpp"
#include "event/groups.hpp"
#include "pmu/suffix.hpp"

namespace evname {
namespace {

using event::Bundle;
using event::Need;

constexpr std::string_view kSoftware = "software";

std::string spelled(const Encoding& e) {
  return e.modifiers.empty() ? e.name : e.name + ":" + e.modifiers;
}

/// Does it lead others?
bool is_led(std::span<const Encoding> events, std::size_t leader) {
  for (std::size_t i = leader + 1; i < events.size(); ++i)
    if (events[i].leader == leader) return true;
  return false;
}

/// Events with the same key count the same.
auto key_of(const Encoding& e) {
  return std::tuple(e.pmu, e.type, e.config, e.config1, e.config2, e.config3, e.bits.exclude_user,
                    e.bits.exclude_kernel, e.bits.exclude_hv, e.bits.exclude_host,
                    e.bits.exclude_guest, e.bits.exclude_idle, e.bits.precise_ip);
}

/// A generic event whose PMU only the machine knows is counted by every core PMU.
std::vector<Encoding> for_each_core(const detail::MachineState& state,
                                    std::span<const Encoding> events) {
  std::vector<std::string> cores;
  for (const detail::BoundPmu& bound : state.pmus)
    if (bound.pmu.is_core) cores.push_back(bound.pmu.name);
  std::vector<Encoding> out;
  std::vector<std::size_t> leaders(events.size());
  for (std::size_t i = 0; i < events.size(); ++i) {
    const Encoding& e = events[i];
    const std::size_t leader = e.leader < i ? leaders[e.leader] : out.size();
    leaders[i] = leader;
    const bool spread = cores.size() > 1 && event::is_on_any_core(e);
    for (std::size_t n = 0; n < (spread ? cores.size() : 1); ++n) {
      out.push_back(e);
      if (spread) out.back().pmu = cores[n];
      out.back().leader = e.leader < i || is_led(events, i) ? leader : out.size() - 1;
    }
  }
  return out;
}

/// The events of one PMU: indexes into all, and what was written together.
struct OnePmu {
  std::optional<std::size_t> pmu;  ///< nullopt: counted by the kernel or by perf
  std::string name;
  std::vector<std::size_t> events;
  std::vector<Bundle> bundles;  ///< of indexes into `events`
};

class Scheduler {
 public:
  Scheduler(const detail::MachineState& state, std::vector<Encoding> events,
            const ScheduleOptions& options)
      : state_(state), options_(options) {
    out_.events = std::move(events);
    for (const Encoding& e : out_.events) names_.push_back(spelled(e));
  }

  Result<Schedule> run();

 private:
  OnePmu& pmu_of_group(std::size_t first, std::size_t end);
  void add_group(std::size_t first, std::size_t end);
  void drop_repeated();
  bool is_ungrouped() const;
  std::vector<Need> needs_of(const OnePmu& one, const event::PmuCounters& counters) const;
  Result<void> check(const OnePmu& one, std::span<const Need> needs,
                     const event::PmuCounters& counters, const event::CounterSet& busy) const;
  Result<void> add_pmu(const OnePmu& one);
  void add_software(const OnePmu& one);
  void note_topdown(const OnePmu& one);
  void tell_why(const OnePmu& one, std::span<const Need> needs, const event::CounterSet& busy,
                PmuSchedule* made) const;
  void keep(PmuSchedule made);
  bool alike(const PmuSchedule& a, const PmuSchedule& b) const;
  std::vector<std::string> names_of(const OnePmu& one) const;

  const detail::MachineState& state_;
  const ScheduleOptions& options_;
  Schedule out_;
  std::vector<std::string> names_;  ///< by event
  std::vector<OnePmu> pmus_;
};

/// Software events are counted beside those of any PMU: the first other event tells.
OnePmu& Scheduler::pmu_of_group(std::size_t first, std::size_t end) {
  std::optional<std::size_t> pmu;
  for (std::size_t i = first; i < end && !pmu; ++i) pmu = event::pmu_of(state_, out_.events[i]);
  for (OnePmu& one : pmus_)
    if (one.pmu == pmu) return one;
  pmus_.push_back({pmu, pmu ? state_.pmus[*pmu].pmu.name : std::string(kSoftware), {}, {}});
  return pmus_.back();
}

void Scheduler::add_group(std::size_t first, std::size_t end) {
  OnePmu& one = pmu_of_group(first, end);
  Bundle bundle;
  std::vector<decltype(key_of(out_.events[first]))> seen;
  for (std::size_t i = first; i < end; ++i) {
    const auto key = key_of(out_.events[i]);
    if (std::find(seen.begin(), seen.end(), key) != seen.end()) continue;
    seen.push_back(key);
    bundle.push_back(one.events.size());
    one.events.push_back(i);
  }
  one.bundles.push_back(std::move(bundle));
}

/// What stands alone and also elsewhere is counted there.
void Scheduler::drop_repeated() {
  for (OnePmu& one : pmus_) {
    std::map<decltype(key_of(out_.events[0])), const Bundle*> first;
    for (const bool grouped : {true, false})
      for (const Bundle& bundle : one.bundles)
        for (const std::size_t event : bundle)
          if ((bundle.size() > 1) == grouped)
            first.try_emplace(key_of(out_.events[one.events[event]]), &bundle);
    std::vector<Bundle> kept;
    for (const Bundle& bundle : one.bundles)
      if (bundle.size() > 1 || first.at(key_of(out_.events[one.events[bundle.front()]])) == &bundle)
        kept.push_back(bundle);
    one.bundles = std::move(kept);
  }
}

bool Scheduler::is_ungrouped() const {
  switch (options_.constraint) {
    case GroupConstraint::none:
      return false;
    case GroupConstraint::no_group_events:
      return true;
    case GroupConstraint::no_group_events_nmi:
      return options_.nmi_watchdog;
    case GroupConstraint::no_group_events_smt:
      return options_.smt;
  }
  return false;
}

std::vector<Need> Scheduler::needs_of(const OnePmu& one, const event::PmuCounters& counters) const {
  std::vector<Need> needs(one.events.size());
  std::map<decltype(key_of(out_.events[0])), std::size_t> numbers;
  for (std::size_t i = 0; i < needs.size(); ++i) {
    const Encoding& e = out_.events[one.events[i]];
    if (event::pmu_of(state_, e) == one.pmu)
      needs[i] = event::need_of(state_, *one.pmu, counters, e);
    needs[i].same = numbers.try_emplace(key_of(e), i).first->second;
  }
  return needs;
}

std::vector<std::string> Scheduler::names_of(const OnePmu& one) const {
  std::vector<std::string> out;
  for (const std::size_t event : one.events) out.push_back(names_[event]);
  return out;
}

/// Each bundle has to fit alone.
Result<void> Scheduler::check(const OnePmu& one, std::span<const Need> needs,
                              const event::PmuCounters& counters,
                              const event::CounterSet& busy) const {
  const std::vector<std::string> names = names_of(one);
  for (const Bundle& bundle : one.bundles) {
    for (const std::size_t i : bundle)
      if ((needs[i].counters.generic & ~counters.all.generic) != 0 ||
          (needs[i].counters.fixed & ~counters.all.fixed) != 0)
        return fail(Errc::out_of_range,
                    fmt::format("{} can't be counted: it needs counter {}, and {} has {}", names[i],
                                event::counters_text(needs[i].counters), one.name,
                                event::counters_text(counters.all)));
    const auto shortage = event::shortage(needs, bundle, busy);
    if (!shortage) continue;
    const std::string why = event::shortage_text(*shortage, names, one.name);
    if (bundle.size() == 1)
      return fail(Errc::out_of_range,
                  fmt::format("{} can't be counted: {}", names[bundle.front()], why));
    std::vector<std::string> members;
    for (const std::size_t i : bundle) members.push_back(names[i]);
    return fail(Errc::out_of_range, fmt::format("the group {{{}}} can't be counted at once: {}",
                                                fmt::join(members, ","), why));
  }
  return {};
}

void Scheduler::tell_why(const OnePmu& one, std::span<const Need> needs,
                         const event::CounterSet& busy, PmuSchedule* made) const {
  Bundle all;
  for (const Bundle& bundle : one.bundles) all.insert(all.end(), bundle.begin(), bundle.end());
  if (const auto shortage = event::shortage(needs, all, busy))
    made->why = event::shortage_text(*shortage, names_of(one), one.name);
}

/// Topdown metrics are read from a register that belongs to the slots.
void Scheduler::note_topdown(const OnePmu& one) {
  for (const Bundle& bundle : one.bundles) {
    const auto encoding = [&](std::size_t i) -> const Encoding& {
      return out_.events[one.events[i]];
    };
    const bool has_slots = std::any_of(bundle.begin(), bundle.end(), [&](std::size_t i) {
      return (encoding(i).config & 0xffff) == 0x400;  // event 0, unit mask 4
    });
    for (const std::size_t i : bundle)
      if (!has_slots && event::is_topdown_metric(state_, *one.pmu, encoding(i)))
        out_.notes.push_back(
            fmt::format("{} counts only in a group with slots", names_[one.events[i]]));
  }
}

void Scheduler::add_software(const OnePmu& one) {
  PmuSchedule made;
  made.pmus = {one.name};
  for (const Bundle& bundle : one.bundles) {
    ScheduledGroup group;
    for (const std::size_t i : bundle) group.push_back({one.events[i], {}});
    made.groups.push_back(std::move(group));
  }
  made.grouped = false;
  out_.pmus.push_back(std::move(made));
}

Result<void> Scheduler::add_pmu(const OnePmu& one) {
  const event::PmuCounters counters = event::counters_of(state_, state_.pmus[*one.pmu], options_);
  const std::vector<Need> needs = needs_of(one, counters);
  const event::CounterSet busy = options_.nmi_watchdog
                                     ? event::watchdog_counters(state_, *one.pmu, counters)
                                     : event::CounterSet{};
  if (auto done = check(one, needs, counters, busy); !done) return done;
  if (!counters.known)
    out_.notes.push_back(fmt::format("how many counters {} has is not known", one.name));
  note_topdown(one);
  PmuSchedule made;
  made.pmus = {one.name};
  made.generic_counters = static_cast<unsigned>(event::CounterSet{counters.all.generic, 0}.size());
  made.fixed_counters = static_cast<unsigned>(event::CounterSet{0, counters.all.fixed}.size());
  if (is_ungrouped()) {
    made.grouped = false;
    if (one.bundles.size() > 1) made.why = "MetricConstraint: its events are not to be grouped";
  } else {
    tell_why(one, needs, busy, &made);
  }
  event::Partition split;
  if (made.grouped) {
    split = event::partition(needs, one.bundles, busy);
  } else {
    split.groups = one.bundles.size();
    split.places.resize(needs.size());
    for (std::size_t bundle = 0; bundle < one.bundles.size(); ++bundle)
      for (const std::size_t i : one.bundles[bundle]) split.places[i].group = bundle;
  }
  made.smallest = split.smallest;
  made.groups.resize(split.groups);
  std::set<std::pair<std::size_t, std::size_t>> told;
  for (const Bundle& bundle : one.bundles)
    for (const std::size_t i : bundle) {
      const auto& place = split.places[i];
      if (!told.emplace(place.group, needs[i].same).second) continue;  // groups that share it
      made.groups[place.group].push_back(
          {one.events[i], place.counter ? event::counter_text(*place.counter) : std::string()});
    }
  keep(std::move(made));
  return {};
}

bool Scheduler::alike(const PmuSchedule& a, const PmuSchedule& b) const {
  if (pmu::sort_stem(a.pmus.front()) != pmu::sort_stem(b.pmus.front())) return false;
  if (a.groups.size() != b.groups.size() || a.grouped != b.grouped) return false;
  const auto same_group = [&](const ScheduledGroup& x, const ScheduledGroup& y) {
    return std::equal(x.begin(), x.end(), y.begin(), y.end(),
                      [&](const ScheduledEvent& p, const ScheduledEvent& q) {
                        return names_[p.event] == names_[q.event];
                      });
  };
  return std::equal(a.groups.begin(), a.groups.end(), b.groups.begin(), same_group);
}

/// Instances of a unit that are to count the same become one answer.
void Scheduler::keep(PmuSchedule made) {
  for (PmuSchedule& known : out_.pmus)
    if (known.pmus.front() != kSoftware && alike(known, made)) {
      known.pmus.push_back(made.pmus.front());
      return;
    }
  out_.pmus.push_back(std::move(made));
}

Result<Schedule> Scheduler::run() {
  for (std::size_t first = 0, end; first < out_.events.size(); first = end) {
    end = first + 1;
    while (end < out_.events.size() && out_.events[end].leader == out_.events[first].leader) ++end;
    add_group(first, end);
  }
  drop_repeated();
  for (const OnePmu& one : pmus_) {
    if (!one.pmu)
      add_software(one);
    else if (auto done = add_pmu(one); !done)
      return tl::unexpected<Error>(std::move(done.error()));
  }
  return std::move(out_);
}

}  // namespace

bool Schedule::fits() const {
  return std::all_of(pmus.begin(), pmus.end(), [](const PmuSchedule& pmu) {
    return pmu.groups.size() < 2 || pmu.pmus.front() == kSoftware;
  });
}

Result<Schedule> schedule(const Machine& machine, std::span<const Encoding> events,
                          const ScheduleOptions& options) {
  return Scheduler(machine.state(), machine.regroup(for_each_core(machine.state(), events)),
                   options)
      .run();
}

Result<Schedule> schedule(const Machine& machine, std::string_view events,
                          const ScheduleOptions& options) {
  const auto encodings = machine.resolve(events);
  if (!encodings) return tl::unexpected<Error>(encodings.error());
  return schedule(machine, *encodings, options);
}

}  // namespace evname
