// The places of files with symbols, and their order: binary_type_symtab of tools/perf/util/symbol.c
// and dso__read_binary_type_filename() of dso.c.

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>

#include "recordings/elf/elf_fixture.hpp"
#include "support/environment.hpp"

namespace evname::search_test {
namespace {

using test::bytes_of;
using test::elf_file;
using test::ElfFiles;
using test::ElfParts;
using test::Environment;
using test::kStart;

const std::string kId(20, '\x5a'), kOther(20, '\x11');
const std::string kHex = "5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a";  // without the first byte

/// A file whose function at 0x60 is called `name`.
std::string file_with(std::string_view name, const std::string& id = kId,
                      std::vector<ElfParts::Extra> sections = {}) {
  return elf_file({.build_id = id,
                   .sections = std::move(sections),
                   .symbols = {{name, ElfParts::kAddress + 0x60, 8}}});
}

class ElfSearch : public ElfFiles {
 protected:
  /// Nothing of whoever runs the tests is looked at.
  SymbolOptions options() const {
    SymbolOptions options = ElfFiles::options();
    options.symfs = dir_.path("root");
    options.kernel_release = "6.1.0-test";
    return options;
  }
  std::string found(const Mapping& mapping, const SymbolOptions& options) {
    return std::string(function(mapping, 0x60, options).function);
  }

