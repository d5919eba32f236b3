#include "events/scheduling/explain.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <vector>

#include "events/scheduling/counter_need.hpp"

namespace evname::scheduling {
namespace {

constexpr std::size_t kNamed = 8;  // events that a sentence tells before it says "and 3 more"

/// "0-3,7"
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

/// "0-3", "0,2", "fixed 1", "0-7 and fixed 0": as few ranges as can be.
std::string counters_text(const CounterSet& counters) {
  std::string out = ranges(counters.generic);
  if (counters.fixed == 0) return out;
  return (out.empty() ? "" : out + " and ") + "fixed " + ranges(counters.fixed);
}

std::string events_text(std::span<const std::size_t> events, std::span<const std::string> names) {
  std::vector<std::string_view> told;
  for (const std::size_t event : events)
    if (told.size() < kNamed) told.push_back(names[event]);
  std::string out = fmt::format("{}", fmt::join(told, ", "));
  if (events.size() > told.size()) out += fmt::format(" and {} more", events.size() - told.size());
  return out;
}

std::string number_text(std::size_t count, std::string_view what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

}  // namespace

std::string counter_text(const Counter& counter) {
  return fmt::format("{}{}", counter.is_fixed ? "fixed " : "", counter.index);
}

std::string shortage_text(const Shortage& shortage, std::span<const std::string> names,
                          std::string_view pmu) {
  const std::string events = events_text(shortage.events, names);
  if (shortage.shared_kind != 0)
    return fmt::format("too many different values for the {} of {}: {}",
                       register_name(shortage.shared_kind), pmu, events);
  return fmt::format("{}{} ({}) for {} of {} ({})", shortage.busy ? "the NMI watchdog and " : "",
                     number_text(shortage.events.size(), "event"), events,
                     number_text(static_cast<std::size_t>(shortage.counters.size()), "counter"),
                     pmu, counters_text(shortage.counters));
}

std::string no_counter_text(std::string_view event, const CounterSet& needed, std::string_view pmu,
                            const CounterSet& all) {
  return fmt::format("{} can't be counted: it needs counter {}, and {} has {}", event,
                     counters_text(needed), pmu, counters_text(all));
}

std::string uncountable_text(std::span<const std::string> events, std::string_view why) {
  if (events.size() == 1) return fmt::format("{} can't be counted: {}", events.front(), why);
  return fmt::format("the group {{{}}} can't be counted at once: {}", fmt::join(events, ","), why);
}

}  // namespace evname::scheduling
