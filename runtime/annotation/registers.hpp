#pragma once
// The registers of a sample by their names.

#include "annotation/value.hpp"

namespace evname {

enum class RegisterSet : std::uint8_t { interrupt, user };

/// " ABI:2    x0:0x1    x1:0x2 ", nothing where there are none: perf_sample__fprintf_regs.
/// `arch` as uname -m says it ("aarch64").
void write_registers_text(const Sample& sample, RegisterSet set, std::string_view arch,
                          Output& out);

/// JSON: {"x0":"0x1", …}; CSV: x0=0x1;…
void write_registers_value(const Sample& sample, RegisterSet set, std::string_view arch,
                           ValueWriter& out);

}  // namespace evname
