#pragma once
// JSON, written as it comes.

#include <rapidjson/writer.h>

#include <cstdint>
#include <string_view>

#include "recordings/profiles/output.hpp"

namespace evname::profile {

/// What a rapidjson::Writer writes to.
struct JsonStream {
  using Ch = char;
  void Put(char letter) { out.put(letter); }
  void Flush() {}
  Output& out;
};

/// Names and values of objects, which follow each other, and arrays.
class Json {
 public:
  explicit Json(Output& out) : stream_{out}, writer_(stream_) {}

  Json& key(std::string_view name) {
    writer_.Key(name.data(), static_cast<rapidjson::SizeType>(name.size()));
    return *this;
  }
  void text(std::string_view value) {
    writer_.String(value.data(), static_cast<rapidjson::SizeType>(value.size()));
  }
  void number(std::uint64_t value) { writer_.Uint64(value); }
  void integer(std::int64_t value) { writer_.Int64(value); }
  /// ns as ms, to the ns.
  void milliseconds(std::uint64_t time) { writer_.Double(static_cast<double>(time) / 1e6); }
  void flag(bool value) { writer_.Bool(value); }
  void null() { writer_.Null(); }

  /// `fill` writes what is in it.
  template <class Fill>
  void object(Fill&& fill) {
    writer_.StartObject();
    fill();
    writer_.EndObject();
  }
  template <class Fill>
  void array(Fill&& fill) {
    writer_.StartArray();
    fill();
    writer_.EndArray();
  }
  /// `count` times null or a value that `each` writes.
  template <class Each>
  void column(std::string_view name, std::size_t count, Each&& each) {
    key(name).array([&] {
      for (std::size_t i = 0; i < count; ++i) each(i);
    });
  }

 private:
  JsonStream stream_;
  rapidjson::Writer<JsonStream> writer_;
};

}  // namespace evname::profile
