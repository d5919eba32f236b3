// Addresses to functions, of files that there are on every machine that runs this: the test itself.

#include "evname/symbols.hpp"

#include <gtest/gtest.h>

#include <elf.h>
#include <link.h>

#include "symbols/demangle.hpp"
#include "symbols/symbol_table.hpp"

namespace evname {
namespace {

constexpr const char* kRust = "_RNvCskwGfYPst2Cb_3foo16example_function";

struct DemangleCase {
  const char* mangled;
  const char* name;  ///< as c++filt and rustfilt print it
};

TEST(Symbols, DemanglesWhatCompilersMangled) {
  const DemangleCase cases[] = {
      {"_ZNSt6vectorIiSaIiEE9push_backERKi",
       "std::vector<int, std::allocator<int> >::push_back(int const&)"},
      {"main", ""},
      {"i", ""},
      {"_Z", ""},
      {"_R", ""},
  };
  for (const auto& c : cases) EXPECT_EQ(symbols::demangle(c.mangled), c.name) << c.mangled;
  if (symbols::demangle(kRust).empty()) GTEST_SKIP() << "this build has no libiberty for Rust";
  EXPECT_EQ(symbols::demangle(kRust), "foo::example_function");
  EXPECT_EQ(symbols::demangle("_ZN4core3fmt5Write9write_fmt17h0123456789abcdefE"),
            "core::fmt::Write::write_fmt");
}

// The rules of choose_best_symbol and symbols__fixup_end of perf.
TEST(Symbols, ChoosesAmongNamesOfOneAddress) {
  using namespace symbols;
  const struct {
    Symbol one, other;
    const char* chosen;
  } cases[] = {
      {{8, 16, "label", kNoType, kGlobal}, {8, 16, "function", kFunction, kLocal}, "function"},
      {{8, 16, "weak", kFunction, kWeak}, {8, 16, "local", kFunction, kLocal}, "local"},
      {{8, 16, "local", kFunction, kLocal}, {8, 16, "global", kFunction, kGlobal}, "global"},
      {{8, 16, "__longer", kFunction, kGlobal}, {8, 16, "plain", kFunction, kGlobal}, "plain"},
      {{8, 16, "short", kFunction, kGlobal}, {8, 16, "longer", kFunction, kGlobal}, "longer"},
  };
  for (const auto& c : cases)
    for (const bool turned : {false, true}) {
      SymbolTable table;
      table.add(turned ? c.other : c.one);
      table.add(turned ? c.one : c.other);
      table.arrange();
      ASSERT_NE(table.find(8), nullptr);
      EXPECT_STREQ(table.find(8)->name, c.chosen);
    }
}

TEST(Symbols, FindsWhatEnclosesAnAddress) {
  using namespace symbols;
  SymbolTable table;
  table.add({0x100, 0x200, "outer", kFunction, kGlobal});
  table.add({0x120, 0x140, "inner", kFunction, kGlobal});
  table.add({0x300, 0x300, "open", kFunction, kGlobal});
  table.add({0x340, 0x350, "last", kFunction, kGlobal});
  table.arrange();
  const struct {
    std::uint64_t address;
    const char* name;
  } cases[] = {{0xff, nullptr},  {0x100, "outer"}, {0x13f, "inner"}, {0x140, "outer"},
               {0x200, nullptr}, {0x33f, "open"},  {0x34f, "last"},  {0x350, nullptr}};
  for (const auto& c : cases) {
    const Symbol* found = table.find(c.address);
    EXPECT_STREQ(found ? found->name : nullptr, c.name) << c.address;
  }
}

extern "C" __attribute__((noinline, used)) int evname_symbols_test_function(int a) {
  asm volatile("" : "+r"(a));
  return a;
}

/// The mapping of this program that has an address.
Mapping mapping_of(const void* at) {
  struct Found {
    std::uint64_t address;
    Mapping mapping;
  } found{reinterpret_cast<std::uintptr_t>(at), {}};
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* out) {
        auto& result = *static_cast<Found*>(out);
        for (int i = 0; i < info->dlpi_phnum; ++i) {
          const auto& segment = info->dlpi_phdr[i];
          const std::uint64_t start = info->dlpi_addr + segment.p_vaddr;
          if (segment.p_type == PT_LOAD && result.address - start < segment.p_filesz)
            result.mapping = {.file = "/proc/self/exe",
                              .start = start,
                              .end = start + segment.p_filesz,
                              .offset = segment.p_offset};
        }
        return 0;
      },
      &found);
  return found.mapping;
}

TEST(Symbols, NamesAFunctionOfThisProgram) {
  if (!Symbols::reads_elf()) GTEST_SKIP() << "this build has no elfutils";
  const Symbols symbols;
  const auto address = reinterpret_cast<std::uintptr_t>(&evname_symbols_test_function);
  const Mapping mapping = mapping_of(reinterpret_cast<const void*>(address));
  const Frame frame = symbols.function(address + 3, mapping);
  EXPECT_EQ(frame.function, "evname_symbols_test_function");
  EXPECT_EQ(frame.offset, 3);
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
  Mapping mapping = mapping_of(reinterpret_cast<const void*>(address));
  mapping.build_id = other;
  EXPECT_EQ(symbols.function(address, mapping).function, "");
  ASSERT_FALSE(symbols.problems().empty());
  EXPECT_NE(symbols.problems()[0].find("/proc/self/exe has build id"), std::string::npos);
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
  for (const auto& c : cases) EXPECT_EQ(code_file_name(c.mapping), c.name);
}

}  // namespace
}  // namespace evname
