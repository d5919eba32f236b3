#include "recordings/unwinding/code_image.hpp"

#include <bit>
#include <cstring>
#include <string_view>

#include <elf.h>

namespace evname::unwinding {
namespace {

constexpr std::string_view kNames("\0.eh_frame\0.shstrtab\0", 21);
constexpr std::uint32_t kFrameName = 1, kNamesName = 11;

/// The table follows the code at the next multiple of 8; its addresses are relative to that place
/// (jit_write_elf of tools/perf/util/genelf.c).
std::uint64_t table_address(std::uint64_t start, const symbols::CodeHistory::Unwinding& unwinding) {
  return start + (unwinding.code_size + 7) / 8 * 8;
}

/// A file with one segment and three sections: none, the table, and their names.
struct Headers {
  Elf64_Ehdr file = {};
  Elf64_Phdr segment = {};
  Elf64_Shdr sections[3] = {};
};

}  // namespace

std::vector<std::uint8_t> code_image(std::uint16_t machine, std::uint64_t start,
                                     const symbols::CodeHistory::Unwinding& unwinding) {
  const Bytes table = unwinding.table;
  Headers out;
  std::memcpy(out.file.e_ident, ELFMAG, SELFMAG);
  out.file.e_ident[EI_CLASS] = ELFCLASS64;
  out.file.e_ident[EI_DATA] =
      std::endian::native == std::endian::little ? ELFDATA2LSB : ELFDATA2MSB;
  out.file.e_ident[EI_VERSION] = EV_CURRENT;
  out.file.e_type = ET_DYN;
  out.file.e_machine = machine;
  out.file.e_version = EV_CURRENT;
  out.file.e_phoff = offsetof(Headers, segment);
  out.file.e_shoff = offsetof(Headers, sections);
  out.file.e_ehsize = sizeof(Elf64_Ehdr);
  out.file.e_phentsize = sizeof(Elf64_Phdr);
  out.file.e_phnum = 1;
  out.file.e_shentsize = sizeof(Elf64_Shdr);
  out.file.e_shnum = 3;
  out.file.e_shstrndx = 2;
  out.segment.p_type = PT_LOAD;
  out.segment.p_flags = PF_R | PF_X;
  out.segment.p_vaddr = out.segment.p_paddr = start;
  out.segment.p_memsz = unwinding.code_size;
  out.segment.p_align = 1;
  out.sections[1].sh_name = kFrameName;
  out.sections[1].sh_type = SHT_PROGBITS;
  out.sections[1].sh_flags = SHF_ALLOC;
  out.sections[1].sh_addr = table_address(start, unwinding);
  out.sections[1].sh_offset = sizeof(Headers);
  out.sections[1].sh_size = table.size();
  out.sections[2].sh_name = kNamesName;
  out.sections[2].sh_type = SHT_STRTAB;
  out.sections[2].sh_offset = sizeof(Headers) + table.size();
  out.sections[2].sh_size = kNames.size();
  std::vector<std::uint8_t> bytes(sizeof(Headers) + table.size() + kNames.size());
  std::memcpy(bytes.data(), &out, sizeof out);
  if (!table.empty()) std::memcpy(bytes.data() + sizeof out, table.data(), table.size());
  std::memcpy(bytes.data() + sizeof out + table.size(), kNames.data(), kNames.size());
  return bytes;
}

}  // namespace evname::unwinding
