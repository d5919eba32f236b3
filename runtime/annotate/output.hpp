#pragma once
// Text on its way to a sink. Numbers are formatted here: a recording has millions of them.

#include <fmt/format.h>

#include <charconv>
#include <cstdint>
#include <string_view>

#include "base/json_text.hpp"
#include "evname/annotate.hpp"

namespace evname {

class Output {
 public:
  explicit Output(const TextSink& sink) : sink_(sink) {}

  void text(std::string_view text) { buffer_.append(text.data(), text.data() + text.size()); }
  void put(char letter) { buffer_.push_back(letter); }
  void json(std::string_view text) { append_json_string(buffer_, text); }

  // Widths count bytes, as C's printf does, whatever they encode.
  void right(std::string_view value, std::size_t width) {
    pad(value.size(), width);
    text(value);
  }
  void left(std::string_view value, std::size_t width) {
    text(value);
    pad(value.size(), width);
  }
  template <class T>
  void decimal(T value, std::size_t width = 0) {
    const fmt::format_int digits(value);
    right({digits.data(), digits.size()}, width);
  }
  void hex(std::uint64_t value, std::size_t width = 0) {
    char digits[16];
    const auto end = std::to_chars(digits, digits + sizeof digits, value, 16).ptr;
    right({digits, static_cast<std::size_t>(end - digits)}, width);
  }
  /// With leading zeros.
  void zeros(std::uint64_t value, std::size_t width) {
    const fmt::format_int digits(value);
    for (std::size_t i = digits.size(); i < width; ++i) put('0');
    text({digits.data(), digits.size()});
  }
  /// ns as seconds with nine decimals.
  void seconds(std::uint64_t time) {
    decimal(time / 1'000'000'000);
    put('.');
    zeros(time % 1'000'000'000, 9);
  }

  std::size_t size() const { return buffer_.size(); }
  void truncate(std::size_t size) {
    if (size < buffer_.size()) buffer_.resize(size);
  }
  bool end_line() {
    put('\n');
    return buffer_.size() < kFlush || flush();
  }
  bool flush() {
    const bool go_on = buffer_.size() == 0 || sink_({buffer_.data(), buffer_.size()});
    buffer_.clear();
    return go_on;
  }

 private:
  static constexpr std::size_t kFlush = 1 << 16;

  void pad(std::size_t have, std::size_t width) {
    static constexpr std::string_view kSpaces = "                                ";
    for (std::size_t lack = have < width ? width - have : 0; lack > 0;) {
      const std::size_t size = std::min(lack, kSpaces.size());
      text(kSpaces.substr(0, size));
      lack -= size;
    }
  }

  const TextSink& sink_;
  fmt::memory_buffer buffer_;
};

}  // namespace evname
