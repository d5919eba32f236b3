#pragma once
// Adds up the code between the branches of branch stacks.

#include <cstdint>
#include <tuple>
#include <vector>

#include "base/hash_map.hpp"
#include "evname/instructions.hpp"
#include "recordings/report/sort_keys.hpp"

namespace evname::report {

/// Counts blocks: code that ran from where a branch went to the next branch. Offsets count from the
/// function's start.
class BlockCollector {
 public:
  /// A block of a function. Its start is unknown if it was elsewhere, or if the branch is the
  /// oldest of its stack.
  struct Block {
    static constexpr std::uint64_t kUnknown = UINT64_MAX;
    std::uint32_t function = 0;
    std::uint64_t end = 0;  ///< of the branch
    std::uint64_t start = kUnknown;
    auto key() const { return std::tuple(function, end, start); }
    bool operator==(const Block& other) const { return key() == other.key(); }
  };

  bool empty() const { return blocks_.size() == 0; }
  /// Adds a block, and the branch at its end.
  void add(const Block& block, const Branch& branch);
  /// Adds what is known of a function to its instructions.
  void add_to(std::uint32_t function, InstructionReport::Code& code) const;

 private:
  struct Sums {
    std::uint64_t count = 0;
    Report::Branches branches = {};
  };

  Numbers<Block> blocks_;
  std::vector<Sums> sums_;                               ///< by block
  std::vector<std::vector<std::uint32_t>> of_function_;  ///< blocks
};

}  // namespace evname::report
