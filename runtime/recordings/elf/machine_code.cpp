#include "recordings/elf/machine_code.hpp"

#include <unistd.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string_view>

#include "base/read_file.hpp"
#include "base/sorting.hpp"
#include "recordings/elf/elf_image.hpp"

namespace evname::elf {
namespace {

CodeKind kind_of(const GElf_Ehdr& header) {
  CodeKind kind{.machine = header.e_machine,
                .wide = header.e_ident[EI_CLASS] == ELFCLASS64,
                .big_endian = header.e_ident[EI_DATA] == ELFDATA2MSB};
  // Big-endian programs of these have little-endian instructions: AArch64 always, Arm with BE8.
  constexpr GElf_Word kBe8 = 0x00800000;
  if (kind.machine == EM_AARCH64 || (kind.machine == EM_ARM && (header.e_flags & kBe8) != 0))
    kind.big_endian = false;
  return kind;
}

std::vector<std::uint8_t> bytes_at(const ElfImage& image, std::uint64_t offset,
                                   std::uint64_t size) {
  std::size_t all = 0;
  const char* const start = elf_rawfile(image.elf(), &all);
  if (!start || offset >= all) return {};
  const auto* const from = reinterpret_cast<const std::uint8_t*>(start) + offset;
  return {from, from + std::min<std::uint64_t>(size, all - offset)};
}

/// Returns what a symbol says of the code that begins there; nullopt: nothing.
std::optional<CodeMark> mark_of(GElf_Half machine, const GElf_Sym& symbol, const char* name) {
  if (machine == EM_ARM && GELF_ST_TYPE(symbol.st_info) == STT_FUNC)
    return CodeMark{symbol.st_value & ~GElf_Addr{1}, false, symbol.st_value % 2 == 1};
  const bool is_mark = name && name[0] == '$' && name[1] != '\0' &&
                       std::string_view("adtx").find(name[1]) != std::string_view::npos &&
                       (name[2] == '\0' || name[2] == '.');
  if (!is_mark) return std::nullopt;
  return CodeMark{symbol.st_value, name[1] == 'd', name[1] == 't'};
}

/// Returns the bytes of the segment that has an address: where they are, and how many follow.
std::pair<std::uint64_t, std::uint64_t> place_in_file(const ElfImage& image,
                                                      std::uint64_t address) {
  for (const GElf_Phdr& segment : image.segments())
    if (address >= segment.p_vaddr && address - segment.p_vaddr < segment.p_filesz)
      return {address - segment.p_vaddr + segment.p_offset,
              segment.p_filesz - (address - segment.p_vaddr)};
  return {0, 0};
}

}  // namespace

bool has_code(const ElfImage& image, std::uint64_t address) {
  if (place_in_file(image, address).second == 0) return false;
  const Section section = image.find_section([&](const Section& one) {
    return (one.header.sh_flags & SHF_ALLOC) != 0 && address >= one.header.sh_addr &&
           address - one.header.sh_addr < one.header.sh_size;
  });
  return !section.section || section.header.sh_type != SHT_NOBITS;
}

std::vector<CodeMark> read_marks(const ElfImage& names) {
  const GElf_Half machine = names.header().e_machine;
  std::vector<CodeMark> marks;
  if (machine != EM_ARM && machine != EM_AARCH64) return marks;
  for (const bool dynamic : {true, false}) {
    const Section section = names.symbol_section(dynamic);
    Elf_Data* const data = section.data();
    const std::size_t count = data ? data->d_size / section.header.sh_entsize : 0;
    GElf_Sym symbol;
    for (std::size_t i = 0; i < count && i < INT32_MAX; ++i) {
      if (!gelf_getsym(data, static_cast<int>(i), &symbol) || symbol.st_shndx == SHN_UNDEF)
        continue;
      const char* const name = names.text_at(section.header.sh_link, symbol.st_name);
      if (const auto mark = mark_of(machine, symbol, name)) marks.push_back(*mark);
    }
  }
  sort_stably_by(marks, &CodeMark::address);
  return marks;
}

CodePiece read_code(const ElfImage& image, std::span<const CodeMark> marks, std::uint64_t address,
                    std::uint64_t size) {
  const auto [offset, room] = place_in_file(image, address);
  CodePiece piece{.kind = kind_of(image.header()), .address = address};
  piece.bytes = bytes_at(image, offset, std::min(size, room));
  auto first = std::ranges::upper_bound(marks, address, {}, &CodeMark::address);
  const auto last = std::ranges::lower_bound(first, marks.end(), address + piece.bytes.size(), {},
                                             &CodeMark::address);
  if (first != marks.begin()) --first;
  piece.marks.assign(first, last);
  return piece;
}

CodePiece read_module_code(const ElfImage& image, std::uint64_t offset, std::uint64_t size) {
  CodePiece piece{.kind = kind_of(image.header()), .address = offset, .is_linked = false};
  const Section text = image.section(".text");
  if (!text.section || text.header.sh_type == SHT_NOBITS) return piece;
  piece.bytes = bytes_at(image, text.header.sh_offset + offset, size);
  return piece;
}

CodePiece read_core(const std::string& path, std::uint64_t address, std::uint64_t size) {
  constexpr std::size_t kMostSegments = 1 << 16;
  CodePiece piece{.address = address};
  const auto file = open_regular(path);
  if (!file) return piece;
  ::elf_version(EV_CURRENT);
  // It is as large as the address space, so it is not mapped.
  const std::unique_ptr<Elf, decltype(&::elf_end)> core(
      ::elf_begin(file->get(), ELF_C_READ, nullptr), &::elf_end);
  GElf_Ehdr header;
  std::size_t segments = 0;
  if (!core || !::gelf_getehdr(core.get(), &header) || header.e_type != ET_CORE ||
      ::elf_getphdrnum(core.get(), &segments) != 0)
    return piece;
  piece.kind = kind_of(header);
  GElf_Phdr segment;
  for (std::size_t i = 0; i < std::min(segments, kMostSegments) && piece.bytes.empty(); ++i) {
    if (!::gelf_getphdr(core.get(), static_cast<int>(i), &segment)) break;
    const std::uint64_t from = address - segment.p_vaddr;
    if (segment.p_type != PT_LOAD || address < segment.p_vaddr || from >= segment.p_filesz)
      continue;
    piece.bytes.resize(std::min(size, segment.p_filesz - from));
    const ssize_t got = ::pread(file->get(), piece.bytes.data(), piece.bytes.size(),
                                static_cast<off_t>(segment.p_offset + from));
    piece.bytes.resize(static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
  }
  return piece;
}

}  // namespace evname::elf
