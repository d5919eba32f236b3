#pragma once
// Finds the places of a file in each process of a recording, and converts addresses to offsets in
// its code.

#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "evname/profile.hpp"
#include "recordings/profiles/branch_counts.hpp"
#include "recordings/profiles/target_binary.hpp"
#include "recordings/session/address_maps.hpp"

namespace evname::profiles {

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

  /// Returns true if the file was found.
  bool found() const { return found_; }
  /// The build ids of other files with the same name.
  const std::set<std::string>& other_ids() const { return other_ids_; }
  /// Other files with code.
  const std::set<std::string>& other_files() const { return other_files_; }
  /// Mappings of the file at other addresses than a program without relocations has.
  std::uint64_t moved() const { return moved_; }

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
  bool found_ = false;
  std::uint64_t moved_ = 0;
  std::vector<Known> known_{256};
  std::unordered_map<const void*, KnownPiece> pieces_;
  std::unordered_map<const session::Dso*, bool> decided_;
  std::set<std::string> other_ids_, other_files_;
};

}  // namespace evname::profiles
