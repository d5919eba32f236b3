#include "recordings/profiles/binary_places.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "recordings/symbols/mapping_kinds.hpp"

namespace evname::profiles {
namespace {

using session::Dso;
using session::MapList;
using session::MappedRange;
using session::PlacedMap;
using session::ProcessMaps;

constexpr std::size_t kMostNames = 1000;  // that are kept for messages

/// Returns the name of a kernel's module, of "/lib/modules/…/snd-pcm.ko.xz" or "[snd_pcm]".
std::string module_name(std::string_view path) {
  std::string name(last_part(path));
  if (name.starts_with('[')) name.erase(0, 1);
  name.erase(std::min({name.find(']'), name.find(".ko"), name.size()}));
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

}  // namespace

/// Returns true if a mapped file is the binary.
bool BinaryPlaces::is_it(const Dso& dso) {
  const auto [at, is_new] = decided_.try_emplace(&dso);
  if (is_new) at->second = decide(dso);
  found_ |= at->second;
  return at->second;
}

bool BinaryPlaces::decide(const Dso& dso) {
  if (binary_.kind == BinaryKind::kernel && !symbols::is_kernel_image(dso.name)) return false;
  const bool known = !dso.build_id.empty() && !binary_.build_id.empty();
  if (known && is_same_build_id(dso.build_id, binary_.build_id)) return true;
  const std::string& wanted = options_.recorded_as.empty() ? binary_.path : options_.recorded_as;
  const bool named = binary_.kind == BinaryKind::kernel ||
                     (binary_.kind == BinaryKind::kernel_part
                          ? module_name(dso.name) == module_name(wanted)
                          : dso.name == wanted || last_part(dso.name) == last_part(wanted));
  if (named && (!known || options_.ignore_build_id)) return true;
  if (named)
    other_ids_.insert(dso.build_id_text);
  else if (other_files_.size() < kMostNames && !symbols::is_without_file(dso.name))
    other_files_.insert(dso.name);
  return false;
}

// A process has a new list for each file that it maps; most of the list stays the same.
Places BinaryPlaces::find(const ProcessMaps& maps) {
  Places places;
  maps.for_each_piece(is_kernel(), [&](const MapList::Shared& piece) {
    if (pieces_.size() >= kMostPieces) pieces_.clear();
    const auto [at, is_new] = pieces_.try_emplace(piece.get());
    KnownPiece& known = at->second;
    if (is_new) known.piece = piece;
    if (is_new || is_kernel()) known.places = find(*piece, maps);  // the kernel may be relocated
    places.list.insert(places.list.end(), known.places.list.begin(), known.places.list.end());
  });
  return places;
}

Places BinaryPlaces::find(const std::vector<PlacedMap>& piece, const ProcessMaps& maps) {
  Places places;
  for (const PlacedMap& map : piece) {
    const MappedRange range = ProcessMaps::range_of(map);
    if (range.dso && is_it(*range.dso)) add(range, maps.mapping(range).offset, places);
  }
  return places;
}

/// Adds the code that a mapping of the binary shows.
void BinaryPlaces::add(const MappedRange& range, std::uint64_t kernel_text, Places& places) {
  const std::uint64_t begin = binary_.code_begin();
  const Segment* segment = nullptr;
  std::uint64_t moved = 0;  // from an address of the process to an address of the file
  if (binary_.kind == BinaryKind::kernel) {
    segment = binary_.segment_at(binary_.offset_of(begin));
    if (kernel_text != 0) moved = begin - kernel_text;
  } else if (binary_.kind == BinaryKind::kernel_part) {
    segment = binary_.segments.data();
    moved = 0 - range.start;
  } else {
    segment = binary_.segment_at(range.offset);
    if (segment) moved = segment->address - segment->offset + range.offset - range.start;
  }
  if (!segment) return;
  if (binary_.kind == BinaryKind::fixed && moved != 0) {
    ++moved_;
    return;
  }
  const std::uint64_t zero = by_offset_ ? segment->address - segment->offset : begin;
  const std::uint64_t end = segment->address + segment->size;
  if (!with_symbols_) return add_part(range, {segment->address, end}, moved, zero, places);
  for (const CodeRange& code : binary_.with_symbols)
    add_part(range, {std::max(code.begin, segment->address), std::min(code.end, end)}, moved, zero,
             places);
}

/// Adds the part of a mapping that is code of the file. Its pages may also have other parts.
void BinaryPlaces::add_part(const MappedRange& range, CodeRange code, std::uint64_t moved,
                            std::uint64_t zero, Places& places) const {
  if (code.begin >= code.end) return;
  const std::uint64_t first = code.begin - moved;
  const std::uint64_t start = std::max(range.start, first);
  const std::uint64_t end = std::min(range.end, first + (code.end - code.begin));
  if (start < end) places.list.push_back({start, end - start, moved - zero + 1});
}

}  // namespace evname::profiles
