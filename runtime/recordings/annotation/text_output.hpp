#pragma once
// Writes text to a sink, and values as JSON or CSV. It has its own formatting of numbers, since a
// recording has millions of them.

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "evname/annotate.hpp"

namespace evname::annotation {

/// "00", "01", … "99".
inline constexpr auto kDecimalPairs = [] {
  std::array<char, 200> text{};
  for (unsigned i = 0; i < 100; ++i) {
    text[i * 2] = static_cast<char>('0' + i / 10);
    text[i * 2 + 1] = static_cast<char>('0' + i % 10);
  }
  return text;
}();

/// The eight hexadecimal digits of `value` as the bytes of a number, the first digit lowest.
constexpr std::uint64_t hex_digits(std::uint32_t value) {
  constexpr std::uint64_t kOnes = 0x0101010101010101;
  std::uint64_t digits = value;  // spread out to a nibble a byte
  digits = (digits << 16 | digits) & 0x0000ffff0000ffff;
  digits = (digits << 8 | digits) & 0x00ff00ff00ff00ff;
  digits = (digits << 4 | digits) & 0x0f0f0f0f0f0f0f0f;
  const std::uint64_t letters = (digits + 6 * kOnes) >> 4 & kOnes;  // 1 if it is 10 or more
  return __builtin_bswap64(digits + '0' * kOnes + letters * ('a' - '0' - 10));
}

/// Replaces each control character of ASCII with '?'.
void make_printable(std::string& text);

/// A text that is written often. A short one is copied with its unused space.
class FixedText {
 public:
  static constexpr std::size_t kSpace = 32;

  FixedText() = default;  ///< has no text, and must not be written
  explicit FixedText(std::string text) : bytes_(std::move(text)), size_(bytes_.size()) {
    if (size_ < kSpace) bytes_.resize(kSpace);
  }
  const char* data() const { return bytes_.data(); }
  std::size_t size() const { return size_; }

 private:
  std::string bytes_;
  std::size_t size_ = 0;
};

/// A text of few bytes, which is copied with its unused space.
struct ShortText {
  static constexpr std::size_t kSpace = 96;

  std::array<char, kSpace> bytes = {};
  std::uint32_t size = 0;
};

/// A text with room for more.
struct TextBuffer {
  std::unique_ptr<char[]> bytes = nullptr;
  std::size_t size = 0, capacity = 0;

  std::string_view text() const { return {bytes.get(), size}; }
};

class Output {
 public:
  /// Hands the text to the sink whenever a line ends beyond `flush_at` bytes.
  explicit Output(const TextSink& sink, std::size_t flush_at = 1 << 16);

  void text(std::string_view text) {
    std::copy_n(text.data(), text.size(), room(text.size()));
    buffer_.size += text.size();
  }
  void text(const FixedText& text) {
    char* at = room(std::max(text.size(), FixedText::kSpace));
    if (text.size() <= FixedText::kSpace)
      std::memcpy(at, text.data(), FixedText::kSpace);
    else
      std::memcpy(at, text.data(), text.size());
    buffer_.size += text.size();
  }
  void put(char letter) {
    *room(1) = letter;
    ++buffer_.size;
  }
  /// Quoted, with JSON's escapes.
  void json(std::string_view text);

