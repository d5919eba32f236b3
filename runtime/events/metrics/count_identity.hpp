#pragma once
// The identity of a count: its event, the PMU and box that counted it, its unit, its CPUs and its
// interval. Its CountGroup has the CPUs and the interval.

#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include "evname/attr.hpp"
#include "evname/metric.hpp"

namespace evname::metrics {

/// PMU; type of a generic code that has none of the PMU's own; words; terms of what has no words.
using CodeKey = std::tuple<std::string, std::uint32_t, ConfigWords, std::string>;

/// What an event text counts.
struct CountedCodes {
  std::set<CodeKey> keys;  ///< empty: the machine has no such event
  /// The box of a PMU that stands for all boxes of its kind: "imc_0"; "": all of them. A machine
  /// that is only named has such PMUs; on others the box is a PMU of its own, in `keys`.
  std::string box;
  std::string modifiers;
  std::map<std::string, double, std::less<>> units;  ///< of scaled counts, each with its factor

  /// Returns true if the other is a part of this, or all of it.
  bool holds(const CountedCodes& other) const;
};

/// Returns the codes of an event of a metric.
CountedCodes codes_of(const Machine& machine, const MetricEvent& event);
/// Returns the codes of a row of counts. One that the machine does not have keeps its PMU as box.
CountedCodes codes_of(const Machine& machine, const Counted& row);

/// Returns the number that a row's value is to be divided by for a number of events or, if the
/// event is a time, of seconds; NaN if its unit is not one of the event's.
double divisor_of(const Counted& row, const CountedCodes& codes, const MetricEvent& event);

}  // namespace evname::metrics
