#pragma once
// A small ELF file of x86: two functions, and a build id.

#include <elf.h>

#include <cstring>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace evname::test {

struct ElfParts {
  static constexpr std::uint64_t kText = 0x400, kAddress = 0x401000, kSize = 0x80;
  std::string build_id = std::string(20, '\x5a');
  std::uint64_t second_size = 0x20, second_address = kAddress + 0x40;
  std::uint16_t second_section = 1;  ///< 1: .text
  unsigned char second_type = STT_FUNC;
  unsigned char second_visibility = STV_DEFAULT;
  std::string_view second_name = "second_function";  ///< or the name of a section
  std::uint16_t machine = EM_X86_64;
  std::uint32_t symbols_type = SHT_SYMTAB;  ///< of .symtab; another one: it has no symbols
  bool is_module = false;                   ///< of the kernel: without addresses and segments
  bool is_32_bit = false;                   ///< only said so, which makes it a damaged one
  struct Extra {
    std::string_view name;
    std::string content;
    std::uint32_t type = SHT_PROGBITS;
    std::uint64_t entry_size = 0;
    std::uint64_t address = 0, flags = 0;
    std::uint32_t link = 0;
    std::uint64_t alignment = 1;
    std::uint64_t offset = 0;  ///< where it is in the file, whose bytes stay; 0: after all else
  };
  static constexpr std::uint16_t kNames = 3, kFirstExtra = 5;  ///< indices of sections
  std::vector<Extra> sections = {};  ///< more of them, from kFirstExtra on
  struct Named {
    std::string_view name;
    std::uint64_t address = 0, size = 0;
    unsigned char type = STT_FUNC, binding = STB_GLOBAL, visibility = STV_DEFAULT;
    std::uint16_t section = 1;
  };
  std::vector<Named> symbols = {};        ///< more of them
  std::vector<Elf64_Phdr> segments = {};  ///< more of them
};

/// Returns the header of a section; all zeros if there is none.
inline Elf64_Shdr section_of(const std::string& file, std::string_view name) {
  Elf64_Ehdr header;
  std::memcpy(&header, file.data(), sizeof header);
  std::vector<Elf64_Shdr> sections(header.e_shnum);
  std::memcpy(sections.data(), file.data() + header.e_shoff, sections.size() * sizeof sections[0]);
  for (const Elf64_Shdr& section : sections)
    if (name == file.data() + sections[header.e_shstrndx].sh_offset + section.sh_name)
      return section;
  return {};
}

/// The bytes of a struct of ELF.
template <class Struct>
std::string bytes_of_struct(const Struct& value) {
  return {reinterpret_cast<const char*>(&value), sizeof value};
}

/// "first_function" is at kText, 0x40 long, "second_function" 0x40 after it.
inline std::string elf_file(const ElfParts& parts = {}) {
  std::string out(ElfParts::kText + ElfParts::kSize, '\0');
  const auto put = [&](const auto& value) {
    const std::size_t at = out.size();
    out.append(reinterpret_cast<const char*>(&value), sizeof value);
    return at;
  };
  std::string names(
      "\0.text\0.symtab\0.strtab\0.note.gnu.build-id\0first_function\0second_function\0", 73);
  for (const ElfParts::Extra& section : parts.sections) names.append(section.name).append(1, '\0');
  for (const ElfParts::Named& symbol : parts.symbols) names.append(symbol.name).append(1, '\0');
  const auto name = [&](std::string_view text) {
    return static_cast<std::uint32_t>(names.find(std::string(text).append(1, '\0')));
  };
  const std::size_t note = put(Elf64_Nhdr{4, static_cast<std::uint32_t>(parts.build_id.size()), 3});
  out += std::string("GNU\0", 4) + parts.build_id;
  const std::size_t note_size = out.size() - note;
  while (out.size() % 8 != 0) out += '\0';
  const std::uint64_t address = parts.is_module ? 0 : ElfParts::kAddress;
  const unsigned char function = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC);
  const std::size_t symbols = put(Elf64_Sym{});
  const std::uint64_t second = parts.is_module ? 0x40 : parts.second_address;
  put(Elf64_Sym{name("first_function"), function, 0, 1, address, 0x40});
  const unsigned char kind = ELF64_ST_INFO(STB_GLOBAL, parts.second_type);
  put(Elf64_Sym{name(parts.second_name), kind, parts.second_visibility, parts.second_section,
                second, parts.second_size});
  for (const ElfParts::Named& symbol : parts.symbols)
    put(Elf64_Sym{name(symbol.name),
                  static_cast<unsigned char>(ELF64_ST_INFO(symbol.binding, symbol.type)),
                  symbol.visibility, symbol.section, symbol.address, symbol.size});
  const std::size_t symbols_size = out.size() - symbols;
  const std::size_t texts = out.size();
  out += names;
  const std::size_t more = out.size();
  for (const ElfParts::Extra& section : parts.sections)
    if (section.offset == 0) out += section.content;
  while (out.size() % 8 != 0) out += '\0';
  const std::size_t sections = put(Elf64_Shdr{});
  put(Elf64_Shdr{name(".text"), SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, address, ElfParts::kText,
                 ElfParts::kSize, 0, 0, 16, 0});
  put(Elf64_Shdr{name(".symtab"), parts.symbols_type, 0, 0, symbols, symbols_size, 3, 1, 8,
                 sizeof(Elf64_Sym)});
  put(Elf64_Shdr{name(".strtab"), SHT_STRTAB, 0, 0, texts, names.size(), 0, 0, 1, 0});
  put(Elf64_Shdr{name(".note.gnu.build-id"), SHT_NOTE, 0, 0, note, note_size, 0, 0, 4, 0});
  std::size_t at = more;
  for (const ElfParts::Extra& section : parts.sections) {
    const bool is_elsewhere = section.offset != 0;
    put(Elf64_Shdr{name(section.name), section.type, section.flags, section.address,
                   is_elsewhere ? section.offset : at, section.content.size(), section.link, 0,
                   section.alignment, section.entry_size});
    at += is_elsewhere ? 0 : section.content.size();
  }
  Elf64_Ehdr header{};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = parts.is_32_bit ? ELFCLASS32 : ELFCLASS64;
  header.e_ident[EI_DATA] = ELFDATA2LSB;
  header.e_ident[EI_VERSION] = header.e_version = EV_CURRENT;
  header.e_type = parts.is_module ? ET_REL : ET_EXEC;
  header.e_machine = parts.machine;
  header.e_ehsize = sizeof header;
  header.e_phoff = sizeof header;
  header.e_phentsize = sizeof(Elf64_Phdr);
  header.e_phnum = static_cast<std::uint16_t>(parts.is_module ? 0 : 1 + parts.segments.size());
  header.e_shoff = sections;
  header.e_shentsize = sizeof(Elf64_Shdr);
  header.e_shnum = static_cast<std::uint16_t>(5 + parts.sections.size());
  header.e_shstrndx = 3;
  const Elf64_Phdr segment{PT_LOAD,
                           PF_R | PF_X,
                           ElfParts::kText,
                           ElfParts::kAddress,
                           ElfParts::kAddress,
                           ElfParts::kSize,
                           ElfParts::kSize,
                           16};
  std::memcpy(out.data(), &header, sizeof header);
  std::memcpy(out.data() + sizeof header, &segment, sizeof segment);
  if (!parts.segments.empty())
    std::memcpy(out.data() + sizeof header + sizeof segment, parts.segments.data(),
                parts.segments.size() * sizeof segment);
  return out;
}

}  // namespace evname::test
