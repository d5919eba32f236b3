#include "event/modifiers.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace evname::event {
namespace {

constexpr std::string_view kLetters = "ukhpPGHSDIWebR";
constexpr std::size_t kMaxLetters = 16;
constexpr int kMaxPrecise = 3;

auto count(std::string_view text, char c) { return std::count(text.begin(), text.end(), c); }

}  // namespace

bool looks_like_modifiers(std::string_view text) {
  return !text.empty() && text.size() <= kMaxLetters &&
         text.find_first_not_of(kLetters) == std::string_view::npos;
}

std::string modifier_problem(std::string_view text, bool of_group) {
  const std::size_t unknown = text.find_first_not_of(kLetters);
  if (unknown != std::string_view::npos)
    return fmt::format("'{}' is no modifier; expected letters of {}", text[unknown], kLetters);
  for (const char c : kLetters)
    if (count(text, c) > (c == 'p' ? kMaxPrecise : 1))
      return fmt::format("modifier '{}' is given too often", c);
  if (!of_group && count(text, 'W') > 0) return "modifier 'W' is for groups only";
  return {};
}

std::string join_modifiers(std::string_view own, std::string_view group) {
  std::string joined(own);
  for (const char c : group)
    if (c == 'p' ? count(joined, 'p') < kMaxPrecise : count(joined, c) == 0) joined += c;
  return joined;
}

}  // namespace evname::event
