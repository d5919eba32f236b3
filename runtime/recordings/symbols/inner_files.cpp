#include "recordings/symbols/inner_files.hpp"

#include <algorithm>
#include <cstring>
#include <string_view>

#include <fmt/format.h>
#include <gelf.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "recordings/elf/rooted_path.hpp"
#include "recordings/elf/zip_directory.hpp"
#include "recordings/symbols/elf_search.hpp"

namespace evname::symbols {
namespace {

constexpr std::uint64_t kPage = 4096;
constexpr std::uint64_t kLargestPage = 64 << 10;
constexpr std::uint64_t kMostPages = 1 << 16;  // that are looked at for the start of an image
constexpr std::string_view kInside = "!/";     // as simpleperf writes it, and Android's linker

}  // namespace

std::unique_ptr<OuterFile> OuterFile::open(const elf::SymbolSearch& search) {
  if (!search.name.starts_with('/')) return nullptr;
  const auto open_file = [&](std::string_view name) -> Result<MappedFile> {
    const std::string path = search.root + elf::inside_of(search.root, name);
    const auto file = elf::open_within(search.root, path);
    if (!file) return fail(file.error());
    if (is_recorded_inode(search, file->get()) == false)
      return fail(Errc::not_found, fmt::format("{}: another file than the recorded one", path));
    struct stat info {};
    if (::fstat(file->get(), &info) != 0) return fail(Errc::io, "can't be read", path);
    return MappedFile::map(file->get(), static_cast<std::uint64_t>(info.st_size), path);
  };
  std::string name = search.name, entry;
  auto file = open_file(name);
  if (const std::size_t inside = name.find(kInside); !file && inside != name.npos) {
    entry = name.substr(inside + kInside.size());
    name.resize(inside);
    file = open_file(name);
  }
  if (!file || file->bytes().size() < kPage) return nullptr;
  std::unique_ptr<OuterFile> outer(
      new OuterFile(std::move(*file), std::move(name), std::move(entry)));
  return outer->is_elf_at(0) ? nullptr : std::move(outer);
}

bool OuterFile::is_elf_at(std::uint64_t start) const {
  constexpr std::string_view kMagic(ELFMAG, SELFMAG);
  const Bytes bytes = file_.bytes();
  return start < bytes.size() && bytes.size() - start >= kMagic.size() &&
         std::memcmp(bytes.data() + start, kMagic.data(), kMagic.size()) == 0;
}

// A mapping begins with a whole page; the inner file may begin anywhere in it.
std::optional<OuterFile::Place> OuterFile::at(std::uint64_t offset) const {
  const auto zip = elf::ZipDirectory::read(file_.bytes());
  if (!zip) return entry_.empty() ? image_before(offset) : std::nullopt;
  auto found = entry_.empty() ? zip->at(offset) : zip->named(entry_);
  for (std::uint64_t page = kPage; !found && entry_.empty() && page <= kLargestPage; page *= 2)
    found = zip->at((offset & -page) + page - 1);
  if (!found || !is_elf_at(found->start)) return std::nullopt;
  return Place{fmt::format("{}{}{}", name_, kInside, found->name), found->start, found->size,
               entry_.empty() ? found->start : 0};
}

/// Looks for the nearest image that begins at a page before the offset and loads what is there.
std::optional<OuterFile::Place> OuterFile::image_before(std::uint64_t offset) const {
  std::uint64_t start = std::min<std::uint64_t>(offset, file_.bytes().size()) & -kPage;
  for (std::uint64_t pages = 0; start != 0 && pages < kMostPages; ++pages, start -= kPage) {
    if (!is_elf_at(start)) continue;
    const std::uint64_t size = size_of_image(start, offset - start);
    if (size == 0) return std::nullopt;
    return Place{fmt::format("{}!{:#x}", name_, start), start, size, start};
  }
  return std::nullopt;
}

/// Returns the size of an image by its headers; 0 if none of its segments is loaded from the
/// offset.
std::uint64_t OuterFile::size_of_image(std::uint64_t start, std::uint64_t offset) const {
  static const bool kReady = elf_version(EV_CURRENT) != EV_NONE;
  const Bytes rest = file_.bytes().subspan(start);
  Elf* const elf =
      kReady
          ? elf_memory(const_cast<char*>(reinterpret_cast<const char*>(rest.data())), rest.size())
          : nullptr;
  std::uint64_t end = 0;
  bool has_offset = false;
  GElf_Ehdr header;
  std::size_t segments = 0;
  if (elf && gelf_getehdr(elf, &header) && elf_getphdrnum(elf, &segments) == 0) {
    GElf_Phdr segment;
    for (std::size_t i = 0; i < segments; ++i) {
      if (!gelf_getphdr(elf, static_cast<int>(i), &segment) || segment.p_type != PT_LOAD) continue;
      const std::uint64_t last =
          segment.p_offset + std::min(segment.p_filesz, UINT64_MAX - segment.p_offset);
      has_offset = has_offset || (offset >= (segment.p_offset & -kPage) && offset < last);
      end = std::max(end, last);
    }
    const std::uint64_t sections = std::uint64_t{header.e_shnum} * header.e_shentsize;
    end = std::max(end, header.e_shoff + std::min(sections, UINT64_MAX - header.e_shoff));
  }
  elf_end(elf);
  return has_offset ? std::min<std::uint64_t>(end, rest.size()) : 0;
}

std::shared_ptr<const Descriptor> OuterFile::extract(const Place& place) const {
  auto copy = std::make_shared<Descriptor>(::memfd_create("image", MFD_CLOEXEC));
  Bytes left = file_.bytes().subspan(place.start, place.size);
  while (copy->get() >= 0 && !left.empty()) {
    const ssize_t written = ::write(copy->get(), left.data(), left.size());
    if (written <= 0) return nullptr;
    left = left.subspan(static_cast<std::size_t>(written));
  }
  return copy->get() >= 0 ? copy : nullptr;
}

}  // namespace evname::symbols
