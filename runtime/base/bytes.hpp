#pragma once
// Bytes of a file and how numbers are stored in them.

#include <bit>
#include <cstdint>
#include <cstring>
#include <span>
#include <type_traits>

namespace evname {

using Bytes = std::span<const std::uint8_t>;

template <class T>
constexpr T byte_swap(T value) {
  static_assert(std::is_unsigned_v<T>);
  if constexpr (sizeof(T) == 8) return __builtin_bswap64(value);
  if constexpr (sizeof(T) == 4) return __builtin_bswap32(value);
  if constexpr (sizeof(T) == 2) return __builtin_bswap16(value);
  return value;
}

/// The number at `at`, which need not be aligned; the caller has checked that it is there.
template <class T>
inline T load(const std::uint8_t* at, std::endian order) {
  T value;
  std::memcpy(&value, at, sizeof(T));
  return order == std::endian::native ? value : byte_swap(value);
}

}  // namespace evname
