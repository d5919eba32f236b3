// Stubs of procedure linkage tables, "NAME@plt": the relocation of the slot that the stub's
// instructions load has the name. The processors' ABIs and manuals define the instructions, and
// binutils 2.40, lld 14 and mold 1.10 write these layouts.

#include <gtest/gtest.h>

#include "recordings/elf/elf_fixture.hpp"
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

constexpr std::uint64_t kTable = 0x2000, kSlots = 0x3000;  ///< addresses

std::string words(std::initializer_list<std::uint64_t> list) {
  BytesOut out;
  for (const std::uint64_t word : list) out.u32(static_cast<std::uint32_t>(word));
  return out.str();
}
/// 4 bytes that lead from the address after them.
std::string ahead(std::uint64_t after, std::uint64_t to) { return words({to - after}); }
std::string repeated(std::size_t size, char byte) { return std::string(size, byte); }

/// The instructions of an entry at an address, for a slot.
using Entry = std::string (*)(std::uint64_t at, std::uint64_t slot);

std::string bfd(std::uint64_t at, std::uint64_t slot) {
  return "\xff\x25" + ahead(at + 6, slot) + "\x68" + words({0}) + "\xe9" + words({0});
}
std::string small(std::uint64_t at, std::uint64_t slot) {
  return "\xff\x25" + ahead(at + 6, slot) + "\x66\x90";
}
std::string bound(std::uint64_t at, std::uint64_t slot) {
  return "\xf2\xff\x25" + ahead(at + 7, slot) + "\x90";
}
std::string ibt(std::uint64_t at, std::uint64_t slot) {
  return "\xf3\x0f\x1e\xfa\xff\x25" + ahead(at + 10, slot) + repeated(6, '\xcc');
}
std::string ibt_bound(std::uint64_t at, std::uint64_t slot) {
  return "\xf3\x0f\x1e\xfa\xf2\xff\x25" + ahead(at + 11, slot) + repeated(5, '\x90');
}
std::string mold(std::uint64_t at, std::uint64_t slot) {
  return "\xf3\x0f\x1e\xfa\x41\xbb" + words({7}) + "\xff\x25" + ahead(at + 16, slot);
}
std::string retpoline(std::uint64_t at, std::uint64_t slot) {
  return "\x4c\x8b\x1d" + ahead(at + 7, slot) + "\xe8" + words({1}) + "\xe9" + words({2}) + "\x68" +
         words({3}) + "\xe9" + words({4}) + repeated(5, '\xcc');
}
std::string retpoline_now(std::uint64_t at, std::uint64_t slot) {
  return "\x4c\x8b\x1d" + ahead(at + 7, slot) + "\xe9" + words({2}) + repeated(4, '\xcc');
}
std::string i386(std::uint64_t, std::uint64_t slot) {
  return "\xff\x25" + words({slot}) + "\x68" + words({0}) + "\xe9" + words({0});
}
constexpr std::uint64_t kGot = 0x3100;  ///< what %ebx has
std::string i386_pic(std::uint64_t, std::uint64_t slot) {
  return "\xff\xa3" + words({slot - kGot}) + "\x68" + words({0}) + "\xe9" + words({0});
}
std::string i386_mold(std::uint64_t, std::uint64_t slot) {
  return "\xf3\x0f\x1e\xfb\xb9" + words({7}) + "\xff\xa3" + words({slot - kGot}) + "\xcc";
}
std::string i386_retpoline(std::uint64_t, std::uint64_t slot) {
  return "\x50\x8b\x83" + words({slot - kGot}) + "\xe8" + words({1}) + "\xe9" + words({2}) +
         "\x68" + words({3}) + "\xe9" + words({4}) + repeated(5, '\xcc');
}
std::string i386_retpoline_fixed(std::uint64_t, std::uint64_t slot) {
  return "\x50\xa1" + words({slot}) + "\xe8" + words({1}) + "\xe9" + words({2}) + "\x68" +
         words({3}) + "\xe9" + words({4}) + repeated(6, '\xcc');
}
/// adrp x16, one page ahead; ldr x17, [x16, #…]; add x16, x16, #…
std::string arm64_load(std::uint64_t slot) {
  const std::uint64_t low = slot & 0xfff;
  return words({0xb0000010, 0xf9400211 | low / 8 << 10, 0x91000210 | low << 10});
}
constexpr std::uint32_t kBr = 0xd61f0220, kBti = 0xd503245f, kNop = 0xd503201f, kPac = 0xd503219f;
std::string arm64(std::uint64_t, std::uint64_t slot) { return arm64_load(slot) + words({kBr}); }
std::string arm64_bti(std::uint64_t, std::uint64_t slot) {
  return words({kBti}) + arm64_load(slot) + words({kBr, kNop});
}
std::string arm64_pac(std::uint64_t, std::uint64_t slot) {
  return arm64_load(slot) + words({kPac, kBr, kNop});
}
std::string arm64_both(std::uint64_t, std::uint64_t slot) {
  return words({kBti}) + arm64_load(slot) + words({kPac, kBr});
}
/// auipc t3, 1; ld t3, …(t3); jalr t1, t3
std::string riscv_load(std::uint64_t at, std::uint64_t slot) {
  return words({0x00001e17, 0x000e3e03 | ((slot - at - 0x1000) & 0xfff) << 20, 0x000e0367});
}
std::string riscv(std::uint64_t at, std::uint64_t slot) {
  return riscv_load(at, slot) + words({0x13});
}
std::string riscv_landing(std::uint64_t at, std::uint64_t slot) {
  return words({0x17}) + riscv_load(at + 4, slot);
}
std::string loongarch(std::uint64_t at, std::uint64_t slot) {
  return words(
      {0x1c00002f, 0x28c001ef | ((slot - at - 0x1000) & 0xfff) << 10, 0x4c0001ed, 0x03400000});
}
/// add ip, pc, #0; add ip, ip, #0xf00; ldr pc, [ip, #…]!
std::string arm(std::uint64_t at, std::uint64_t slot) {
  return words({0xe28fc600, 0xe28ccc0f, 0xe5bcf000 | (slot - at - 0xf08)});
}
std::string arm_lld(std::uint64_t at, std::uint64_t slot) {
  return arm(at, slot) + words({0xd4d4d4d4});
}
std::string arm_thumb(std::uint64_t at, std::uint64_t slot) {
  return words({0x46c04778}) + arm(at + 4, slot);
}
/// ldr ip, [pc, #4]; add ip, ip, pc; ldr pc, [ip]; the distance from the second one's pc
std::string arm_long(std::uint64_t at, std::uint64_t slot) {
  return words({0xe59fc004, 0xe08cc00f, 0xe59cf000, slot - at - 12});
}
/// larl %r1; lg %r1, 0(%r1); br %r1
std::string s390(std::uint64_t at, std::uint64_t slot) {
  BytesOut out;
  out.raw("\xc0\x10");
  const std::uint64_t halves = (slot - at) / 2;
  for (int shift = 24; shift >= 0; shift -= 8) out.u8(static_cast<std::uint8_t>(halves >> shift));
  return out.raw(std::string("\xe3\x10\x10\0\0\x04\x07\xf1", 8)).raw(repeated(18, '\x0d')).str();
}

