#include "compiler/number.hpp"

#include <fmt/format.h>

#include <charconv>

#include "base/text.hpp"

namespace evname::gen {
namespace {

struct Prefix {
  std::string_view text;
  int base;
};

constexpr Prefix kPrefixes[] = {{"0x", 16}, {"0X", 16}, {"0o", 8}, {"0b", 2}};

}  // namespace

std::optional<Number> read_number(std::string_view text) {
  text = trim(text);
  int base = 10;
  for (const Prefix& prefix : kPrefixes) {
    if (!text.starts_with(prefix.text)) continue;
    base = prefix.base;
    text.remove_prefix(prefix.text.size());
    break;
  }
  Number number;
  number.spelling = base == 10 ? tables::Spelling::decimal : tables::Spelling::hex;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number.value, base);
  if (text.empty() || error != std::errc{} || stop != end) return std::nullopt;
  return number;
}

std::optional<Number> read_verbatim(std::string_view text) {
  auto number = read_number(text);
  if (!number) return std::nullopt;
  const bool hex = number->spelling == tables::Spelling::hex;
  const std::string same = hex && number->value > 9 ? fmt::format("{:#x}", number->value)
                                                    : fmt::format("{}", number->value);
  if (same != text) number->spelling = tables::Spelling::text;
  return number;
}

}  // namespace evname::gen
