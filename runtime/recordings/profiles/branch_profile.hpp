#pragma once
// Adds up the branches and samples in one file for the tools of compilers.

#include <span>

#include "evname/perf_data.hpp"
#include "evname/profile.hpp"
#include "recordings/profiles/binary_places.hpp"
#include "recordings/profiles/branch_counts.hpp"
#include "recordings/profiles/output.hpp"

namespace evname::profiles {

/// A branch of a branch stack: struct perf_branch_entry.
struct BranchEntry {
  std::uint64_t from = 0, to = 0, flags = 0;
};

/// The inputs of a sample's counts.
struct BranchSample {
  SampleWords words;  ///< the branch stack, newest first
  const Places& places;
  const Sample& sample;

  std::size_t size() const { return words.size() / 3; }
  BranchEntry operator[](std::size_t index) const {
    return {words[index * 3], words[index * 3 + 1], words[index * 3 + 2]};
  }
};

/// The input of a format's write().
struct BranchTotals {
  std::vector<BranchCount> counts;  ///< sorted; taken apart as it is written
  const TargetBinary& binary;
  std::span<const PerfData> files;
  const ProfileOptions& options;
};

/// The rules of a format: what it counts in a branch stack, and how it writes the sums. It adds the
/// number of branches that it leaves out to `outside`.
struct BranchRules {
  void (*add)(const BranchSample& sample, BinaryKind kind, BranchCounts& counts,
              std::uint64_t& outside);
  void (*write)(BranchTotals& totals, Output& out);
  bool by_offset = false;     ///< places are offsets in the file
  bool has_plain = true;      ///< it does not need branch stacks
  bool samples_too = false;   ///< it also counts samples
  bool with_symbols = false;  ///< bytes without a symbol are not code
};

#define EVNAME_BRANCH_FORMAT(name, Name, word, what) extern const BranchRules k##Name##Rules;
#include "evname/profile_formats.def"

/// See export_profile().
Result<ProfileTally> export_branches(std::span<const PerfData> files, const ProfileOptions& options,
                                     const BranchRules& rules, Output& out);

}  // namespace evname::profiles
