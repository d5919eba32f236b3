#include "info/memory_ranges.hpp"

#include <fmt/format.h>

#include <bit>

namespace evname::tools {
namespace {

bool holds(const perfdata::MemoryNode& node, std::uint64_t block) {
  return block / 64 < node.bitmap.size() && (node.bitmap[block / 64] >> block % 64 & 1) != 0;
}

}  // namespace

std::string memory_size(const perfdata::MemoryNode& node, std::uint64_t block_size) {
  std::uint64_t blocks = 0;
  for (const std::uint64_t word : node.bitmap)
    blocks += static_cast<std::uint64_t>(std::popcount(word));
  constexpr char kUnits[] = {'B', 'K', 'M', 'G', 'T'};
  std::uint64_t size = blocks * block_size;
  std::size_t unit = 0;
  for (; size / 1024 > 1 && unit < 4; size /= 1024) ++unit;
  return fmt::format("{}{}", size, kUnits[unit]);
}

std::string block_ranges(const perfdata::MemoryNode& node) {
  std::string text;
  const std::uint64_t end = node.bitmap.size() * 64;
  for (std::uint64_t from = 0; from < end; ++from) {
    if (!holds(node, from)) continue;
    std::uint64_t to = from;
    while (holds(node, to + 1)) ++to;
    text += text.empty() ? "" : ",";
    text += from == to ? fmt::format("{}", from) : fmt::format("{}-{}", from, to);
    from = to;
  }
  return text;
}

}  // namespace evname::tools
