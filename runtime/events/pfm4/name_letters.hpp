#pragma once
// Compares and hashes libpfm4's names. The generator uses the hash for its tables, so it must be
// the same on all machines.

#include <bit>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace evname::pfm4 {

/// Reads four or eight bytes as a number, the first one lowest.
template <class Word>
Word load_bytes(const char* at) {
  Word out;
  std::memcpy(&out, at, sizeof out);
  if constexpr (std::endian::native == std::endian::big)
    out = sizeof out == 8 ? static_cast<Word>(__builtin_bswap64(out))
                          : static_cast<Word>(__builtin_bswap32(static_cast<std::uint32_t>(out)));
  return out;
}

/// The same without regard to the case of ASCII letters; other bytes may become the same, too.
template <class Word>
Word load_letters(const char* at) {
  return load_bytes<Word>(at) | static_cast<Word>(0x2020202020202020);
}

/// A byte eight times.
constexpr std::uint64_t repeated(unsigned char byte) {
  return std::uint64_t{0x0101010101010101} * byte;
}

/// Returns a word whose lowest set bit is the top bit of the first zero byte; 0: there is none.
constexpr std::uint64_t zero_bytes(std::uint64_t word) {
  return (word - repeated(1)) & ~word & repeated(0x80);
}

/// Returns the value of a hexadecimal digit; 99: the letter is not one.
constexpr unsigned digit_value(char letter) {
  return letter >= '0' && letter <= '9'   ? unsigned(letter - '0')
         : letter >= 'a' && letter <= 'f' ? unsigned(letter - 'a' + 10)
         : letter >= 'A' && letter <= 'F' ? unsigned(letter - 'A' + 10)
                                          : 99;
}

/// Returns a hash of a name without regard to the case of ASCII letters.
inline std::uint32_t name_hash(std::string_view name) {
  constexpr std::uint64_t kFactor = 0x9e3779b97f4a7c15;
  const char* at = name.data();
  const std::size_t size = name.size();
  std::uint64_t hash = size * kFactor;
  const auto add = [&](std::uint64_t word) {
    hash = (hash ^ word) * kFactor;
    hash ^= hash >> 32;
  };
  if (size >= 8) {
    for (std::size_t i = 0; i + 8 < size; i += 8) add(load_letters<std::uint64_t>(at + i));
    add(load_letters<std::uint64_t>(at + size - 8));
  } else if (size >= 4) {
    add(load_letters<std::uint32_t>(at) | std::uint64_t{load_letters<std::uint32_t>(at + size - 4)}
                                              << 32);
  } else if (size != 0) {
    const auto letter = [&](std::size_t i) {
      return std::uint64_t{static_cast<unsigned char>(at[i])} | 0x20;
    };
    add(letter(0) | letter(size / 2) << 8 | letter(size - 1) << 16);
  }
  return static_cast<std::uint32_t>(hash >> 16);
}

}  // namespace evname::pfm4
