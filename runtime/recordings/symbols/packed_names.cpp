#include "recordings/symbols/packed_names.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/text_pool.hpp"

#ifdef HAVE_ZSTD
#include <zstd.h>
#endif

namespace evname::symbols {
namespace {

constexpr std::uint32_t kVersion = 1, kPlain = 0, kZstd = 1;
constexpr std::size_t kFrameBytes = 12, kPlaceBytes = 32, kInnerBytes = 36;
constexpr std::uint32_t kInlined = std::uint32_t{1} << 31;
/// Longer texts are cut: any number of frames may share a text, and each looks for its end.
constexpr std::size_t kLongestText = (1 << 16) - 1;

/// Returns the largest content that packed bytes may have: a claim costs no more memory than that.
constexpr std::uint64_t most_unpacked(std::uint64_t packed) {
  constexpr std::uint64_t kGrowth = 20, kSlack = 1 << 16;
  return kSlack + packed * kGrowth;
}

constexpr auto kOrder = std::endian::little;
constexpr const char* kWhat = "the names in the recording";

Bytes bytes_of(std::string_view text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

/// Fills `out`. Returns false if the content is damaged, or this build can't unpack it.
bool unpack(std::uint32_t packing, Bytes packed, std::span<std::uint8_t> out) {
  if (packing == kPlain) {
    if (packed.size() != out.size()) return false;
    std::ranges::copy(packed, out.begin());
    return true;
  }
#ifdef HAVE_ZSTD
  if (packing == kZstd)
    return ZSTD_decompress(out.data(), out.size(), packed.data(), packed.size()) == out.size();
#endif
  return false;
}

/// Returns the first row that begins with a number, of rows in the order of their numbers; an
/// empty row if there is none.
Bytes row_of(std::uint64_t number, Bytes rows, std::size_t size) {
  const auto key = [&](std::size_t index) {
    return load<std::uint64_t>(rows.data() + index * size, kOrder);
  };
  const std::size_t count = rows.size() / size;
  std::size_t first = 0, last = count;
  while (first < last) {
    const std::size_t middle = first + (last - first) / 2;
    (key(middle) < number ? first : last) = key(middle) < number ? middle + 1 : middle;
  }
  return first == count || key(first) != number ? Bytes() : rows.subspan(first * size, size);
}

}  // namespace

struct PackedFile::Place {
  std::uint64_t address = 0, offset = 0;
  Bytes frames;
  bool has_debug_info = false;
};

std::string_view PackedFile::text(std::uint32_t at) const {
  if (at >= texts_.size()) return {};
  return Cursor::until_nul(texts_.subspan(at, std::min(kLongestText, texts_.size() - at)));
}

std::optional<PackedFile::Place> PackedFile::find(std::uint64_t place) const {
  Cursor in(row_of(place, places_, kPlaceBytes), kOrder);
  if (in.remaining() == 0) return std::nullopt;
  in.skip(sizeof place);
  Place found{in.u64(), in.u64(), {}, false};
  const std::uint64_t from = in.u32();
  const std::uint32_t count = in.u32();
  found.has_debug_info = (count & 1) != 0;
  Cursor frames(frames_, kOrder);
  frames.skip_array(from, kFrameBytes);
  found.frames = frames.array(count >> 1, kFrameBytes);
  return found.frames.empty() ? std::nullopt : std::optional(found);
}

bool PackedFile::frames(std::uint64_t place, std::vector<Frame>& frames) const {
  const auto found = find(place);
  if (!found) return false;
  frames.clear();
  for (Cursor in(found->frames, kOrder); in.remaining() > 0;) {
    Frame frame{.function = text(in.u32()),
                .offset = found->offset,
                .address = found->address,
                .source = text(in.u32()),
                .has_debug_info = found->has_debug_info};
    const std::uint32_t line = in.u32();
    frame.line = line & ~kInlined;
    frame.inlined = (line & kInlined) != 0;
    frames.push_back(frame);
  }
  return true;
}

std::optional<Frame> PackedFile::function(std::uint64_t place) const {
  const auto found = find(place);
  if (!found) return std::nullopt;
  return Frame{.function = text(load<std::uint32_t>(&found->frames.last(kFrameBytes)[0], kOrder)),
               .offset = found->offset,
               .address = found->address};
}

std::optional<OuterFile::Place> PackedFile::inner(std::uint64_t offset) const {
  Cursor in(row_of(offset, inner_, kInnerBytes), kOrder);
  if (in.remaining() == 0) return std::nullopt;
  in.skip(sizeof offset);
  OuterFile::Place place{{}, in.u64(), in.u64(), in.u64()};
  place.name = text(in.u32());
  return place;
}

/// Returns false if places share frames: a few bytes would then have any number of frames.
bool PackedFile::has_own_frames() const {
  std::uint64_t frames = 0;
  for (Cursor in(places_, kOrder); in.remaining() > 0;) {
    in.skip(kPlaceBytes - 2 * sizeof(std::uint32_t));
    if (in.u32() != frames) return false;
    frames += in.u32() >> 1;
  }
  return frames * kFrameBytes == frames_.size();
}

/// Returns false if the content is damaged.
bool PackedNames::read_file(Cursor& in) {
  PackedFile file;
  file.texts_ = texts_;
  const Bytes identity = in.bytes(in.u32());
  file.build_id_ = in.bytes(in.u32());
  file.inner_ = in.array(in.u32(), kInnerBytes);
  file.frames_ = in.array(in.u32(), kFrameBytes);
  file.places_ = in.array(in.u32(), kPlaceBytes);
  file.jitdump_ = in.bytes(in.u64());
  if (!in.ok() || !file.has_own_frames()) return false;
  files_.emplace(text_of(identity), file);
  return true;
}

Result<std::vector<std::uint8_t>> unpacked(std::string_view packed) {
  Cursor header(bytes_of(packed), kOrder);
  const std::uint32_t version = header.u32(), packing = header.u32();
  const std::uint64_t size = header.u64();
  if (!header.ok()) return fail(Errc::corrupt, fmt::format("{} are cut off", kWhat));
  if (version != kVersion)
    return fail(Errc::unsupported,
                fmt::format("{} are of version {}, not {}", kWhat, version, kVersion));
  if (size > most_unpacked(packed.size()))
    return fail(Errc::corrupt, fmt::format("{} claim to have {} bytes", kWhat, size));
  std::vector<std::uint8_t> out(size);
  if (!unpack(packing, header.bytes(header.remaining()), out))
    return fail(Errc::corrupt, fmt::format("{} can't be unpacked", kWhat));
  return out;
}

Result<PackedNames> PackedNames::read(std::string_view packed) {
  auto content = unpacked(packed);
  if (!content) return fail(content);
  PackedNames out;
  out.bytes_ = std::move(*content);
  Cursor in(out.bytes_, kOrder);
  out.texts_ = in.bytes(in.u64());
  bool is_whole = true;
  for (std::uint32_t files = in.u32(); files > 0 && is_whole; --files) is_whole = out.read_file(in);
  if (!is_whole || !in.ok()) return fail(Errc::corrupt, fmt::format("{} are damaged", kWhat));
  return out;
}

std::uint64_t CollectedFile::named() const {
  return static_cast<std::uint64_t>(std::ranges::count_if(places, [](const Place& place) {
    return std::ranges::any_of(place.frames, [](const Frame& frame) {
      return !frame.function.empty() || !frame.source.empty();
    });
  }));
}

namespace {

class Packer {
 public:
  std::string pack(std::span<const CollectedFile> files) {
    ByteWriter body(kOrder);
    for (const CollectedFile& file : files) add(file, body);
    ByteWriter out(kOrder);
    out.u64(texts_.size());
    out.raw(texts_);
    out.u32(static_cast<std::uint32_t>(files.size()));
    out.raw(body.bytes());
    return packed(out.bytes());
  }

