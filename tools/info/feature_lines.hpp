#pragma once
// Features as lines for people, in the words of perf report --header-only.

#include <string>
#include <vector>

#include "evname/perf_data.hpp"

namespace evname::tools {

std::vector<std::string> feature_lines(const PerfData& file);

}  // namespace evname::tools
