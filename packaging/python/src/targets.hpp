#pragma once
// The target of counters and samplers: processes, CPUs or cgroups.

#include <optional>
#include <string>
#include <vector>

#include "handles.hpp"

namespace evname_python {

using Ids = std::optional<std::vector<std::int32_t>>;
using Cpus = std::optional<std::vector<std::uint32_t>>;

/// Returns what to count; the vectors have to last as long.
evname_count_target target_of(const Ids& tids, const Ids& pids, const Cpus& cpus,
                              const std::optional<std::string>& cgroup);

}  // namespace evname_python
