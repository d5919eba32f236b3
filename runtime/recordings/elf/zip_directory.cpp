// Source of the layouts: PKWARE's APPNOTE.TXT, sections 4.3 to 4.5. All numbers are little-endian.

#include "recordings/elf/zip_directory.hpp"

#include <algorithm>

namespace evname::elf {
namespace {

constexpr std::uint32_t kOwnHeader = 0x04034b50, kDirectoryEntry = 0x02014b50,
                        kEndRecord = 0x06054b50, kWideEnd = 0x06064b50, kWidePlace = 0x07064b50;
constexpr std::uint64_t kEndSize = 22, kWideEndSize = 56, kWidePlaceSize = 20;
constexpr std::uint64_t kOwnHeaderSize = 30, kDirectoryEntrySize = 46;
constexpr std::uint64_t kMostComment = UINT16_MAX;
constexpr std::uint16_t kEncrypted = 1, kSizesFollow = 1 << 3;  // flags
constexpr std::uint16_t kStored = 0;                            // a method

Cursor cursor_at(Bytes bytes, std::uint64_t place) {
  return Cursor(bytes.subspan(std::min<std::uint64_t>(place, bytes.size())), std::endian::little);
}

/// Replaces numbers that have no room in 32 bits by the numbers of the extra data.
void widen(Bytes extra, std::initializer_list<std::uint64_t*> numbers) {
  constexpr std::uint16_t kWide = 1;
  for (Cursor in = cursor_at(extra, 0); in.remaining() >= 4;) {
    const std::uint16_t kind = in.u16();
    Cursor field = cursor_at(in.bytes(in.u16()), 0);
    if (!in.ok()) return;
    if (kind != kWide) continue;
    for (std::uint64_t* const number : numbers)
      if (*number == UINT32_MAX) *number = field.u64();
    return;
  }
}

}  // namespace

std::optional<ZipDirectory> ZipDirectory::read(Bytes archive) {
  ZipDirectory directory(archive);
  std::uint64_t start = 0, count = 0;
  if (!directory.find(start, count)) return std::nullopt;
  Cursor in = cursor_at(archive, start);
  if (count > in.remaining() / kDirectoryEntrySize) return std::nullopt;
  directory.entries_.reserve(count);
  for (std::uint64_t i = 0; i < count; ++i)
    if (!directory.read_entry(in)) return std::nullopt;
  std::ranges::sort(directory.entries_, {}, &Listed::header);
  return directory;
}

/// Finds the record that ends the archive, whose comment reaches to the end, and by it the
/// directory.
bool ZipDirectory::find(std::uint64_t& start, std::uint64_t& count) {
  if (archive_.size() < kEndSize) return false;
  const std::uint64_t last = archive_.size() - kEndSize;
  for (std::uint64_t comment = 0; comment <= std::min(last, kMostComment); ++comment) {
    Cursor in = cursor_at(archive_, last - comment);
    if (in.u32() != kEndRecord) continue;
    in.skip(6);  // numbers of disks, entries on this one
    count = in.u16();
    std::uint64_t size = in.u32();
    start = in.u32();
    if (in.u16() != comment) continue;
    end_ = last - comment;
    const bool is_wide = count == UINT16_MAX || size == UINT32_MAX || start == UINT32_MAX;
    if (is_wide && !find_wide(start, size, count)) return false;
    if (size > end_ || start > end_ - size) return false;
    end_ -= size;
    shift_ = end_ - start;
    start = end_;
    return true;
  }
  return false;
}

/// Reads the numbers of a large archive, whose records lie between the directory and the end.
bool ZipDirectory::find_wide(std::uint64_t& start, std::uint64_t& size, std::uint64_t& count) {
  if (end_ < kWidePlaceSize + kWideEndSize) return false;
  end_ -= kWidePlaceSize;
  Cursor place = cursor_at(archive_, end_);
  end_ -= kWideEndSize;
  Cursor in = cursor_at(archive_, end_);
  if (place.u32() != kWidePlace || in.u32() != kWideEnd) return false;
  in.skip(28);  // its size, versions, numbers of disks, entries on this one
  count = in.u64();
  size = in.u64();
  start = in.u64();
  return in.ok();
}

bool ZipDirectory::read_entry(Cursor& in) {
  if (in.u32() != kDirectoryEntry) return false;
  in.skip(4);  // versions
  const std::uint16_t flags = in.u16(), method = in.u16();
  in.skip(8);  // time, date, checksum
  std::uint64_t packed = in.u32(), size = in.u32();
  const std::uint16_t name_size = in.u16(), extra_size = in.u16(), comment_size = in.u16();
  in.skip(8);  // disk, attributes
  std::uint64_t header = in.u32();
  const Bytes name = in.bytes(name_size), extra = in.bytes(extra_size);
  in.skip(comment_size);
  if (!in.ok()) return false;
  widen(extra, {&size, &packed, &header});
  entries_.push_back({{reinterpret_cast<const char*>(name.data()), name.size()},
                      header + std::min(shift_, UINT64_MAX - header),
                      size,
                      method == kStored && packed == size && (flags & kEncrypted) == 0});
  return true;
}

/// Returns the content of an entry that is stored, if it lies between the entry's own header, which
/// must agree, and what follows.
std::optional<ZipDirectory::Entry> ZipDirectory::content_of(std::size_t index) const {
  const Listed& listed = entries_[index];
  if (!listed.is_stored) return std::nullopt;
  Cursor in = cursor_at(archive_, listed.header);
  if (in.u32() != kOwnHeader) return std::nullopt;
  in.skip(2);  // version
  const std::uint16_t flags = in.u16(), method = in.u16();
  in.skip(8);  // time, date, checksum
  std::uint64_t packed = in.u32(), size = in.u32();
  const std::uint16_t name_size = in.u16(), extra_size = in.u16();
  const Bytes name = in.bytes(name_size);
  widen(in.bytes(extra_size), {&size, &packed});
  const bool agrees = method == kStored && std::ranges::equal(name, listed.name) &&
                      ((flags & kSizesFollow) != 0 || size == listed.size);
  const std::uint64_t start = listed.header + kOwnHeaderSize + name_size + extra_size;
  const std::uint64_t next = index + 1 < entries_.size() ? entries_[index + 1].header : end_;
  if (!in.ok() || !agrees || start > std::min(next, end_) ||
      listed.size > std::min(next, end_) - start)
    return std::nullopt;
  return Entry{listed.name, start, listed.size};
}

std::optional<ZipDirectory::Entry> ZipDirectory::at(std::uint64_t place) const {
  const auto after = std::ranges::upper_bound(entries_, place, {}, &Listed::header);
  if (after == entries_.begin()) return std::nullopt;
  const auto found = content_of(static_cast<std::size_t>(after - entries_.begin() - 1));
  const bool has_it = found && place >= found->start && place - found->start < found->size;
  return has_it ? found : std::nullopt;
}

std::optional<ZipDirectory::Entry> ZipDirectory::named(std::string_view name) const {
  const auto is_it = [name](const Listed& listed) { return listed.name == name; };
  const auto first = std::ranges::find_if(entries_, is_it);
  if (first == entries_.end() || std::find_if(first + 1, entries_.end(), is_it) != entries_.end())
    return std::nullopt;
  return content_of(static_cast<std::size_t>(first - entries_.begin()));
}

}  // namespace evname::elf
