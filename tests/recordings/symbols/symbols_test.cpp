// Addresses to functions, of files that there are on every machine that runs this: the test itself.

#include "evname/symbols.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <fstream>

#include <elf.h>
#include <sys/auxv.h>

#include "recordings/symbols/own_mapping.hpp"
#include "recordings/symbols/plain_symbols.hpp"
#include "support/bytes_out.hpp"
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
  const auto has_file = [&] {
    const Symbols symbols({.cache = "/nonexistent"});
    return !symbols.file_path({.file = "[vdso]", .build_id = id, .start = start}).empty();
  };
  EXPECT_TRUE(has_file());
  id[0] ^= 1;
  EXPECT_FALSE(has_file());
}

// Functions of a JIT compiler are in its map or, if there is none, in its dump, below --symfs.
TEST(Symbols, FunctionsOfJitCompilers) {
  using test::BytesOut;
  const std::string code(16, '\x90');
  const std::string load = BytesOut()
                               .u32(0)
                               .u32(56 + 7 + 16)
                               .u64(3)
                               .u32(5)
                               .u32(5)
                               .u64(0x2000)
                               .u64(0x2000)
                               .u64(16)
                               .u64(1)
                               .raw("dumped")
                               .u8(0)
                               .raw(code)
                               .str();
  const std::string dump =
      BytesOut().u32(0x4a695444).u32(1).u32(40).u32(62).u32(0).u32(5).u64(2).u64(0).str() + load;
  const test::TempDir dir;
  SymbolOptions options;
  options.symfs = dir.path("root") + "///";
  options.cache = dir.path("cache");
  std::string told;
  options.tell = [&](std::string_view message) { told += std::string(message) + '\n'; };
  const auto function = [&](std::int32_t pid, std::string_view jitdump, std::string_view name) {
    const Symbols symbols(options);
    told.clear();
    const Mapping mapping{
        .file = name, .start = 0x2000, .end = 0x3000, .pid = pid, .jitdump = jitdump};
    const Frame frame = symbols.function(0x2004, mapping);
    EXPECT_EQ(frame.offset, frame.function.empty() ? 0 : 4);
    return std::string(frame.function);
  };
  dir.write("root/tmp/jit-5.dump", dump);
  for (const char* name :
       {"//anon", "/dev/zero", "[heap]", "[stack]", "/SYSV0000", "/anon_hugepage", ""})
    EXPECT_EQ(function(5, "/tmp/jit-5.dump", name), "dumped") << name;
  EXPECT_EQ(told, ": 1 functions of " + dir.path("root") + "/tmp/jit-5.dump\n");
  EXPECT_EQ(function(5, "/tmp/../../tmp/jit-5.dump", "//anon"), "dumped");
  EXPECT_EQ(function(5, "", "//anon"), "");
  EXPECT_EQ(told, "//anon: there is no " + dir.path("root") + "/tmp/perf-5.map\n");
  EXPECT_EQ(function(5, "/tmp/jit-5.dump", "/opt/program"), "");  // a file is none of theirs
  dir.write("root/tmp/perf-5.map", "2000 10 mapped\n");
  EXPECT_EQ(function(5, "/tmp/jit-5.dump", "//anon"), "mapped");
  EXPECT_EQ(told, "//anon: 1 functions of " + dir.path("root") + "/tmp/perf-5.map\n");
  EXPECT_EQ(function(6, "", "//anon"), "");  // another process
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
