// Stubs of procedure linkage tables, "NAME@plt", as get_plt_sizes() and
// dso__synthesize_plt_symbols() of tools/perf/util/symbol-elf.c of Linux 6.2 and newer name them.

#include <gtest/gtest.h>

#include "recordings/symbols/elf_fixture.hpp"
#include "support/bytes_out.hpp"

namespace evname::stubs_test {
namespace {

using test::BytesOut;
using test::elf_file;
using test::ElfFiles;
using test::ElfParts;
using test::section_of;

/// A function of .dynsym that is in another file, or in section 1 at an address.
struct Dynamic {
  std::string_view name;
  unsigned char type = STT_FUNC;
  std::uint64_t address = 0;
};

/// .dynstr and .dynsym of these, as sections `first` and `first` + 1; symbol 1 is the first.
std::vector<ElfParts::Extra> dynamic_symbols(const std::vector<Dynamic>& symbols,
                                             std::uint32_t first = ElfParts::kFirstExtra) {
  std::string names(1, '\0'), content = test::bytes_of_struct(Elf64_Sym{});
  for (const Dynamic& symbol : symbols) {
    const auto name = symbol.name.empty() ? Elf64_Word{} : static_cast<Elf64_Word>(names.size());
    const bool here = symbol.address != 0;
    content += test::bytes_of_struct(
        Elf64_Sym{name, static_cast<unsigned char>(ELF64_ST_INFO(STB_GLOBAL, symbol.type)), 0,
                  static_cast<Elf64_Section>(here ? 1 : SHN_UNDEF), symbol.address, here ? 8u : 0});
    names.append(symbol.name).append(1, '\0');
  }
  return {{".dynstr", names, SHT_STRTAB},
          {".dynsym", content, SHT_DYNSYM, sizeof(Elf64_Sym), 0, SHF_ALLOC, first, 8}};
}

struct Rela {
  std::uint64_t place;
  std::uint32_t symbol, type = R_X86_64_JUMP_SLOT;
  std::int64_t addend = 0;
};

constexpr std::uint32_t kDynamic = ElfParts::kFirstExtra + 1;  // .dynsym

ElfParts::Extra relocations(std::string_view name, const std::vector<Rela>& list) {
  std::string content;
  for (const Rela& one : list)
    content += test::bytes_of_struct(
        Elf64_Rela{one.place, ELF64_R_INFO(one.symbol, one.type), one.addend});
  return {name, content, SHT_RELA, sizeof(Elf64_Rela), 0, SHF_ALLOC, kDynamic};
}

ElfParts::Extra relocations_without_addend(const std::vector<Rela>& list) {
  std::string content;
  for (const Rela& one : list)
    content += test::bytes_of_struct(Elf64_Rel{one.place, ELF64_R_INFO(one.symbol, one.type)});
  return {".rel.plt", content, SHT_REL, sizeof(Elf64_Rel), 0, SHF_ALLOC, kDynamic};
}

ElfParts::Extra stubs(std::string_view name, std::size_t size, std::uint64_t entry,
                      std::uint64_t alignment = 16) {
  return {name,     std::string(size, '\0'), SHT_PROGBITS, entry, 0, SHF_ALLOC | SHF_EXECINSTR, 0,
          alignment};
}

const std::vector<Dynamic> kThree = {{"alpha"}, {"beta"}, {"gamma"}};

class ElfStubs : public ElfFiles {
 protected:
  /// Writes a file with .dynsym and these sections.
  void write(std::vector<ElfParts::Extra> more, std::uint16_t machine = EM_X86_64,
             const std::vector<Dynamic>& symbols = kThree,
             std::vector<ElfParts::Named> named = {}) {
    std::vector<ElfParts::Extra> sections = dynamic_symbols(symbols);
    sections.insert(sections.end(), more.begin(), more.end());
    file_ = elf_file({.machine = machine, .sections = sections, .symbols = std::move(named)});
    path_ = dir_.write("program", file_);
  }
  std::uint64_t start_of(std::string_view section) const {
    return section_of(file_, section).sh_offset;
  }
  std::string name_at(std::uint64_t offset) {
    return std::string(function_at(path_, offset).function);
  }

