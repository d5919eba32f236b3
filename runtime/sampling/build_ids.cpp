#include "sampling/build_ids.hpp"

#include <elf.h>
#include <sys/auxv.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

#include "base/file_identity.hpp"
#include "base/read_file.hpp"
#include "perf_format/record.hpp"

namespace evname::sampling {
namespace {

constexpr std::size_t kMostPaths = 100'000, kLongestMappedPath = 4096, kHeadBytes = 1 << 16;
constexpr std::size_t kIdBytes = 20;
constexpr std::string_view kVdso = "[vdso]";

/// The place of the name in a record of this type; 0: not a mapping.
std::size_t name_offset(std::uint32_t type) {
  constexpr std::size_t kOfMmap = 40, kOfMmap2 = 72;
  if (type == perf_format::kRecordMmap) return kOfMmap;
  return type == perf_format::kRecordMmap2 ? kOfMmap2 : 0;
}

/// Reads the build id by the program headers of either class.
template <class Header, class Program>
std::string id_of_image(Bytes file) {
  Header header;
  if (file.size() < sizeof header) return {};
  std::memcpy(&header, file.data(), sizeof header);
  if (header.e_phentsize != sizeof(Program)) return {};
  for (std::size_t i = 0; i < header.e_phnum; ++i) {
    const std::uint64_t at = header.e_phoff + i * sizeof(Program);
    Program program;
    if (at > file.size() || file.size() - at < sizeof program) return {};
    std::memcpy(&program, file.data() + at, sizeof program);
    if (program.p_type != PT_NOTE || program.p_offset > file.size()) continue;
    const Bytes rest = file.subspan(program.p_offset);
    std::string id = build_id_of_notes(
        rest.first(std::min<std::uint64_t>(rest.size(), program.p_filesz)), program.p_align);
    if (!id.empty()) return id;
  }
  return {};
}

/// A record of the feature: pid, the id's 20 bytes and its size, the path.
/// Source: struct perf_record_header_build_id of tools/lib/perf/include/perf/event.h.
std::string id_record(std::string_view path, std::string_view id, std::uint16_t misc) {
  constexpr std::uint32_t kHost = UINT32_MAX;
  constexpr std::size_t kNameUnit = 64;
  ByteWriter out(std::endian::native);
  out.u32(kHost);
  out.raw(id);
  out.zeros(kIdBytes - id.size());
  const char size[] = {static_cast<char>(id.size()), 0, 0, 0};
  out.raw(std::string_view(size, sizeof size));
  out.text(path, kNameUnit);
  return perf_format::make_record(std::endian::native, 0, misc | perf_format::kMiscBuildIdSize,
                                  out.bytes());
}

std::string id_of_elf(Bytes file) {
  const bool is_little = file[EI_DATA] == ELFDATA2LSB;
  if (is_little != (std::endian::native == std::endian::little)) return {};
  return file[EI_CLASS] == ELFCLASS64 ? id_of_image<Elf64_Ehdr, Elf64_Phdr>(file)
                                      : id_of_image<Elf32_Ehdr, Elf32_Phdr>(file);
}

}  // namespace

std::string build_id_of_file(const std::string& path, const FileInode& inode) {
  const auto file = open_regular(path);
  if (!file || (inode.number != 0 && !has_inode(file->get(), inode).value_or(true))) return {};
  std::string head(kHeadBytes, '\0');
  const ssize_t got = ::pread(file->get(), head.data(), head.size(), 0);
  head.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
  if (head.size() < EI_NIDENT || std::memcmp(head.data(), ELFMAG, SELFMAG) != 0) return {};
  return id_of_elf(Bytes(reinterpret_cast<const std::uint8_t*>(head.data()), head.size()));
}

// The program headers and notes are in the first page.
std::string build_id_of_vdso() {
  const auto* const start = reinterpret_cast<const std::uint8_t*>(::getauxval(AT_SYSINFO_EHDR));
  if (start == nullptr) return {};
  return id_of_elf(Bytes(start, static_cast<std::size_t>(::sysconf(_SC_PAGESIZE))));
}

void BuildIds::see(Bytes record) {
  Cursor in(record, std::endian::native);
  const std::uint32_t type = in.u32();
  const std::uint16_t misc = in.u16();
  const std::size_t at = name_offset(type);
  if (at == 0 || record.size() <= at) return;
  if ((misc & perf_format::kCpuMode) == perf_format::kCpuModeKernel) return;
  in.skip(2 + 4 + 4);  // size, pid, tid
  const std::uint64_t start = in.u64();
  in.skip(8 + 8);  // length, offset
  const std::string_view rest(reinterpret_cast<const char*>(record.data()) + at,
                              record.size() - at);
  const std::string_view path = rest.substr(0, std::min(rest.find('\0'), kLongestMappedPath));
  // A 32-bit process has another vdso.
  has_vdso_ |= path == kVdso && (sizeof(void*) == 4 || start >> 32 != 0);
  // A process can map a file whose name looks like the kernel's.
  const bool is_of_kernel = path.starts_with("/proc/") || path.starts_with("/sys/");
  if (!path.starts_with('/') || path.starts_with("//") || is_of_kernel) return;
  const bool has_inode =
      type == perf_format::kRecordMmap2 && (misc & perf_format::kMiscMmapBuildId) == 0;
  if (type == perf_format::kRecordMmap2 && !has_inode) {
    const std::size_t size = in.u8();
    in.skip(3);
    if (size > 0 && size <= kIdBytes && known_.size() < kMostPaths) {
      const Bytes id = in.bytes(size);
      known_.emplace(path, std::string(id.begin(), id.end()));
    }
    return;
  }
  FileInode inode;
  if (has_inode) inode = {in.u32(), in.u32(), in.u64()};
  const auto known = unknown_.find(path);
  if (known == unknown_.end()) {
    if (unknown_.size() < kMostPaths) unknown_.emplace(path, inode);
  } else if (known->second && known->second->number != 0 && *known->second != inode) {
    known->second.reset();
  }
}

void BuildIds::add_kernel(std::string_view path, std::string_view id) {
  if (id.empty() || id.size() > kIdBytes) return;
  if (path.starts_with('[')) path = path.substr(0, path.find(']') + 1);
  of_kernel_ += id_record(path, id, perf_format::kCpuModeKernel);
}

std::string BuildIds::section() const {
  auto all = known_;
  for (const auto& [path, inode] : unknown_)
    if (inode) all.emplace(path, build_id_of_file(path, *inode));
  if (has_vdso_) all.emplace(kVdso, build_id_of_vdso());
  std::string out = of_kernel_;
  for (const auto& [path, id] : all)
    if (!id.empty() && id.size() <= kIdBytes) out += id_record(path, id, perf_format::kCpuModeUser);
  return out;
}

}  // namespace evname::sampling
