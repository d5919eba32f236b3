#include "events/pmu/pmu.hpp"

#include <algorithm>
#include <bit>
#include <tuple>

#include "base/glob.hpp"
#include "base/sorting.hpp"
#include "base/text.hpp"
#include "events/tables/model_view.hpp"

namespace evname::pmu {
namespace {

// Matches names of PMUs by perf's rules: tools/perf/util/pmu.c, perf_pmu__wildcard_match and
// perf_pmu__match_wildcard_uncore.

// Event files have one term for a field with two names in the kernel.
constexpr std::string_view kOffcore = "offcore_rsp", kOffmodule = "offmodule_rsp";

/// The hexadecimal digits at the end of a text.
struct TrailingDigits {
  std::size_t count = 0;
  bool letter = false;

  explicit TrailingDigits(std::string_view text) {
    for (; count < text.size(); ++count) {
      const char c = text[text.size() - 1 - count];
      if (!is_hex_digit(c)) break;
      letter |= is_letter(c);
    }
  }
  /// Two letters are probably a word ("cf"), not a number.
  bool is_number() const { return count > 0 && (!letter || count > 2); }
};

std::string_view without_uncore(std::string_view name) {
  if (name.starts_with("uncore_")) name.remove_prefix(7);
  return name;
}

bool matches_uncore(std::string_view table_pmu, std::string_view name) {
  return tables::is_instance(without_uncore(name), without_uncore(table_pmu));
}

bool matches_one_name(std::string_view text, std::string_view name) {
  text = without_uncore(text);
  name = without_uncore(name);
  if (text.find_first_of("*?[") != std::string_view::npos) return glob_match(text, name);
  return matches_ignoring_suffix(name, text);
}

/// perf sorts names by the part before `_NUMBER`, then by the number read as hexadecimal.
struct SortKey {
  bool other;
  std::string_view stem;
  std::uint64_t number;
  std::string_view name;

