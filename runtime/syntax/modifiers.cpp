#include "syntax/modifiers.hpp"

#include "evname/encoding.hpp"

#include <fmt/format.h>

#include <algorithm>

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
                               {'S'}, {'D'}, {'I'}, {'W', 1, true},     {'e'}, {'b'}, {'R'}};
constexpr std::size_t kMaxLetters = 16;

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
      return fmt::format("'{}' is no modifier; expected letters of {}", c, all_letters());
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

/// One set of letters, whose order does not matter (parse_events__modifier_list).
class ModifierReader {
 public:
  explicit ModifierReader(AttrBits bits) : bits_(bits) {}

  void read(std::string_view letters, bool leader) {
    if (has(letters, 'p')) bits_.exclude_guest = true;
    bool limited = bits_.exclude_user || bits_.exclude_kernel || bits_.exclude_hv;
    const auto only_mode = [&](bool& own) {
      if (!limited) bits_.exclude_user = bits_.exclude_kernel = bits_.exclude_hv = true;
      limited = true;
      own = false;
    };
    if (has(letters, 'u') && !sides_) bits_.exclude_guest = true;
    if (has(letters, 'u')) only_mode(bits_.exclude_user);
    if (has(letters, 'k')) only_mode(bits_.exclude_kernel);
    if (has(letters, 'h')) only_mode(bits_.exclude_hv);
    if (has(letters, 'G')) only_side(bits_.exclude_guest);
    if (has(letters, 'H')) only_side(bits_.exclude_host);
    bits_.precise_ip = precision(letters);
    bits_.exclude_idle |= has(letters, 'I');
    bits_.pinned |= leader && has(letters, 'D');
    bits_.exclusive |= leader && has(letters, 'e');
  }

  const AttrBits& bits() const { return bits_; }

 private:
  /// The first of G and H excludes both sides; each lets its own in again.
  void only_side(bool& own) {
    if (!sides_) bits_.exclude_guest = bits_.exclude_host = true;
    sides_ = true;
    own = false;
  }

  std::uint8_t precision(std::string_view letters) const {
    const auto wanted = bits_.precise_ip + syntax::count(letters, 'p');
    if (has(letters, 'P') || wanted > syntax::kMaxPrecise) return syntax::kMaxPrecise;
    return static_cast<std::uint8_t>(wanted);
  }

  AttrBits bits_;
  bool sides_ = false;
};

}  // namespace

AttrBits attr_bits(std::string_view modifiers, std::string_view group, bool leads) {
  AttrBits bits;
  bits.exclude_guest = modifiers.empty();  // any letter starts from nothing excluded
  ModifierReader reader(bits);
  if (!modifiers.empty()) reader.read(modifiers, true);
  if (!group.empty()) reader.read(group, leads);
  return reader.bits();
}

}  // namespace evname
