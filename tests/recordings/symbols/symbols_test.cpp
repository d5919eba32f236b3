// Addresses to functions, of files that there are on every machine that runs this: the test itself.

#include "evname/symbols.hpp"

#include <gtest/gtest.h>

#include <fstream>

#include <elf.h>
#include <sys/auxv.h>

#include "recordings/symbols/own_mapping.hpp"
#include "recordings/symbols/plain_symbols.hpp"

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

TEST(Symbols, NamesFilesAsPerfDoes) {
  const struct {
    Mapping mapping;
    const char* name;
  } cases[] = {
      {{.file = "/usr/bin/true"}, "/usr/bin/true"},
      {{.file = "[kernel.kallsyms]_stext", .kernel = true}, "[kernel.kallsyms]"},
      {{.file = "/lib/modules/6.1.0/kernel/sound/core/snd-seq.ko.xz", .kernel = true}, "[snd_seq]"},
      {{.file = "[vdso]"}, "[vdso]"},
      {{.file = ""}, "[unknown]"},
  };
  for (const auto& c : cases) EXPECT_EQ(dso_name(c.mapping), c.name);
}

}  // namespace
}  // namespace evname
