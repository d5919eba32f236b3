#pragma once
// OTLP's two encodings: messages of protobuf, and JSON with the names of the same fields. Both
// classes have the same members, so that a format is spelled out once.

#include <cstdint>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "base/json_text.hpp"
#include "recordings/profiles/output.hpp"
#ifdef HAVE_PROTOZERO
#include "recordings/profiles/proto_message.hpp"
#endif

namespace evname::profiles {

/// A field of a message by its number in protobuf and its name in JSON.
struct OtlpField {
  std::uint32_t number;
  std::string_view name;
};

/// Writes a message as JSON. Numbers of 64 bits are texts of digits, as JSON's numbers have 53
/// bits. Fields that are 0 or empty are left out.
class OtlpJson {
 public:
  explicit OtlpJson(Json& json) : json_(json) {}

  void index(OtlpField field, std::size_t value) {
    if (value != 0) json_.key(field.name).number(value);
  }
  void number(OtlpField field, std::uint64_t value) {
    if (value != 0) json_.key(field.name).text(fmt::format("{}", value));
  }
  /// A member of a union, which is written even if it is 0.
  void choice(OtlpField field, std::uint64_t value) {
    json_.key(field.name).text(fmt::format("{}", value));
  }
  void fixed(OtlpField field, std::uint64_t value) { number(field, value); }
  void text(OtlpField field, std::string_view value) {
    if (!value.empty()) json_.key(field.name).text(value);
  }
  /// Numbers of tables.
  void indices(OtlpField field, const auto& list) {
    if (list.empty()) return;
    json_.key(field.name).each(list, [this](std::uint32_t value) { json_.number(value); });
  }
  void numbers(OtlpField field, const auto& list) {
    if (list.empty()) return;
    json_.key(field.name).each(list, [this](std::uint64_t value) {
      json_.text(fmt::format("{}", static_cast<std::int64_t>(value)));
    });
  }
  void fixed_numbers(OtlpField field, const auto& list) {
    if (list.empty()) return;
    json_.key(field.name).each(list, [this](std::uint64_t value) {
      json_.text(fmt::format("{}", value));
    });
  }
  /// An identifier of so many bytes that identifies nothing.
  void zero_id(OtlpField field, std::size_t bytes) {
    json_.key(field.name).text(std::string(2 * bytes, '0'));
  }
  void message(OtlpField field, auto&& fill) {
    json_.key(field.name).object([&] { fill(*this); });
  }
  /// A message for each number below `count`.
  void messages(OtlpField field, std::size_t count, auto&& fill) {
    json_.column(field.name, count, [&](std::size_t i) { json_.object([&] { fill(*this, i); }); });
  }
  void texts(OtlpField field, std::size_t count, auto&& text_of) {
    json_.column(field.name, count, [&](std::size_t i) { json_.text(text_of(i)); });
  }

 private:
  Json& json_;
};

#ifdef HAVE_PROTOZERO
/// Writes a message of protobuf. Fields that are 0 or empty are left out.
class OtlpProto {
  enum class Tag : protozero::pbf_tag_type {};
  using Message = ProtoMessage<Tag>;

 public:
  explicit OtlpProto(std::string& out) : out_(out), message_(out) {}

  void index(OtlpField field, std::size_t value) { number(field, value); }
  void number(OtlpField field, std::uint64_t value) {
    if (value != 0) choice(field, value);
  }
  void choice(OtlpField field, std::uint64_t value) { message_.add_uint64(tag(field), value); }
  void fixed(OtlpField field, std::uint64_t value) {
    if (value != 0) message_.add_fixed64(tag(field), value);
  }
  void text(OtlpField field, std::string_view value) {
    std::string valid;
    append_utf8(valid, value);
    if (!valid.empty()) message_.add_string(tag(field), valid);
  }
  void indices(OtlpField field, const auto& list) {
    message_.add_packed_uint32(tag(field), list.begin(), list.end());
  }
  void numbers(OtlpField field, const auto& list) {
    message_.add_packed_uint64(tag(field), list.begin(), list.end());
  }
  void fixed_numbers(OtlpField field, const auto& list) {
    message_.add_packed_fixed64(tag(field), list.begin(), list.end());
  }
  void zero_id(OtlpField field, std::size_t bytes) {
    message_.add_bytes(tag(field), std::string(bytes, '\0'));
  }
  void message(OtlpField field, auto&& fill) {
    OtlpProto inner(*this, field);
    fill(inner);
  }
  void messages(OtlpField field, std::size_t count, auto&& fill) {
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t before = out_.size();
      message(field, [&](auto& inner) { fill(inner, i); });
      // Protozero leaves out a message without fields, but each has its number in the table.
      if (out_.size() == before) message_.add_message(tag(field), "", 0);
    }
  }
  void texts(OtlpField field, std::size_t count, auto&& text_of) {
    for (std::size_t i = 0; i < count; ++i) message_.add_string(tag(field), text_of(i));
  }

 private:
  OtlpProto(OtlpProto& outer, OtlpField field)
      : out_(outer.out_), message_(outer.message_, tag(field)) {}
  static Tag tag(OtlpField field) { return Tag{field.number}; }

  std::string& out_;
  Message message_;
};
#endif

}  // namespace evname::profiles
