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

}  // namespace evname::profiles
