#include "recordings/symbols/elf_image.hpp"

#include <algorithm>
#include <cstdio>

#include <elfutils/libdwelf.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#ifdef HAVE_ZSTD
#include <zstd.h>
#endif

#include "base/read_file.hpp"
#include "base/text.hpp"

namespace evname::symbols {
namespace {

constexpr std::size_t kSmallFile = std::size_t{1}
                                   << 20;  // a smaller one stays in memory as a whole
constexpr std::size_t kMostMaps = std::size_t{1} << 24;

#ifdef HAVE_ZSTD

constexpr std::size_t kMostPacked = std::size_t{64} << 20, kMostUnpacked = std::size_t{256} << 20;

bool write_all(int descriptor, const char* data, std::size_t size) {
  while (size > 0) {
    const ssize_t written = ::write(descriptor, data, size);
    if (written <= 0) return false;
    data += written;
    size -= static_cast<std::size_t>(written);
  }
  return true;
}

bool unpack(const std::string& packed, int descriptor) {
  const std::unique_ptr<ZSTD_DStream, std::size_t (*)(ZSTD_DStream*)> stream(ZSTD_createDStream(),
                                                                             &ZSTD_freeDStream);
  std::vector<char> piece(ZSTD_DStreamOutSize());
  ZSTD_inBuffer in{packed.data(), packed.size(), 0};
  std::size_t total = 0;
  while (stream) {
    ZSTD_outBuffer out{piece.data(), piece.size(), 0};
    const std::size_t status = ZSTD_decompressStream(stream.get(), &out, &in);
    if (ZSTD_isError(status) || (total += out.pos) > kMostUnpacked ||
        !write_all(descriptor, piece.data(), out.pos))
      return false;
    if (in.pos == in.size && out.pos < out.size) return status == 0;
  }
  return false;
}

/// Returns a descriptor, which the caller closes, of what zstd packed into a file; not every build
/// of elfutils unpacks that. -1: it isn't packed so, is damaged, or is larger than any module.
int unzstd(const std::string& path) {
  constexpr std::string_view kMagic = "\x28\xb5\x2f\xfd";
  const auto head = read_head(path, kMagic.size());
  if (!head || *head != kMagic) return -1;
  const auto packed = read_head(path, kMostPacked);
  const int descriptor = packed ? ::memfd_create("unzstd", MFD_CLOEXEC) : -1;
  if (descriptor < 0 || unpack(*packed, descriptor)) return descriptor;
  ::close(descriptor);
  return -1;
}

#else

int unzstd(const std::string&) { return -1; }

#endif

}  // namespace

std::unique_ptr<ElfImage> ElfImage::open(const std::string& path) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  struct stat info {};
  if (descriptor < 0) return nullptr;
  if (::fstat(descriptor, &info) != 0 || !S_ISREG(info.st_mode))
    return ::close(descriptor), nullptr;
  auto image = of_descriptor(descriptor);
  return image ? std::move(image) : of_descriptor(unzstd(path));
}

// dwelf_elf_begin() unpacks packed files, but maps others so that they may be written.
std::unique_ptr<ElfImage> ElfImage::of_descriptor(int descriptor) {
  // libelf must know which version of the format it is used with.
  static const bool kReady = elf_version(EV_CURRENT) != EV_NONE;
  if (descriptor < 0) return nullptr;
  char magic[SELFMAG] = {};
  const bool plain = ::pread(descriptor, magic, SELFMAG, 0) == SELFMAG &&
                     std::equal(magic, magic + SELFMAG, ELFMAG);
  Elf* elf = !kReady ? nullptr
             : plain ? elf_begin(descriptor, ELF_C_READ_MMAP, nullptr)
                     : dwelf_elf_begin(descriptor);
  if (elf && elf_kind(elf) == ELF_K_ELF)
    return std::unique_ptr<ElfImage>(new ElfImage(elf, descriptor));
  elf_end(elf);
  ::close(descriptor);
  return nullptr;
}

std::unique_ptr<ElfImage> ElfImage::of_memory(const void* start, std::size_t size) {
  const int descriptor = ::memfd_create("image", MFD_CLOEXEC);
  if (descriptor < 0 || ::write(descriptor, start, size) == static_cast<ssize_t>(size))
    return of_descriptor(descriptor);
  ::close(descriptor);
  return nullptr;
}

std::unique_ptr<ElfImage> ElfImage::packed_debug_data() const {
  const Section packed = section(".gnu_debugdata");
  if (!packed.section || packed.header.sh_type == SHT_NOBITS) return nullptr;
  const Elf_Data* data = elf_rawdata(packed.section, nullptr);
  return data ? of_memory(data->d_buf, data->d_size) : nullptr;
}

ElfImage::ElfImage(Elf* elf, int descriptor) : elf_(elf), descriptor_(descriptor) {
  gelf_getehdr(elf_, &header_);
  std::size_t count = 0;
  if (elf_getphdrnum(elf_, &count) != 0) count = 0;
  GElf_Phdr segment;
  for (std::size_t i = 0; i < count; ++i)
    if (gelf_getphdr(elf_, static_cast<int>(i), &segment) && segment.p_type == PT_LOAD)
      loaded_.push_back(segment);
  const void* id = nullptr;
  const ssize_t size = dwelf_elf_gnu_build_id(elf_, &id);
  if (size > 0) {
    const auto* bytes = static_cast<const std::uint8_t*>(id);
    build_id_.assign(bytes, bytes + size);
  }
  find_mapping();
}

// libelf does not tell whether it has mapped the file, or read it into memory that must stay.
void ElfImage::find_mapping() {
  std::size_t size = 0;
  char* const start = descriptor_ < 0 ? nullptr : elf_rawfile(elf_, &size);
  struct stat info {};
  if (!start || size < kSmallFile || ::fstat(descriptor_, &info) != 0) return;
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
  if (mapped_) ::madvise(mapped_, mapped_size_, MADV_DONTNEED);
}

ElfImage::~ElfImage() {
  elf_end(elf_);
  if (descriptor_ >= 0) ::close(descriptor_);
}

Section ElfImage::section_at(std::size_t index) const {
  Section found;
  found.section = elf_getscn(elf_, index);
  std::size_t names = 0;
  if (!found.section || !gelf_getshdr(found.section, &found.header) ||
      elf_getshdrstrndx(elf_, &names) != 0)
    return {};
  const char* name = elf_strptr(elf_, names, found.header.sh_name);
  found.name = name ? name : "";
  return found;
}

Section ElfImage::section(std::string_view name) const {
  std::size_t count = 0;
  if (elf_getshdrnum(elf_, &count) != 0) return {};
  for (std::size_t i = 1; i < count; ++i)
    if (const Section found = section_at(i); found.section && found.name == name) return found;
  return {};
}

Section ElfImage::symbol_section(bool dynamic) const {
  const Section found = section(dynamic ? ".dynsym" : ".symtab");
  const GElf_Word type = dynamic ? SHT_DYNSYM : SHT_SYMTAB;
  return found.header.sh_type == type && found.header.sh_entsize > 0 ? found : Section{};
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

}  // namespace evname::symbols
