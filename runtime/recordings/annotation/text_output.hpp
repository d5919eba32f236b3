#pragma once
// Writes text to a sink, and values as JSON or CSV.

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "evname/annotate.hpp"

namespace evname::annotation {

/// Replaces each control character of ASCII with '?'.
void make_printable(std::string& text);

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
  void put(char letter) {
    *room(1) = letter;
    ++buffer_.size;
  }
  /// Takes longer than the other functions.
  template <class... Values>
  void format(fmt::format_string<Values...> how, Values&&... values) {
    text(fmt::format(how, std::forward<Values>(values)...));
  }
  /// Quoted, with JSON's escapes.
  void json(std::string_view text);

  // Widths count bytes, as in C's printf.
  void right(std::string_view value, std::size_t width) {
    fill(' ', value.size(), width);
    text(value);
  }
  void left(std::string_view value, std::size_t width) {
    text(value);
    fill(' ', value.size(), width);
  }
  /// An integer, at the right of `width`.
  void decimal(auto value, std::size_t width = 0) {
    const fmt::format_int digits(value);
    right({digits.data(), digits.size()}, width);
  }
  /// An integer, which is not negative, with leading zeros.
  void zeros(auto value, std::size_t width) {
    const fmt::format_int digits(value);
    fill('0', digits.size(), width);
    text({digits.data(), digits.size()});
  }
  /// At the right of `width`.
  void hex(std::uint64_t value, std::size_t width = 0) {
    char digits[16];
    const char* const end = std::to_chars(digits, std::end(digits), value, 16).ptr;
    right({digits, end}, width);
  }
  /// With leading zeros.
  void hex_zeros(std::uint64_t value, std::size_t width) {
    char digits[16];
    const char* const end = std::to_chars(digits, std::end(digits), value, 16).ptr;
    fill('0', static_cast<std::size_t>(end - digits), width);
    text({digits, end});
  }
  /// ns as seconds with nine decimals.
  void seconds(std::uint64_t time) {
    decimal(time / 1'000'000'000);
    put('.');
    zeros(time % 1'000'000'000, 9);
  }

  /// Makes the text from `start` on printable, but for its line feeds if it is of several lines.
  void make_printable(std::size_t start, bool has_lines = false);
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

  void fill(char letter, std::size_t have, std::size_t width) {
    if (have >= width) return;
    std::memset(room(width - have), letter, width - have);
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

  void number(auto value) { out_.decimal(value); }
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