constexpr struct Layout {
  const char* what;
  std::uint16_t machine;
  std::uint64_t header, told, size;
  Entry entry;
} kLayouts[] = {{"bfd", EM_X86_64, 16, 16, 16, bfd},
                {"bfd without a header", EM_X86_64, 0, 16, 16, bfd},
                {"8 bytes", EM_X86_64, 0, 8, 8, small},
                {"8 bytes that tells 16", EM_X86_64, 0, 16, 8, small},
                {"8 bytes with bnd", EM_X86_64, 0, 8, 8, bound},
                {"with IBT", EM_X86_64, 16, 0, 16, ibt},
                {"with IBT and bnd", EM_X86_64, 16, 4, 16, ibt_bound},
                {"mold", EM_X86_64, 32, 16, 16, mold},
                {"lld's retpoline", EM_X86_64, 48, 16, 32, retpoline},
                {"lld's retpoline, -z now", EM_X86_64, 32, 16, 16, retpoline_now},
                {"i386", EM_386, 16, 4, 16, i386},
                {"i386, PIC", EM_386, 16, 4, 16, i386_pic},
                {"i386, mold", EM_386, 32, 16, 16, i386_mold},
                {"i386, retpoline", EM_386, 48, 16, 32, i386_retpoline},
                {"i386, retpoline of fixed addresses", EM_386, 48, 16, 32, i386_retpoline_fixed},
                {"arm64", EM_AARCH64, 32, 16, 16, arm64},
                {"arm64, BTI", EM_AARCH64, 32, 16, 24, arm64_bti},
                {"arm64, PAC", EM_AARCH64, 32, 16, 24, arm64_pac},
                {"arm64, BTI and PAC", EM_AARCH64, 32, 16, 24, arm64_both},
                {"riscv", EM_RISCV, 32, 16, 16, riscv},
                {"riscv with landing pads", EM_RISCV, 48, 16, 16, riscv_landing},
                {"loongarch", EM_LOONGARCH, 32, 16, 16, loongarch},
                {"arm", EM_ARM, 20, 4, 12, arm},
                {"arm, lld", EM_ARM, 32, 4, 16, arm_lld},
                {"arm, from Thumb", EM_ARM, 20, 4, 16, arm_thumb},
                {"arm, long", EM_ARM, 32, 4, 16, arm_long},
                {"s390", EM_S390, 32, 0, 32, s390}};

