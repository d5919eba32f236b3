#include "recordings/perf_data/perf_names.hpp"

#include <algorithm>
#include <optional>
#include <span>

#include <fmt/format.h>

#include "base/text.hpp"
#include "events/syntax/kernel_names.hpp"
#include "events/syntax/modifiers.hpp"
#include "events/syntax/term_names.hpp"
#include "events/tables/legacy_words.hpp"

namespace evname::perf_data {
namespace {

using namespace perf_format;

using Names = std::span<const std::string_view>;

constexpr std::string_view kSoftware[] = {
    "cpu-clock",    "task-clock",   "page-faults",      "context-switches", "cpu-migrations",
    "minor-faults", "major-faults", "alignment-faults", "emulation-faults", "dummy"};
constexpr std::uint64_t kCaches = 7, kCacheOps = 3, kCacheResults = 2;

std::string pick(Names names, std::uint64_t index, std::string_view otherwise) {
  return std::string(index < names.size() ? names[index] : otherwise);
}

std::string cache_name(std::uint64_t config) {
  const auto type = config & 0xff, op = config >> 8 & 0xff, result = config >> 16 & 0xff;
  if (type >= kCaches) return "unknown-ext-hardware-cache-type";
  if (op >= kCacheOps) return "unknown-ext-hardware-cache-op";
  if (result >= kCacheResults) return "unknown-ext-hardware-cache-result";
  const auto names = syntax::legacy_names(kTypeHwCache, config & 0xffffff);
  return names.empty() ? "invalid-cache" : names.front();
}

// As "%#x" of printf.
std::string alternate_hex(std::uint64_t value) {
  return value == 0 ? "0" : fmt::format("{:#x}", value);
}

std::string_view tool_name(const Code& code) {
  if (code.type == kTypeTool)
    for (const tables::NamedNumber& event : syntax::tool_events())
      if (event.number == code.config[0]) return event.name;
  return {};
}

std::string breakpoint_name(const Attr& attr) {
  constexpr std::uint32_t kRead = 1, kWrite = 2, kExecute = 4;  // HW_BREAKPOINT_*
  std::string name = fmt::format("mem:{:#x}:", attr.code.config[1]);
  if (attr.bp_type & kRead) name += 'r';
  if (attr.bp_type & kWrite) name += 'w';
  if (attr.bp_type & kExecute) name += 'x';
  return name;
}

}  // namespace

std::string attr_name(const Attr& attr) {
  const std::uint64_t id =
      attr.code.config[0] & 0xffffffff;  // above: the PMU type on hybrid machines
  switch (attr.code.type) {
    case kTypeHardware:
      return pick(tables::kHardwareEvents, id, "unknown-hardware");
    case kTypeSoftware:
      return pick(kSoftware, attr.code.config[0], "unknown-software");
    case kTypeTracepoint:
      return "unknown tracepoint id=" + alternate_hex(attr.code.config[0]);
    case kTypeHwCache:
      return cache_name(id);
    case kTypeRaw:
      return fmt::format("raw {:#x}", attr.code.config[0]);
    case kTypeBreakpoint:
      return breakpoint_name(attr);
    default:
      if (const auto name = tool_name(attr.code); !name.empty()) return std::string(name);
      return fmt::format("unknown event PMU={} config={}",
                         static_cast<std::int32_t>(attr.code.type),
                         alternate_hex(attr.code.config[0]));
  }
}

// evsel__add_modifiers of tools/perf/util/evsel.c.
std::string attr_modifiers(const Attr& attr) {
  if (attr.code.type == kTypeTracepoint || attr.code.type > kTypeBreakpoint) return {};
  std::string letters;
  if (attr.has(kExcludeKernel) || attr.has(kExcludeUser) || attr.has(kExcludeHv)) {
    if (!attr.has(kExcludeKernel)) letters += 'k';
    if (!attr.has(kExcludeUser)) letters += 'u';
    if (!attr.has(kExcludeHv)) letters += 'h';
  }
  letters.append(attr.precise_ip(), 'p');
  if (attr.has(kExcludeHost) || attr.has(kExcludeGuest)) {
    if (!attr.has(kExcludeHost)) letters += 'H';
    if (!attr.has(kExcludeGuest)) letters += 'G';
  }
  return letters;
}

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
         text.starts_with("unknown event PMU=") || text.starts_with("unknown attr type: ") ||
         (colon != text.npos && parse_number(text.substr(0, colon)) &&
          parse_number(text.substr(colon + 1)));
}

// The event name of "before/terms/": the one plain word among the terms or, if they only say how to
// sample, the text before them. Empty if the terms spell a code.
std::string_view name_in_slashes(std::string_view before, std::string_view terms) {
  std::string_view name = before;
  std::size_t words = 0;
  for (std::string_view term : split(terms, ',')) {
    if (term.empty() || syntax::is_sampling_term(term.substr(0, term.find('=')))) continue;
    if (term.find('=') != term.npos || ++words > 1) return {};
    name = term;
  }
  return name;
}

RecordedName split_colon(std::string_view text, std::size_t colons) {
  const auto colon = text.rfind(':');
  const auto have = static_cast<std::size_t>(std::count(text.begin(), text.end(), ':'));
  if (have <= colons || !syntax::are_modifiers(text.substr(colon + 1), true)) return {text, {}};
  return {text.substr(0, colon), text.substr(colon + 1)};
}

/// The parts before, between and after two slashes; nothing if the text has no such form.
std::optional<RecordedName> read_slashes(std::string_view text) {
  const auto open = text.find('/'), close = text.rfind('/');
  if (open == text.npos || close == open) return std::nullopt;
  std::string_view after = text.substr(close + 1);
  if (after.starts_with(':')) after.remove_prefix(1);
  if (!after.empty() && !syntax::are_modifiers(after, true))
    return RecordedName{text, {}};  // a label
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

std::string DistinctNames::of(std::string_view name) {
  std::string free(name);
  unsigned& number = numbers_[free];
  if (++number > 1) free = fmt::format("{}#{}", name, number);
  while (!taken_.insert(free).second) free = fmt::format("{}#{}", name, ++number);
  return free;
}

}  // namespace evname::perf_data
