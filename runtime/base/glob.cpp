#include "base/glob.hpp"

#include <algorithm>
#include <optional>

namespace evname {
inline namespace base {
namespace {

using Element = Glob::Element;
using Letters = std::array<std::uint64_t, 4>;

void add_letters(Letters& set, unsigned first, unsigned last) {
  for (unsigned letter = first; letter <= last; ++letter)
    set[letter / 64] |= std::uint64_t{1} << letter % 64;
}

struct LetterClass {
  std::string_view name;
  struct {
    char first, last;
  } ranges[4];
};
/// POSIX classes in the locale "C"; an empty range is {1, 0}.
constexpr LetterClass kClasses[] = {
    {"alnum", {{'a', 'z'}, {'A', 'Z'}, {'0', '9'}, {1, 0}}},
    {"alpha", {{'a', 'z'}, {'A', 'Z'}, {1, 0}, {1, 0}}},
    {"blank", {{' ', ' '}, {'\t', '\t'}, {1, 0}, {1, 0}}},
    {"cntrl", {{0, 31}, {127, 127}, {1, 0}, {1, 0}}},
    {"digit", {{'0', '9'}, {1, 0}, {1, 0}, {1, 0}}},
    {"graph", {{'!', '~'}, {1, 0}, {1, 0}, {1, 0}}},
    {"lower", {{'a', 'z'}, {1, 0}, {1, 0}, {1, 0}}},
    {"print", {{' ', '~'}, {1, 0}, {1, 0}, {1, 0}}},
    {"punct", {{'!', '/'}, {':', '@'}, {'[', '`'}, {'{', '~'}}},
    {"space", {{' ', ' '}, {'\t', '\r'}, {1, 0}, {1, 0}}},
    {"upper", {{'A', 'Z'}, {1, 0}, {1, 0}, {1, 0}}},
    {"xdigit", {{'0', '9'}, {'a', 'f'}, {'A', 'F'}, {1, 0}}},
};

/// Reads the set that begins at a bracket.
class SetReader {
 public:
  /// `open`: the place of an item in a set that has no end.
  SetReader(std::string_view pattern, std::size_t bracket, std::vector<bool>* open)
      : pattern_(pattern), at_(bracket + 1), open_(open) {}

  /// Returns nullopt if the set does not end: the bracket is a letter then.
  std::optional<Element> read();

 private:
  bool ends() const { return at_ >= pattern_.size(); }
  bool is_at(char first, char second) const {
    return at_ + 1 < pattern_.size() && pattern_[at_] == first && pattern_[at_ + 1] == second;
  }
  void read_item();
  bool read_class();
  unsigned read_letter();
  unsigned fail() {
    at_ = pattern_.size();
    fails_ = true;
    return 0;
  }

  std::string_view pattern_;
  std::size_t at_;
  std::vector<bool>* open_;
  Letters set_{};
  bool fails_ =
      false;  ///< the glob ends within an item or has an unknown name, and so matches nothing
};

/// "[:alpha:]"
bool SetReader::read_class() {
  const std::size_t begin = at_ + 2;
  const std::size_t end =
      std::min(pattern_.find_first_not_of("abcdefghijklmnopqrstuvwxyz", begin), pattern_.size());
  if (!pattern_.substr(end).starts_with(":]")) return false;
  at_ = end + 2;
  const std::string_view name = pattern_.substr(begin, end - begin);
  const auto* known = std::ranges::find(kClasses, name, &LetterClass::name);
  if (known == std::end(kClasses)) {
    fail();
    return true;
  }
  for (const auto& [first, last] : known->ranges)
    if (first <= last) add_letters(set_, static_cast<unsigned>(first), static_cast<unsigned>(last));
  return true;
}

/// "a", "\a", "[.a.]" or "[=a=]"
unsigned SetReader::read_letter() {
  if (is_at('[', '.')) {
    const std::size_t name = at_ + 2, end = pattern_.find(".]", name);
    if (end != name + 1) return fail();
    at_ = end + 2;
    return static_cast<unsigned char>(pattern_[name]);
  }
  if (is_at('[', '=') && at_ + 3 < pattern_.size() && pattern_.substr(at_ + 3).starts_with("=]")) {
    at_ += 5;
    return static_cast<unsigned char>(pattern_[at_ - 3]);
  }
  if (pattern_[at_] == '\\') ++at_;
  return ends() ? fail() : static_cast<unsigned char>(pattern_[at_++]);
}

/// A letter, a range of them or a class.
void SetReader::read_item() {
  if (is_at('[', ':') && read_class()) return;
  const unsigned first = read_letter();
  unsigned last = first;
  if (!ends() && pattern_[at_] == '-' && !is_at('-', ']')) {
    ++at_;
    last = ends() ? fail() : read_letter();
  }
  add_letters(set_, first, last);
}

std::optional<Element> SetReader::read() {
  const bool inverted = !ends() && (pattern_[at_] == '!' || pattern_[at_] == '^');
  if (inverted) ++at_;
  const std::size_t first = at_;
  for (; !ends() && (pattern_[at_] != ']' || at_ == first);) {
    // Sets that begin at different brackets but share an item are the same from there on.
    if (open_ != nullptr && at_ != first) {
      if ((*open_)[at_]) return std::nullopt;
      (*open_)[at_] = true;
    }
    read_item();
  }
  if (fails_) return Element{Element::Kind::none, 0, pattern_.size(), {}};
  if (ends()) return std::nullopt;
  Element out{Element::Kind::set, 0, at_ + 1, set_};
  if (inverted)
    for (std::uint64_t& word : out.set) word = ~word;
  return out;
}

/// Reads the element at a place of the pattern.
Element element_at(std::string_view pattern, std::size_t at, std::vector<bool>* open) {
  using Kind = Element::Kind;
  const char letter = pattern[at];
  if (letter == '*') return {Kind::star, 0, at + 1, {}};
  if (letter == '?') return {Kind::any, 0, at + 1, {}};
  if (letter == '[')
    if (const auto set = SetReader(pattern, at, open).read()) return *set;
  if (letter != '\\') return {Kind::letter, letter, at + 1, {}};
  if (at + 1 == pattern.size()) return {Kind::none, 0, at + 1, {}};
  return {Kind::letter, pattern[at + 1], at + 2, {}};
}

/// Matches elements; `at` returns the element at a place. Only the last star has to be tried with
/// more letters; the matches of earlier stars stay.
template <class At>
bool matches_elements(std::size_t end, std::string_view text, At at) {
  std::size_t place = 0, letter = 0, after_star = SIZE_MAX, starred = 0;
  while (letter < text.size()) {
    if (place < end) {
      const Element& element = at(place);
      if (element.kind == Element::Kind::star) {
        after_star = place = element.next;
        starred = letter;
        continue;
      }
      if (element.fits(text[letter])) {
        place = element.next;
        ++letter;
        continue;
      }
    }
    if (after_star == SIZE_MAX) return false;
    place = after_star;
    letter = ++starred;
  }
  while (place < end && at(place).kind == Element::Kind::star) place = at(place).next;
  return place == end;
}

}  // namespace

bool Glob::Element::fits(char text) const {
  const auto code = static_cast<unsigned char>(text);
  if (kind == Kind::letter) return text == letter;
  return kind == Kind::any || (kind == Kind::set && (set[code / 64] >> code % 64 & 1) != 0);
}

Glob::Glob(std::string_view pattern) {
  std::vector<bool> open(pattern.size());
  for (std::size_t at = 0; at < pattern.size();) {
    Element element = element_at(pattern, at, &open);
    at = element.next;
    const bool repeated = element.kind == Element::Kind::star && !elements_.empty() &&
                          elements_.back().kind == Element::Kind::star;
    if (repeated) continue;
    element.next = elements_.size() + 1;
    elements_.push_back(element);
  }
}

bool Glob::matches(std::string_view text) const {
  return matches_elements(elements_.size(), text,
                          [&](std::size_t place) -> const Element& { return elements_[place]; });
}

bool glob_match(std::string_view pattern, std::string_view text) {
  constexpr std::size_t kLong = 256;
  if (pattern.size() > kLong) return Glob(pattern).matches(text);
  return matches_elements(pattern.size(), text,
                          [&](std::size_t place) { return element_at(pattern, place, nullptr); });
}

}  // namespace base
}  // namespace evname