/// A table with an entry for each of the slots.
ElfParts::Extra stubs(const Layout& layout, const std::vector<std::uint64_t>& slots,
                      std::string_view name = ".plt") {
  std::string code(layout.header, '\0');
  for (const std::uint64_t slot : slots) code += layout.entry(kTable + code.size(), slot);
  return {name, code, SHT_PROGBITS, layout.told, kTable, SHF_ALLOC | SHF_EXECINSTR, 0, 16};
}

ElfParts::Extra dynamic(std::initializer_list<std::pair<int, std::uint64_t>> values) {
  std::string content;
  for (const auto& [tag, value] : values) content += test::bytes_of_struct(Elf64_Dyn{tag, {value}});
  return {".dynamic", content,   SHT_DYNAMIC,           sizeof(Elf64_Dyn),
          0,          SHF_ALLOC, ElfParts::kFirstExtra, 8};
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
    symbols_.clear();  // each has the file open
  }
  std::uint64_t start_of(std::string_view section) const {
    return section_of(file_, section).sh_offset;
  }
  std::string name_at(std::uint64_t offset) {
    return std::string(function_at(path_, offset).function);
  }

  std::string file_, path_;
};

// The relocations are in another order than the entries, and that in another one than the slots.
TEST_F(ElfStubs, LayoutsOfEachLinker) {
  for (const Layout& layout : kLayouts) {
    SCOPED_TRACE(layout.what);
    write(
        {stubs(layout, {kSlots + 0x18, kSlots + 0x28, kSlots + 0x20}), dynamic({{DT_PLTGOT, kGot}}),
         relocations(".rela.plt", {{kSlots + 0x20, 1}, {kSlots + 0x28, 2}, {kSlots + 0x18, 3}})},
        layout.machine);
    const std::uint64_t plt = start_of(".plt"), first = plt + layout.header;
    if (layout.header != 0) {
      EXPECT_EQ(name_at(plt), ".plt");
      EXPECT_EQ(name_at(first - 1), ".plt");
    }
    EXPECT_EQ(name_at(first), "gamma@plt");
    EXPECT_EQ(name_at(first + layout.size - 1), "gamma@plt");
    EXPECT_EQ(name_at(first + layout.size), "beta@plt");
    EXPECT_EQ(name_at(first + 2 * layout.size), "alpha@plt");
    EXPECT_EQ(name_at(first + 3 * layout.size - 1), "alpha@plt");
    EXPECT_EQ(name_at(first + 3 * layout.size), "");
  }
}

