#include "recording/recorded_name.hpp"

#include <algorithm>
#include <optional>
#include <vector>

#include "base/text.hpp"
#include "syntax/modifiers.hpp"
#include "syntax/term_names.hpp"

namespace evname {
namespace {

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

// The event name of "before/terms/": the one plain word among the terms or, if they only say how
// to sample, what stands before them. Empty if the terms spell a code.
std::string_view name_in_slashes(std::string_view before, std::string_view terms) {
  std::string_view name = before;
  std::size_t words = 0;
  for (std::string_view term : split(terms, ',')) {
    if (term.empty() || event::is_sampling_term(term.substr(0, term.find('=')))) continue;
    if (term.find('=') != term.npos || ++words > 1) return {};
    name = term;
  }
  return name;
}

RecordedName split_colon(std::string_view text, std::size_t colons) {
  const auto colon = text.rfind(':');
  const auto have = static_cast<std::size_t>(std::count(text.begin(), text.end(), ':'));
  if (have <= colons || !event::are_modifiers(text.substr(colon + 1), true)) return {text, {}};
  return {text.substr(0, colon), text.substr(colon + 1)};
}

/// What stands before, between and behind two slashes; nothing if the text has no such form.
std::optional<RecordedName> read_slashes(std::string_view text) {
  const auto open = text.find('/'), close = text.rfind('/');
  if (open == text.npos || close == open) return std::nullopt;
  std::string_view after = text.substr(close + 1);
  if (after.starts_with(':')) after.remove_prefix(1);
  if (!after.empty() && !event::are_modifiers(after, true)) return RecordedName{text, {}};  // a label
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
