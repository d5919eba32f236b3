#pragma once
// Values as JSON or CSV.

#include "annotation/output.hpp"

namespace evname {

class ValueWriter {
 public:
  enum class Style : std::uint8_t { json, csv };

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

  // A list, whose items CSV joins by ";".
  void begin_list() { begin('['); }
  void next_item() {
    if (!std::exchange(first_, false)) out_.put(json() ? ',' : ';');
  }
  void end_list() {
    if (json()) out_.put(']');
  }
  // A list of names and values: an object, or "name=value;…".
  void begin_pairs() { begin('{'); }
  void next_pair(std::string_view name) {
    next_item();
    if (json())
      out_.json(name);
    else
      out_.text(name);
    out_.put(json() ? ':' : '=');
  }
  void end_pairs() {
    if (json()) out_.put('}');
  }

 private:
  void begin(char bracket) {
    first_ = true;
    if (json()) out_.put(bracket);
  }

  Output& out_;
  Style style_;
  bool first_ = true;
};

}  // namespace evname
