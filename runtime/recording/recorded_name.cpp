#include "recording/recorded_name.hpp"

#include <algorithm>
#include <optional>
#include <vector>

#include "base/text.hpp"

namespace evname {
namespace {

// Modifier letters of tools/perf/util/parse-events.l: each once, `p` up to three times.
bool is_modifiers(std::string_view text) {
  constexpr std::string_view kLetters = "ukhpPGHSDIWebR";
  if (text.empty()) return false;
  return std::all_of(text.begin(), text.end(), [&](char letter) {
    const auto times = std::count(text.begin(), text.end(), letter);
    return kLetters.find(letter) != kLetters.npos && times <= (letter == 'p' ? 3 : 1);
  });
}

// "r1a8"; a word like "read" counts only if it stands for the event's own config.
bool is_raw_code(std::string_view text, std::uint64_t config) {
  if (!text.starts_with('r')) return false;
  text.remove_prefix(text.starts_with("r0x") ? 3 : 1);
  const auto value = parse_hex(text);
  const bool has_digit = text.find_first_of("0123456789") != text.npos;
  return value && (has_digit || *value == config);
}

bool is_spelled_code(std::string_view text, std::uint64_t config) {
  const auto colon = text.find(':');
  return text.empty() || is_raw_code(text, config) || text.starts_with("raw 0x") ||
         text.starts_with("unknown attr type: ") ||
         (colon != text.npos && parse_number(text.substr(0, colon)) &&
          parse_number(text.substr(colon + 1)));
}

// Terms that say how to sample, not what to count (config_term_names of parse-events.c).
bool is_sampling_term(std::string_view term) {
  constexpr std::string_view kTerms[] = {
      "period",        "freq",       "time",       "call-graph", "stack-size",
      "max-stack",     "inherit",    "no-inherit", "overwrite",  "no-overwrite",
      "branch_type",   "max-events", "aux-output", "aux-action", "aux-sample-size",
      "driver-config", "percore",    "metric-id",  "name"};
  const auto key = term.substr(0, term.find('='));
  return std::find(std::begin(kTerms), std::end(kTerms), key) != std::end(kTerms);
}

// The event name of "before/terms/": the one plain word among the terms or, if they only say how
// to sample, what stands before them. Empty if the terms spell a code.
std::string_view name_in_slashes(std::string_view before, std::string_view terms) {
  std::string_view name = before;
  std::size_t words = 0;
  for (std::string_view term : split(terms, ',')) {
    if (term.empty() || is_sampling_term(term)) continue;
    if (term.find('=') != term.npos || ++words > 1) return {};
    name = term;
  }
  return name;
}

RecordedName split_colon(std::string_view text, std::size_t colons) {
  const auto colon = text.rfind(':');
  const auto have = static_cast<std::size_t>(std::count(text.begin(), text.end(), ':'));
  if (have <= colons || !is_modifiers(text.substr(colon + 1))) return {text, {}};
  return {text.substr(0, colon), text.substr(colon + 1)};
}

/// What stands before, between and behind two slashes; nothing if the text has no such form.
std::optional<RecordedName> read_slashes(std::string_view text) {
  const auto open = text.find('/'), close = text.rfind('/');
  if (open == text.npos || close == open) return std::nullopt;
  std::string_view after = text.substr(close + 1);
  if (after.starts_with(':')) after.remove_prefix(1);
  if (!after.empty() && !is_modifiers(after)) return RecordedName{text, {}};  // a label
  return RecordedName{
      name_in_slashes(text.substr(0, open), text.substr(open + 1, close - open - 1)), after};
}

}  // namespace

RecordedName read_generic_event_name(std::string_view text, std::size_t colons) {
  const auto in_slashes = read_slashes(text);
  if (!in_slashes) return split_colon(text, colons);
  if (!in_slashes->modifiers.empty() || in_slashes->name == text) return *in_slashes;
  return split_colon(in_slashes->name, colons);  // cpu_core/cycles:ppp/
}

RecordedName read_pmu_event_name(std::string_view text, std::uint64_t config) {
  RecordedName result = read_slashes(text).value_or(split_colon(text, 0));
  if (is_spelled_code(result.name, config)) result.name = {};
  return result;
}

}  // namespace evname
