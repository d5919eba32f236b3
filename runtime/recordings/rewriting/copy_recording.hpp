#pragma once
// Writing a recording again, changed in part.

#include <span>
#include <string>
#include <vector>

#include "evname/rewrite.hpp"
#include "recordings/rewriting/chosen_samples.hpp"

namespace evname::recording {

/// What is changed.
struct Changes {
  std::span<const Renamed> renamed = {};
  const perfdata::rewrite::ChosenSamples* chosen = nullptr;  ///< nullptr: all samples
};

/// As inject() writes. Returns warnings of what could not be read, and so is not there.
Result<std::vector<std::string>> copy_recording(const PerfData& data, const Changes& changes,
                                                const std::string& path);

}  // namespace evname::recording