// Whatever byte of an entry is another one: it has its own name or none, and so have its
// neighbours.
TEST_F(ElfStubs, DamagedEntries) {
  for (const Layout& layout : kLayouts) {
    SCOPED_TRACE(layout.what);
    const ElfParts::Extra whole =
        stubs(layout, {kSlots + 0x18, kSlots + 0x28, kSlots + 0x20, kSlots + 0x30});
    for (std::uint64_t at = 0; at < layout.size; ++at) {
      ElfParts::Extra damaged = whole;
      damaged.content[layout.header + layout.size + at] ^= '\x41';
      write(
          {damaged, dynamic({{DT_PLTGOT, kGot}}),
           relocations(".rela.plt", {{kSlots + 0x18, 1}, {kSlots + 0x28, 2}, {kSlots + 0x20, 3}})},
          layout.machine);
      const std::uint64_t first = start_of(".plt") + layout.header;
      const std::string name = name_at(first + layout.size);
      EXPECT_TRUE(name == "" || name == "beta@plt") << at << ' ' << name;
      EXPECT_EQ(name_at(first), "alpha@plt") << at;
      EXPECT_EQ(name_at(first + layout.size - 1), "alpha@plt") << at;
      EXPECT_EQ(name_at(first + 2 * layout.size + layout.size / 2), "gamma@plt") << at;
      EXPECT_EQ(name_at(first + 3 * layout.size), "") << at;  // its slot has no relocation
    }
  }
}

// The reader finds no names for an unknown processor, or without code.
TEST_F(ElfStubs, NoCodeNoNames) {
  const std::vector<Rela> list = {{kSlots, 1}};
  ElfParts::Extra other = stubs(kLayouts[0], {kSlots}), data = other;
  write({other, relocations(".rela.plt", list)}, EM_SPARCV9);
  EXPECT_EQ(name_at(start_of(".plt") + 16), "");
  data.flags = SHF_ALLOC;
  write({data, relocations(".rela.plt", list)});
  EXPECT_EQ(name_at(start_of(".plt") + 16), "");
  other.content.resize(16 + 3);
  write({other, relocations(".rela.plt", list)});
  EXPECT_EQ(name_at(start_of(".plt") + 16), "");
}

// The file's own symbols have better names: mold writes "alpha$plt".
TEST_F(ElfStubs, SymbolsOfTheFileComeFirst) {
  write({stubs(kLayouts[0], {kSlots, kSlots + 8, kSlots + 16}),
         relocations(".rela.plt", {{kSlots, 1}, {kSlots + 8, 2}, {kSlots + 16, 3}})},
        EM_X86_64, kThree,
        {{"alpha$plt", kTable + 16, 16, STT_FUNC, STB_LOCAL, STV_DEFAULT,
          ElfParts::kFirstExtra + 2}});
  const std::uint64_t first = start_of(".plt") + 16;
  EXPECT_EQ(name_at(first), "alpha$plt");
  EXPECT_EQ(name_at(first + 15), "alpha$plt");
  EXPECT_EQ(name_at(first + 16), "beta@plt");
}