  explicit SortKey(const Pmu& pmu)
      : other(!pmu.is_core), stem(sort_stem(pmu.name)), number(0), name(pmu.name) {
    if (stem.size() < name.size())
      number = parse_hex(name.substr(stem.size() + 1)).value_or(~std::uint64_t{0});
  }
  bool operator<(const SortKey& b) const {
    return std::tie(other, stem, number, name) < std::tie(b.other, b.stem, b.number, b.name);
  }
};

constexpr std::string_view kConfig = "config";

/// Reads the decimal number at `at` and moves past it; nullopt if there is none. Too large numbers
/// saturate.
std::optional<unsigned> number_at(std::string_view text, std::size_t& at) {
  constexpr unsigned kTooLarge = 100000;
  std::optional<unsigned> value;
  for (; at < text.size() && text[at] >= '0' && text[at] <= '9'; ++at) {
    const unsigned next = value.value_or(0) * 10 + static_cast<unsigned>(text[at] - '0');
    value = next < kTooLarge ? next : kTooLarge;
  }
  return value;
}

bool skip(std::string_view text, std::size_t& at, char c) {
  if (at >= text.size() || text[at] != c) return false;
  ++at;
  return true;
}

/// Reads "A" or "A-B". B = 0 means no B, and B < A is empty (perf_pmu__set_format).
std::optional<std::uint64_t> range_at(std::string_view text, std::size_t& at) {
  const auto first = number_at(text, at);
  if (!first) return std::nullopt;
  unsigned last = *first;
  if (std::size_t after = at; skip(text, after, '-')) {
    if (const auto second = number_at(text, after)) {
      at = after;
      if (*second != 0) last = *second;
    }
  }
  if (*first > 63 || last > 63) return std::nullopt;
  std::uint64_t mask = 0;
  for (unsigned bit = *first; bit <= last; ++bit) mask |= std::uint64_t{1} << bit;
  return mask;
}

/// Reads one "config1:0-7,32-35" from `at` on. Returns false for a bit above 63; `format` stays
/// empty if no term is there.
bool term_at(std::string_view text, std::size_t& at, std::optional<Format>& format) {
  at += kConfig.size();
  const unsigned word = number_at(text, at).value_or(0);
  if (std::size_t after = at; !skip(text, after, ':') || !number_at(text, after)) return true;
  ++at;
  std::uint64_t mask = 0;
  for (;;) {
    const auto bits = range_at(text, at);
    if (!bits) return false;
    mask |= *bits;
    std::size_t after = at;
    if (!skip(text, after, ',') || after >= text.size() || text[after] < '0' || text[after] > '9')
      break;
    at = after;
  }
  format = Format{{}, static_cast<std::uint8_t>(word < 255 ? word : 255), mask};
  return true;
}

}  // namespace

std::string_view sort_stem(std::string_view name) {
  const TrailingDigits digits(name);
  const std::size_t rest = name.size() - digits.count;
  if (!digits.is_number() || rest == 0 || name[rest - 1] != '_') return name;
  return name.substr(0, rest - 1);
}

bool serves(std::string_view table_pmu, const Pmu& pmu) {
  if (table_pmu == pmu.name) return true;
  if (pmu.is_uncore && (matches_uncore(table_pmu, pmu.name) ||
                        (!pmu.alias.empty() && matches_uncore(table_pmu, pmu.alias))))
    return true;
  if (!pmu.unit.empty() && table_pmu == pmu.unit) return true;
  // A built-in PMU stands for all instances of its unit.
  if (pmu.is_uncore && pmu.origin == Origin::builtin &&
      matches_ignoring_suffix(table_pmu, pmu.name))
    return true;
  return pmu.is_core && table_pmu == "default_core";
}

bool matches_wildcard(std::string_view text, const Pmu& pmu) {
  if (matches_one_name(text, pmu.name)) return true;
  if (!pmu.alias.empty() && matches_one_name(text, pmu.alias)) return true;
  return !box_name(text, pmu).empty();
}

std::string box_name(std::string_view text, const Pmu& pmu) {
  if (pmu.origin != Origin::builtin) return {};
  if (text != pmu.name && !pmu.instances.empty() && tables::is_instance_of_any(text, pmu.instances))
    return std::string(text);
  if (!pmu.is_uncore) return {};
  const std::string_view box = without_uncore(text), kind = without_uncore(pmu.name);
  if (box == kind || !matches_ignoring_suffix(box, kind)) return {};
  return pmu.name + std::string(box.substr(kind.size()));
}

const std::string* Pmu::find_cap(std::string_view cap_name) const {
  for (const auto& [name_of_cap, value] : caps)
    if (name_of_cap == cap_name) return &value;
  return nullptr;
}

void Pmu::set_cap(std::string_view cap_name, std::string value) {
  for (auto& [name_of_cap, known] : caps)
    if (name_of_cap == cap_name) {
      known = std::move(value);
      return;
    }
  caps.emplace_back(cap_name, std::move(value));
}

const Format* Pmu::find_format(std::string_view format_name) const {
  const auto at = std::find_if(formats.begin(), formats.end(),
                               [&](const Format& f) { return f.name == format_name; });
  if (at != formats.end()) return &*at;
  return format_name == kOffcore ? find_format(kOffmodule) : nullptr;
}

const SysfsEvent* Pmu::find_event(std::string_view event_name) const {
  const auto at = std::find_if(events.begin(), events.end(), [&](const SysfsEvent& e) {
    return equal_ignoring_case(e.name, event_name);
  });
  return at == events.end() ? nullptr : &*at;
}

void sort_pmus(std::vector<Pmu>& pmus) {
  sort_stably_by(pmus, [](const Pmu& pmu) { return SortKey(pmu); });
}

int Format::width() const { return std::popcount(mask); }

std::optional<std::uint64_t> Format::pack(std::uint64_t value) const {
  std::uint64_t packed = 0;
  for (std::uint64_t left = mask; left != 0; left &= left - 1) {
    if (value & 1) packed |= left & -left;
    value >>= 1;
  }
  if (value != 0) return std::nullopt;
  return packed;
}

std::uint64_t Format::extract(std::uint64_t config) const {
  std::uint64_t value = 0;
  int bit = 0;
  for (std::uint64_t left = mask; left != 0; left &= left - 1, ++bit)
    if (config & left & -left) value |= std::uint64_t{1} << bit;
  return value;
}

std::optional<Format> parse_format(std::string_view name, std::string_view text) {
  std::optional<Format> format;
  for (std::size_t at = 0; (at = text.find(kConfig, at)) != std::string_view::npos;)
    if (!term_at(text, at, format)) return std::nullopt;
  if (format) format->name = std::string(name);
  return format;
}

}  // namespace evname::pmu
