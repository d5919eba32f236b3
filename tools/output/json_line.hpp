#pragma once
// One JSON object on one line.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "evname/code.h"

namespace evname::tools {

/// Prints the object when it goes out of scope: to standard output, or to the end of `out`.
class JsonLine {
 public:
  explicit JsonLine(std::string* out = nullptr);
  ~JsonLine();
  JsonLine(const JsonLine&) = delete;

  JsonLine& text(std::string_view key, std::string_view value);
  JsonLine& texts(std::string_view key, std::span<const std::string> values);
  /// As the string "0x20d1": JSON numbers lose 64-bit values.
  JsonLine& hex(std::string_view key, std::uint64_t value);
  /// "config" to "config3", and "config4" if there is one, as hex().
  JsonLine& words(const Code& code);
  JsonLine& number(std::string_view key, std::uint64_t value);
  /// null where JSON has no such number: infinite, or none.
  JsonLine& real(std::string_view key, double value);
  JsonLine& boolean(std::string_view key, bool value);
  JsonLine& null(std::string_view key);

 private:
  void key(std::string_view name);

  std::string* out_;
  std::string line_ = "{";
};

}  // namespace evname::tools