// i386 and arm have relocations without addends.
TEST_F(ElfStubs, RelocationsWithoutAddends) {
  for (const Layout& layout : kLayouts) {
    if (layout.machine != EM_386 && layout.machine != EM_ARM) continue;
    write({stubs(layout, {kSlots + 0x18, kSlots + 0x10}), dynamic({{DT_PLTGOT, kGot}}),
           relocations_without_addend({{kSlots + 0x18, 2}, {kSlots + 0x10, 1}})},
          layout.machine);
    EXPECT_EQ(name_at(start_of(".plt") + layout.header), "beta@plt") << layout.what;
    EXPECT_EQ(name_at(start_of(".plt") + layout.header + layout.size), "alpha@plt") << layout.what;
  }
}

// With IBT, x86's functions jump through .plt.sec, and all of .plt leads to the linker.
TEST_F(ElfStubs, ASecondTable) {
  for (const Layout& layout : {kLayouts[2], kLayouts[4], kLayouts[5]}) {
    Layout second = layout;
    second.header = 0;
    write({{".plt", repeated(48, '\x90'), SHT_PROGBITS, 16, 0x1000, SHF_ALLOC | SHF_EXECINSTR},
           stubs(second, {kSlots, kSlots + 8}, ".plt.sec"),
           relocations(".rela.plt", {{kSlots, 1}, {kSlots + 8, 3}})});
    const std::uint64_t plt = start_of(".plt"), at = start_of(".plt.sec");
    EXPECT_EQ(name_at(plt), ".plt");
    EXPECT_EQ(name_at(plt + 47), ".plt");
    EXPECT_EQ(name_at(at), "alpha@plt");
    EXPECT_EQ(name_at(at + layout.size - 1), "alpha@plt");
    EXPECT_EQ(name_at(at + layout.size), "gamma@plt");
    EXPECT_EQ(name_at(at + 2 * layout.size), "");
  }
}

// An entry whose function has no name is called by its offset (perf's "offset_%#lx@plt").
TEST_F(ElfStubs, FunctionsWithoutNames) {
  write({stubs(kLayouts[0], {kSlots, kSlots + 8, kSlots + 16}),
         relocations(".rela.plt", {{kSlots, 4}, {kSlots + 8, 99}, {kSlots + 16, 2}})},
        EM_X86_64, {{"alpha"}, {"beta"}, {"gamma"}, {""}});
  const std::uint64_t first = start_of(".plt") + 16;
  for (int i = 0; i < 2; ++i) {
    char expected[40];
    std::snprintf(expected, sizeof expected, "offset_%#lx@plt", first + 16 * i);
    EXPECT_EQ(name_at(first + 16 * i), expected);
  }
  EXPECT_EQ(name_at(first + 32), "beta@plt");
}

// The stub of a function that is chosen at start has the name of what chooses it, at the address
// that is the relocation's addend.
TEST_F(ElfStubs, FunctionsThatAreChosenAtStart) {
  constexpr auto kAddress = static_cast<std::int64_t>(ElfParts::kAddress);
  const Layout &x86 = kLayouts[0], &arm64 = kLayouts[15], &riscv = kLayouts[19];
  const struct {
    const char* what;
    Rela relocation;
    const Layout& layout;
    std::string_view name;  ///< "offset": by that
  } cases[] = {{"chooser", {kSlots, 0, R_X86_64_IRELATIVE, kAddress + 0x60}, x86, "chooser@plt"},
               {"arm64", {kSlots, 0, R_AARCH64_IRELATIVE, kAddress + 0x60}, arm64, "chooser@plt"},
               {"riscv", {kSlots, 0, R_RISCV_IRELATIVE, kAddress + 0x60}, riscv, "chooser@plt"},
               {"inside of it", {kSlots, 0, R_X86_64_IRELATIVE, kAddress + 0x61}, x86, "offset"},
               {"a function", {kSlots, 0, R_X86_64_IRELATIVE, kAddress}, x86, "offset"},
               {"nowhere", {kSlots, 0, R_X86_64_IRELATIVE, 0x10}, x86, "offset"},
               {"another type", {kSlots, 0, R_X86_64_RELATIVE, kAddress + 0x60}, x86, ""},
               {"another processor", {kSlots, 0, R_X86_64_IRELATIVE, kAddress + 0x60}, arm64, ""},
               {"a name", {kSlots, 1, R_X86_64_IRELATIVE, kAddress + 0x60}, x86, "alpha@plt"}};
  for (const auto& c : cases) {
    write({stubs(c.layout, {kSlots}), relocations(".rela.plt", {c.relocation})}, c.layout.machine,
          kThree, {{"chooser", ElfParts::kAddress + 0x60, 8, STT_GNU_IFUNC}});
    const std::string name = name_at(start_of(".plt") + c.layout.header);
    EXPECT_EQ(name.substr(0, name.find('_')), c.name) << c.what;
  }
}