  Environment no_home_{"HOME", "/nonexistent"}, no_cache_{"XDG_CACHE_HOME", ""},
      no_path_{"DEBUGINFOD_CACHE_PATH", ""}, no_servers_{"DEBUGINFOD_URLS", ""};
};

ElfParts::Extra debug_link(const std::string& name) {
  std::string content = name;
  content.append(4 - name.size() % 4 + 4, '\0');  // its end, and a checksum
  return {".gnu_debuglink", content, SHT_PROGBITS, 0, 0, 0, 0, 4};
}

// Each file is removed after it was found, so that the next one is.
TEST_F(ElfSearch, PlacesInTheOrderOfPerf) {
  const std::string places[] = {"root/usr/lib/shop/program.dbg",
                                "root/usr/lib/shop/.debug/program.dbg",
                                "root/usr/lib/debug/usr/lib/shop/program.dbg",
                                "cache/.build-id/5a/" + kHex + "/elf",
                                "cache/.build-id/5a/" + kHex + "/vdso",
                                "cache/.build-id/5a/" + kHex + "/debug",
                                "root/usr/lib/debug/usr/lib/shop/program.debug",
                                "root/usr/lib/debug/usr/lib/shop/program",
                                "root/usr/lib/debug/.build-id/5a/" + kHex + ".debug",
                                "root/usr/lib/shop/program",
                                "root/usr/lib/shop/.debug/program",
                                "root/usr/lib/debug/lib/shop/program"};
  for (const std::string& place : places)
    dir_.write(place, file_with(place, kId, {debug_link("program.dbg")}));
  Mapping mapped = mapping("/usr/lib/shop/program");
  mapped.build_id = bytes_of(kId);
  for (const std::string& place : places) {
    EXPECT_EQ(found(mapped, options()), place);
    EXPECT_EQ(symbols_.back()->file_path(mapped), dir_.path(place));
    std::filesystem::remove(dir_.path(place));
  }
  EXPECT_EQ(found(mapped, options()), "");
  EXPECT_EQ(symbols_.back()->file_path(mapped), "");
  // Caches of perf before 4.9 have the file under the build id itself.
  std::filesystem::remove_all(dir_.path("cache"));
  dir_.write("cache/.build-id/5a/" + kHex, file_with("old"));
  EXPECT_EQ(found(mapped, options()), "old");
}

// Links below --symfs lead where they would if it were the root.
TEST_F(ElfSearch, LinksDoNotLeadOutOfSymfs) {
  const struct {
    std::string link, target, name, found;
  } cases[] = {
      {"root/opt/absolute", "/lib/a.so", "/opt/absolute", "inside"},
      {"root/opt/relative", "../lib/a.so", "/opt/relative", "inside"},
      {"root/opt/above", "../../../../../lib/a.so", "/opt/above", "inside"},
      {"root/opt/again", "absolute", "/opt/again", "inside"},
      {"root/opt/folder", "/lib", "/opt/folder/a.so", "inside"},
      {"root/opt/parent", "/opt/../lib/.//a.so", "/opt/parent", "inside"},
      {"root/opt/itself", "itself", "/opt/itself", ""},
      {"root/opt/beside", "../../outside.so", "/opt/beside", ""},
      {"root/opt/to", dir_.path("outside.so"), "/opt/to", ""},
      {"root/opt/all", dir_.path(""), "/opt/all/outside.so", ""},
      {"root/usr/lib/debug/opt/b.so.debug", dir_.path("outside.so"), "/opt/b.so", ""},
  };
  dir_.write("root/lib/a.so", file_with("inside"));
  dir_.write("outside.so", file_with("outside"));
  for (const auto& c : cases) {
    const std::filesystem::path link = dir_.path(c.link);
    std::filesystem::create_directories(link.parent_path());
    std::filesystem::create_symlink(c.target, link);
    EXPECT_EQ(found(mapping(c.name), options()), c.found) << c.link;
    // The unwinder opens the file by this path.
    const std::string read = symbols_.back()->file_path(mapping(c.name));
    EXPECT_EQ(read, c.found[0] ? dir_.path("root/lib/a.so") : "") << c.link;
  }
}

TEST_F(ElfSearch, OnlyRegularFilesAreOpenedAndOthersAreReported) {
  const std::string fifo = dir_.path("root/opt/fifo");
  dir_.write("root/opt/a.so", file_with("regular"));
  ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
  EXPECT_EQ(found(mapping("/opt/a.so"), options()), "regular");
  EXPECT_TRUE(symbols_.back()->problems().empty());
  EXPECT_EQ(found(mapping("/opt/fifo"), options()), "");
  EXPECT_EQ(symbols_.back()->problems(), std::vector<std::string>{fifo + ": not a regular file"});
  EXPECT_EQ(found(mapping("/opt/none"), options()), "");
  EXPECT_TRUE(symbols_.back()->problems().empty());
}

// Files of /usr/lib are looked for without /usr, others are not.
TEST_F(ElfSearch, PlacesThatDependOnTheName) {
  const struct {
    std::string_view name, place;
    bool is_found;
  } cases[] = {{"/usr/lib/a.so", "root/usr/lib/debug/lib/a.so", true},
               {"/opt/lib/a.so", "root/usr/lib/debug/lib/a.so", false},
               {"/usr/libexec/a", "root/usr/lib/debug/libexec/a", false},
               {"/a.so", "root/.debug/a.so", true},
               {"/a.so", "root/usr/lib/debug/a.so.debug", true},
               {"/../../a.so", "root/a.so", true},
               {"/b/../a.so", "root/a.so", true},
               {"/b/../a.so", "a.so", false},
               {"/../a.so", "a.so", false}};
  for (const auto& c : cases) {
    dir_.write(c.place, file_with("here"));
    EXPECT_EQ(found(mapping(c.name), options()), c.is_found ? "here" : "") << c.name << c.place;
    std::filesystem::remove(dir_.path(c.place));
  }
}

// A file with another build id is skipped and reported; if the recording has none, the file's own
// build id decides about the others.
TEST_F(ElfSearch, BuildIds) {
  const std::string path = dir_.write("root/opt/program", file_with("own", kOther));
  const std::string debug =
      dir_.write("root/usr/lib/debug/opt/program.debug", file_with("debug", kId));
  const Mapping unknown = mapping("/opt/program");
  EXPECT_EQ(found(unknown, options()), "own");
  const std::string eleven(40, '1');
  EXPECT_EQ(symbols_.back()->problems(),
            std::vector<std::string>{"/opt/program: " + debug + " has build id 5a5a" +
                                     kHex.substr(2) + ", not " + eleven + ": not used"});
  Mapping known = unknown;
  known.build_id = bytes_of(kId);
  EXPECT_EQ(found(known, options()), "debug");
  dir_.write("root/opt/program", file_with("own", ""));
  EXPECT_EQ(found(unknown, options()), "debug");  // nothing contradicts it
  EXPECT_TRUE(symbols_.back()->problems().empty());
  std::filesystem::remove(debug);
  EXPECT_EQ(found(known, options()), "");
  EXPECT_EQ(symbols_.back()->problems(),
            std::vector<std::string>{"/opt/program: " + path + " has build id none, not 5a5a" +
                                     kHex.substr(2) + ": not used"});
}

// The parts read from each file are reported.
TEST_F(ElfSearch, WhatIsTold) {
  const std::string names("\0exported\0", 10);
  const std::string symbols =
      test::bytes_of_struct(Elf64_Sym{}) +
      test::bytes_of_struct(
          Elf64_Sym{1, ELF64_ST_INFO(STB_GLOBAL, STT_FUNC), 0, 1, ElfParts::kAddress + 0x60, 8});
  const struct {
    bool names, runs, debug;
    std::string_view told;
  } cases[] = {{true, false, false, "symbols"},
               {false, true, false, "dynamic symbols"},
               {false, false, true, "debug information"},
               {true, true, false, "symbols, dynamic symbols"},
               {true, false, true, "symbols, debug information"},
               {false, true, true, "dynamic symbols, debug information"},
               {true, true, true, "symbols, dynamic symbols, debug information"},
               {false, false, false, ""}};
  for (const auto& c : cases) {
    std::vector<ElfParts::Extra> sections;
    if (c.runs)
      sections = {{".dynstr", names, SHT_STRTAB},
                  {".dynsym", symbols, SHT_DYNSYM, sizeof(Elf64_Sym), 0, SHF_ALLOC, 5, 8}};
    if (c.debug) sections.push_back({".debug_info", "x"});
    const std::string path =
        dir_.write("root/opt/program",
                   elf_file({.symbols_type = c.names ? std::uint32_t{SHT_SYMTAB} : SHT_PROGBITS,
                             .sections = sections}));
    SymbolOptions told = options();
    std::vector<std::string> messages;
    told.tell = [&](std::string_view message) { messages.emplace_back(message); };
    const std::string name = found(mapping("/opt/program"), told);
    EXPECT_EQ(name, c.runs ? "exported" : "");
    std::vector<std::string> expected = {"/opt/program: no symbols found"};
    if (c.told != "")
      expected = {"/opt/program: " + std::string(c.told) + " of " + path + " (the file itself)",
                  "/opt/program: known by its path alone"};
    EXPECT_EQ(messages, expected);
  }
}

// The symbols may be in a file of debug information with empty sections; the addresses then come
// from the file that runs.
TEST_F(ElfSearch, SymbolsOfOneFileAndAddressesOfAnother) {
  const std::string names("\0exported\0", 10);
  const std::string symbols =
      test::bytes_of_struct(Elf64_Sym{}) +
      test::bytes_of_struct(
          Elf64_Sym{1, ELF64_ST_INFO(STB_GLOBAL, STT_FUNC), 0, 1, ElfParts::kAddress + 0x60, 8});
  const std::vector<ElfParts::Extra> sections = {
      {".dynstr", names, SHT_STRTAB},
      {".dynsym", symbols, SHT_DYNSYM, sizeof(Elf64_Sym), 0, SHF_ALLOC, 5, 8}};
  const std::string path = dir_.write(
      "root/opt/program", elf_file({.symbols_type = SHT_PROGBITS, .sections = sections}));
  dir_.write("root/usr/lib/debug/opt/program.debug", file_with("debug", kId));
  const Mapping mapped = mapping("/opt/program");
  EXPECT_EQ(found(mapped, options()), "debug");
  EXPECT_EQ(symbols_.back()->file_path(mapped), path);
  EXPECT_EQ(symbols_.back()->function(kStart + 1, mapped).function, "first_function");
}

// debuginfod-client-config(7): DEBUGINFOD_CACHE_PATH, else the old folder of the home directory if
// there is one, else $XDG_CACHE_HOME, else ~/.cache.
TEST_F(ElfSearch, WhatDebuginfodFetchedBefore) {
  const std::string own = dir_.path("own"), home = dir_.path("home"), cache = dir_.path("xdg");
  const std::string hex = "5a" + kHex;
  const struct {
    std::string path, home, cache, place;
    bool is_found;
  } cases[] = {
      {own, home, cache, "own/" + hex + "/debuginfo", true},
      {own, home, cache, "own/" + hex + "/executable", true},
      {own, home, cache, "own/" + hex + "/source", false},
      {own, home, cache, "xdg/debuginfod_client/" + hex + "/debuginfo", false},
      {"", home, cache, "xdg/debuginfod_client/" + hex + "/debuginfo", true},
      {"", home, cache, "home/.cache/debuginfod_client/" + hex + "/debuginfo", false},
      {"", home, "", "home/.cache/debuginfod_client/" + hex + "/debuginfo", true},
      {"", home, cache, "home/.debuginfod_client_cache/" + hex + "/debuginfo", true},
      {own, home, cache, "home/.debuginfod_client_cache/" + hex + "/debuginfo", false},
  };
  Mapping mapped = mapping("/opt/program");
  mapped.build_id = bytes_of(kId);
  for (const auto& c : cases) {
    const Environment one("DEBUGINFOD_CACHE_PATH", c.path), two("HOME", c.home),
        three("XDG_CACHE_HOME", c.cache);
    dir_.write(c.place, file_with("fetched"));
    EXPECT_EQ(found(mapped, options()), c.is_found ? "fetched" : "") << c.place << c.path;
    for (const char* folder : {"own", "home", "xdg"})
      std::filesystem::remove_all(dir_.path(folder));
  }
  // Of both kinds the second is only asked for if the first lacks something.
  const Environment one("DEBUGINFOD_CACHE_PATH", own);
  dir_.write("own/" + hex + "/debuginfo", file_with("debug"));
  dir_.write("own/" + hex + "/executable", file_with("program"));
  EXPECT_EQ(found(mapped, options()), "debug");
  mapped.build_id = {};
  EXPECT_EQ(found(mapped, options()), "");
}

class KernelSearch : public ElfSearch {
 protected:
  Mapping kernel() const {
    return {.file = "[kernel.kallsyms]_text",
            .build_id = bytes_of(kId),
            .start = 0x401000,
            .kernel = true};
  }
  std::string found(const Mapping& mapping, const SymbolOptions& options) {
    symbols_.push_back(std::make_unique<Symbols>(options));
    return std::string(symbols_.back()->function(ElfParts::kAddress + 0x60, mapping).function);
  }
};

// vmlinux_path__init() of perf, and its cache before it. The image must have the build id.
TEST_F(KernelSearch, ImagesInTheOrderOfPerf) {
  const std::string places[] = {"cache/.build-id/5a/" + kHex + "/elf",
                                "cache/.build-id/5a/" + kHex + "/debug",
                                "cache/.build-id/5a/" + kHex + "/vmlinux",
                                "root/usr/lib/debug/.build-id/5a/" + kHex + ".debug",
                                "root/boot/vmlinux",
                                "root/boot/vmlinux-6.1.0-test",
                                "root/usr/lib/debug/boot/vmlinux-6.1.0-test",
                                "root/lib/modules/6.1.0-test/build/vmlinux",
                                "root/usr/lib/debug/lib/modules/6.1.0-test/vmlinux",
                                "root/usr/lib/debug/boot/vmlinux-6.1.0-test.debug"};
  for (const std::string& place : places) dir_.write(place, file_with(place));
  for (const std::string& place : places) {
    EXPECT_EQ(found(kernel(), options()), place);
    EXPECT_TRUE(symbols_.back()->problems().empty());
    dir_.write(place, file_with(place, kOther));
    if (place.starts_with("cache") || place.ends_with(kHex + ".debug")) {
      EXPECT_NE(found(kernel(), options()), place);
      EXPECT_EQ(symbols_.back()->problems().size(), 1);  // it is where that id should be
    }
    std::filesystem::remove(dir_.path(place));
  }
  EXPECT_EQ(found(kernel(), options()), "");
  for (const std::string& place : places) dir_.write(place, file_with(place));
  Mapping without_id = kernel();
  without_id.build_id = {};
  EXPECT_EQ(found(without_id, options()), "");
}

// A release is one name in a path.
TEST_F(KernelSearch, ReleasesThatAreNoNames) {
  SymbolOptions with = options();
  with.kernel_release = "6.1/../x";
  dir_.write("root/boot/vmlinux-6.1_.._x", file_with("one"));
  EXPECT_EQ(found(kernel(), with), "one");
}

// Recordings of several kernels have one Symbols.
TEST_F(KernelSearch, ReleasesOfTheMappings) {
  SymbolOptions without = options();
  without.kernel_release.clear();
  const Symbols symbols(without);
  const struct { std::string release, id; } kernels[] = {{"5.1-one", kId}, {"6.2-two", kOther}};
  for (const auto& one : kernels)
    dir_.write("root/boot/vmlinux-" + one.release, file_with(one.release, one.id));
  for (const auto& one : kernels) {
    Mapping mapped = kernel();
    mapped.build_id = bytes_of(one.id);
    mapped.kernel_release = one.release;
    EXPECT_EQ(symbols.function(ElfParts::kAddress + 0x60, mapped).function, one.release);
  }
  Mapping chosen = kernel();
  chosen.kernel_release = "5.1-one";
  EXPECT_EQ(found(chosen, options()), "") << "the release of the options is another one";
}

TEST_F(KernelSearch, TheImageThatIsAskedFor) {
  SymbolOptions with = options();
  with.vmlinux = dir_.write("image", file_with("asked_for"));
  dir_.write("cache/.build-id/5a/" + kHex + "/elf", file_with("cached"));
  EXPECT_EQ(found(kernel(), with), "asked_for");
  Mapping other = kernel();
  other.build_id = bytes_of(kOther);
  EXPECT_EQ(found(other, with), "");
  dir_.write("image", "text");
  EXPECT_EQ(found(kernel(), with), "");
  const std::vector<std::string> problems = symbols_.back()->problems();
  ASSERT_FALSE(problems.empty());
  EXPECT_EQ(problems[0], "kernel: " + with.vmlinux + " is not an ELF file: not used");
}

// The image's addresses are those before the kernel is moved (KASLR): the recording has the address
// of _text, which most kernels have other names for, too.
TEST_F(KernelSearch, AKernelThatIsElsewhere) {
  SymbolOptions with = options();
  with.vmlinux =
      dir_.write("image", elf_file({.symbols = {{"_text", ElfParts::kAddress, 8, STT_NOTYPE},
                                                {"work", ElfParts::kAddress + 0x60, 8}}}));
  const struct {
    std::uint64_t text, address;
    std::string_view function;
  } cases[] = {{0, ElfParts::kAddress + 0x60, "work"},
               {ElfParts::kAddress, ElfParts::kAddress + 0x61, "work"},
               {ElfParts::kAddress + 0x1000, ElfParts::kAddress + 0x1062, "work"},
               {ElfParts::kAddress - 0x1000, ElfParts::kAddress - 0x1000 + 0x60, "work"},
               {ElfParts::kAddress + 0x1000, ElfParts::kAddress + 0x60, ""}};
  for (const auto& c : cases) {
    Mapping mapped = kernel();
    mapped.offset = c.text;
    symbols_.push_back(std::make_unique<Symbols>(with));
    const Frame frame = symbols_.back()->function(c.address, mapped);
    EXPECT_EQ(frame.function, c.function) << c.address;
    if (!frame.function.empty()) {
      EXPECT_EQ(frame.address, ElfParts::kAddress + 0x60 + frame.offset);
    }
  }
}

// Lists of a kernel's symbols: the one that is asked for, else the cache's of its build id.
TEST_F(KernelSearch, Lists) {
  const std::string list =
      "401000 T startup_64\n401000 T _stext\n401000 T _text\n401060 t listed\n401070 T after\n";
  const std::string zeros = "0 T startup_64\n0 T _text\n401060 t listed\n";
  const std::string cached = "cache/[kernel.kallsyms]/5a" + kHex + "/kallsyms";
  const std::string none = "kernel: no symbols of build id 5a" + kHex;
  dir_.write(cached, list);
  EXPECT_EQ(found(kernel(), options()), "listed");
  for (const std::string& content : {zeros, std::string("text\n"), std::string()}) {
    dir_.write(cached, content);
    EXPECT_EQ(found(kernel(), options()), "");
    const std::vector<std::string> problems = symbols_.back()->problems();
    ASSERT_EQ(problems.size(), 1);
    EXPECT_EQ(problems[0].substr(0, none.size()), none);
  }
  SymbolOptions with = options();
  with.kallsyms = dir_.write("list", list);
  EXPECT_EQ(found(kernel(), with), "listed");
  Mapping without_id = kernel();
  without_id.build_id = {};
  EXPECT_EQ(found(without_id, with), "listed");
  dir_.write("list", zeros);
  EXPECT_EQ(found(kernel(), with), "");
  EXPECT_EQ(symbols_.back()->problems(),
            std::vector<std::string>{"kernel: no symbols in " + with.kallsyms});
  EXPECT_EQ(found(without_id, options()), "");
  EXPECT_EQ(symbols_.back()->problems(),
            std::vector<std::string>{"kernel: the recording does not tell the kernel's build id, "
                                     "so no symbols fit"});
  // A list of the same kernel, when it was elsewhere.
  dir_.write("list", list);
  Mapping moved = kernel();
  moved.offset = 0x1401000;
  symbols_.push_back(std::make_unique<Symbols>(with));
  EXPECT_EQ(symbols_.back()->function(0x1401061, moved).function, "listed");
  // An image is better than a list, but not than one that is asked for.
  dir_.write(cached, list);
  dir_.write("root/boot/vmlinux", file_with("image"));
  EXPECT_EQ(found(kernel(), options()), "image");
  with.kallsyms = dir_.write("list", list);
  EXPECT_EQ(found(kernel(), with), "listed");
}

}  // namespace
}  // namespace evname::search_test
