// Which symbol has an address, by perf's rules.

#include "recordings/elf/symbol_table.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace evname::elf {
namespace {

// The rules of choose_best_symbol and symbols__fixup_end of perf.
TEST(SymbolTable, ChoosesAmongNamesOfOneAddress) {
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

// Names that are shown alike are equally good, and the first one stays. Of others, the longer one
// is chosen as it is shown: A::b(int) and A::bc().
TEST(SymbolTable, ChoosesAmongMangledNames) {
  const struct {
    const char *first, *second, *chosen;
  } cases[] = {
      {"_ZN1AC2Ev", "_ZN1AC1Ev", "_ZN1AC2Ev"},  {"_ZN1AD1Ev", "_ZN1AD0Ev", "_ZN1AD1Ev"},
      {"_ZN1AC1Ev", "_ZN1AC2Ei", "_ZN1AC2Ei"},  {"_ZN1AD1Ev", "_ZN1AC1Ev", "_ZN1AD1Ev"},
      {"_ZN1A1BEv", "_ZN1A1CEi", "_ZN1A1CEi"},  {"_ZN1A2C1Ei", "_ZN1A2C6Ev", "_ZN1A2C1Ei"},
      {"_ZN1A2bcEv", "_ZN1A1bEi", "_ZN1A1bEi"}, {"_ZN1A1bEi", "_ZN1A2bcEv", "_ZN1A1bEi"},
  };
  for (const auto& c : cases) {
    Budget budget;
    SymbolTable table(&budget);
    for (const char* const name : {c.first, c.second})
      table.add({8, 16, name, kFunction, kGlobal, true});
    table.arrange();
    ASSERT_NE(table.find(8), nullptr);
    EXPECT_STREQ(table.find(8)->name, c.chosen);
  }
}

// As libc's __strchrnul_ifunc and strchrnul: symbol__ifunc_alias of perf.
TEST(SymbolTable, KnowsWhatChoosesAFunctionByAnyNameOfIt) {
  const Symbol plain{8, 16, "__strchrnul_ifunc", kFunction, kLocal},
      indirect{8, 16, "strchrnul", kIndirect, kWeak}, other{24, 32, "other", kFunction, kGlobal};
  for (const auto& symbols : {std::vector{plain, indirect, other}, {indirect, plain, other}}) {
    SymbolTable table;
    for (const Symbol& symbol : symbols) table.add(symbol);
    table.arrange();
    EXPECT_STREQ(table.find(8)->name, "__strchrnul_ifunc");
    EXPECT_TRUE(chooses_function(*table.find(8)));
    EXPECT_FALSE(chooses_function(*table.find(24)));
  }
}

TEST(SymbolTable, FindsWhatEnclosesAnAddress) {
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

// One that has no end is found at its address alone.
TEST(SymbolTable, FindsWhatHasNoEndYet) {
  SymbolTable table;
  table.add({0x300, 0x300, "open", kFunction, kGlobal});
  table.sort();
  ASSERT_NE(table.find(0x300), nullptr);
  EXPECT_STREQ(table.find(0x300)->name, "open");
  EXPECT_EQ(table.find(0x301), nullptr);
  EXPECT_EQ(table.find(0x2ff), nullptr);
}

// The last symbol of a module ends in the page after its own, so that nothing between modules has
// its name (symbols__fixup_end of perf).
TEST(SymbolTable, AModuleEndsBeforeTheNext) {
  SymbolTable table;
  table.add({0x1000, 0x1000, "first", kFunction, kGlobal});
  table.add({0x1010, 0x1010, "last", kFunction, kGlobal});
  table.add({0x90000, 0x90000, "other\t[module]", kFunction, kLocal});
  table.arrange_kernel();
  const struct {
    std::uint64_t address;
    const char* name;
  } cases[] = {{0x100f, "first"}, {0x1010, "last"},   {0x2fff, "last"},
               {0x3000, nullptr}, {0x8ffff, nullptr}, {0x90004, "other\t[module]"}};
  for (const auto& c : cases) {
    const Symbol* found = table.find(c.address);
    EXPECT_STREQ(found ? found->name : nullptr, c.name) << c.address;
  }
}

TEST(SymbolTable, WhereAKernelBegins) {
  SymbolTable table;
  EXPECT_TRUE(table.empty());
  EXPECT_EQ(table.find(0), nullptr);
  for (const char* other : {"text", "_tex", "_text_", "_text\t[module]"})
    table.add({4, 5, other, kFunction, kGlobal});
  EXPECT_EQ(table.text_start(), std::nullopt);
  table.add({8, 16, table.keep("_text"), kFunction, kGlobal});
  table.add({8, 16, "startup_64", kFunction, kGlobal});  // which is the one that is left
  table.add({12, 16, "_text", kFunction, kGlobal});
  table.arrange();
  EXPECT_EQ(table.text_start(), 8);
}

// A damaged file may have one symbol that encloses all others, and many that begin at one address.
TEST(SymbolTable, ManyNestedSymbolsEndTheSearch) {
  SymbolTable table;
  table.add({0, UINT64_MAX, "all", kFunction, kGlobal});
  for (std::uint64_t i = 1; i < 5000; ++i) table.add({i * 8, i * 8 + 4, "one", kFunction, kGlobal});
  table.sort();
  ASSERT_NE(table.find(8 + 6), nullptr);
  EXPECT_STREQ(table.find(8 + 6)->name, "all");
  EXPECT_EQ(table.find(5000 * 8), nullptr);
}

}  // namespace
}  // namespace evname::elf
