#pragma once
// Numbers of either byte order into bytes.

#include <string>
#include <string_view>

#include "base/bytes.hpp"

namespace evname {

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
  /// NUL-terminated, then zeros up to a multiple of `unit`.
  void text(std::string_view text, std::size_t unit) {
    bytes_ += text;
    zeros(unit - text.size() % unit);
  }

  std::size_t size() const { return bytes_.size(); }
  const std::string& bytes() const { return bytes_; }
  /// Overwrites what is at `at`.
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

}  // namespace evname
