#pragma once
// Writes a recording again with changes.

#include <span>
#include <string>
#include <vector>

#include "base/output/output_file.hpp"
#include "evname/rewrite.hpp"
#include "recordings/rewriting/chosen_samples.hpp"

namespace evname::rewriting {

/// The changes.
struct Changes {
  std::span<const Renamed> renamed = {};
  const rewriting::ChosenSamples* chosen = nullptr;  ///< nullptr: all samples
};

/// Writes a recording as inject() does; `replace` says which files it may replace. Returns warnings
/// about records that could not be read, and so were left out.
Result<std::vector<std::string>> copy_recording(const PerfData& data, const Changes& changes,
                                                const std::string& path, Replaces replaces);

}  // namespace evname::rewriting
