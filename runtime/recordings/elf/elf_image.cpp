#include "recordings/elf/elf_image.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <new>
#include <span>
#include <string>
#include <utility>

#include <elfutils/libdwelf.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/big_pages.hpp"
#include "base/bytes.hpp"
#include "base/read_file.hpp"
#include "base/text.hpp"
#include "recordings/elf/rooted_path.hpp"
#include "recordings/elf/unpack.hpp"

namespace evname::elf {
namespace {

constexpr std::size_t kSmallFile = std::size_t{1}
                                   << 20;     // a smaller one stays in memory as a whole
constexpr std::size_t kMostSectionName = 64;  // any number of names may end with the same bytes
constexpr std::size_t kMostMaps = std::size_t{1} << 24;

/// Takes the holes of a file from the budget: they need no disk space, but as much time and memory
/// as other bytes. Returns false if that is too much.
bool holes_fit(int file, const std::string& name, Budget& budget) {
  struct stat info {};
  if (::fstat(file, &info) != 0) return false;
  std::uint64_t bytes = 0;
  for (off_t at = 0, end = 0; (at = ::lseek(file, end, SEEK_DATA)) >= 0;
       bytes += static_cast<std::uint64_t>(end - at))
    if ((end = ::lseek(file, at, SEEK_HOLE)) < 0) return true;  // not known here
  const auto size = static_cast<std::uint64_t>(info.st_size);
  return bytes >= size || errno != ENXIO || budget.take(size, bytes, name);
}

/// Returns true if the notes of a file, which may contain its build id, don't repeat the same bytes
/// too often.
bool notes_fit(Elf* elf) {
  std::size_t size = 0, count = 0, left = 0;
  elf_rawfile(elf, &size);
  const auto fits = [&](std::uint64_t one) {
    const bool fine = one <= left;
    left -= fine ? one : 0;
    return fine;
  };
  GElf_Phdr segment;
  if (elf_getphdrnum(elf, &count) != 0) count = 0;
  left = size;
  for (std::size_t i = 0; i < count; ++i)
    if (gelf_getphdr(elf, static_cast<int>(i), &segment) && segment.p_type == PT_NOTE &&
        !fits(segment.p_filesz))
      return false;
  left = size;
  GElf_Shdr section;
  for (Elf_Scn* at = nullptr; (at = elf_nextscn(elf, at)) != nullptr;)
    if (gelf_getshdr(at, &section) && section.sh_type == SHT_NOTE && !fits(section.sh_size))
      return false;
  return true;
}

}  // namespace

std::unique_ptr<ElfImage> ElfImage::open(const std::string& path, Budget& budget,
                                         const std::string& root) {
  struct stat info {};  // files of the kernel, such as /proc/kmsg, say that they are empty
  if (root.empty() && (::stat(path.c_str(), &info) != 0 || info.st_size == 0)) return nullptr;
  auto file = open_within(root, path);
  if (!file || ::fstat(file->get(), &info) != 0 || info.st_size == 0) return nullptr;
  return of_descriptor(std::move(*file), path, budget);
}

std::unique_ptr<ElfImage> ElfImage::of_descriptor(Descriptor file, const std::string& name,
                                                  Budget& budget) {
  // libelf has to know the version of the format.
  static const bool kReady = elf_version(EV_CURRENT) != EV_NONE;
  const auto is_plain = [&] {
    char magic[SELFMAG] = {};
    return file.get() >= 0 && ::pread(file.get(), magic, SELFMAG, 0) == SELFMAG &&
           std::equal(magic, magic + SELFMAG, ELFMAG);
  };
  if (!is_plain()) file = unpack(file.get(), name, budget);
  if (!kReady || !is_plain() || !holes_fit(file.get(), name, budget)) return nullptr;
  Elf* elf = elf_begin(file.get(), ELF_C_READ_MMAP, nullptr);
  if (elf && elf_kind(elf) == ELF_K_ELF)
    return std::unique_ptr<ElfImage>(new ElfImage(elf, std::move(file)));
  elf_end(elf);
  return nullptr;
}

std::unique_ptr<ElfImage> ElfImage::of_memory(const void* start, std::size_t size,
                                              const std::string& name, Budget& budget) {
  Descriptor file(::memfd_create("image", MFD_CLOEXEC));
  if (file.get() < 0 || ::write(file.get(), start, size) != static_cast<ssize_t>(size))
    return nullptr;
  return of_descriptor(std::move(file), name, budget);
}

std::unique_ptr<ElfImage> ElfImage::packed_debug_data(const std::string& name,
                                                      Budget& budget) const {
  const Section packed = section(".gnu_debugdata");
  if (!packed.section || packed.header.sh_type == SHT_NOBITS) return nullptr;
  const Elf_Data* data = elf_rawdata(packed.section, nullptr);
  return data ? of_memory(data->d_buf, data->d_size, name, budget) : nullptr;
}

// Many sections may have the same bytes.
bool ElfImage::sections_fit(const std::string& name, Budget& budget) const {
  std::size_t count = 0;
  std::uint64_t grown = 0, size = 0;
  if (elf_getshdrnum(elf_, &count) != 0) return false;
  for (std::size_t i = 1; i < count; ++i) {
    const Section one = section_at(i);
    if (!one.section || one.header.sh_type == SHT_NOBITS) continue;
    const bool is_old = one.name.starts_with(".zdebug");  // "ZLIB" and the size, big-endian
    const Elf_Data* data = is_old ? elf_rawdata(one.section, nullptr) : nullptr;
    GElf_Chdr header;
    std::uint64_t becomes = 0;
    if ((one.header.sh_flags & SHF_COMPRESSED) && gelf_getchdr(one.section, &header))
      becomes = header.ch_size;
    else if (data && data->d_size >= 12)
      becomes =
          load<std::uint64_t>(static_cast<const std::uint8_t*>(data->d_buf) + 4, std::endian::big);
    if (becomes == 0) continue;
    grown = grown + std::min(becomes, UINT64_MAX - grown);
    size += one.header.sh_size;
  }
  return grown == 0 || budget.take(grown, std::min<std::uint64_t>(size, this->size()), name);
}

void ElfImage::unpack_debug_sections() const {
  std::size_t count = 0;
  if (elf_getshdrnum(elf_, &count) != 0) return;
  for (std::size_t i = 1; i < count; ++i) {
    const Section one = section_at(i);
    if (one.section && (one.header.sh_flags & SHF_COMPRESSED) && one.header.sh_type != SHT_NOBITS &&
        one.name.starts_with(".debug_"))
      unpack_one(one);
  }
}

// From now on libelf returns the unpacked content of the section.
void ElfImage::unpack_one(Section packed) const {
  const std::size_t start =
      header_.e_ident[EI_CLASS] == ELFCLASS32 ? sizeof(Elf32_Chdr) : sizeof(Elf64_Chdr);
  GElf_Chdr header;
  Elf_Data* const data = elf_getdata(packed.section, nullptr);
  if (!data || !data->d_buf || data->d_size < start || !gelf_getchdr(packed.section, &header))
    return;
  if (header.ch_size > PTRDIFF_MAX) return;
  const auto size = static_cast<std::size_t>(header.ch_size);
  std::unique_ptr<std::uint8_t[]> content(new (std::nothrow) std::uint8_t[size]);
  const std::span from(static_cast<const std::uint8_t*>(data->d_buf), data->d_size);
  if (!content) return;
  use_big_pages(content.get(), size);
  if (!unpack_section(header.ch_type, from.subspan(start), {content.get(), size})) return;
  packed.header.sh_flags &= ~GElf_Xword{SHF_COMPRESSED};
  packed.header.sh_size = size;
  packed.header.sh_addralign = header.ch_addralign;
  if (!gelf_update_shdr(packed.section, &packed.header)) return;
  if (replace_content(packed.section, {content.get(), size}))
    unpacked_.push_back(std::move(content));
}

bool replace_content(Elf_Scn* section, Bytes content) {
  Elf_Data* const data = elf_getdata(section, nullptr);
  if (!data) return false;
  for (Elf_Data* const one : {data, elf_rawdata(section, nullptr)}) {
    if (!one) continue;
    one->d_type = ELF_T_BYTE;
    one->d_buf = const_cast<std::uint8_t*>(content.data());
    one->d_size = content.size();
  }
  return true;
}

Bytes ElfImage::unpacked(std::string_view name) const {
  Section found = section(name);
  if (found.header.sh_flags & SHF_COMPRESSED) {
    unpack_one(found);
    found = section(name);
    if (found.header.sh_flags & SHF_COMPRESSED) return {};
  }
  if (!found.section && (found = section(".z" + std::string(name.substr(1)))).section)
    elf_compress_gnu(found.section, 0, 0);  // fails if it is already unpacked
  const Elf_Data* const data = found.header.sh_type != SHT_NOBITS ? found.data() : nullptr;
  return data ? Bytes{static_cast<const std::uint8_t*>(data->d_buf), data->d_size} : Bytes{};
}

void ElfImage::close_file() {
  elf_cntl(elf_, ELF_C_FDDONE);
  file_ = Descriptor();
}

std::size_t ElfImage::size() const {
  std::size_t size = 0;
  elf_rawfile(elf_, &size);
  return size;
}

ElfImage::ElfImage(Elf* elf, Descriptor file) : elf_(elf), file_(std::move(file)) {
  gelf_getehdr(elf_, &header_);
  std::size_t count = 0;
  if (elf_getphdrnum(elf_, &count) != 0) count = 0;
  GElf_Phdr segment;
  for (std::size_t i = 0; i < count; ++i)
    if (gelf_getphdr(elf_, static_cast<int>(i), &segment) && segment.p_type == PT_LOAD)
      loaded_.push_back(segment);
  const void* id = nullptr;
  if (!notes_fit(elf_)) return;
  const ssize_t size = dwelf_elf_gnu_build_id(elf_, &id);
  if (size > 0) {
    const auto* bytes = static_cast<const std::uint8_t*>(id);
    build_id_.assign(bytes, bytes + size);
  }
}

// libelf does not tell whether it has mapped the file, or read it into memory that must stay.
void ElfImage::find_mapping() const {
  std::size_t size = 0;
  char* const start = elf_rawfile(elf_, &size);
  struct stat info {};
  if (!start || size < kSmallFile || ::fstat(file_.get(), &info) != 0) return;
  const auto maps = read_head("/proc/self/maps", kMostMaps);
  const std::string begin = fmt::format("\n{:08x}-", reinterpret_cast<std::uintptr_t>(start));
  const std::size_t at = maps ? maps->find(begin) : std::string::npos;
  if (at == std::string::npos) return;
  unsigned long end = 0, offset = 0, inode = 0;
  char rights[5] = {};
  if (std::sscanf(maps->c_str() + at, "\n%*x-%lx %4s %lx %*s %lu", &end, rights, &offset, &inode) !=
          4 ||
      rights[1] == 'w' || inode == 0 || inode != info.st_ino)
    return;
  mapped_ = start;
  mapped_size_ = std::min<std::size_t>(size, end - reinterpret_cast<std::uintptr_t>(start));
}

void ElfImage::drop_pages() const {
  if (!std::exchange(looked_for_mapping_, true)) find_mapping();
  if (mapped_) ::madvise(mapped_, mapped_size_, MADV_DONTNEED);
}

ElfImage::~ElfImage() { elf_end(elf_); }

Section ElfImage::section_at(std::size_t index) const {
  Section found;
  found.section = elf_getscn(elf_, index);
  std::size_t names = 0;
  if (!found.section || !gelf_getshdr(found.section, &found.header) ||
      elf_getshdrstrndx(elf_, &names) != 0)
    return {};
  if (const char* name = text_at(names, found.header.sh_name))
    found.name = std::string_view(name, ::strnlen(name, kMostSectionName));
  return found;
}

// elf_strptr() searches for the last NUL on each call, and unpacks packed sections.
const char* ElfImage::text_at(std::size_t section, std::size_t offset) const {
  if (texts_section_ != section) {
    texts_section_ = section;
    texts_ = {};
    GElf_Shdr header;
    Elf_Scn* const texts = elf_getscn(elf_, section);
    if (!texts || !gelf_getshdr(texts, &header) || header.sh_type != SHT_STRTAB ||
        (header.sh_flags & SHF_COMPRESSED))
      return nullptr;
    if (const Elf_Data* data = elf_rawdata(texts, nullptr); data && data->d_buf)
      texts_ = {static_cast<const char*>(data->d_buf), data->d_size};
    texts_ = texts_.substr(0, texts_.rfind('\0') + 1);
  }
  return offset < texts_.size() ? texts_.data() + offset : nullptr;
}

Section ElfImage::symbol_section(bool dynamic) const {
  const Section found = section(dynamic ? ".dynsym" : ".symtab");
  const GElf_Word type = dynamic ? SHT_DYNSYM : SHT_SYMTAB;
  return found.header.sh_type == type && found.header.sh_entsize > 0 ? found : Section{};
}

std::optional<std::uint64_t> ElfImage::dynamic(std::int64_t tag) const {
  const Section entries = section(".dynamic");
  Elf_Data* const data = entries.header.sh_type == SHT_DYNAMIC ? entries.data() : nullptr;
  GElf_Dyn entry;
  for (int i = 0; data && gelf_getdyn(data, i, &entry); ++i)
    if (entry.d_tag == tag) return entry.d_un.d_val;
  return std::nullopt;
}

std::string ElfImage::debug_link() const {
  GElf_Word checksum = 0;
  const char* name = dwelf_elf_gnu_debuglink(elf_, &checksum);
  return name ? name : "";
}

bool ElfImage::has_debug_info() const {
  for (const char* name : {".debug_info", ".zdebug_info"})
    if (const Section found = section(name); found.section && found.header.sh_type != SHT_NOBITS)
      return true;
  return false;
}

std::optional<std::uint64_t> ElfImage::offset_of(std::uint64_t address) const {
  for (const GElf_Phdr& segment : loaded_)
    if (address >= segment.p_vaddr &&
        address - segment.p_vaddr < std::max(segment.p_memsz, segment.p_filesz))
      return address - segment.p_vaddr + segment.p_offset;
  return std::nullopt;
}

std::optional<std::uint64_t> ElfImage::address_of(std::uint64_t offset) const {
  for (const GElf_Phdr& segment : loaded_)
    if (offset >= segment.p_offset && offset - segment.p_offset < segment.p_filesz)
      return offset - segment.p_offset + segment.p_vaddr;
  for (const GElf_Phdr& segment : loaded_)  // files of debug information have no bytes of segments
    if (offset >= segment.p_offset && offset - segment.p_offset < segment.p_memsz)
      return offset - segment.p_offset + segment.p_vaddr;
  return std::nullopt;
}

std::string build_id_path(const std::vector<std::uint8_t>& id) {
  const std::string hex = hex_text(id);
  return fmt::format(".build-id/{}/{}", hex.substr(0, 2), hex.substr(2));
}

namespace {

/// Adds a section, whose content must stay until the file is written.
bool add_section(Elf* elf, std::size_t name, Elf64_Word type, const MadeSection& made) {
  Elf_Scn* const section = elf_newscn(elf);
  Elf_Data* const data = section ? elf_newdata(section) : nullptr;
  GElf_Shdr header;
  if (!data || !gelf_getshdr(section, &header)) return false;
  data->d_buf = const_cast<std::uint8_t*>(made.content.data());
  data->d_size = made.content.size();
  data->d_type = ELF_T_BYTE;
  data->d_align = 1;
  header.sh_name = static_cast<Elf64_Word>(name);
  header.sh_type = type;
  header.sh_addr = made.address;
  if (made.address != 0) header.sh_flags = SHF_ALLOC;
  return gelf_update_shdr(section, &header) != 0;
}

bool fill(Elf* elf, const GElf_Ehdr& like, std::span<const GElf_Phdr> segments,
          std::span<const MadeSection> sections, std::string& names) {
  GElf_Ehdr header;
  if (!gelf_newehdr(elf, like.e_ident[EI_CLASS]) || !gelf_getehdr(elf, &header)) return false;
  header.e_ident[EI_DATA] = like.e_ident[EI_DATA];
  header.e_type = like.e_type;
  header.e_machine = like.e_machine;
  header.e_version = EV_CURRENT;
  header.e_shstrndx = static_cast<GElf_Half>(sections.size() + 1);
  if (!gelf_update_ehdr(elf, &header)) return false;
  if (!segments.empty() && !gelf_newphdr(elf, segments.size())) return false;
  for (std::size_t i = 0; i < segments.size(); ++i) {
    GElf_Phdr segment = segments[i];
    if (!gelf_update_phdr(elf, static_cast<int>(i), &segment)) return false;
  }
  for (const MadeSection& section : sections) {
    const std::size_t name = names.size();
    names.append(section.name).append(1, '\0');
    if (!add_section(elf, name, SHT_PROGBITS, section)) return false;
  }
  const std::size_t own = names.size();
  names.append(".shstrtab").append(1, '\0');
  const Bytes texts{reinterpret_cast<const std::uint8_t*>(names.data()), names.size()};
  return add_section(elf, own, SHT_STRTAB, {"", texts}) && elf_update(elf, ELF_C_WRITE) > 0;
}

}  // namespace

std::vector<std::uint8_t> make_elf(const GElf_Ehdr& like, std::span<const GElf_Phdr> segments,
                                   std::span<const MadeSection> sections) {
  elf_version(EV_CURRENT);  // no file may have been opened before
  const Descriptor file(::memfd_create("image", MFD_CLOEXEC));
  Elf* const elf = file.get() < 0 ? nullptr : elf_begin(file.get(), ELF_C_WRITE, nullptr);
  if (!elf) return {};
  std::string names(1, '\0');
  const bool done = fill(elf, like, segments, sections, names);
  elf_end(elf);
  const off_t size = done ? ::lseek(file.get(), 0, SEEK_END) : 0;
  std::vector<std::uint8_t> out(size > 0 ? static_cast<std::size_t>(size) : 0);
  if (::pread(file.get(), out.data(), out.size(), 0) != static_cast<ssize_t>(out.size())) return {};
  return out;
}

}  // namespace evname::elf