  std::string file_, path_;
};

// The sizes of a table's header and of its entries: the ABIs of the processors.
TEST_F(ElfStubs, SizesOfEachProcessor) {
  const struct {
    const char* what;
    std::uint16_t machine;
    std::uint64_t told, alignment, header, entry;
  } cases[] = {{"arm", EM_ARM, 4, 4, 20, 12},
               {"arm64", EM_AARCH64, 16, 16, 32, 16},
               {"loongarch", EM_LOONGARCH, 16, 16, 32, 16},
               {"riscv", EM_RISCV, 16, 16, 32, 16},
               {"sparc", EM_SPARC, 12, 4, 48, 12},
               {"sparc 64", EM_SPARCV9, 32, 32, 128, 32},
               {"x86", EM_X86_64, 16, 16, 16, 16},
               {"x86 of 8 bytes", EM_X86_64, 8, 16, 8, 8},
               {"x86 that tells no size", EM_X86_64, 0, 16, 16, 16},
               {"x86 that tells no size, by its alignment", EM_X86_64, 0, 8, 8, 8},
               {"x86 that tells another size", EM_X86_64, 4, 16, 16, 16},
               {"i386", EM_386, 16, 16, 16, 16},
               {"i386 that tells 4", EM_386, 4, 16, 16, 16},
               {"s390, as it tells", EM_S390, 32, 4, 32, 32},
               {"mips, as it tells", EM_MIPS, 24, 4, 24, 24}};
  for (const auto& c : cases) {
    SCOPED_TRACE(c.what);
    write({stubs(".plt", c.header + 3 * c.entry, c.told, c.alignment),
           relocations(".rela.plt", {{0x10, 1}, {0x18, 2}, {0x20, 3}})},
          c.machine);
    const std::uint64_t plt = start_of(".plt"), first = plt + c.header;
    EXPECT_EQ(name_at(plt), ".plt");
    EXPECT_EQ(name_at(first - 1), ".plt");
    EXPECT_EQ(name_at(first), "alpha@plt");
    EXPECT_EQ(name_at(first + c.entry - 1), "alpha@plt");
    EXPECT_EQ(name_at(first + c.entry), "beta@plt");
    EXPECT_EQ(name_at(first + 3 * c.entry - 1), "gamma@plt");
    EXPECT_EQ(name_at(first + 3 * c.entry), "");
  }
}

// A processor that is not known and tells no size has no stubs.
TEST_F(ElfStubs, NoSizeNoStubs) {
  write({stubs(".plt", 64, 0), relocations(".rela.plt", {{0x10, 1}})}, EM_S390);
  EXPECT_EQ(name_at(start_of(".plt")), "");
  EXPECT_EQ(name_at(start_of(".plt") + 16), "");
}

// x86 has its stubs in the order of the places that they jump through (perf sorts rela by offset
// there); elsewhere they are in the order of the relocations.
TEST_F(ElfStubs, OrderOfStubs) {
  const struct {
    std::uint16_t machine;
    std::uint64_t header;
    std::string_view first, second, third;
  } cases[] = {{EM_X86_64, 16, "beta@plt", "gamma@plt", "alpha@plt"},
               {EM_386, 16, "beta@plt", "gamma@plt", "alpha@plt"},
               {EM_AARCH64, 32, "alpha@plt", "beta@plt", "gamma@plt"}};
  for (const auto& c : cases) {
    write({stubs(".plt", c.header + 48, 16),
           relocations(".rela.plt", {{0x30, 1}, {0x10, 2}, {0x20, 3}})},
          c.machine);
    const std::uint64_t at = start_of(".plt") + c.header;
    EXPECT_EQ(name_at(at), c.first) << c.machine;
    EXPECT_EQ(name_at(at + 16), c.second) << c.machine;
    EXPECT_EQ(name_at(at + 32), c.third) << c.machine;
  }
}

// i386 and arm have relocations without addends.
TEST_F(ElfStubs, RelocationsWithoutAddends) {
  write({stubs(".plt", 16 + 32, 4), relocations_without_addend({{0x18, 2}, {0x10, 1}})}, EM_386);
  EXPECT_EQ(name_at(start_of(".plt") + 16), "alpha@plt");
  EXPECT_EQ(name_at(start_of(".plt") + 32), "beta@plt");
  write({stubs(".plt", 20 + 24, 4), relocations_without_addend({{0x10, 3}, {0x18, 1}})}, EM_ARM);
  EXPECT_EQ(name_at(start_of(".plt") + 20), "gamma@plt");
  EXPECT_EQ(name_at(start_of(".plt") + 32), "alpha@plt");
}

// With -z now and without lazy binding there is no header: as many stubs as relocations fill it.
TEST_F(ElfStubs, ATableWithoutHeader) {
  write({stubs(".plt", 32, 16), relocations(".rela.plt", {{0x10, 1}, {0x18, 2}})});
  const std::uint64_t plt = start_of(".plt");
  EXPECT_EQ(name_at(plt), "alpha@plt");
  EXPECT_EQ(name_at(plt + 15), "alpha@plt");
  EXPECT_EQ(name_at(plt + 16), "beta@plt");
  write({stubs(".plt", 32, 16), relocations(".rela.plt", {})});
  EXPECT_EQ(name_at(start_of(".plt")), ".plt");
  EXPECT_EQ(name_at(start_of(".plt") + 16), "");
}

// With IBT, x86's functions jump through .plt.sec, and all of .plt leads to the linker.
TEST_F(ElfStubs, ASecondTable) {
  for (const std::uint64_t entry : {16, 8}) {
    const std::vector<ElfParts::Extra> sections = {
        stubs(".plt", 48, 16), stubs(".plt.sec", 2 * entry, entry),
        relocations(".rela.plt", {{0x10, 1}, {0x18, 3}})};
    write(sections);
    const std::uint64_t plt = start_of(".plt"), second = start_of(".plt.sec");
    EXPECT_EQ(name_at(plt), ".plt");
    EXPECT_EQ(name_at(plt + 47), ".plt");
    EXPECT_EQ(name_at(second), "alpha@plt");
    EXPECT_EQ(name_at(second + entry - 1), "alpha@plt");
    EXPECT_EQ(name_at(second + entry), "gamma@plt");
    EXPECT_EQ(name_at(second + 2 * entry), "");
    write(sections, EM_AARCH64);  // the name says nothing there
    EXPECT_EQ(name_at(start_of(".plt") + 32), "alpha@plt");
    EXPECT_EQ(name_at(start_of(".plt.sec") + 20), "");
  }
  // As many relocations as would fill .plt without a header: it has one all the same.
  write({stubs(".plt", 32, 16), stubs(".plt.sec", 32, 16),
         relocations(".rela.plt", {{0x10, 1}, {0x18, 3}})});
  EXPECT_EQ(name_at(start_of(".plt")), ".plt");
  EXPECT_EQ(name_at(start_of(".plt") + 31), ".plt");
}

// What has no name is called by the offset of its stub (perf's "offset_%#lx@plt").
TEST_F(ElfStubs, FunctionsWithoutNames) {
  write({stubs(".plt", 16 + 64, 16),
         relocations(".rela.plt", {{0x10, 4}, {0x18, 0}, {0x20, 99}, {0x28, 2}})},
        EM_X86_64, {{"alpha"}, {"beta"}, {"gamma"}, {""}});
  const std::uint64_t first = start_of(".plt") + 16;
  for (int i = 0; i < 3; ++i) {
    char expected[40];
    std::snprintf(expected, sizeof expected, "offset_%#lx@plt", first + 16 * i);
    EXPECT_EQ(name_at(first + 16 * i), expected);
  }
  EXPECT_EQ(name_at(first + 48), "beta@plt");
}

// The stub of a function that is chosen at start has the name of what chooses it, at the address
// that is the relocation's addend (R_X86_64_IRELATIVE; get_ifunc_name of perf).
TEST_F(ElfStubs, FunctionsThatAreChosenAtStart) {
  constexpr auto kAddress = static_cast<std::int64_t>(ElfParts::kAddress);
  const struct {
    const char* what;
    Rela relocation;
    std::uint16_t machine;
    std::string_view name;  ///< "": that of its offset
  } cases[] = {
      {"chooser", {0x10, 0, R_X86_64_IRELATIVE, kAddress + 0x60}, EM_X86_64, "chooser@plt"},
      {"inside of it", {0x10, 0, R_X86_64_IRELATIVE, kAddress + 0x61}, EM_X86_64, ""},
      {"a function", {0x10, 0, R_X86_64_IRELATIVE, kAddress}, EM_X86_64, ""},
      {"nowhere", {0x10, 0, R_X86_64_IRELATIVE, 0x10}, EM_X86_64, ""},
      {"another type", {0x10, 0, R_X86_64_JUMP_SLOT, kAddress + 0x60}, EM_X86_64, ""},
      {"another processor", {0x10, 0, R_X86_64_IRELATIVE, kAddress + 0x60}, EM_386, ""},
      {"a name", {0x10, 1, R_X86_64_IRELATIVE, kAddress + 0x60}, EM_X86_64, "alpha@plt"}};
  for (const auto& c : cases) {
    write({stubs(".plt", 32, 16), relocations(".rela.plt", {c.relocation})}, c.machine, kThree,
          {{"chooser", ElfParts::kAddress + 0x60, 8, STT_GNU_IFUNC}});
    const std::string name = name_at(start_of(".plt") + 16);
    if (c.name.empty()) {
      EXPECT_EQ(name.find("offset_0x"), 0) << c.what << ' ' << name;
    } else {
      EXPECT_EQ(name, c.name) << c.what;
    }
  }
}

// Stubs of .plt.got jump through places that .rela.dyn fills: with and without endbr64 and bnd.
TEST_F(ElfStubs, StubsOfPltGot) {
  constexpr std::uint64_t kAt = 0x2000, kPlace = 0x3000;
  const auto jump = [](std::string_view before, std::uint64_t at, std::uint64_t place,
                       std::string_view operation = "\xff\x25") {
    const std::uint64_t next = at + before.size() + 6;
    std::string code = std::string(before) + std::string(operation) +
                       BytesOut().u32(static_cast<std::uint32_t>(place - next)).str();
    return code.append(16 - code.size(), '\x90');
  };
  const std::string_view endbr("\xf3\x0f\x1e\xfa"), bnd("\xf2");
  const std::string code = jump("", kAt, kPlace + 8) + jump(endbr, kAt + 0x10, kPlace) +
                           jump(std::string(endbr) + std::string(bnd), kAt + 0x20, kPlace + 16) +
                           jump(bnd, kAt + 0x30, kPlace) + jump("", kAt + 0x40, kPlace + 4) +
                           jump("", kAt + 0x50, kPlace, "\xff\x24") +
                           jump("", kAt + 0x60, kPlace, "\xfe\x25") +
                           jump("", kAt + 0x70, kPlace + 24) + std::string(8, '\x90');
  const std::vector<ElfParts::Extra> sections = {
      stubs(".plt", 32, 16),
      {".plt.got", code, SHT_PROGBITS, 16, kAt, SHF_ALLOC | SHF_EXECINSTR, 0, 16},
      relocations(".rela.plt", {{0x10, 1}}),
      relocations(".rela.dyn", {{kPlace + 24, 0, R_X86_64_RELATIVE},
                                {kPlace + 8, 2, R_X86_64_GLOB_DAT},
                                {kPlace + 16, 3, R_X86_64_GLOB_DAT},
                                {kPlace, 1, R_X86_64_GLOB_DAT}})};
  write(sections);
  const std::uint64_t start = start_of(".plt.got");
  const std::string_view names[] = {"beta@plt", "alpha@plt", "gamma@plt", "alpha@plt",
                                    "",         "",          "",          ""};
  for (std::uint64_t i = 0; i < 8; ++i) {
    const std::uint64_t at = start + 16 * i;
    char offset[40];
    std::snprintf(offset, sizeof offset, "offset_%#lx@plt", at);
    EXPECT_EQ(name_at(at), names[i].empty() ? offset : names[i]) << i;
    EXPECT_EQ(name_at(at + 15), names[i].empty() ? offset : names[i]) << i;
  }
  EXPECT_EQ(name_at(start + 128), "");  // half a stub
  write(sections, EM_AARCH64);
  EXPECT_EQ(name_at(start_of(".plt.got") + 16), "");  // the table of arm64 has another header
}

// A stub may have no room for anything else.
TEST_F(ElfStubs, StubsWithoutPadding) {
  constexpr std::uint64_t kAt = 0x2000, kPlace = 0x3000;
  for (const std::uint64_t size : {5, 6, 7}) {
    std::string code =
        "\xff\x25" + BytesOut().u32(static_cast<std::uint32_t>(kPlace - kAt - 6)).str() + "\x90";
    code.resize(size);
    write({stubs(".plt", 32, 16),
           {".plt.got", code, SHT_PROGBITS, size, kAt, SHF_ALLOC | SHF_EXECINSTR, 0, 8},
           relocations(".rela.dyn", {{kPlace, 2, R_X86_64_GLOB_DAT}})});
    const std::string name = name_at(start_of(".plt.got"));
    EXPECT_EQ(name == "beta@plt", size >= 6) << size << name;
  }
}

// Any number of symbols may have the same long name: what is too much is left out, and told.
TEST_F(ElfStubs, NamesThatAreTooLongTogether) {
  static const std::string kLong(300'000, 'x');
  std::vector<Rela> list(2500, Rela{0x10, 1});
  write({stubs(".plt", 16 + 16 * list.size(), 16), relocations(".rela.plt", list)}, EM_X86_64,
        {{kLong}});
  const std::uint64_t first = start_of(".plt") + 16;
  EXPECT_EQ(name_at(first), kLong + "@plt");
  EXPECT_EQ(
      symbols_.back()->problems(),
      std::vector<std::string>{"part of a file's list of stubs becomes too large, or takes too "
                               "long, to be read: it is left out"});
  EXPECT_EQ(name_at(first + 16 * 2499).find("offset_0x"), 0);
}

// DT_RELACOUNT tells how many relocations at the start of .rela.dyn are of no symbol.
TEST_F(ElfStubs, RelocationsOfNoSymbolAreSkipped) {
  constexpr std::uint64_t kAt = 0x2000, kPlace = 0x3000;
  const std::string code =
      "\xff\x25" + BytesOut().u32(static_cast<std::uint32_t>(kPlace - kAt - 6)).str() + "\x66\x90";
  for (const std::uint64_t skipped : {0, 1, 2, 3}) {
    const std::string dynamic = test::bytes_of_struct(Elf64_Dyn{DT_NEEDED, {7}}) +
                                test::bytes_of_struct(Elf64_Dyn{DT_RELACOUNT, {skipped}}) +
                                test::bytes_of_struct(Elf64_Dyn{DT_NULL, {0}});
    write({stubs(".plt", 32, 16),
           {".plt.got", code, SHT_PROGBITS, 8, kAt, SHF_ALLOC | SHF_EXECINSTR, 0, 8},
           {".dynamic", dynamic, SHT_DYNAMIC, sizeof(Elf64_Dyn), 0, SHF_ALLOC,
            ElfParts::kFirstExtra, 8},
           relocations(".rela.dyn", {{kPlace + 8, 0, R_X86_64_RELATIVE},
                                     {kPlace + 16, 0, R_X86_64_RELATIVE},
                                     {kPlace, 2, R_X86_64_GLOB_DAT}})});
    EXPECT_EQ(name_at(start_of(".plt.got")) == "beta@plt", skipped <= 2) << skipped;
  }
}

// A symbol that seems to reach into .plt, for want of a size, ends before it.
TEST_F(ElfStubs, ASymbolBeforeTheTableEndsThere) {
  write({{".init", std::string(8, '\x90'), SHT_PROGBITS, 0, 0, SHF_ALLOC | SHF_EXECINSTR},
         stubs(".plt", 32, 16),
         relocations(".rela.plt", {{0x10, 1}}),
         {".fini", std::string(8, '\x90'), SHT_PROGBITS, 0, 0, SHF_ALLOC | SHF_EXECINSTR}},
        EM_X86_64, kThree,
        {{"before", 4, 0, STT_FUNC, STB_GLOBAL, STV_DEFAULT, ElfParts::kFirstExtra + 2},
         {"after", 0, 8, STT_FUNC, STB_GLOBAL, STV_DEFAULT, ElfParts::kFirstExtra + 5}});
  const std::uint64_t plt = start_of(".plt");
  EXPECT_EQ(name_at(plt - 1), "before");
  EXPECT_EQ(name_at(plt), ".plt");
  EXPECT_EQ(name_at(plt + 16), "alpha@plt");
  EXPECT_EQ(name_at(start_of(".fini")), "after");
}

// A stub is called as its function is shown.
TEST_F(ElfStubs, NamesAreDemangled) {
  write({stubs(".plt", 32, 16), relocations(".rela.plt", {{0x10, 1}})}, EM_X86_64, {{"_Z3addii"}});
  EXPECT_EQ(name_at(start_of(".plt") + 16), "add(int, int)@plt");
}

}  // namespace
}  // namespace evname::stubs_test
