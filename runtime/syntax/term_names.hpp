#pragma once
// perf's own terms: those of PMU/…/ that are no format field of the PMU.
// Source: perf, util/parse-events.l, and config_term_names of util/parse-events.c.

#include <cstdint>
#include <string_view>

namespace evname::syntax {

/// What a term of perf's own is for. Most steer the recording and encode nothing.
struct OwnTerm {
  enum class Effect : std::uint8_t { config, period, none };
  std::string_view name;
  Effect effect = Effect::none;
  std::uint8_t word = 0;    ///< config: which
  bool takes_text = false;  ///< a word, not a number
  bool needs_value = true;
  bool only_recorded = false;  ///< stands in recorded names, but not in what `-e` takes here
};

/// The row of a term that `-e` takes; nullptr: it is none of perf's own. `@name` (a setting of the
/// PMU's driver) has a row, too.
const OwnTerm* find_own_term(std::string_view name);

/// Does a term of a recorded name say how to sample, not what to count?
bool is_sampling_term(std::string_view name);

}  // namespace evname::syntax
