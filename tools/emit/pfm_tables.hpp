#pragma once
// What `evname emit` writes for programs that name events as libpfm4 does: PAPI's presets, LLVM's
// counters.

#include <span>
#include <string>

#include "emit/codes.hpp"

namespace evname::tools {

/// Returns presets of the models of the rows as PAPI's papi_events.csv has them
/// (PAPI_CSV_EVENT_FILE).
std::string papi_presets(std::span<const CpuRow> rows);

/// Returns the counters of the models as LLVM's TableGen files have them (ARCHPfmCounters.td).
std::string llvm_counters(std::span<const CpuRow> rows);

}  // namespace evname::tools
