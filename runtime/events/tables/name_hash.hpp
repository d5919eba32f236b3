#pragma once
// The hash of event names; generator and runtime share it.

#include <bit>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <type_traits>

namespace evname::tables {

/// Reads eight letters, the first into the lowest byte.
inline std::uint64_t letters_at(const char* at) {
  std::uint64_t letters;
  std::memcpy(&letters, at, 8);
  if constexpr (std::endian::native == std::endian::big) letters = __builtin_bswap64(letters);
  return letters;
}

/// Reads up to eight letters, the first into the lowest byte, and sets bit 5 of each: that folds
/// the case of ASCII letters, and joins no other two characters of names.
constexpr std::uint64_t folded_letters(const char* at, std::size_t count) {
  constexpr std::uint64_t kLower = 0x2020202020202020;
  std::uint64_t letters = 0;
  if (!std::is_constant_evaluated() && count == 8) {
    letters = letters_at(at);
  } else {
    for (std::size_t i = 0; i < count; ++i)
      letters |= std::uint64_t{static_cast<unsigned char>(at[i])} << 8 * i;
  }
  return letters | kLower;
}

/// Returns the hash of a name, the same for any case of its letters and on every machine.
constexpr std::uint32_t name_hash(std::string_view name) {
  constexpr std::uint64_t kMix =
      0x9e3779b97f4a7c15;  // the golden ratio, as Fibonacci hashing has it
  std::uint64_t hash = name.size();
  const auto mix = [&](std::uint64_t letters) {
    hash = (hash ^ letters) * kMix;
    hash ^= hash >> 32;
  };
  const char* at = name.data();
  std::size_t left = name.size();
  for (; left >= 8; left -= 8, at += 8) mix(folded_letters(at, 8));
  if (left > 0 && name.size() > 8)
    mix(folded_letters(at + left - 8, 8));  // the last eight, some of them for the second time
  else if (left > 0)
    mix(folded_letters(at, left));
  return static_cast<std::uint32_t>(hash * kMix >> 32);
}

/// Returns the bits of a hash in ArchTables::slot_tags, which don't choose the slot.
constexpr std::uint8_t slot_tag(std::uint32_t hash) {
  return static_cast<std::uint8_t>(hash >> 24);
}

constexpr char to_lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; }

/// Compares without regard to the case of ASCII letters.
constexpr bool equal_ignoring_case(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i)
    if (to_lower(a[i]) != to_lower(b[i])) return false;
  return true;
}

}  // namespace evname::tables
