#pragma once
// A term, name=value, from any source.

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace evname::tables {

/// A term on its way from an event's text, a file or a table to the config words. The texts are
/// views of its source. Tables contain StoredTerm, which needs no relocation.
struct Term {
  enum class Value : std::uint8_t { none, number, text };
  static constexpr std::size_t kNotInText = static_cast<std::size_t>(-1);

  std::string_view name;
  Value value = Value::none;
  std::uint64_t number = 1;    ///< the value; 1 if the term has none
  std::string_view text = {};  ///< a value that is not a number, or a number in an unusual spelling
  std::size_t offset = kNotInText;  ///< in the event's text, for errors
  bool is_raw = false;              ///< the name is rHEX or r0xHEX, and `number` its code
  bool is_decimal = false;          ///< the source spells the number without 0x
};

}  // namespace evname::tables
