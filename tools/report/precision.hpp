#pragma once
// Says how exactly samples name the instruction that caused their event.

#include <span>
#include <string>
#include <vector>

#include "evname/recording.hpp"
#include "evname/report.hpp"

namespace evname::tools {

/// Returns a sentence for each event of the report that has samples, each once.
std::vector<std::string> precision_lines(std::span<const Recording> files, const Report& report);

}  // namespace evname::tools
