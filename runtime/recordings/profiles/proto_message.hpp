#pragma once
// Messages of protobuf, written as they go.

#include <string>

#include <protozero/pbf_builder.hpp>

namespace evname::profile {

/// A builder of a message. Protozero begins a message within another in a constructor that may not
/// throw; so there is room before it does.
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
    constexpr std::size_t kHead = 32;  // a key and a length take 20 at most
    out_.reserve(out_.size() + kHead);
    return *this;
  }

  std::string& out_;
};

}  // namespace evname::profile
