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

/// PMU; type of a generic code without the PMU's type; words; terms if there are no words.
using CodeKey = std::tuple<std::string, std::uint32_t, ConfigWords, std::string>;

/// The identity of an event text.
struct CountedCodes {
  std::set<CodeKey> keys;  ///< empty: the machine has no such event
  /// The box of a PMU that stands for all boxes of its kind: "imc_0"; "": all of them. A machine
  /// that is only named has such PMUs; on others the box is a PMU of its own, in `keys`.
  std::string box;
  std::string modifiers;
  std::map<std::string, double, std::less<>> units;  ///< of scaled counts, each with its factor

  /// Returns true if the other is equal to this or a part of it.
  bool holds(const CountedCodes& other) const;
};

/// Returns the codes of an event of a metric.
CountedCodes codes_of(const Machine& machine, const MetricEvent& event);
/// Returns the codes of a row of counts. A row of a PMU that the machine lacks keeps it as box.
CountedCodes codes_of(const Machine& machine, const CountedEvent& row);

/// Returns the divisor that turns a row's value into a number of events or, for a time, seconds;
/// NaN if its unit does not fit the event.
double divisor_of(const CountedEvent& row, const CountedCodes& codes, const MetricEvent& event);

}  // namespace evname::metrics
