#include "events/syntax/modifiers.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "evname/encoding.hpp"

namespace evname::syntax {
namespace {

constexpr std::uint8_t kMaxPrecise = 3;

/// Source: perf, util/parse-events.l, modifier_event.
struct Letter {
  char letter;
  std::uint8_t times = 1;  ///< how often it may be given
  bool of_groups = false;  ///< not for a single event
};
constexpr Letter kLetters[] = {{'u'}, {'k'}, {'h'}, {'p', kMaxPrecise}, {'P'}, {'G'}, {'H'},
                               {'S'}, {'D'}, {'I'}, {'W', 1, true},     {'e'}, {'b'}, {'R'},
                               {'X'}};
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

}  // namespace evname::syntax

namespace evname {
namespace {

bool has(std::string_view letters, char letter) { return letters.find(letter) != letters.npos; }

/// Adds one set of letters, whose order does not matter (parse_events__modifier_list).
void add_letters(std::string_view letters, bool leads, AttrBits& bits) {
  bool limited = bits.exclude_user || bits.exclude_kernel || bits.exclude_hv;
  bool sided = bits.exclude_host || bits.exclude_guest;
  const auto only_mode = [&](bool& own) {
    if (!limited) bits.exclude_user = bits.exclude_kernel = bits.exclude_hv = true;
    limited = true;
    own = false;
  };
  const auto only_side = [&](bool& own) {
    if (!sided) bits.exclude_guest = bits.exclude_host = true;
    sided = true;
    own = false;
  };
  if (has(letters, 'u')) only_mode(bits.exclude_user);
  if (has(letters, 'k')) only_mode(bits.exclude_kernel);
  if (has(letters, 'h')) only_mode(bits.exclude_hv);
  if (has(letters, 'G')) only_side(bits.exclude_guest);
  if (has(letters, 'H')) only_side(bits.exclude_host);
  const auto precise = bits.precise_ip + syntax::count(letters, 'p');
  bits.precise_ip = has(letters, 'P') || precise > syntax::kMaxPrecise
                        ? syntax::kMaxPrecise
                        : static_cast<std::uint8_t>(precise);
  bits.exclude_idle |= has(letters, 'I');
  bits.pinned |= leads && has(letters, 'D');
  bits.exclusive |= leads && has(letters, 'e');
}

}  // namespace

AttrBits attr_bits(std::string_view modifiers, std::string_view group, bool leads) {
  AttrBits bits;
  add_letters(modifiers, true, bits);
  add_letters(group, leads, bits);
  return bits;
}

}  // namespace evname
