#pragma once
// What texts and pages show of the code of a function.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "evname/instructions.hpp"

namespace evname::tools {

bool has_samples(std::span<const std::uint64_t> by_event);

/// Returns for each instruction whether it is shown: it has samples, or is near one that has some.
/// Gaps of a few instructions are shown, too.
std::vector<bool> shown_instructions(const InstructionReport::Code& code);

/// Returns "clamp < work" for a call that is inlined, with another separator if asked for; "" for
/// none.
std::string inlined_text(const InstructionReport::Instruction& one,
                         std::string_view separator = " < ");

/// Returns true if the instruction is a jump to the begin of another one of its function.
bool jumps_within(const InstructionReport::Code& code, const InstructionReport::Instruction& one);

}  // namespace evname::tools
