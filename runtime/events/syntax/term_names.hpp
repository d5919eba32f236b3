#pragma once
// perf's own terms: terms in PMU/…/ that are not format fields of the PMU. Source: perf,
// util/parse-events.l, and config_term_names of util/parse-events.c.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace evname::syntax {

/// One of perf's own terms. Most control the recording and encode nothing.
struct PerfTerm {
  enum class Effect : std::uint8_t { config, period, legacy, none };
  enum class Takes : std::uint8_t { number, text, any };
  std::string_view name;
  Effect effect = Effect::none;
  std::uint8_t word = 0;                   ///< config: which; legacy: the generic type
  Takes takes = Takes::number;             ///< a term without value is the number 1
  std::uint64_t most = ~std::uint64_t{0};  ///< the largest number
  bool of_tracepoints = false;             ///< tracepoints take it, too
  bool only_recorded = false;  ///< appears in recorded names, but is not accepted in `-e` here
};

/// Returns why the term can't have that value; empty if it can. `text` is null for a number.
std::string value_problem(const PerfTerm& term, std::uint64_t number, const std::string_view* text);

/// Returns the row of a term that `-e` accepts; nullptr if it is not perf's own. `@name` (a setting
/// of the PMU's driver) has a row, too.
const PerfTerm* find_perf_term(std::string_view name);

/// Returns the bit of branch_sample_type that a word of `branch_type` or of `perf record -j` stands
/// for, in any case: "any_call"; nullopt if it stands for none.
std::optional<std::uint64_t> branch_bit(std::string_view word);

/// Returns these words, for messages: "u, k, hv, …".
std::string branch_words();

/// Returns true if a term of a recorded name is about sampling, not about the event.
bool is_sampling_term(std::string_view name);

}  // namespace evname::syntax
