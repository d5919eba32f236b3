#pragma once
// evname list --cpus: the CPUs that --cpu takes.

#include <string>
#include <vector>

namespace evname::tools {

/// Prints a line for each model of which a name or a pattern is like one of the globs, or which
/// one of them, as a CPUID string, means; all without globs. The models of a directory of event
/// files are among them, unless `events` is empty. The exit code.
int list_cpus(const std::vector<std::string>& globs, const std::vector<std::string>& search,
              const std::string& events, bool json);

}  // namespace evname::tools