 private:
  static std::string packed(const std::string& content) {
    const std::string zstd = compressed(content);
    const bool is_zstd = !zstd.empty() && content.size() <= most_unpacked(zstd.size());
    ByteWriter out(kOrder);
    out.u32(kVersion);
    out.u32(is_zstd ? kZstd : kPlain);
    out.u64(content.size());
    out.raw(is_zstd ? zstd : content);
    return out.bytes();
  }

  /// Returns "" in a build without zstd.
  static std::string compressed([[maybe_unused]] const std::string& content) {
#ifdef HAVE_ZSTD
    constexpr int kLevel = 12;
    std::string room(ZSTD_compressBound(content.size()), '\0');
    const std::size_t size =
        ZSTD_compress(room.data(), room.size(), content.data(), content.size(), kLevel);
    if (ZSTD_isError(size)) throw std::bad_alloc();
    room.resize(size);
    return room;
#else
    return {};
#endif
  }

  /// Texts beyond 4 GB are left out.
  std::uint32_t text(std::string_view text) {
    text = text.substr(0, kLongestText);
    return texts_.size() + text.size() < UINT32_MAX ? unique_.add(text) : 0;
  }

  template <class Content>
  static void sized(ByteWriter& out, const Content& content) {
    out.u32(static_cast<std::uint32_t>(content.size()));
    out.raw(content);
  }

  void add(const CollectedFile& file, ByteWriter& out) {
    sized(out, file.identity);
    sized(out, Bytes(file.build_id));
    out.u32(static_cast<std::uint32_t>(file.inner.size()));
    for (const auto& [offset, place] : file.inner) {
      for (const std::uint64_t number : {offset, place.start, place.size, place.origin})
        out.u64(number);
      out.u32(text(place.name));
    }
    ByteWriter places(kOrder), frames(kOrder);
    for (const CollectedFile::Place& place : file.places) add(place, places, frames);
    out.u32(static_cast<std::uint32_t>(frames.size() / kFrameBytes));
    out.raw(frames.bytes());
    out.u32(static_cast<std::uint32_t>(places.size() / kPlaceBytes));
    out.raw(places.bytes());
    out.u64(file.jitdump.size());
    out.raw(file.jitdump);
  }

  void add(const CollectedFile::Place& place, ByteWriter& places, ByteWriter& frames) {
    const Frame& whole = place.frames.back();
    for (const std::uint64_t number : {place.place, whole.address, whole.offset})
      places.u64(number);
    places.u32(static_cast<std::uint32_t>(frames.size() / kFrameBytes));
    places.u32(static_cast<std::uint32_t>(place.frames.size() << 1) |
               static_cast<std::uint32_t>(whole.has_debug_info));
    for (const Frame& frame : place.frames) {
      frames.u32(text(frame.function));
      frames.u32(text(frame.source));
      frames.u32(frame.line | (frame.inlined ? kInlined : 0));
    }
  }

  std::string texts_{'\0'};
  UniqueTexts unique_{texts_};
};

}  // namespace

std::string pack_names(std::span<const CollectedFile> files) { return Packer().pack(files); }

}  // namespace evname::symbols
