#include "event/modifiers.hpp"

#include "evname/encoding.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace evname::event {
namespace {

constexpr std::uint8_t kMaxPrecise = 3;

constexpr std::string_view kLetters = "ukhpPGHSDIWebR";
constexpr std::size_t kMaxLetters = 16;

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

namespace evname {
namespace {

/// Applies letters one by one, as perf does: what an earlier one has set matters to a later one.
class ModifierReader {
 public:
  void read(char letter) {
    switch (letter) {
      case 'u':
        return only_mode(bits_.exclude_user, true);
      case 'k':
        return only_mode(bits_.exclude_kernel, false);
      case 'h':
        return only_mode(bits_.exclude_hv, false);
      case 'G':
        return only_side(bits_.exclude_guest);
      case 'H':
        return only_side(bits_.exclude_host);
      case 'p':
        return more_precise();
      case 'P':
        bits_.precise_ip = event::kMaxPrecise;
        return;
      case 'I':
        bits_.exclude_idle = true;
        return;
      case 'D':
        bits_.pinned = true;
        return;
      case 'e':
        bits_.exclusive = true;
        return;
      default:
        return;  // S, W, b and R are perf's own business
    }
  }

  const AttrBits& bits() const { return bits_; }

 private:
  /// The first of u, k, h excludes all three modes; each lets its own in again.
  void only_mode(bool& own, bool user) {
    if (!modes_) bits_.exclude_user = bits_.exclude_kernel = bits_.exclude_hv = true;
    modes_ = true;
    own = false;
    if (user && !sides_) bits_.exclude_guest = true;
  }

  void only_side(bool& own) {
    if (!sides_) bits_.exclude_guest = bits_.exclude_host = true;
    sides_ = true;
    own = false;
  }

  void more_precise() {
    if (bits_.precise_ip < event::kMaxPrecise) ++bits_.precise_ip;
    if (!sides_) bits_.exclude_guest = true;
  }

  AttrBits bits_;
  bool modes_ = false;
  bool sides_ = false;
};

}  // namespace

AttrBits attr_bits(std::string_view modifiers) {
  ModifierReader reader;
  for (const char letter : modifiers) reader.read(letter);
  AttrBits bits = reader.bits();
  if (modifiers.empty()) bits.exclude_guest = true;
  return bits;
}

}  // namespace evname