  // Widths count bytes, as in C's printf.
  void right(std::string_view value, std::size_t width) {
    spaces(value.size(), width);
    text(value);
  }
  void left(std::string_view value, std::size_t width) {
    text(value);
    spaces(value.size(), width);
  }
  /// An integer, at the right of `width`.
  template <class T>
  void decimal(T value, std::size_t width = 0) {
    const auto [size, negative, magnitude] = measure(value);
    spaces(size, width);
    digits(size, negative, magnitude);
  }
  /// At the right of `width`, 16 at most.
  void hex(std::uint64_t value, std::size_t width = 0) {
    const auto size = static_cast<std::size_t>(std::bit_width(value | 1) + 3) / 4;
    const std::size_t blanks = 16 - size;
    const std::uint64_t high = blank(hex_digits(static_cast<std::uint32_t>(value >> 32)),
                                     std::min<std::size_t>(blanks, 8)),
                        low = blank(hex_digits(static_cast<std::uint32_t>(value)),
                                    std::max<std::size_t>(blanks, 8) - 8);
    char* at = room(16);
    if (width == 16) {
      store(at, high);
      store(at + 8, low);
      buffer_.size += 16;
      return;
    }
    char digits[16];
    store(digits, high);
    store(digits + 8, low);
    const std::size_t all = std::max(size, width);
    std::memcpy(at, digits + 16 - all, all);
    buffer_.size += all;
  }
  /// Writes the texts that `text(index)` returns.
  template <class Text>
  void short_texts(std::size_t count, Text&& text) {
    constexpr std::size_t kOften = 64;  // enough bytes for most of them
    char* const start = room(count * ShortText::kSpace);
    char* at = start;
    for (std::size_t i = 0; i < count; ++i) {
      const ShortText& one = text(i);
      std::memcpy(at, one.bytes.data(), kOften);
      if (one.size > kOften)
        std::memcpy(at + kOften, one.bytes.data() + kOften, ShortText::kSpace - kOften);
      at += one.size;
    }
    buffer_.size += static_cast<std::size_t>(at - start);
  }
  /// Writes "0x11" to a place with room for 18 bytes. Returns its length.
  static std::ptrdiff_t put_hex(char* at, std::uint64_t value) {
    const int size = (std::bit_width(value | 1) + 3) / 4;
    value <<= 64 - 4 * size;
    std::memcpy(at, "0x", 2);
    store(at + 2, hex_digits(static_cast<std::uint32_t>(value >> 32)));
    store(at + 10, hex_digits(static_cast<std::uint32_t>(value)));
    return size + 2;
  }
  /// Below a million, with leading zeros.
  void six_digits(std::uint32_t value) {
    char* at = room(6);
    buffer_.size += 6;
    std::memcpy(at, &kDecimalPairs[value / 10'000 * 2], 2);
    std::memcpy(at + 2, &kDecimalPairs[value / 100 % 100 * 2], 2);
    std::memcpy(at + 4, &kDecimalPairs[value % 100 * 2], 2);
  }
  /// With leading zeros.
  void zeros(std::uint64_t value, std::size_t width) {
    const std::size_t size = measure(value).size;
    for (std::size_t i = size; i < width; ++i) put('0');
    digits(size, false, value);
  }
  /// ns as seconds with nine decimals.
  void seconds(std::uint64_t time) {
    decimal(time / 1'000'000'000);
    put('.');
    zeros(time % 1'000'000'000, 9);
  }

  /// Makes the text from `start` on printable.
  void make_printable(std::size_t start);
  std::size_t size() const { return buffer_.size; }
  std::string_view since(std::size_t start) const { return buffer_.text().substr(start); }
  void truncate(std::size_t size) { buffer_.size = std::min(size, buffer_.size); }
  bool end_line() {
    put('\n');
    return buffer_.size < flush_at_ || flush();
  }
  bool flush();
  /// Swaps the text with another buffer's, and continues that.
  void swap(TextBuffer& other) { std::swap(buffer_, other); }

 private:
  static constexpr std::size_t kFirst = (1 << 16) + (1 << 10);

  /// The first `count` letters become spaces.
  static std::uint64_t blank(std::uint64_t letters, std::size_t count) {
    const std::uint64_t mask = count == 8 ? UINT64_MAX : (std::uint64_t{1} << 8 * count) - 1;
    return (letters & ~mask) | (0x2020202020202020 & mask);
  }
  static void store(char* at, std::uint64_t bytes) {
    if constexpr (std::endian::native == std::endian::big) bytes = __builtin_bswap64(bytes);
    std::memcpy(at, &bytes, sizeof bytes);
  }

  struct Measured {
    std::size_t size;
    bool negative;
    std::uint64_t magnitude;
  };

  template <class T>
  static Measured measure(T value) {
    const bool negative = std::is_signed_v<T> && value < 0;
    const auto bits = static_cast<std::uint64_t>(static_cast<std::int64_t>(value));
    const std::uint64_t magnitude = negative ? 0 - bits : std::is_signed_v<T> ? bits : value;
    return {decimal_size(magnitude) + negative, negative, magnitude};
  }

  // log10 from log2, plus one if that is too low.
  static std::size_t decimal_size(std::uint64_t value) {
    static constexpr auto kPowers = [] {
      std::array<std::uint64_t, 20> powers{};
      for (std::uint64_t power = 1; auto& one : powers) one = std::exchange(power, power * 10);
      powers[0] = 0;
      return powers;
    }();
    const auto low = static_cast<std::size_t>(std::bit_width(value | 1)) * 1233 >> 12;
    return low + (low == 0 || value >= kPowers[low]);
  }

  void digits(std::size_t size, bool negative, std::uint64_t magnitude) {
    char* at = room(size);
    buffer_.size += size;
    if (negative) *at = '-';
    std::to_chars(at + negative, at + size, magnitude);
  }

  void spaces(std::size_t have, std::size_t width) {
    if (have >= width) return;
    std::memset(room(width - have), ' ', width - have);
    buffer_.size += width - have;
  }

  char* room(std::size_t size) {
    if (buffer_.capacity - buffer_.size < size) grow(size);
    return buffer_.bytes.get() + buffer_.size;
  }
  void grow(std::size_t size);

  const TextSink& sink_;
  std::size_t flush_at_;
  TextBuffer buffer_;
};

/// Writes values in their styles, with separators.
class ValueWriter {
 public:
  enum class Style : std::uint8_t {
    json,
    csv,
    csv_without_formulas,  ///< "'" is before a text that a spreadsheet would compute
  };

  ValueWriter(Output& out, Style style) : out_(out), style_(style) {}

  Output& out() { return out_; }
  bool json() const { return style_ == Style::json; }

  template <class T>
  void number(T value) {
    out_.decimal(value);
  }
  void seconds(std::uint64_t time) { out_.seconds(time); }
  /// "0x11": JSON numbers lose 64-bit values.
  void hex(std::uint64_t value) {
    if (json()) out_.put('"');
    out_.text("0x");
    out_.hex(value);
    if (json()) out_.put('"');
  }
  void text(std::string_view text);
  void absent() {
    if (json()) out_.text("null");
  }
  void text_or_absent(std::string_view value) {
    if (value.empty()) return absent();
    text(value);
  }

  /// Lets write() write one value, which is quoted as a whole if CSV needs it: RFC 4180.
  template <class Write>
  void cell(Write&& write) {
    const std::size_t start = out_.size();
    is_text_ = false;
    write();
    if (is_text_ && !json()) quote_since(start);
  }

  // A list, whose items CSV joins by ";". In names and texts there "\" is before ";", "=" and
  // itself.
  void begin_list() { begin('['); }
  void next_item() {
    if (!std::exchange(first_, false)) out_.put(json() ? ',' : ';');
  }
  void end_list() { end(']'); }
  // A list of names and values: an object, or "name=value;…".
  void begin_pairs() { begin('{'); }
  void next_pair(std::string_view name) {
    next_item();
    text(name);
    out_.put(json() ? ':' : '=');
  }
  void end_pairs() { end('}'); }

 private:
  void begin(char bracket) {
    first_ = true;
    in_list_ = is_text_ = true;
    if (json()) out_.put(bracket);
  }
  void end(char bracket) {
    in_list_ = false;
    if (json()) out_.put(bracket);
  }
  void quote_since(std::size_t start);

  Output& out_;
  Style style_;
  bool first_ = true;
  bool in_list_ = false;
  bool is_text_ = false;  ///< the cell may have to be quoted
};

}  // namespace evname::annotation
