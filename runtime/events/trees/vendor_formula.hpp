#pragma once
// Translates formulas of makers' metrics to the kernel's language.

#include <string>
#include <string_view>

#include <tsl/robin_map.h>

#include "evname/error.hpp"

namespace evname::trees {

/// A name of a maker's formula.
struct FormulaName {
  std::string text;        ///< its text in the kernel's language
  std::string first_unit;  ///< text for NAME[0], the count of one unit; may be empty
  bool percent = false;    ///< its numbers are 100 times the numbers of `text`
};
using FormulaNames = tsl::robin_map<std::string, FormulaName>;

/// The kinds of words that are not among the names.
enum class OtherWords : std::uint8_t { unknown, events };

/// Translates a formula: aliases, "&&", "> =", "#NA", "a[0]". Errors: invalid_argument; `where` is
/// "formula, column N".
Result<std::string> kernel_formula(std::string_view formula, const FormulaNames& names,
                                   OtherWords others);

/// Translates an event with Intel's suffixes: "UOPS_RETIRED.MS:c1:e1" is
/// "UOPS_RETIRED.MS@cmask\=1\,edge\=1@". `first_unit` makes it the event of its unit's first PMU.
Result<std::string> kernel_event(std::string_view event, bool first_unit = false);

/// Removes "100 * " from a whole expression, else divides it by 100.
std::string without_percent(std::string expression);

}  // namespace evname::trees
