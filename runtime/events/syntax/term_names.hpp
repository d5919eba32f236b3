#pragma once
// perf's own terms: those of PMU/…/ that are no format field of the PMU.
// Source: perf, util/parse-events.l, and config_term_names of util/parse-events.c.

#include <cstdint>
#include <string>
#include <string_view>

namespace evname::syntax {

/// What a term of perf's own is for. Most steer the recording and encode nothing.
struct PerfTerm {
  enum class Effect : std::uint8_t { config, period, legacy, none };
  enum class Takes : std::uint8_t { number, text, any };
  std::string_view name;
  Effect effect = Effect::none;
  std::uint8_t word = 0;                   ///< config: which; legacy: the generic type
  Takes takes = Takes::number;             ///< a term without value is the number 1
  std::uint64_t most = ~std::uint64_t{0};  ///< the largest number
  bool of_tracepoints = false;             ///< tracepoints take it, too
  bool only_recorded = false;  ///< stands in recorded names, but not in what `-e` takes here
};

/// Why the term can't have that value; empty if it can. `text`: null for a number.
std::string value_problem(const PerfTerm& term, std::uint64_t number, const std::string_view* text);

/// The row of a term that `-e` takes; nullptr: it is none of perf's own. `@name` (a setting of the
/// PMU's driver) has a row, too.
const PerfTerm* find_perf_term(std::string_view name);

/// Does a term of a recorded name say how to sample, not what to count?
bool is_sampling_term(std::string_view name);

}  // namespace evname::syntax
