#pragma once
// Numbers as the topic files spell them, and how jevents spells them in a term.

#include <cstdint>
#include <optional>
#include <string_view>

#include "tables/tables.hpp"

namespace evname::gen {

/// A number and its spelling in the output.
struct Number {
  std::uint64_t value = 0;
  tables::Spelling spelling = tables::Spelling::hex;
};

/// Decimal, 0x, 0o or 0b, surrounding spaces allowed. nullopt: no number, or more than 64 bits.
std::optional<Number> read_number(std::string_view text);

/// A value that is copied as written (MSRValue, Filter): Spelling::text where neither the
/// hexadecimal nor the decimal spelling gives the same text; nullopt if it is no number at all.
std::optional<Number> read_verbatim(std::string_view text);

}  // namespace evname::gen
