// Addresses to functions, of files that there are on every machine that runs this: the test itself.

#include "evname/symbols.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <fstream>

#include <elf.h>
#include <sys/auxv.h>

#include "recordings/symbols/own_mapping.hpp"
#include "recordings/symbols/plain_symbols.hpp"
#include "support/jitdump.hpp"
#include "support/temp_dir.hpp"

namespace evname {
namespace {

extern "C" __attribute__((noinline, used)) int evname_symbols_test_function(int a) {
  asm volatile("" : "+r"(a));
  return a;
}

TEST(Symbols, NamesAFunctionOfThisProgram) {
  if (!Symbols::reads_elf()) GTEST_SKIP() << "this build has no elfutils";
  const Symbols symbols;
  const auto address = reinterpret_cast<std::uintptr_t>(&evname_symbols_test_function);
  const Mapping mapping = *test::own_mapping(address);
  const Frame frame = symbols.function(address + 1, mapping);  // optimized, it has three bytes
  EXPECT_EQ(frame.function, "evname_symbols_test_function");
  EXPECT_EQ(frame.offset, 1);
  std::vector<Frame> frames;
  symbols.frames(address, mapping, frames);
  ASSERT_EQ(frames.size(), 1);
  EXPECT_EQ(frames[0].function, "evname_symbols_test_function");
}

TEST(Symbols, NeverUsesAnotherBuildId) {
  if (!Symbols::reads_elf()) GTEST_SKIP() << "this build has no elfutils";
  const Symbols symbols;
  const std::uint8_t other[20] = {1, 2, 3};
  const auto address = reinterpret_cast<std::uintptr_t>(&evname_symbols_test_function);
  Mapping mapping = *test::own_mapping(address);
  mapping.build_id = other;
  EXPECT_EQ(symbols.function(address, mapping).function, "");
  ASSERT_FALSE(symbols.problems().empty());
  EXPECT_NE(symbols.problems()[0].find("/proc/self/exe has build id"), std::string::npos);
}

// Without a build id the vdso is this machine's only if the kernel is.
TEST(Symbols, TheVdsoOfThisKernelOnly) {
  if (!Symbols::reads_elf()) GTEST_SKIP() << "this build has no elfutils";
  const auto kernel = symbols::running_kernel_build_id();
  const std::uint64_t start = ::getauxval(AT_SYSINFO_EHDR);
  if (kernel.empty() || start == 0) GTEST_SKIP() << "no build id of the kernel, or no vdso";
  const Symbols symbols;
  const auto any = [&](std::span<const std::uint8_t> of) {
    for (std::uint64_t at = 0; at < 0x2000; ++at)
      if (!symbols.function(start + at, {.file = "[vdso]", .start = start, .kernel_build_id = of})
               .function.empty())
        return true;
    return false;
  };
  EXPECT_TRUE(any(kernel));
  // Stacks are unwound by the file.
  const std::string path =
      symbols.file_path({.file = "[vdso]", .start = start, .kernel_build_id = kernel});
  std::ifstream file(path);
  EXPECT_EQ(file.get(), 0x7f) << path;
  std::vector<std::uint8_t> other = kernel;
  other[0] ^= 1;
  EXPECT_FALSE(any(other));
  EXPECT_FALSE(any({}));
}

// With a build id the vdso is this machine's if it has that build id.
TEST(Symbols, TheVdsoOfABuildId) {
  const std::uint64_t start = ::getauxval(AT_SYSINFO_EHDR);
  if (!Symbols::reads_elf() || start == 0) GTEST_SKIP() << "no elfutils, or no vdso";
  const auto* const bytes = reinterpret_cast<const std::uint8_t*>(start);
  Elf64_Ehdr header;
  std::memcpy(&header, bytes, sizeof header);
  std::vector<std::uint8_t> id;  // of the note "GNU" of type 3
  for (unsigned i = 0; i < header.e_phnum; ++i) {
    Elf64_Phdr segment;
    std::memcpy(&segment, bytes + header.e_phoff + i * sizeof segment, sizeof segment);
    if (segment.p_type != PT_NOTE) continue;
    for (std::uint64_t at = segment.p_offset; at + 16 <= segment.p_offset + segment.p_filesz;) {
      Elf64_Nhdr note;
      std::memcpy(&note, bytes + at, sizeof note);
      const std::uint64_t content = at + sizeof note + (note.n_namesz + 3) / 4 * 4;
      if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4)
        id.assign(bytes + content, bytes + content + note.n_descsz);
      at = content + (note.n_descsz + 3) / 4 * 4;
    }
  }
  if (id.empty()) GTEST_SKIP() << "the vdso has no build id";
  const Symbols symbols({.cache = "/nonexistent"});
  const auto has_file = [&] {
    return !symbols.file_path({.file = "[vdso]", .build_id = id, .start = start}).empty();
  };
  EXPECT_TRUE(has_file());
  id[0] ^= 1;
  EXPECT_FALSE(has_file());
}

// Functions of a JIT compiler are in its dump and, where that never has any code, in its map; both
// are below --symfs.
TEST(Symbols, FunctionsOfJitCompilers) {
  const std::string dump = test::Jitdump().load(3, "dumped", 0x2000, 16).str();
  const test::TempDir dir;
  SymbolOptions options;
  options.symfs = dir.path("root") + "///";
  options.cache = dir.path("cache");
  std::string told;
  options.tell = [&](std::string_view message) { told += std::string(message) + '\n'; };
  const auto function = [&](std::int32_t pid, std::string_view jitdump, std::string_view name,
                            std::uint64_t address = 0x2004, std::uint64_t time = 3) {
    const Symbols symbols(options);
    told.clear();
    const Mapping mapping{
        .file = name, .start = 0x2000, .end = 0x3000, .pid = pid, .jitdump = jitdump, .time = time};
    const Frame frame = symbols.function(address, mapping);
    EXPECT_EQ(frame.offset, frame.function.empty() ? 0 : 4);
    return std::string(frame.function);
  };
  const std::string root = dir.path("root"),
                    no_map = "JIT code: there is no " + root + "/tmp/perf-5.map\n";
  dir.write("root/tmp/jit-5.dump", dump);
  for (const char* name : {"//anon", "/dev/zero", "[heap]", "[stack]", "/SYSV0000",
                           "/anon_hugepage", "", "[anon:v8]", "/memfd:doublemapper (deleted)"})
    EXPECT_EQ(function(5, "/tmp/jit-5.dump", name), "dumped") << name;
  EXPECT_EQ(told, "JIT code: 1 functions of " + root + "/tmp/jit-5.dump\n" + no_map);
  EXPECT_EQ(function(5, "/tmp/../../tmp/jit-5.dump", "//anon"), "dumped");
  EXPECT_EQ(function(5, "/tmp/jit-5.dump", "//anon", 0x2004, 2), "");
  EXPECT_EQ(function(5, "", "//anon"), "");
  EXPECT_EQ(told, no_map);
  // Code that is in a program's file, as V8 describes it, which is asked about before any other.
  EXPECT_EQ(function(5, "/tmp/jit-5.dump", "/opt/program"), "dumped");
  EXPECT_EQ(function(5, "/tmp/jit-5.dump", "/opt/program", 0x2004, 2), "");
  EXPECT_EQ(function(5, "", "/opt/program"), "");
  dir.write("root/tmp/perf-5.map", "2000 10 mapped\n0x2100 10 mapped as well\n");
  EXPECT_EQ(function(5, "/tmp/jit-5.dump", "//anon"), "dumped");
  EXPECT_EQ(function(5, "/tmp/jit-5.dump", "//anon", 0x2004, 2), "");
  EXPECT_EQ(function(5, "/tmp/jit-5.dump", "//anon", 0x2104), "mapped as well");
  EXPECT_EQ(function(5, "/tmp/jit-5.dump", "/opt/program", 0x2104), "");  // the map knows no files
  EXPECT_EQ(function(5, "", "//anon"), "mapped");
  EXPECT_EQ(told, "JIT code: 2 functions of " + root + "/tmp/perf-5.map\n");
  EXPECT_EQ(function(6, "", "//anon"), "");  // another process
}

// BPF programs have names that several of them may have, and no file but lines.
TEST(Symbols, FunctionsThatTheKernelMadeBeginWhereTheyAre) {
  const Symbols symbols;
  for (const std::uint64_t start : {0xffffffffc0001000, 0xffffffffc0002000}) {
    const CodeLine line{start, "prog.c", 7};
    const Mapping mapping{.file = "bpf_prog_1",
                          .start = start,
                          .end = start + 64,
                          .kernel = true,
                          .is_function = true,
                          .lines = {&line, 1}};
    const Frame frame = symbols.function(start + 4, mapping);
    EXPECT_EQ(frame.function, "bpf_prog_1");
    EXPECT_EQ(frame.offset, 4);
  }
}

// What a user should know: which dump the recording's clock does not fit, and which lines are lost.
TEST(Symbols, ProblemsOfJitCompilersFiles) {
  const test::TempDir dir;
  SymbolOptions options;
  options.symfs = dir.path("root");
  dir.write("root/tmp/jit-5.dump", test::Jitdump().load(3, "one", 0x2000, 16).str());
  dir.write("root/tmp/jit-6.dump",
            test::Jitdump(test::Jitdump::kCounterTimes).load(3, "one", 0x2000, 16).str());
  dir.write("root/tmp/perf-7.map", "2000 10 one\nrubbish\n2010 10 two\nmore of it\n");
  const auto problems = [&](std::int32_t pid, std::uint64_t time, std::uint64_t counter) {
    const Symbols symbols(options);
    const std::string jitdump = pid == 7 ? "" : "/tmp/jit-" + std::to_string(pid) + ".dump";
    for (int round = 0; round < 2; ++round)
      symbols.function(0x2004, {.file = "//anon",
                                .start = 0x2000,
                                .end = 0x3000,
                                .pid = pid,
                                .jitdump = jitdump,
                                .time = time,
                                .counter = counter});
    std::string out;
    for (const std::string& problem : symbols.problems()) out += problem + '\n';
    return out;
  };
  EXPECT_EQ(problems(5, 1, 0), "");
  EXPECT_NE(problems(5, 0, 1).find("record with -k mono"), std::string::npos);
  EXPECT_EQ(problems(6, 0, 1), "");
  EXPECT_NE(problems(6, 1, 0).find("record without -k"), std::string::npos);
  EXPECT_EQ(problems(7, 1, 0), dir.path("root") +
                                   "/tmp/perf-7.map: 2 lines can't be read; the "
                                   "first is line 2\n");
}

TEST(Symbols, NamesFilesAsPerfDoes) {
  const struct {
    Mapping mapping;
    const char* name;
  } cases[] = {
      {{.file = "/usr/bin/true"}, "/usr/bin/true"},
      {{.file = "[kernel.kallsyms]_stext", .kernel = true}, "[kernel.kallsyms]"},
      {{.file = "/lib/modules/6.1.0/kernel/sound/core/snd-seq.ko.xz", .kernel = true}, "[snd_seq]"},
      {{.file = "[vdso]"}, "[vdso]"},
      {{.file = "linux-vdso.so.1"}, "[vdso]"},
      {{.file = "[guest.kernel.kallsyms]_text", .kernel = true}, "[guest.kernel.kallsyms]"},
      {{.file = "[ext4]", .kernel = true}, "[ext4]"},
      {{.file = "", .kernel = true}, "[unknown]"},
      {{.file = "//anon", .pid = 7}, "/tmp/perf-7.map"},
      {{.file = "[heap]", .pid = 7}, "/tmp/perf-7.map"},
      {{.file = "//anon"}, "//anon"},
      {{.file = "/opt/a.ko"}, "/opt/a.ko"},
      {{.file = ""}, "[unknown]"},
  };
  for (const auto& c : cases) EXPECT_EQ(dso_name(c.mapping), c.name);
}

}  // namespace
}  // namespace evname
