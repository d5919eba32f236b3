#include "events/pmu/format.hpp"

#include <bit>

namespace evname::pmu {
namespace {

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
