#pragma once
// Writes messages of protobuf.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <protozero/pbf_builder.hpp>

namespace evname::profiles {

/// A builder of a message. Protozero begins a nested message in a constructor that must not throw,
/// so room is reserved before that.
template <class Field>
class ProtoMessage : public protozero::basic_pbf_builder<std::string, Field> {
  using Base = protozero::basic_pbf_builder<std::string, Field>;

 public:
  explicit ProtoMessage(std::string& out) : Base(out), out_(out) {}
  template <class Outer>
  ProtoMessage(ProtoMessage<Outer>& outer, Outer field)
      : Base(outer.with_room(), field), out_(outer.out_) {}

 private:
  template <class>
  friend class ProtoMessage;

  ProtoMessage& with_room() {
    constexpr std::size_t kHead = 32;  // a key and a length take at most 20
    out_.reserve(out_.size() + kHead);
    return *this;
  }

  std::string& out_;
};

/// A builder of the small messages that each sample needs. It is faster than protozero, which
/// leaves room for the length of a message and later moves the contents.
template <class Field>
class ShortMessage {
 public:
  void add(Field field, std::uint64_t number) {
    put(std::uint64_t{static_cast<protozero::pbf_tag_type>(field)} << 3);
    put(number);
  }
  void add(Field field, std::string_view message) {
    put(std::uint64_t{static_cast<protozero::pbf_tag_type>(field)} << 3 | 2);
    put(message.size());
    for (const char byte : message) bytes_[size_++] = byte;
  }
  std::string_view bytes() const { return {bytes_, size_}; }

 private:
  void put(std::uint64_t number) {
    for (; number >= 0x80; number >>= 7) bytes_[size_++] = static_cast<char>(number | 0x80);
    bytes_[size_++] = static_cast<char>(number);
  }

  char bytes_[256];
  std::size_t size_ = 0;
};

}  // namespace evname::profiles
