#pragma once
// Letters and digits of ASCII, whatever the locale, and the hash of names in any case of these.

#include <cstdint>
#include <string_view>

namespace evname {
inline namespace base {

constexpr bool is_digit(char letter) { return letter >= '0' && letter <= '9'; }

constexpr char to_lower(char letter) {
  return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter + ('a' - 'A')) : letter;
}

constexpr bool is_letter(char letter) { return to_lower(letter) >= 'a' && to_lower(letter) <= 'z'; }

constexpr bool is_alphanumeric(char letter) { return is_letter(letter) || is_digit(letter); }

/// Returns the value of a hexadecimal digit; 16: the letter is none.
constexpr unsigned digit_value(char letter) {
  const char lower = to_lower(letter);
  return is_digit(letter)               ? static_cast<unsigned>(letter - '0')
         : lower >= 'a' && lower <= 'f' ? static_cast<unsigned>(lower - 'a' + 10)
                                        : 16;
}

constexpr bool is_hex_digit(char letter) { return digit_value(letter) < 16; }

/// Compares without regard to the case of letters.
constexpr bool equal_ignoring_case(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i)
    if (to_lower(a[i]) != to_lower(b[i])) return false;
  return true;
}

constexpr bool starts_ignoring_case(std::string_view text, std::string_view start) {
  return equal_ignoring_case(text.substr(0, start.size()), start);
}

/// Returns the hash of a name (FNV-1a), the same for any case of its letters and on every machine:
/// generated tables have slots by it.
constexpr std::uint32_t name_hash(std::string_view name) {
  std::uint32_t hash = 0x811c9dc5;
  for (const char letter : name)
    hash = (hash ^ static_cast<unsigned char>(to_lower(letter))) * 0x01000193;
  return hash;
}

}  // namespace base
}  // namespace evname
