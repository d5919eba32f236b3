#pragma once
// Event files as Arm publishes them, one for each CPU:
//   data         cpus.json and pmu/CPU.json: {"cpuid": "0x41d0c", "cpu": …, "events": [{"code": 17,
//                "name": …}, …]}
//   telemetry    pmu/cpu/FAMILY/CPU.json, or data/ above that: {"product_configuration":
//                {"part_num": "0xd0c", …}, "events": {NAME: {"code": "0x0011"}, …}}

#include <string>
#include <vector>

#include "events/trees/json.hpp"
#include "events/trees/tree.hpp"

namespace evname::trees {

/// The models of such a tree, arm64's called as the kernel calls them ("arm/neoverse-n1"), and a
/// row of each CPU's MIDR; empty if `root` has another form. Of several files of a CPU the one of
/// its latest revision counts.
std::vector<ArchDir> find_arm_tree(const std::string& root);

/// Puts an event's name and code where the kernel's files have them. False: it is not Arm's.
bool arm_to_kernel_form(Object& object, JsonFile& file);

}  // namespace evname::trees
