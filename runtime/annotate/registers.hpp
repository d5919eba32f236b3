#pragma once
// What perf calls the registers of PERF_SAMPLE_REGS_*.

#include <string_view>

namespace evname {

/// `arch` as uname -m says it ("aarch64"); `bit` of the event's mask. "" where it has no name.
/// Source: arch/*/include/uapi/asm/perf_regs.h of Linux; spelling: tools/perf/util/perf_regs.c.
std::string_view register_name(std::string_view arch, unsigned bit);

}  // namespace evname
