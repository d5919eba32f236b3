#pragma once
// Tells jumps and calls by the texts of instructions, whichever decoder made them.

#include <cstdint>
#include <string_view>

namespace evname::instructions {

/// Where an instruction continues.
enum class Flow : std::uint8_t {
  next,  ///< at the next one, or where a return leads
  jump,
  call,
};

/// Returns the kind of an instruction by its text and the machine's number in elf.h.
Flow flow_of(std::uint16_t machine, std::string_view text);

/// Returns true if a word is a prefix of x86's instructions, such as "lock".
bool is_x86_prefix(std::string_view word);

}  // namespace evname::instructions
