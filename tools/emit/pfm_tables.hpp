#pragma once
// Writes tables for programs with libpfm4's names: PAPI's presets, LLVM's counters.

#include <span>
#include <string>

#include "emit/codes.hpp"

namespace evname::tools {

/// Returns presets of the models of the rows in the form of PAPI's papi_events.csv
/// (PAPI_CSV_EVENT_FILE).
std::string papi_presets(std::span<const CpuRow> rows);

/// Returns the counters of the models in the form of LLVM's TableGen files (ARCHPfmCounters.td).
std::string llvm_counters(std::span<const CpuRow> rows);

}  // namespace evname::tools
