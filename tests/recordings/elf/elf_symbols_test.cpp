// Which symbols of ELF files count, and where they are: dso__load_sym_internal() of
// tools/perf/util/symbol-elf.c.

#include <gtest/gtest.h>

#include <filesystem>

#include "recordings/elf/elf_fixture.hpp"
#include "recordings/elf/elf_image.hpp"
#include "support/bytes_out.hpp"

namespace evname::elf_symbols_test {
namespace {

using elf::Budget;
using test::bytes_of;
using test::BytesOut;
using test::elf_file;
using test::ElfFiles;
using test::ElfParts;
using test::kStart;
using test::section_of;

using ElfSymbols = ElfFiles;

constexpr std::uint64_t kCode = SHF_ALLOC | SHF_EXECINSTR;

ElfParts::Extra section(std::string_view name, std::size_t size, std::uint64_t flags,
                        std::uint64_t address = 0, std::uint64_t alignment = 1) {
  return {name, std::string(size, '\x90'), SHT_PROGBITS, 0, address, flags, 0, alignment};
}

// elf_sec__filter: a label counts in sections of text or data, a function in any that is loaded.
TEST_F(ElfSymbols, LabelsAreOfTextAndData) {
  const struct {
    std::string_view section;
    std::uint64_t flags;
    unsigned char type;
    bool counts;
  } cases[] = {{".text.hot", kCode, STT_NOTYPE, true},   {".data.rel", SHF_ALLOC, STT_NOTYPE, true},
               {".rodata", SHF_ALLOC, STT_NOTYPE, true}, {".bss", SHF_ALLOC, STT_NOTYPE, false},
               {".init", kCode, STT_NOTYPE, false},      {".init", kCode, STT_FUNC, true},
               {".bss", SHF_ALLOC, STT_OBJECT, true},    {".comment", 0, STT_OBJECT, false},
               {".text.not", 0, STT_NOTYPE, false}};
  for (const auto& c : cases) {
    const std::string file =
        elf_file({.sections = {section(c.section, 16, c.flags)},
                  .symbols = {{"named", 4, 8, c.type, STB_GLOBAL, STV_DEFAULT, 5}}});
    const std::string path = dir_.write("program", file);
    const std::uint64_t at = section_of(file, c.section).sh_offset + 4;
    EXPECT_EQ(function_at(path, at).function, c.counts ? "named" : "") << c.section;
    EXPECT_EQ(function_at(path, at + 7).function, c.counts ? "named" : "") << c.section;
    EXPECT_EQ(function_at(path, at + 8).function, "") << c.section;
  }
}

TEST_F(ElfSymbols, SymbolsThatAreNowhere) {
  const struct {
    const char* what;
    ElfParts::Named symbol;
    bool counts;
  } cases[] = {{"ordinary", {"named", ElfParts::kAddress + 0x60, 8}, true},
               {"a number",
                {"named", ElfParts::kAddress + 0x60, 8, STT_FUNC, STB_GLOBAL, 0, SHN_ABS},
                false},
               {"common",
                {"named", ElfParts::kAddress + 0x60, 8, STT_OBJECT, STB_GLOBAL, 0, SHN_COMMON},
                false},
               {"beyond the last section",
                {"named", ElfParts::kAddress + 0x60, 8, STT_FUNC, STB_GLOBAL, 0, 5},
                false},
               {"no name", {"", ElfParts::kAddress + 0x60, 8}, false},
               {"no name, object", {"", ElfParts::kAddress + 0x60, 8, STT_OBJECT}, false},
               {"no name, label", {"", ElfParts::kAddress + 0x60, 8, STT_NOTYPE}, false},
               {"weak", {"named", ElfParts::kAddress + 0x60, 8, STT_FUNC, STB_WEAK}, true}};
  for (const auto& c : cases) {
    const std::string path = dir_.write("program", elf_file({.symbols = {c.symbol}}));
    const Frame frame = function(mapping(path), 0x67);
    EXPECT_EQ(frame.function, c.counts ? "named" : "") << c.what;
    EXPECT_EQ(frame.offset, c.counts ? 7 : 0) << c.what;
  }
}

// Bit 0 of the address of a function on Arm tells that it is of Thumb instructions
// (aaelf32, 5.5.3).
TEST_F(ElfSymbols, TheLowestBitOnArm) {
  const struct {
    std::uint16_t machine;
    unsigned char type;
    std::uint64_t offset;  ///< of 0x68 in the function
  } cases[] = {{EM_ARM, STT_FUNC, 8},
               {EM_ARM, STT_OBJECT, 7},
               {EM_X86_64, STT_FUNC, 7},
               {EM_AARCH64, STT_FUNC, 7}};
  for (const auto& c : cases) {
    const std::string path = dir_.write(
        "program", elf_file({.machine = c.machine,
                             .symbols = {{"thumb", ElfParts::kAddress + 0x61, 0x10, c.type}}}));
    EXPECT_EQ(function(mapping(path), 0x68).function, "thumb") << c.machine;
    EXPECT_EQ(function(mapping(path), 0x68).offset, c.offset) << c.machine;
  }
}

// A symbol of ppc64 (ELFv1) is at a descriptor, whose first word is the function's address.
TEST_F(ElfSymbols, DescriptorsOfFunctions) {
  constexpr std::uint64_t kDescriptors = 0x20000;
  const std::string words = BytesOut()
                                .u64(ElfParts::kAddress + 0x60)
                                .pad(16)
                                .u64(ElfParts::kAddress + 0x70)
                                .pad(16)
                                .u64(0x99999)
                                .str();
  const struct {
    const char* what;
    std::uint64_t at;  ///< in .opd
    std::uint64_t offset;
    std::string_view function;
    std::uint32_t type = SHT_PROGBITS;
  } cases[] = {{"first", 0, 0x60, "described"},
               {"its end", 0, 0x67, "described"},
               {"after it", 0, 0x68, ""},
               {"second", 24, 0x70, "described"},
               {"in no section", 48, 0x60, ""},
               {"beyond the end", 56, 0x60, ""},
               {"cut", 49, 0x60, ""},
               {"far beyond", 1 << 20, 0x60, ""},
               {"no content", 0, 0x60, "", SHT_NOTE}};
  for (const auto& c : cases) {
    const std::string path = dir_.write(
        "program",
        elf_file({.machine = EM_PPC64,
                  .sections = {{".opd", words, c.type, 24, kDescriptors, SHF_ALLOC | SHF_WRITE}},
                  .symbols = {{"described", kDescriptors + c.at, 8, STT_FUNC, STB_GLOBAL,
                               STV_DEFAULT, 5}}}));
    EXPECT_EQ(function(mapping(path), c.offset).function, c.function) << c.what;
    EXPECT_EQ(function(mapping(path), 1).function, "first_function") << c.what;
  }
  // A label counts by the section of the function, not of its descriptor.
  const std::string path = dir_.write(
      "program",
      elf_file(
          {.machine = EM_PPC64,
           .sections = {{".opd", words, SHT_PROGBITS, 24, kDescriptors, SHF_ALLOC | SHF_WRITE}},
           .symbols = {
               {"described", kDescriptors, 8, STT_NOTYPE, STB_GLOBAL, STV_DEFAULT, 5},
               {"nowhere", kDescriptors + 48, 8, STT_NOTYPE, STB_GLOBAL, STV_DEFAULT, 5}}}));
  EXPECT_EQ(function(mapping(path), 0x60).function, "described");
}

// A loaded segment determines the offsets of its addresses, even against the section; other offsets
// come from the section.
TEST_F(ElfSymbols, PlacesBySegments) {
  const Elf64_Phdr data{PT_LOAD, PF_R, 0x40, 0x601000, 0x601000, 0x20, 0x30, 16};
  const Elf64_Phdr other{PT_NOTE, PF_R, 0x40, 0x701000, 0x701000, 0x20, 0x30, 16};
  const struct {
    std::uint64_t address;
    std::uint64_t offset;  ///< 0: by its section
  } cases[] = {{0x601000, 0x40}, {0x60101f, 0x5f}, {0x601020, 0x60}, {0x60102f, 0x6f},
               {0x601030, 0},    {0x600fff, 0},    {0x701000, 0}};
  for (const auto& c : cases) {
    const std::string file =
        elf_file({.sections = {section(".data", 64, SHF_ALLOC, c.address & ~0xffull)},
                  .symbols = {{"named", c.address, 1, STT_OBJECT, STB_GLOBAL, STV_DEFAULT, 5}},
                  .segments = {data, other}});
    const std::string path = dir_.write("program", file);
    const std::uint64_t by_section = section_of(file, ".data").sh_offset + (c.address & 0xff);
    EXPECT_EQ(function_at(path, c.offset ? c.offset : by_section).function, "named") << c.address;
    EXPECT_EQ(function_at(path, c.offset ? by_section : 0x40 + (c.address & 0xff)).function, "")
        << c.address;
  }
}

// The address of a frame in the file, as objdump prints it.
TEST_F(ElfSymbols, AddressesOfOffsets) {
  const Elf64_Phdr data{PT_LOAD, PF_R, 0x40, 0x601000, 0x601000, 0x20, 0x30, 16};
  const std::string path = dir_.write("program", elf_file({.segments = {data}}));
  const struct {
    std::uint64_t offset, address;
  } cases[] = {{ElfParts::kText, ElfParts::kAddress},
               {ElfParts::kText + ElfParts::kSize - 1, ElfParts::kAddress + ElfParts::kSize - 1},
               {0x40, 0x601000},
               {0x5f, 0x60101f},
               {0x60, 0x601020},  // only in memory
               {0x6f, 0x60102f},
               {0x70, 0x70},  // in no segment
               {0x3f, 0x3f},
               {ElfParts::kText + ElfParts::kSize, ElfParts::kText + ElfParts::kSize}};
  for (const auto& c : cases) EXPECT_EQ(function_at(path, c.offset).address, c.address) << c.offset;
}

// The kernel loads the executable sections of a module one after the other, from .text on, but not
// those that it drops after the start (max_text_section of perf). Symbols of others have no address
// in memory that is known.
TEST_F(ElfSymbols, SectionsOfModules) {
  const std::string id(20, '\x5a'), kernel(20, '\x22');
  constexpr std::uint64_t kEnd = ElfParts::kText + ElfParts::kSize;
  const auto at = [](std::string_view name, std::uint64_t offset, std::uint64_t flags = kCode,
                     std::uint64_t alignment = 1) {
    ElfParts::Extra section = elf_symbols_test::section(name, 0x20, flags, 0, alignment);
    section.offset = offset;
    return section;
  };
  const ElfParts::Extra hot = at(".text.hot", kEnd);
  const struct {
    const char* what;
    std::vector<ElfParts::Extra> sections;  ///< the last has the symbol, 8 bytes after its start
    std::uint64_t offset;                   ///< of it in memory; 0: unknown
  } cases[] = {
      {"next to .text", {hot}, 0x88},
      {"second next", {hot, at(".text.cold", kEnd + 0x20)}, 0xa8},
      {"next but one, aligned", {hot, at(".text.cold", kEnd + 0x40, kCode, 64)}, 0xc8},
      {"aligned, where it could be nearer", {hot, at(".text.cold", kEnd + 0x40, kCode, 32)}, 0},
      {"of unknown alignment", {at(".text.hot", kEnd, kCode, 0)}, 0x88},
      {"after data", {at(".data", kEnd, SHF_ALLOC), at(".text.hot", kEnd)}, 0x88},
      {"data itself", {at(".data", kEnd, SHF_ALLOC)}, 0},
      {"code that is not loaded", {at(".text.hot", kEnd, SHF_EXECINSTR)}, 0},
      {"dropped after the start", {at(".init.text", kEnd)}, 0},
      {"only for the end", {at(".exit.text", kEnd)}, 0},
      {"after what is dropped", {at(".init.text", kEnd), at(".text.hot", kEnd + 0x20)}, 0},
      {"after a gap", {at(".text.hot", kEnd + 0x20)}, 0},
      {"before .text", {at(".text.hot", ElfParts::kText - 0x20)}, 0}};
  for (const auto& c : cases) {
    const auto last = static_cast<std::uint16_t>(ElfParts::kFirstExtra + c.sections.size() - 1);
    const std::string path = dir_.write(
        "shop.ko",
        elf_file({.is_module = true,
                  .sections = c.sections,
                  .symbols = {{"elsewhere", 8, 8, STT_FUNC, STB_GLOBAL, STV_DEFAULT, last}}}));
    const Mapping mapped{.file = path,
                         .build_id = bytes_of(id),
                         .start = kStart,
                         .end = kStart + 0x1000,
                         .offset = 0xffffffff81000000,
                         .kernel = true,
                         .kernel_build_id = bytes_of(kernel)};
    symbols_.push_back(std::make_unique<Symbols>(options()));
    std::uint64_t found = 0;
    for (std::uint64_t offset = 0x60; offset < 0x200 && found == 0; ++offset)
      if (symbols_.back()->function(kStart + offset, mapped).function == "elsewhere")
        found = offset;
    EXPECT_EQ(found, c.offset) << c.what;
    EXPECT_EQ(symbols_.back()->function(kStart + 0x40, mapped).function, "second_function");
  }
}

// Labels of a kernel that no function has: is_ignored_kernel_symbol of perf's util/symbol.h.
TEST_F(ElfSymbols, LabelsOfModules) {
  const std::string id(20, '\x5a'), kernel(20, '\x22');
  const struct {
    std::string_view name;
    bool counts;
  } cases[] = {{"named", true}, {"$x", false}, {"$anything", false}, {".L12", false},
               {".text", true}, {"L0", false}, {"L0\x01", false},    {"L1", true},
               {"L", true},     {".M1", true}};
  for (const auto& c : cases) {
    const ElfParts parts{.is_module = true, .symbols = {{c.name, 0x60, 8}}};
    const std::string path = dir_.write("shop.ko", elf_file(parts));
    const Mapping mapped{.file = path,
                         .build_id = bytes_of(id),
                         .start = kStart,
                         .offset = 0xffffffff81000000,
                         .kernel = true,
                         .kernel_build_id = bytes_of(kernel)};
    EXPECT_EQ(function(mapped, 0x60).function, c.counts ? c.name : "") << c.name;
    if (c.name[0] != '$') {  // in programs they count
      const std::string program =
          dir_.write("program", elf_file({.symbols = {{c.name, ElfParts::kAddress + 0x60, 8}}}));
      EXPECT_EQ(function(mapping(program), 0x60).function, c.name);
    }
  }
}

// .gnu_debugdata has what .dynsym lacks, so both count; .dynsym alone does as well.
TEST_F(ElfSymbols, DynamicSymbols) {
  const std::string names("\0exported\0", 10);
  const std::string symbols =
      test::bytes_of_struct(Elf64_Sym{}) +
      test::bytes_of_struct(
          Elf64_Sym{1, ELF64_ST_INFO(STB_GLOBAL, STT_FUNC), 0, 1, ElfParts::kAddress + 0x60, 8});
  const std::string path =
      dir_.write("program", elf_file({.sections = {{".dynstr", names, SHT_STRTAB},
                                                   {".dynsym", symbols, SHT_DYNSYM,
                                                    sizeof(Elf64_Sym), 0, SHF_ALLOC, 5, 8}}}));
  EXPECT_EQ(function(mapping(path), 0x60).function, "exported");
  EXPECT_EQ(function(mapping(path), 1).function, "first_function");
  // The type of a section counts, not its name alone.
  for (const std::uint32_t type : {SHT_SYMTAB, SHT_PROGBITS}) {
    const std::string other = dir_.write(
        "program",
        elf_file({.sections = {{".dynstr", names, SHT_STRTAB},
                               {".dynsym", symbols, type, sizeof(Elf64_Sym), 0, SHF_ALLOC, 5}}}));
    EXPECT_EQ(function(mapping(other), 0x60).function, "") << type;
  }
}

// Any number of symbols may have the same long name: what is too much is left out, and told.
TEST_F(ElfSymbols, NamesThatAreTooLongTogether) {
  std::string symbols = test::bytes_of_struct(Elf64_Sym{});
  for (std::uint64_t i = 0; i < 2500; ++i)
    symbols += test::bytes_of_struct(Elf64_Sym{1, ELF64_ST_INFO(STB_GLOBAL, STT_FUNC), 0, 1,
                                               ElfParts::kAddress + 0x100 + i * 8, 8});
  const std::string names = '\0' + std::string(300'000, 'x') + '\0';
  const std::string path =
      dir_.write("program", elf_file({.sections = {{".dynstr", names, SHT_STRTAB},
                                                   {".dynsym", symbols, SHT_DYNSYM,
                                                    sizeof(Elf64_Sym), 0, SHF_ALLOC, 5, 8}}}));
  EXPECT_EQ(function(mapping(path), 1).function, "first_function");
  EXPECT_EQ(symbols_.back()->function(kStart + 0x100, mapping(path)).function.size(), 300'000);
  EXPECT_EQ(symbols_.back()->function(kStart + 0x100 + 2499 * 8, mapping(path)).function, "");
  EXPECT_EQ(symbols_.back()->problems(),
            std::vector<std::string>{"part of a file's list of symbols becomes too large, or takes "
                                     "too long, to be read: it is left out"});
}

// Holes of a file take no room on the disk, and as much time and memory as other bytes.
TEST_F(ElfSymbols, FilesWithHoles) {
  const struct {
    std::uint64_t size;
    bool fits;
  } cases[] = {{1 << 20, true}, {std::uint64_t{32} << 20, true}, {std::uint64_t{8} << 30, false}};
  for (const auto& c : cases) {
    const std::string path = dir_.write("program", elf_file());
    std::filesystem::resize_file(path, c.size);
    EXPECT_EQ(function(mapping(path), 1).function, c.fits ? "first_function" : "") << c.size;
    EXPECT_EQ(symbols_.back()->problems().size(), c.fits ? 0 : 1) << c.size;
  }
}

// Sections may be packed (ELF's SHF_COMPRESSED, and .zdebug before that): what they say they become
// is asked for before they are unpacked.
TEST_F(ElfSymbols, SectionsThatBecomeTooLarge) {
  const auto packed = [](std::uint64_t size) {
    return test::bytes_of_struct(Elf64_Chdr{ELFCOMPRESS_ZLIB, 0, size, 1}) + std::string(40, 'x');
  };
  const auto old = [](std::uint64_t size) {
    return "ZLIB" + BytesOut(std::endian::big).u64(size).str() + std::string(40, 'x');
  };
  constexpr std::uint64_t kHuge = std::uint64_t{5} << 30;
  const struct {
    const char* what;
    std::vector<ElfParts::Extra> sections;
    bool fits;
  } cases[] = {
      {"small", {{".debug_info", packed(1000), SHT_PROGBITS, 0, 0, SHF_COMPRESSED}}, true},
      {"huge", {{".debug_info", packed(kHuge), SHT_PROGBITS, 0, 0, SHF_COMPRESSED}}, false},
      {"not packed", {{".debug_info", packed(kHuge)}}, true},
      {"old and small", {{".zdebug_info", old(1000)}}, true},
      {"old and huge", {{".zdebug_info", old(kHuge)}}, false},
      {"another old one", {{".debug_info", "x"}, {".zdebug_line", old(kHuge)}}, false},
      {"of no content", {{".debug_info", "x"}, {".zdebug_line", old(kHuge), SHT_NOBITS}}, true},
      {"too short to tell",
       {{".debug_info", "x"}, {".zdebug_line", old(kHuge).substr(0, 11)}},
       true},
      {"together too large",
       {{".debug_info", packed(kHuge / 2), SHT_PROGBITS, 0, 0, SHF_COMPRESSED},
        {".debug_line", packed(kHuge / 2), SHT_PROGBITS, 0, 0, SHF_COMPRESSED}},
       false},
      {"more than there is",
       {{".debug_info", packed(UINT64_MAX), SHT_PROGBITS, 0, 0, SHF_COMPRESSED},
        {".debug_line", packed(UINT64_MAX), SHT_PROGBITS, 0, 0, SHF_COMPRESSED}},
       false}};
  for (const auto& c : cases) {
    const std::string path = dir_.write("program", elf_file({.sections = c.sections}));
    Budget budget;
    const auto image = elf::ElfImage::open(path, budget);
    ASSERT_NE(image, nullptr) << c.what;
    EXPECT_EQ(image->sections_fit(path, budget), c.fits) << c.what;
  }
}

// Notes may contain the same bytes again and again.
TEST_F(ElfSymbols, BuildIds) {
  Budget budget;
  const auto id_of = [&](const ElfParts& parts) {
    const auto image = elf::ElfImage::open(dir_.write("program", elf_file(parts)), budget);
    return image ? image->build_id().size() : 99;
  };
  EXPECT_EQ(id_of({}), 20);
  EXPECT_EQ(id_of({.build_id = std::string(8, 'x')}), 8);
  EXPECT_EQ(id_of({.build_id = ""}), 0);
  const auto size = static_cast<std::uint64_t>(elf_file().size());
  const auto note = [](std::uint64_t size) {
    return Elf64_Phdr{PT_NOTE, PF_R, 0x40, 0x40, 0x40, size, size, 4};
  };
  EXPECT_EQ(id_of({.segments = {note(size / 2), note(size / 4)}}), 20);
  EXPECT_EQ(id_of({.segments = {note(size), note(size)}}), 0);
  ElfParts sections;
  for (int i = 0; i < 3; ++i)
    sections.sections.push_back(
        {".note.more", std::string(size, '\0'), SHT_NOTE, 0, 0, 0, 0, 4, 8});
  EXPECT_EQ(id_of(sections), 0);
  sections.sections.resize(1);
  sections.sections[0].content.resize(size / 4);
  EXPECT_EQ(id_of(sections), 20);
}

// Names are texts of the section that the symbols' section links to; it must be one of texts, and
// a text must end in it.
TEST_F(ElfSymbols, TextsOfNames) {
  const std::string symbols =
      test::bytes_of_struct(Elf64_Sym{}) +
      test::bytes_of_struct(
          Elf64_Sym{1, ELF64_ST_INFO(STB_GLOBAL, STT_FUNC), 0, 1, ElfParts::kAddress + 0x60, 8});
  const struct {
    const char* what;
    std::string names;
    std::uint32_t type, link;
    std::string_view function;
  } cases[] = {{"ends", std::string("\0one\0", 5), SHT_STRTAB, 5, "one"},
               {"the last is cut", std::string("\0one\0two", 8), SHT_STRTAB, 5, "one"},
               {"cut", std::string("\0one", 4), SHT_STRTAB, 5, ""},
               {"no texts", std::string("\0one\0", 5), SHT_PROGBITS, 5, ""},
               {"no section", std::string("\0one\0", 5), SHT_STRTAB, 77, ""},
               {"empty", "", SHT_STRTAB, 5, ""}};
  for (const auto& c : cases) {
    const std::string path = dir_.write(
        "program", elf_file({.sections = {{".dynstr", c.names, c.type},
                                          {".dynsym", symbols, SHT_DYNSYM, sizeof(Elf64_Sym), 0,
                                           SHF_ALLOC, c.link, 8}}}));
    EXPECT_EQ(function(mapping(path), 0x60).function, c.function) << c.what;
    EXPECT_EQ(function(mapping(path), 1).function, "first_function") << c.what;
  }
}

}  // namespace
}  // namespace evname::elf_symbols_test
