#pragma once
// Writes numbers of either byte order into a string.

#include <bit>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/bytes.hpp"

namespace evname::test {

class BytesOut {
 public:
  explicit BytesOut(std::endian order = std::endian::little) : order_(order) {}

  BytesOut& u8(std::uint8_t value) { return number(value); }
  BytesOut& u16(std::uint16_t value) { return number(value); }
  BytesOut& u32(std::uint32_t value) { return number(value); }
  BytesOut& u64(std::uint64_t value) { return number(value); }
  BytesOut& raw(std::string_view text) {
    bytes_ += text;
    return *this;
  }
  /// NUL-terminated, then padded with zeros to a multiple of 8.
  BytesOut& padded(std::string_view text) {
    bytes_ += text;
    return pad(8 - text.size() % 8);
  }
  /// A feature's string: length, text, NUL, padding to 64 (do_write_string of perf).
  BytesOut& string(std::string_view text) {
    const std::size_t size = (text.size() + 64) / 64 * 64;
    u32(static_cast<std::uint32_t>(size)).raw(text);
    return pad(size - text.size());
  }
  BytesOut& pad(std::size_t count) {
    bytes_.append(count, '\0');
    return *this;
  }

  const std::string& str() const { return bytes_; }
  Bytes view() const {
    return {reinterpret_cast<const std::uint8_t*>(bytes_.data()), bytes_.size()};
  }
  std::size_t size() const { return bytes_.size(); }

 private:
  template <class T>
  BytesOut& number(T value) {
    if (order_ != std::endian::native) value = byte_swap(value);
    bytes_.append(reinterpret_cast<const char*>(&value), sizeof value);
    return *this;
  }

  std::endian order_;
  std::string bytes_;
};

inline Bytes view_of(const std::string& bytes) {
  return {reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()};
}

}  // namespace evname::test
