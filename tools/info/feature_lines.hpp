#pragma once
// Features of several lines, in the words of perf report --header-only.

#include <string>

#include "info/features.hpp"
#include "perf_format/feature_types.hpp"

namespace evname::tools {

void topology_lines(const perf_format::Features& f, Lines& out);
void numa_lines(const perf_format::Features& f, Lines& out);
void cache_lines(const perf_format::Features& f, Lines& out);
void domain_lines(const perf_format::Features& f, Lines& out);
void mapping_lines(const perf_format::Features& f, Lines& out);
void caps_lines(const perf_format::Features& f, Lines& out);
void sample_time_lines(const perf_format::Features& f, Lines& out);
void clock_lines(const perf_format::Features& f, Lines& out);
void memory_lines(const perf_format::Features& f, Lines& out);
void program_lines(const perf_format::Features& f, Lines& out);
void compression_lines(const perf_format::Features& f, Lines& out);

/// Returns the existing blocks of memory: "8-23,40".
std::string block_ranges(const perf_format::MemoryNode& node);

}  // namespace evname::tools
