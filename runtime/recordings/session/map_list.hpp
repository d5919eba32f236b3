#pragma once
// A list of mappings that is cheap to copy, since each sample may have its own maps.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace evname::session {

struct Dso;

/// A range of addresses, and what is mapped there.
struct PlacedMap {
  std::uint64_t start = 0, end = 0;
  std::uint64_t shift = 0;  ///< file offset = address + shift
  const Dso* dso = nullptr;
};

/// Ranges in order, which don't overlap. Copies share the pieces that neither has changed, so a
/// copy costs one pointer for each fifty ranges.
class MapList {
 public:
  /// Returns the range that an address is in; nullptr if there is none. Valid until the next add().
  const PlacedMap* find(std::uint64_t address) const;
  /// Adds a range, which replaces the parts of older ones that it covers; nothing if it is empty.
  void add(const PlacedMap& map);
  /// Removes the range `map`.
  void remove(PlacedMap map);
  std::size_t size() const { return size_; }
  /// Returns the number of pieces. A copy of the list takes time and memory for each.
  std::size_t pieces() const { return pieces_.size(); }

  /// A few ranges. They never change, because several lists may share them.
  using Shared = std::shared_ptr<const std::vector<PlacedMap>>;
  /// Calls visit(const Shared&) for each piece.
  template <class Visit>
  void for_each_piece(Visit&& visit) const {
    for (const Piece& piece : pieces_) visit(piece.maps);
  }

 private:
  static constexpr std::size_t kMost = 64;  // of a piece

  struct Piece {
    std::uint64_t first;  ///< the start of the first one
    Shared maps;
  };

  /// Returns the index of the piece that contains an address or would get it; 0 if the address is
  /// before all.
  std::size_t piece_of(std::uint64_t address) const;
  void replace(std::size_t first, std::size_t last, const std::vector<PlacedMap>& maps);

  std::vector<Piece> pieces_;
  std::size_t size_ = 0;
};

}  // namespace evname::session
