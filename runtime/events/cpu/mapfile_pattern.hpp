#pragma once
// Patterns of mapfiles, which are extended regular expressions: which CPUID strings they stand for,
// and examples of those.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "events/tables/model_view.hpp"

namespace evname::cpu {

/// perf's rule (strcmp_cpuid_str of the architecture): does a mapfile pattern stand for this CPUID?
bool pattern_matches(std::string_view arch, std::string_view pattern, std::string_view cpuid);

/// CPUID strings that a pattern stands for: one for each choice that it leaves, up to `limit`. None
/// if it has a construct that mapfiles don't use.
std::vector<std::string> example_cpuids(std::string_view arch, std::string_view pattern,
                                        std::size_t limit);

/// One CPUID string that the mapfile maps to this model (patterns are expanded to a member),
/// for machines that are only named; "" if no row does.
std::string example_cpuid(const tables::ModelView& model);

}  // namespace evname::cpu
