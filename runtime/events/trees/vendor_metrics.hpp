#pragma once
// Reads metrics as makers publish them: MODEL/metrics/*.json of Intel's perfmon repository, and the
// members "metrics", "groups" and "methodologies" of Arm's telemetry files.

#include <string>
#include <utility>
#include <vector>

#include "events/trees/diagnostics.hpp"
#include "events/trees/json.hpp"

namespace evname::trees {

/// Puts the metrics of a file into the kernel's form: names ("tma_frontend_bound" of
/// "Frontend_Bound"), expressions of event names, thresholds, and groups. The group "TopdownL2"
/// gives the level in the tree, "tma_frontend_bound_group" the parent. Events to sample and the
/// whole of a node's share get the keys of the build's own metrics. A metric that can't be
/// converted is reported and removed. Returns the names and descriptions of groups.
std::vector<std::pair<std::string, std::string>> metrics_to_kernel_form(JsonFile& file,
                                                                        Diagnostics& diagnostics);

}  // namespace evname::trees
