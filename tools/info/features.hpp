#pragma once
// The features of a recording, for people and as JSON.

#include <cstdint>
#include <string>
#include <vector>

#include "evname/features.hpp"
#include "evname/perf_data.hpp"

namespace evname::tools {

/// Lines in the words of perf report --header-only.
std::vector<std::string> feature_lines(const PerfData& file);

/// {"feature":"NRCPUS","number":7,"offset":…,"bytes":…,"broken":false,"value":…} on a line of its
/// own; null for what has no content or can't be decoded.
std::string feature_json(const perfdata::Features& features,
                         const perfdata::FeaturePresence& presence);

// MEM_TOPOLOGY in words.

/// "2G": what the blocks of a node hold.
std::string memory_size(const perfdata::MemoryNode& node, std::uint64_t block_size);
/// "8-23,40": which blocks are there.
std::string block_ranges(const perfdata::MemoryNode& node);

}  // namespace evname::tools
