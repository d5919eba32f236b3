#pragma once
// Converts the keys of one entry to terms, in jevents' order and spelling.

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "events/tables/tables.hpp"
#include "events/trees/diagnostics.hpp"
#include "events/trees/json.hpp"

namespace evname::compiler {

struct Number {
  std::uint64_t value = 0;
  bool is_decimal = false;  ///< written without a prefix
};

/// Reads a number: decimal, 0x, 0o or 0b, spaces around it allowed. Returns nullopt for others and
/// for more than 64 bits.
std::optional<Number> read_number(std::string_view text);

/// Puts the terms of an entry into `out`; they are views of the object. Returns false if a value
/// can't be encoded; diagnostics say which.
bool encode_terms(const trees::Object& object, trees::Diagnostics& diagnostics,
                  std::vector<tables::Term>& out);

/// Returns the terms of a text like "config1=0x40e33,occ_sel=1", values kept as written.
std::vector<tables::Term> terms_of_text(std::string_view text);

/// Returns the terms that an event of this lower-case name always has, whatever its entry says
/// (perf's real_event table); nullptr for most names.
const char* fixed_terms(std::string_view name);

}  // namespace evname::compiler
