#pragma once
// Terms that don't get the value they ask for, since perf ORs all that is said of a field.

#include <span>
#include <string>
#include <vector>

#include "events/packing/packer.hpp"

namespace evname::packing {

/// A sentence for each field that holds something else than its last term says: the user's last,
/// where the user names it. `words` is what pack() made of these terms.
std::vector<std::string> overlap_warnings(const pmu::Pmu& pmu, std::span<const PackTerm> terms,
                                          const Packed& words);

}  // namespace evname::packing
