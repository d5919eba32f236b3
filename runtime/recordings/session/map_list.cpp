#include "recordings/session/map_list.hpp"

#include <algorithm>
#include <utility>

namespace evname::session {

std::size_t MapList::piece_of(std::uint64_t address) const {
  const auto after = std::ranges::upper_bound(pieces_, address, {}, &Piece::first);
  return static_cast<std::size_t>(after - pieces_.begin()) - (after != pieces_.begin());
}

const PlacedMap* MapList::find(std::uint64_t address) const {
  if (pieces_.empty()) return nullptr;
  const std::vector<PlacedMap>& maps = *pieces_[piece_of(address)].maps;
  const auto after = std::ranges::upper_bound(maps, address, {}, &PlacedMap::start);
  if (after == maps.begin() || after[-1].end <= address) return nullptr;
  return &after[-1];
}

void MapList::add(const PlacedMap& map) {
  if (map.start >= map.end) return;
  const std::size_t first = piece_of(map.start);
  std::size_t last = first;
  while (last < pieces_.size() && (last == first || pieces_[last].first < map.end)) ++last;
  std::vector<PlacedMap> merged;
  merged.reserve(kMost + 2);
  bool is_added = false;
  const auto add_once = [&] {
    if (!std::exchange(is_added, true)) merged.push_back(map);
  };
  for (std::size_t i = first; i < last; ++i) {
    for (const PlacedMap& old : *pieces_[i].maps) {
      if (old.start < map.start)
        merged.push_back({old.start, std::min(old.end, map.start), old.shift, old.dso});
      if (old.end <= map.end) continue;
      add_once();
      merged.push_back({std::max(old.start, map.end), old.end, old.shift, old.dso});
    }
  }
  add_once();
  replace(first, last, merged);
}

void MapList::remove(PlacedMap map) {
  const std::size_t piece = piece_of(map.start);
  if (piece >= pieces_.size()) return;
  std::vector<PlacedMap> left = *pieces_[piece].maps;
  std::erase_if(left, [&](const PlacedMap& one) { return one.start == map.start; });
  replace(piece, piece + 1, left);
}

/// Replaces the pieces from `first` up to `last` by ranges.
void MapList::replace(std::size_t first, std::size_t last, const std::vector<PlacedMap>& maps) {
  for (std::size_t i = first; i < last; ++i) size_ -= pieces_[i].maps->size();
  size_ += maps.size();
  const std::size_t count = (maps.size() + kMost - 1) / kMost;
  const auto at = pieces_.begin() + static_cast<std::ptrdiff_t>(first);
  if (count < last - first)
    pieces_.erase(at + static_cast<std::ptrdiff_t>(count),
                  at + static_cast<std::ptrdiff_t>(last - first));
  else
    pieces_.insert(at, count - (last - first), Piece{});
  for (std::size_t i = 0; i < count; ++i) {
    const auto begin = maps.begin() + static_cast<std::ptrdiff_t>(maps.size() * i / count);
    const auto end = maps.begin() + static_cast<std::ptrdiff_t>(maps.size() * (i + 1) / count);
    pieces_[first + i] = {begin->start, std::make_shared<std::vector<PlacedMap>>(begin, end)};
  }
}

}  // namespace evname::session
