#pragma once
// Writes JSON piece by piece.

#include <fmt/format.h>
#include <rapidjson/writer.h>

#include <cmath>
#include <cstdint>
#include <string_view>

#include "base/json_text.hpp"

namespace evname {
inline namespace base {

/// A RapidJSON writer that accepts texts of any bytes, and numbers that are infinite or NaN.
/// `Stream` is anything that RapidJSON writes to. Values follow each other in arrays; keys and
/// values alternate in objects.
template <class Stream>
class JsonWriter {
 public:
  explicit JsonWriter(Stream& out) : writer_(out) {}

  JsonWriter& key(std::string_view name) {
    text(name);
    return *this;
  }
  void text(std::string_view value) {
    quoted_.clear();
    append_json_string(quoted_, value);
    writer_.RawValue(quoted_.data(), quoted_.size(), rapidjson::kStringType);
  }
  void number(std::uint64_t value) { writer_.Uint64(value); }
  void integer(std::int64_t value) { writer_.Int64(value); }
  /// Writes null if the value is infinite or NaN, for which JSON has no number.
  void real(double value) { std::isfinite(value) ? writer_.Double(value) : writer_.Null(); }
  /// Writes a time in ns as ms.
  void milliseconds(std::uint64_t ns) { real(static_cast<double>(ns) / 1e6); }
  /// Writes the digits of a number as they stand.
  void digits(std::string_view value) {
    writer_.RawValue(value.data(), value.size(), rapidjson::kNumberType);
  }
  void flag(bool value) { writer_.Bool(value); }
  void null() { writer_.Null(); }

  void begin_object() { writer_.StartObject(); }
  void end_object() { writer_.EndObject(); }
  void begin_array() { writer_.StartArray(); }
  void end_array() { writer_.EndArray(); }
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
  void texts(const auto& list) {
    each(list, [this](std::string_view one) { text(one); });
  }

 private:
  rapidjson::Writer<Stream> writer_;
  fmt::memory_buffer quoted_;
};

}  // namespace base
}  // namespace evname
