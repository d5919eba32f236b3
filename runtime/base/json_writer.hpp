#pragma once
// Writes JSON piece by piece.

#include <fmt/format.h>
#include <rapidjson/writer.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <string>
#include <string_view>

#include "base/json_text.hpp"

namespace evname {
inline namespace base {

/// A writer that accepts texts of any bytes, and numbers that are infinite or NaN. `Sink` has
/// append() as std::string has it. Values follow each other in arrays; a key comes before each
/// value in objects.
template <class Sink>
class JsonWriter {
 public:
  explicit JsonWriter(Sink& out) : out_(out) {}

  JsonWriter& key(std::string_view name) {
    quote(name);
    quoted_.push_back(':');
    put_quoted();
    follows_ = false;
    return *this;
  }
  void text(std::string_view value) {
    quote(value);
    put_quoted();
  }
  void number(std::uint64_t value) { put_number(value); }
  void integer(std::int64_t value) { put_number(value); }
  /// Writes null if the value is infinite or NaN.
  void real(double value) {
    if (!std::isfinite(value)) return null();
    Digits text;
    rapidjson::Writer<Digits>(text).Double(value);
    digits({text.chars.data(), text.size});
  }
  /// Writes a time in ns as ms, as real() would, but faster, since output has many of them.
  void milliseconds(std::uint64_t ns) {
    constexpr std::uint64_t kFewDigits = 1'000'000'000'000'000;  // a double holds all of its digits
    if (ns >= kFewDigits) return real(static_cast<double>(ns) / 1e6);
    char text[24];
    char* end = std::to_chars(text, text + 20, ns / 1'000'000).ptr;
    *end++ = '.';
    auto rest = static_cast<std::uint32_t>(ns % 1'000'000);
    do {
      rest *= 10;
      *end++ = static_cast<char>('0' + rest / 1'000'000);
    } while ((rest %= 1'000'000) != 0);
    digits({text, end});
  }
  /// Writes a value without any change, such as the digits of a number.
  void digits(std::string_view value) {
    if (follows_) out_.append(",");
    out_.append(value);
    follows_ = true;
  }
  /// Writes a value that append(sink) appends, without any change.
  template <class Append>
  void appended(Append&& append) {
    digits({});
    append(out_);
  }
  void flag(bool value) { digits(value ? "true" : "false"); }
  void null() { digits("null"); }

  void begin_object() { begin("{"); }
  void end_object() { end("}"); }
  void begin_array() { begin("["); }
  void end_array() { end("]"); }
  /// Writes an object; `fill` writes its members.
  template <class Fill>
  void object(Fill&& fill) {
    begin_object();
    fill();
    end_object();
  }
  /// Writes an array; `fill` writes its values.
  template <class Fill>
  void array(Fill&& fill) {
    begin_array();
    fill();
    end_array();
  }
  /// Writes an array; `write` writes a value for each item of a list.
  template <class List, class Write>
  void each(const List& list, Write&& write) {
    array([&] {
      for (const auto& item : list) write(item);
    });
  }
  /// Writes a member that is an array of `count` values; `write` writes each by its index.
  template <class Write>
  void column(std::string_view name, std::size_t count, Write&& write) {
    key(name).array([&] {
      for (std::size_t i = 0; i < count; ++i) write(i);
    });
  }
  /// Writes a member that is an array of `count` times `value`, without any change.
  void column_of(std::string_view name, std::size_t count, std::string_view value) {
    constexpr std::size_t kBlock = 256;
    std::string block;
    for (std::size_t i = 0; i < kBlock; ++i) (block += ',') += value;
    key(name).array([&] {
      if (count == 0) return;
      digits(value);
      for (std::size_t left = count - 1; left > 0; left -= std::min(left, kBlock))
        out_.append(std::string_view(block).substr(0, std::min(left, kBlock) * (value.size() + 1)));
    });
  }
  void texts(const auto& list) {
    each(list, [this](std::string_view one) { text(one); });
  }

 private:
  /// A stream of RapidJSON that holds a number.
  struct Digits {
    using Ch = char;
    void Put(char digit) { chars[size++] = digit; }
    void Flush() {}

    std::array<char, 25> chars;  ///< as many as RapidJSON writes at most
    std::size_t size = 0;
  };

  void quote(std::string_view value) {
    quoted_.clear();
    append_json_string(quoted_, value);
  }
  void put_quoted() { digits({quoted_.data(), quoted_.size()}); }
  void put_number(auto value) {
    char text[24] = {','};
    const char* const end = std::to_chars(text + 1, std::end(text), value).ptr;
    out_.append(std::string_view(text + !follows_, end));
    follows_ = true;
  }
  void begin(std::string_view bracket) {
    digits(bracket);
    follows_ = false;
  }
  void end(std::string_view bracket) {
    out_.append(bracket);
    follows_ = true;
  }

  Sink& out_;
  bool follows_ = false;  ///< the next value comes after another one
  fmt::memory_buffer quoted_;
};

}  // namespace base
}  // namespace evname
