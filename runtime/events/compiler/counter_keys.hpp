#pragma once
// What topic files say of counters: which of them can count an event, and how many a PMU has.

#include <optional>
#include <span>
#include <string>
#include <utility>

#include "events/compiler/encode_entry.hpp"

namespace evname::compiler {

/// The counters that "Counter" names. Nothing at all if the key is missing or malformed (a warning
/// says so).
///
/// "0,1,3" are generic counters; 32 and above fixed ones of a core PMU, from 32 on, as the kernel
/// numbers them. "Fixed counter 1" of a core PMU is fixed counter 1, and any generic counter too
/// where the event has a code of its own: only codes that begin with event 0 are for fixed counters
/// alone. "FIXED" of other PMUs is their only fixed counter.
tables::Counters read_counters(const trees::Object& object, std::string_view pmu,
                               std::span<const TermSpec> terms, trees::Diagnostics& diagnostics);

/// How many counters of each kind a PMU has.
struct CounterNumbers {
  std::uint16_t generic = 0;
  std::uint16_t fixed = 0;

  /// Makes room for what an event needs.
  void hold(const tables::Counters& counters);
  /// All generic counters become kAnyCounter: models that differ in nothing else share the event.
  tables::Counters normal(tables::Counters counters) const;
};

/// A row of counter.json: the PMU and its numbers; nullopt if the object is none, or malformed (a
/// warning says so).
std::optional<std::pair<std::string, CounterNumbers>> read_counter_numbers(
    const trees::Object& object, trees::Diagnostics& diagnostics);

}  // namespace evname::compiler
