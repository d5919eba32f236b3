#include "events/syntax/modifiers.hpp"

#include <algorithm>
#include <ranges>

#include <fmt/format.h>

#include "evname/encoding.hpp"

namespace evname::syntax {
namespace {

constexpr std::uint8_t kMaxPrecise = 3;

/// Source: perf, util/parse-events.l, modifier_event.
struct Letter {
  /// What it does with `bit`. A mode or a side excludes the others that no letter names.
  enum Sets : std::uint8_t { none, mode, side, always, leader } sets;
  char letter;
  bool AttrBits::*bit = nullptr;
  std::uint8_t times = 1;  ///< how often it may be given
  bool of_groups = false;  ///< not for a single event
};
constexpr Letter kLetters[] = {
    {Letter::mode, 'u', &AttrBits::exclude_user},
    {Letter::mode, 'k', &AttrBits::exclude_kernel},
    {Letter::mode, 'h', &AttrBits::exclude_hv},
    {Letter::none, 'p', nullptr, kMaxPrecise},
    {Letter::none, 'P'},
    {Letter::side, 'G', &AttrBits::exclude_guest},
    {Letter::side, 'H', &AttrBits::exclude_host},
    {Letter::none, 'S'},
    {Letter::leader, 'D', &AttrBits::pinned},
    {Letter::always, 'I', &AttrBits::exclude_idle},
    {Letter::none, 'W', nullptr, 1, true},
    {Letter::leader, 'e', &AttrBits::exclusive},
    {Letter::none, 'b'},
    {Letter::none, 'R'},
    {Letter::none, 'X'},
};
constexpr std::size_t kMaxLetters = 17;

const Letter* find_letter(char c) {
  for (const Letter& row : kLetters)
    if (row.letter == c) return &row;
  return nullptr;
}

std::string all_letters() {
  std::string letters;
  for (const Letter& row : kLetters) letters += row.letter;
  return letters;
}

auto count(std::string_view text, char c) { return std::count(text.begin(), text.end(), c); }

}  // namespace

bool looks_like_modifiers(std::string_view text) {
  return !text.empty() && text.size() <= kMaxLetters &&
         std::all_of(text.begin(), text.end(), find_letter);
}

bool are_modifiers(std::string_view text, bool of_group) {
  return looks_like_modifiers(text) && std::all_of(text.begin(), text.end(), [&](char c) {
           const Letter& row = *find_letter(c);
           return count(text, c) <= row.times && (of_group || !row.of_groups);
         });
}

std::string modifier_problem(std::string_view text, bool of_group) {
  for (const char c : text)
    if (find_letter(c) == nullptr)
      return fmt::format("'{}' is not a modifier; the modifiers are {}", c, all_letters());
  for (const Letter& row : kLetters)
    if (count(text, row.letter) > row.times)
      return fmt::format("modifier '{}' is given too often", row.letter);
  for (const Letter& row : kLetters)
    if (!of_group && row.of_groups && count(text, row.letter) > 0)
      return fmt::format("modifier '{}' is for groups only", row.letter);
  return {};
}

bool too_precise(std::string_view own, std::string_view group) {
  return count(own, 'p') + count(group, 'p') > kMaxPrecise;
}

std::string with_modifiers(std::string_view name, std::string_view modifiers) {
  if (modifiers.empty()) return std::string(name);
  return fmt::format("{}{}{}", name, name.ends_with('/') ? "" : ":", modifiers);
}

std::string join_modifiers(std::string_view own, std::string_view group) {
  std::string joined(own);
  for (const char c : group)
    if (c == 'p' ? count(joined, 'p') < kMaxPrecise : count(joined, c) == 0) joined += c;
  return joined;
}

namespace {

/// Adds one set of letters, whose order does not matter (parse_events__modifier_list).
void add_letters(std::string_view letters, bool leads, AttrBits& bits) {
  const AttrBits before = bits;
  const auto has = [&](const Letter& row) { return letters.find(row.letter) != letters.npos; };
  for (const Letter::Sets sets : {Letter::mode, Letter::side}) {
    const auto is_of = [&](const Letter& row) { return row.sets == sets; };
    auto rows = kLetters | std::views::filter(is_of);
    const auto is_set = [&](const Letter& row) { return before.*row.bit; };
    if (std::ranges::none_of(rows, has)) continue;
    const bool limited = std::ranges::any_of(rows, is_set);
    for (const Letter& row : rows) bits.*row.bit = !has(row) && (!limited || before.*row.bit);
  }
  for (const Letter& row : kLetters)
    if (row.sets == Letter::always || (row.sets == Letter::leader && leads))
      bits.*row.bit |= has(row);
  const auto precise = bits.precise_ip + count(letters, 'p');
  bits.precise_ip = count(letters, 'P') > 0 || precise > kMaxPrecise
                        ? kMaxPrecise
                        : static_cast<std::uint8_t>(precise);
}

}  // namespace

AttrBits attr_bits(std::string_view modifiers, std::string_view group, bool leads) {
  AttrBits bits;
  add_letters(modifiers, true, bits);
  add_letters(group, leads, bits);
  return bits;
}

}  // namespace evname::syntax
