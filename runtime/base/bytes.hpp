#pragma once
// Bytes of a file, and reading and writing the numbers that are stored in them.

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

namespace evname {
inline namespace base {

using Bytes = std::span<const std::uint8_t>;

inline std::string_view text_of(Bytes bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

template <class T>
constexpr T byte_swap(T value) {
  static_assert(std::is_unsigned_v<T>);
  if constexpr (sizeof(T) == 8) return __builtin_bswap64(value);
  if constexpr (sizeof(T) == 4) return __builtin_bswap32(value);
  if constexpr (sizeof(T) == 2) return __builtin_bswap16(value);
  return value;
}

/// Reads the number at `at`, which need not be aligned; the caller has checked that it is there.
template <class T>
inline T load(const std::uint8_t* at, std::endian order) {
  T value;
  std::memcpy(&value, at, sizeof(T));
  return order == std::endian::native ? value : byte_swap(value);
}

/// Reads bytes of either byte order, and checks bounds. The first read past the end makes the
/// cursor fail for good: this and all later reads return zeros and empty views. So read a whole
/// record and call ok() once. Never allocates.
class Cursor {
 public:
  explicit Cursor(Bytes bytes, std::endian order = std::endian::native)
      : bytes_(bytes), order_(order) {}

  bool ok() const { return ok_; }
  std::size_t position() const { return position_; }
  std::size_t remaining() const { return bytes_.size() - position_; }
  std::endian order() const { return order_; }
  void set_order(std::endian order) { order_ = order; }

  std::uint8_t u8() { return number<std::uint8_t>(); }
  std::uint16_t u16() { return number<std::uint16_t>(); }
  std::uint32_t u32() { return number<std::uint32_t>(); }
  std::uint64_t u64() { return number<std::uint64_t>(); }

  Bytes bytes(std::uint64_t count) {
    if (!claim(count)) return {};
    Bytes view = bytes_.subspan(position_, count);
    position_ += count;
    return view;
  }
  void skip(std::uint64_t count) { bytes(count); }
  /// Reads `count` items of `size` bytes; fails if there are fewer bytes.
  void skip_array(std::uint64_t count, std::uint64_t size) { array(count, size); }
  Bytes array(std::uint64_t count, std::uint64_t size) {
    if (size != 0 && count > remaining() / size) {
      ok_ = false;
      return {};
    }
    return bytes(count * size);
  }

  /// Reads `count` bytes as text up to their first NUL.
  std::string_view text(std::uint64_t count) { return until_nul(bytes(count)); }
  /// Reads a text and the NUL after it; fails without one.
  std::string_view line() {
    Bytes rest = ok_ ? bytes_.subspan(position_) : Bytes{};
    const std::size_t length = length_to_nul(rest);
    if (length == rest.size()) {
      ok_ = false;
      return {};
    }
    return until_nul(bytes(length + 1));
  }

  static std::string_view until_nul(Bytes bytes) {
    return {reinterpret_cast<const char*>(bytes.data()), length_to_nul(bytes)};
  }

 private:
  static std::size_t length_to_nul(Bytes bytes) {
    if (bytes.empty()) return 0;
    const void* nul = std::memchr(bytes.data(), 0, bytes.size());
    return nul == nullptr
               ? bytes.size()
               : static_cast<std::size_t>(static_cast<const std::uint8_t*>(nul) - bytes.data());
  }
  bool claim(std::uint64_t count) {
    ok_ = ok_ && count <= remaining();
    return ok_;
  }
  template <class T>
  T number() {
    if (!claim(sizeof(T))) return 0;
    T value = load<T>(bytes_.data() + position_, order_);
    position_ += sizeof(T);
    return value;
  }

  Bytes bytes_;
  std::size_t position_ = 0;
  std::endian order_;
  bool ok_ = true;
};

/// Writes numbers of either byte order into bytes.
class ByteWriter {
 public:
  explicit ByteWriter(std::endian order) : order_(order) {}

  void u16(std::uint16_t value) { number(value); }
  void u32(std::uint32_t value) { number(value); }
  void u64(std::uint64_t value) { number(value); }
  void raw(std::string_view bytes) { bytes_ += bytes; }
  void raw(Bytes bytes) {
    bytes_.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  }
  void zeros(std::size_t count) { bytes_.append(count, '\0'); }
  /// Writes a text, NUL, and zeros up to a multiple of `unit`.
  void text(std::string_view text, std::size_t unit) {
    bytes_ += text;
    zeros(unit - text.size() % unit);
  }

  std::size_t size() const { return bytes_.size(); }
  const std::string& bytes() const { return bytes_; }
  /// Overwrites the number at `at`.
  void put_u64(std::size_t at, std::uint64_t value) {
    ByteWriter word(order_);
    word.u64(value);
    bytes_.replace(at, 8, word.bytes_);
  }

 private:
  template <class T>
  void number(T value) {
    if (order_ != std::endian::native) value = byte_swap(value);
    bytes_.append(reinterpret_cast<const char*>(&value), sizeof value);
  }

  std::string bytes_;
  std::endian order_;
};

}  // namespace base
}  // namespace evname
