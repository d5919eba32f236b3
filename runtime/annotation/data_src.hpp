#pragma once
// perf_mem_data_src in words.

#include <cstdint>

#include "annotation/output.hpp"

namespace evname {

/// "|OP LOAD|LVL L1 hit|SNP None|TLB L1 or L2 hit|LCK No|BLK  N/A", as perf script 6.1 writes it.
/// Layout: union perf_mem_data_src of include/uapi/linux/perf_event.h.
void write_data_src(std::uint64_t value, Output& out);

}  // namespace evname
