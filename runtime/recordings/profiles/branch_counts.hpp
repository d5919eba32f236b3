#pragma once
// Counts branches, the code between them, and samples, by their places in one file.

#include <cstdint>
#include <tuple>
#include <vector>

#include "base/hash_map.hpp"

namespace evname::profiles {

/// The key of a count. A place is an offset in the file's code plus 1; 0 is outside of the file.
enum class Counted : std::uint32_t {
  trace,         ///< a branch, its target, and the next branch after it
  mispredicted,  ///< a branch and its target
  branch,        ///< the same, counted apart from traces
  range,         ///< the first and the last instruction of code that ran without branching
  fall_through,  ///< the target of a branch that is unknown, and the next branch after it
  sample,        ///< an instruction
};

struct BranchKey {
  static constexpr std::uint32_t kOutside = 0;
  /// In place of a trace's next branch: it is unknown, or outside of the file.
  static constexpr std::uint32_t kNone = UINT32_MAX;

  Counted counted = Counted::trace;
  std::uint32_t first = 0, second = 0, third = 0;

  auto operator<=>(const BranchKey&) const = default;
  auto key() const { return std::tuple(counted, first, second, third); }
};

/// How often each key was met.
using BranchCounts = HashMap<BranchKey, std::uint64_t>;

struct BranchCount {
  BranchKey key;
  std::uint64_t count = 0;
};

/// Returns counts in the order of their keys.
std::vector<BranchCount> sorted(const BranchCounts& counts);

}  // namespace evname::profiles
