#pragma once
// Adds up the branches and samples in one file for the tools of compilers.

#include <cstdint>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "base/hash_map.hpp"
#include "evname/profile.hpp"
#include "evname/recording.hpp"
#include "recordings/profiles/output.hpp"
#include "recordings/profiles/target_binary.hpp"
#include "recordings/session/address_maps.hpp"

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

/// The addresses of a process that are in the file.
struct BinaryPlace {
  std::uint64_t start = 0, size = 0;
  /// The number to add to an address to get a place of BranchKey.
  std::uint64_t shift = 0;
};

/// The places of a process.
struct Places {
  std::vector<BinaryPlace> list;

  /// Returns the place of an address, as BranchKey has it.
  std::uint32_t of(std::uint64_t address) const {
    for (const BinaryPlace& place : list)
      if (address - place.start < place.size)
        return static_cast<std::uint32_t>(address + place.shift);
    return BranchKey::kOutside;
  }
};

/// Finds the file in the mappings of a recording.
class BinaryPlaces {
 public:
  /// All of them outlive the object. Places count offsets in the file if `by_offset`, otherwise
  /// from TargetBinary::code_begin(); only TargetBinary::with_symbols has any if `with_symbols`.
  BinaryPlaces(const TargetBinary& binary, const ProfileOptions& options, bool by_offset,
               bool with_symbols)
      : binary_(binary),
        options_(options),
        by_offset_(by_offset),
        with_symbols_(with_symbols && binary.kind != BinaryKind::kernel_part) {}

  /// Returns the places of a process, valid until the next call.
  const Places& of(const session::ProcessMaps& maps) {
    const std::uint64_t generation = maps.generation(is_kernel());
    Known& known = known_[generation % known_.size()];
    if (known.generation != generation) known = {generation, find(maps)};
    return known.places;
  }

  /// What mappings had to do with the file.
  struct Findings {
    bool found = false;
    std::uint64_t moved = 0;          ///< at other addresses than a program without relocations has
    std::set<std::string> other_ids;  ///< build ids of other files with the same name
    std::set<std::string> other_files;  ///< with code
  };
  const Findings& findings() const { return findings_; }

 private:
  struct Known {
    std::uint64_t generation = UINT64_MAX;
    Places places = {};
  };

  /// The places of ranges that several lists share.
  struct KnownPiece {
    session::MapList::Shared piece = nullptr;  ///< so that no other gets its address
    Places places = {};
  };
  static constexpr std::size_t kMostPieces = 1 << 13;

  bool is_kernel() const {
    return binary_.kind == BinaryKind::kernel || binary_.kind == BinaryKind::kernel_part;
  }
  bool is_it(const session::Dso& dso);
  bool decide(const session::Dso& dso);
  Places find(const session::ProcessMaps& maps);
  Places find(const std::vector<session::PlacedMap>& piece, const session::ProcessMaps& maps);
  void add(const session::MappedRange& range, std::uint64_t kernel_text, Places& places);
  void add_part(const session::MappedRange& range, CodeRange code, std::uint64_t moved,
                std::uint64_t zero, Places& places) const;

  const TargetBinary& binary_;
  const ProfileOptions& options_;
  bool by_offset_, with_symbols_;
  Findings findings_;
  std::vector<Known> known_{256};
  std::unordered_map<const void*, KnownPiece> pieces_;
  std::unordered_map<const session::Dso*, bool> decided_;
};

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
  std::span<const Recording> files;
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
Result<ProfileTally> export_branches(std::span<const Recording> files,
                                     const ProfileOptions& options, const BranchRules& rules,
                                     Output& out);

}  // namespace evname::profiles