// Stubs of .plt.got jump through slots that .rela.dyn fills.
TEST_F(ElfStubs, StubsOfPltGot) {
  for (const Layout& layout : kLayouts) {
    if (layout.header != 0) continue;
    write({stubs(layout, {kSlots + 8, kSlots, kSlots + 16, kSlots, kSlots + 24}, ".plt.got"),
           relocations(".rela.plt", {{kSlots + 64, 1}}),
           relocations(".rela.dyn", {{kSlots + 24, 0, R_X86_64_RELATIVE},
                                     {kSlots + 8, 2, R_X86_64_GLOB_DAT},
                                     {kSlots + 16, 3, R_X86_64_GLOB_DAT},
                                     {kSlots, 1, R_X86_64_GLOB_DAT}})});
    const std::string_view names[] = {"beta@plt", "alpha@plt", "gamma@plt", "alpha@plt", ""};
    for (std::uint64_t i = 0; i < 5; ++i) {
      const std::uint64_t at = start_of(".plt.got") + layout.size * i;
      EXPECT_EQ(name_at(at), names[i]) << layout.what << i;
      EXPECT_EQ(name_at(at + layout.size - 1), names[i]) << layout.what << i;
    }
  }
}

// Any number of symbols may have the same long name: what is too much is left out, and told.
TEST_F(ElfStubs, NamesThatAreTooLongTogether) {
  static const std::string kLong(300'000, 'x');
  std::vector<Rela> list;
  std::vector<std::uint64_t> slots;
  for (std::uint64_t slot = kSlots; slot < kSlots + 8 * 2500; slot += 8) {
    list.push_back({slot, 1});
    slots.push_back(slot);
  }
  write({stubs(kLayouts[0], slots), relocations(".rela.plt", list)}, EM_X86_64, {{kLong}});
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
  for (const std::uint64_t skipped : {0, 1, 2, 3}) {
    write({stubs(kLayouts[2], {kSlots}, ".plt.got"),
           dynamic({{DT_NEEDED, 7}, {DT_RELACOUNT, skipped}, {DT_NULL, 0}}),
           relocations(".rela.dyn", {{kSlots + 8, 0, R_X86_64_RELATIVE},
                                     {kSlots + 16, 0, R_X86_64_RELATIVE},
                                     {kSlots, 2, R_X86_64_GLOB_DAT}})});
    EXPECT_EQ(name_at(start_of(".plt.got")) == "beta@plt", skipped <= 2) << skipped;
  }
}

// A symbol that seems to reach into .plt, for want of a size, ends before it.
TEST_F(ElfStubs, ASymbolBeforeTheTableEndsThere) {
  write({{".init", std::string(8, '\x90'), SHT_PROGBITS, 0, 0, SHF_ALLOC | SHF_EXECINSTR},
         stubs(kLayouts[0], {kSlots}),
         relocations(".rela.plt", {{kSlots, 1}}),
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
  write({stubs(kLayouts[0], {kSlots}), relocations(".rela.plt", {{kSlots, 1}})}, EM_X86_64,
        {{"_Z3addii"}});
  EXPECT_EQ(name_at(start_of(".plt") + 16), "add(int, int)@plt");
}

}  // namespace
}  // namespace evname::stubs_test
