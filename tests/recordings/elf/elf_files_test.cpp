// Symbols of a small ELF file, whole and damaged, and where files are looked for.

#include <gtest/gtest.h>

#include "recordings/elf/elf_fixture.hpp"

namespace evname {
namespace {

using test::bytes_of;
using test::elf_file;
using test::ElfFiles;
using test::ElfParts;
using test::kStart;

TEST_F(ElfFiles, FunctionsOfAddresses) {
  const std::string path = dir_.write("program", elf_file());
  const struct {
    std::uint64_t offset;
    std::string_view function;
    std::uint64_t from_start;
  } cases[] = {{0, "first_function", 0},
               {0x3f, "first_function", 0x3f},
               {0x40, "second_function", 0},
               {0x5f, "second_function", 0x1f},
               {0x60, "", 0}};
  for (const auto& c : cases) {
    const Frame frame = function(mapping(path), c.offset);
    EXPECT_EQ(frame.function, c.function) << c.offset;
    EXPECT_EQ(frame.offset, c.from_start) << c.offset;
    EXPECT_EQ(frame.address, ElfParts::kAddress + c.offset);
    EXPECT_FALSE(frame.has_debug_info);
  }
}

// elf_sym__filter and elf_sym__is_label of perf, util/symbol-elf.c: the others are no symbols.
TEST_F(ElfFiles, KindsOfSymbols) {
  const struct {
    const char* what;
    unsigned char type, visibility;
    std::uint16_t section;
    bool counts;
  } cases[] = {{"function", STT_FUNC, STV_DEFAULT, 1, true},
               {"hidden function", STT_FUNC, STV_HIDDEN, 1, true},
               {"chosen at start", STT_GNU_IFUNC, STV_DEFAULT, 1, true},
               {"object", STT_OBJECT, STV_DEFAULT, 1, true},
               {"label", STT_NOTYPE, STV_DEFAULT, 1, true},
               {"protected label", STT_NOTYPE, STV_PROTECTED, 1, true},
               {"hidden label", STT_NOTYPE, STV_HIDDEN, 1, false},
               {"internal label", STT_NOTYPE, STV_INTERNAL, 1, false},
               {"section", STT_SECTION, STV_DEFAULT, 1, false},
               {"file", STT_FILE, STV_DEFAULT, 1, false},
               {"of a thread", STT_TLS, STV_DEFAULT, 1, false},
               {"function of another file", STT_FUNC, STV_DEFAULT, SHN_UNDEF, false},
               {"object of another file", STT_OBJECT, STV_DEFAULT, SHN_UNDEF, false},
               {"label of another file", STT_NOTYPE, STV_DEFAULT, SHN_UNDEF, false},
               {"function without a section", STT_FUNC, STV_DEFAULT, 5, false},
               {"function of a section without code", STT_FUNC, STV_DEFAULT, 2, false}};
  for (const auto& c : cases) {
    const std::string path = dir_.write("program", elf_file({.second_section = c.section,
                                                             .second_type = c.type,
                                                             .second_visibility = c.visibility}));
    EXPECT_EQ(function(mapping(path), 0x44).function, c.counts ? "second_function" : "") << c.what;
    EXPECT_EQ(function(mapping(path), 0x3f).function, "first_function") << c.what;
  }
}

TEST_F(ElfFiles, CallsAndFramesWithoutDebugInformation) {
  const std::string path = dir_.write("program", elf_file());
  const Symbols symbols(options());
  std::vector<Frame> frames(3), calls;
  symbols.frames(kStart + 1, mapping(path), frames);
  symbols.calls(kStart + 1, mapping(path), calls);
  ASSERT_EQ(frames.size(), 1);
  ASSERT_EQ(calls.size(), 1);
  EXPECT_EQ(frames[0].function, "first_function");
  EXPECT_EQ(calls[0].function, "first_function");
  EXPECT_EQ(frames[0].source, "");
  EXPECT_EQ(symbols.file_path(mapping(path)), path);
}

// The order of dso__load of perf: its cache comes before the file itself.
TEST_F(ElfFiles, TheCacheOfPerfComesFirst) {
  const std::string id(20, '\x5a'), hex = "5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a";
  const std::string path = dir_.write("program", elf_file({.build_id = std::string(20, '\x11')}));
  Mapping mapped = mapping(path);
  mapped.build_id = bytes_of(id);
  EXPECT_EQ(function(mapped, 0).function, "");
  ASSERT_EQ(symbols_.back()->problems().size(), 1);
  EXPECT_EQ(symbols_.back()->problems()[0],
            path + ": " + path + " has build id 1111111111111111111111111111111111111111, not 5a" +
                hex + ": not used");
  const std::string cached = dir_.write("cache/.build-id/5a/" + hex + "/elf", elf_file());
  EXPECT_EQ(function(mapped, 0).function, "first_function");
  EXPECT_EQ(symbols_.back()->file_path(mapped), cached);
}

// A module is where its .text is mapped, and known by its own build id; without its file kallsyms
// have its functions.
TEST_F(ElfFiles, ModulesOfTheKernel) {
  const std::string id(20, '\x5a'), kernel(20, '\x22');
  const std::string hex = "5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a";
  dir_.write("cache/[kernel.kallsyms]/" + std::string(40, '2') + "/kallsyms",
             "ffffffff81000000 T _text\n7f0000000000 t listed\t[shop]\n");
  const std::string path = dir_.write("shop.ko", elf_file({.is_module = true}));
  Mapping mapped{.file = path,
                 .build_id = bytes_of(id),
                 .start = kStart,
                 .end = kStart + 0x1000,
                 .offset = 0xffffffff81000000,
                 .kernel = true,
                 .kernel_build_id = bytes_of(kernel)};
  const struct {
    std::uint64_t offset, from_start;
    std::string_view function;
  } cases[] = {{0, 0, "first_function"}, {0x44, 4, "second_function"}, {0x60, 0, ""}};
  for (const auto& c : cases) {
    const Frame frame = function(mapped, c.offset);
    EXPECT_EQ(frame.function, c.function) << c.offset;
    EXPECT_EQ(frame.offset, c.from_start) << c.offset;
    EXPECT_EQ(frame.address, c.offset);
  }
  mapped.build_id = {};  // nothing identifies the file as the recorded one
  EXPECT_EQ(function(mapped, 1).function, "listed");
  mapped.build_id = bytes_of(id);
  dir_.write("shop.ko", elf_file({.build_id = std::string(20, '\x11'), .is_module = true}));
  EXPECT_EQ(function(mapped, 1).function, "listed");
  dir_.write("cache/.build-id/5a/" + hex + "/elf", elf_file({.is_module = true}));
  EXPECT_EQ(function(mapped, 1).function, "first_function");
  // A link does not lead out of --symfs.
  std::filesystem::remove_all(dir_.path("cache/.build-id"));
  SymbolOptions below = options();
  below.symfs = dir_.path("root");
  mapped.file = "/shop.ko";
  dir_.write("root/shop.ko", elf_file({.is_module = true}));
  EXPECT_EQ(function(mapped, 1, below).function, "first_function");
  std::filesystem::rename(dir_.path("root/shop.ko"), path);
  std::filesystem::create_symlink(path, dir_.path("root/shop.ko"));
  EXPECT_EQ(function(mapped, 1, below).function, "listed");
}

// Of large files the pages are given back, while names stay where they are in them.
TEST_F(ElfFiles, LargeFiles) {
  const std::string path = dir_.write("large", elf_file() + std::string(3 << 20, 'x'));
  EXPECT_EQ(function(mapping(path), 0x3f).function, "first_function");
  EXPECT_EQ(symbols_.back()->function(kStart + 0x40, mapping(path)).function, "second_function");
}

TEST_F(ElfFiles, DamagedPackedFiles) {
  const std::string magic = "\x28\xb5\x2f\xfd";
  for (const std::string& rest : {std::string(), std::string(40, '\0'), std::string(40, '\xff')})
    EXPECT_EQ(function(mapping(dir_.write("packed", magic + rest)), 1).function, "") << rest.size();
}

TEST_F(ElfFiles, CutOffAnywhere) {
  const std::string whole = elf_file();
  for (std::size_t size = 0; size < whole.size(); size += size < 1024 ? 64 : 5) {
    const std::string path = dir_.write("cut", whole.substr(0, size));
    const std::string_view name = function(mapping(path), 1).function;
    EXPECT_TRUE(name.empty() || name == "first_function") << size << name;
    symbols_.clear();
  }
}

// Whatever a byte is changed to, there is a name or none, and no crash (run with sanitizers).
TEST_F(ElfFiles, AnyByteChanged) {
  const std::string whole = elf_file();
  std::vector<Frame> frames;
  for (std::size_t at = 0; at < whole.size(); ++at) {
    if (at >= 128 && at < ElfParts::kText + ElfParts::kSize) continue;  // nothing reads that
    for (const char changed : {'\0', '\xff', static_cast<char>(whole[at] ^ 0x10)}) {
      std::string damaged = whole;
      damaged[at] = changed;
      const std::string path = dir_.write("damaged", damaged);
      const Symbols symbols(options());
      for (const std::uint64_t offset : {0, 0x41, 0x7f}) {
        symbols.frames(kStart + offset, mapping(path), frames);
        ASSERT_EQ(frames.size(), 1) << at;
      }
    }
  }
}

TEST_F(ElfFiles, ASizeBeyondTheEndOfMemory) {
  const std::string path = dir_.write("program", elf_file({.second_size = UINT64_MAX}));
  EXPECT_EQ(function(mapping(path), 0x41).function, "");
  EXPECT_EQ(function(mapping(path), 1).function, "first_function");
  const std::string other = dir_.write("other", elf_file({.is_32_bit = true}));
  EXPECT_EQ(function(mapping(other), 1).function, "");
}

// Source: "Mapping symbols" of the ELF ABIs of Arm (aaelf32, aaelf64) and RISC-V (riscv-elf.adoc).
TEST_F(ElfFiles, MappingSymbolsAreNoFunctions) {
  const struct {
    std::uint16_t machine;
    std::string_view name;
    bool is_mapping_symbol;
  } kRows[] = {
      {EM_ARM, "$a", true},      {EM_ARM, "$t.12", true},    {EM_ARM, "$d", true},
      {EM_AARCH64, "$x", true},  {EM_AARCH64, "$d.3", true}, {EM_AARCH64, "$xy", false},
      {EM_AARCH64, "$y", false}, {EM_AARCH64, "a$x", false}, {EM_RISCV, "$x", true},
      {EM_RISCV, "$d", true},    {EM_RISCV, "$t", false},    {EM_RISCV, "$xrv64i2p1", true},
      {EM_X86_64, "$x", false}};
  for (const auto& row : kRows) {
    const std::string path = dir_.write("program", elf_file({.second_type = STT_NOTYPE,
                                                             .second_name = row.name,
                                                             .machine = row.machine,
                                                             .sections = {{row.name, ""}}}));
    const std::string_view expected = row.is_mapping_symbol ? "" : row.name;
    EXPECT_EQ(function(mapping(path), 0x41).function, expected) << row.machine << row.name;
  }
}

// A file that was stripped to its debug information has the sizes of sections, and nothing in them.
TEST_F(ElfFiles, StubsWithoutContent) {
  const std::string path = dir_.write(
      "program", elf_file({.sections = {{".plt", std::string(32, '\0'), SHT_NOBITS, 16},
                                        {".plt.got", std::string(32, '\0'), SHT_NOBITS, 8}}}));
  EXPECT_EQ(function(mapping(path), 1).function, "first_function");
}

// The name of a mapped file may be anything: a directory, nothing, a device.
TEST_F(ElfFiles, NoFiles) {
  for (const std::string& path : {dir_.path(), dir_.path("none"), std::string("/dev/null")})
    EXPECT_EQ(function(mapping(path), 1).function, "") << path;
}

}  // namespace
}  // namespace evname
