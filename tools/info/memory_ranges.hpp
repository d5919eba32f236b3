#pragma once
// MEM_TOPOLOGY in words.

#include <string>

#include "evname/features.hpp"

namespace evname::tools {

/// "2G": what the blocks of a node hold.
std::string memory_size(const perfdata::MemoryNode& node, std::uint64_t block_size);
/// "8-23,40": which blocks are there.
std::string block_ranges(const perfdata::MemoryNode& node);

}  // namespace evname::tools
