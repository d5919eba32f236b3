#include "events/syntax/term_names.hpp"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "base/letters.hpp"
#include "base/text.hpp"
#include "evname/attr.hpp"

namespace evname::syntax {
namespace {

using Effect = PerfTerm::Effect;

using Takes = PerfTerm::Takes;

constexpr std::uint64_t kAnyNumber = ~std::uint64_t{0};
constexpr std::uint64_t kMostHardware = 9;      // PERF_COUNT_HW_MAX - 1
constexpr std::uint64_t kMostCache = 0x010206;  // each byte has a bound of its own
constexpr bool kOfTracepoints = true;

// Source: util/parse-events.l; config_term_common and config_term_tracepoint of
// util/parse-events.c.
constexpr PerfTerm kPerfTerms[] = {
    {"config", Effect::config, 0},
    {"config1", Effect::config, 1},
    {"config2", Effect::config, 2},
    {"config3", Effect::config, 3},
    {"config4", Effect::config, 4},
    {"period", Effect::period},
    {"name", Effect::none, 0, Takes::text},
    {"freq"},
    {"branch_type", Effect::none, 0, Takes::text},
    {"time", Effect::none, 0, Takes::number, 1},
    {"call-graph", Effect::none, 0, Takes::text, kAnyNumber, kOfTracepoints},
    {"stack-size", Effect::none, 0, Takes::number, kAnyNumber, kOfTracepoints},
    {"max-stack", Effect::none, 0, Takes::number, kAnyNumber, kOfTracepoints},
    {"nr", Effect::none, 0, Takes::number, kAnyNumber, kOfTracepoints},
    {"inherit", Effect::none, 0, Takes::number, kAnyNumber, kOfTracepoints},
    {"no-inherit", Effect::none, 0, Takes::number, kAnyNumber, kOfTracepoints},
    {"overwrite", Effect::none, 0, Takes::number, kAnyNumber, kOfTracepoints},
    {"no-overwrite", Effect::none, 0, Takes::number, kAnyNumber, kOfTracepoints},
    {"percore", Effect::none, 0, Takes::number, 1},
    {"aux-output", Effect::none, 0, Takes::number, kAnyNumber, kOfTracepoints},
    {"aux-action", Effect::none, 0, Takes::text, kAnyNumber, kOfTracepoints},
    {"aux-sample-size", Effect::none, 0, Takes::number, 0xffffffff, kOfTracepoints},
    {"metric-id", Effect::none, 0, Takes::text},
    {"cpu", Effect::none, 0, Takes::any},
    {"ratio-to-prev", Effect::none, 0, Takes::text},
    {"legacy-hardware-config", Effect::legacy, kTypeHardware, Takes::number, kMostHardware},
    {"legacy-cache-config", Effect::legacy, kTypeHwCache, Takes::number, kMostCache},
    {"max-events", Effect::none, 0, Takes::number, kAnyNumber, false, true},
    {"driver-config", Effect::none, 0, Takes::text, kAnyNumber, false, true},
};

constexpr PerfTerm kDriverTerm = {"@", Effect::none, 0, Takes::any};

// In the order of their bits: PERF_SAMPLE_BRANCH_*_SHIFT of perf_event.h. Source of the words:
// util/parse-branch-options.c.
constexpr std::string_view kBranchTypes[] = {
    "u",        "k",         "hv",        "any",      "any_call", "any_ret", "ind_call",
    "abort_tx", "in_tx",     "no_tx",     "cond",     "stack",    "ind_jmp", "call",
    "no_flags", "no_cycles", "save_type", "hw_index", "priv",     "counter"};

std::string branch_problem(std::string_view text) {
  if (text == "no") return {};
  for (const std::string_view one : split(text, ','))
    if (!branch_bit(one))
      return fmt::format("'{}' is not a branch type; expected no, or of {}", one, branch_words());
  return {};
}

/// As strtod() reads the beginning of the text.
std::string ratio_problem(std::string_view text) {
  double ratio = 0;
  if (read_double(text, ratio) != 0 && ratio > 0) return {};
  return fmt::format("'{}' is not a ratio; expected a positive number with a point, such as 2.0",
                     text);
}

bool fits(const PerfTerm& term, std::uint64_t number) {
  if (term.most != kMostCache) return number <= term.most;
  return number <= kMostCache && (number & 0xff) <= (kMostCache & 0xff) &&
         (number & 0xff00) <= (kMostCache & 0xff00);
}

const PerfTerm* find_row(std::string_view name) {
  for (const PerfTerm& row : kPerfTerms)
    if (row.name == name) return &row;
  return nullptr;
}

}  // namespace

std::optional<std::uint64_t> branch_bit(std::string_view word) {
  for (std::size_t i = 0; i < std::size(kBranchTypes); ++i)
    if (equal_ignoring_case(kBranchTypes[i], word)) return std::uint64_t{1} << i;
  return std::nullopt;
}

std::string branch_words() { return joined(kBranchTypes, ", "); }

std::string value_problem(const PerfTerm& term, std::uint64_t number,
                          const std::string_view* text) {
  if (text == nullptr) {
    if (term.takes == Takes::text) return fmt::format("term '{}' needs a text", term.name);
    if (fits(term, number)) return {};
    return fmt::format("value {:#x} is too big for term '{}': at most {:#x}", number, term.name,
                       term.most);
  }
  if (term.takes == Takes::number)
    return fmt::format("expected a number for term '{}', not '{}'", term.name, *text);
  if (term.name == "branch_type") return branch_problem(*text);
  if (term.name == "ratio-to-prev") return ratio_problem(*text);
  return {};
}

const PerfTerm* find_perf_term(std::string_view name) {
  if (name.starts_with('@')) return &kDriverTerm;
  const PerfTerm* row = find_row(name);
  return row != nullptr && !row->only_recorded ? row : nullptr;
}

bool is_sampling_term(std::string_view name) {
  const PerfTerm* row = find_row(name);
  return row != nullptr && row->effect != Effect::config;
}

}  // namespace evname::syntax
