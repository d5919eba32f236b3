#pragma once
// The two ways to a top-down tree. Both return the exit code.

#include "topdown/options.hpp"

namespace evname::tools {

int topdown_of_files(const TopdownOptions& options);
int topdown_live(const TopdownOptions& options);

}  // namespace evname::tools
