#pragma once
// One JSON object on one line.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/json_writer.hpp"
#include "evname/code.h"

namespace evname::tools {

/// Prints the object when it goes out of scope: to standard output, or to the end of `out`. In all
/// subcommands, keys are words_like_this; counts, ids and times (in seconds) are numbers; codes and
/// addresses are strings such as "0x20d1"; unknown values are null.
class JsonLine {
 public:
  explicit JsonLine(std::string* out = nullptr);
  ~JsonLine();
  JsonLine(const JsonLine&) = delete;

  JsonLine& text(std::string_view key, std::string_view value);
  /// An object of texts; `pair_of` gives key and text of an item.
  template <class List, class PairOf>
  JsonLine& object(std::string_view name, const List& list, PairOf pair_of) {
    std::vector<std::pair<std::string_view, std::string_view>> members;
    for (const auto& item : list) members.push_back(pair_of(item));
    return object(name, members);
  }
  JsonLine& object(std::string_view key,
                   std::span<const std::pair<std::string_view, std::string_view>> members);
  JsonLine& texts(std::string_view key, std::span<const std::string> values);
  /// As the string "0x20d1": JSON numbers lose 64-bit values.
  JsonLine& hex(std::string_view key, std::uint64_t value);
  /// "config" to "config3", and "config4" if present, as hex().
  JsonLine& words(const Code& code);
  JsonLine& number(std::string_view key, std::uint64_t value);
  /// The digits of a number as they stand.
  JsonLine& number_text(std::string_view key, std::string_view digits);
  JsonLine& numbers(std::string_view key, std::span<const std::uint64_t> values);
  /// A time or duration of so many ns: a number of seconds with nine decimals.
  JsonLine& seconds(std::string_view key, std::uint64_t ns);
  /// null if JSON has no such number: infinite, or NaN.
  JsonLine& real(std::string_view key, double value);
  JsonLine& boolean(std::string_view key, bool value);
  JsonLine& null(std::string_view key);

 private:
  std::string* out_;
  std::string line_;
  JsonWriter<std::string> json_{line_};
};

}  // namespace evname::tools
