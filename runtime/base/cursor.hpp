#pragma once
// A bounds-checked reading position over bytes of either byte order.

#include <algorithm>
#include <string_view>

#include "base/bytes.hpp"

namespace evname {

/// The first read past the end makes the cursor fail for good: it and all later reads yield zeros
/// and empty views, so that a record is read whole and ok() asked once. Never allocates.
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
  /// `count` items of `size` bytes; fails where the product is not there.
  void skip_array(std::uint64_t count, std::uint64_t size) { array(count, size); }
  Bytes array(std::uint64_t count, std::uint64_t size) {
    if (size != 0 && count > remaining() / size) {
      ok_ = false;
      return {};
    }
    return bytes(count * size);
  }

  /// `count` bytes as text up to their first NUL.
  std::string_view text(std::uint64_t count) { return until_nul(bytes(count)); }
  /// Text that ends with a NUL, which is consumed; fails without one.
  std::string_view line() {
    Bytes rest = ok_ ? bytes_.subspan(position_) : Bytes{};
    auto end = std::find(rest.begin(), rest.end(), 0);
    if (end == rest.end()) {
      ok_ = false;
      return {};
    }
    return until_nul(bytes(static_cast<std::size_t>(end - rest.begin()) + 1));
  }

  static std::string_view until_nul(Bytes bytes) {
    auto end = std::find(bytes.begin(), bytes.end(), 0);
    return {reinterpret_cast<const char*>(bytes.data()),
            static_cast<std::size_t>(end - bytes.begin())};
  }

 private:
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

}  // namespace evname
