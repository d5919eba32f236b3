// Symbols in text.

#include "recordings/symbols/plain_symbols.hpp"

#include <gtest/gtest.h>

#include "support/temp_dir.hpp"

namespace evname::symbols {
namespace {

using test::TempDir;

/// "name" of what is at an address; "-": nothing.
std::string name_at(const elf::SymbolTable& table, std::uint64_t address) {
  const elf::Symbol* found = table.find(address);
  return found ? found->name : "-";
}

// Which lines perf takes: map__process_kallsym_symbol and symbol_type__filter of perf.
TEST(PlainSymbols, LinesOfKallsyms) {
  elf::Budget budget;
  const TempDir dir{{"kallsyms",
                     "ffffffff81000000 T _text\n"
                     "ffffffff81000010 t local\n"
                     "ffffffff81000020 a absolute\n"
                     "ffffffff81000030 W weak\n"
                     "ffffffff81000030 t at_the_same_place\n"
                     "ffffffff81000040 r read_only\n"
                     "ffffffff81000050 t $x\n"
                     "ffffffff81000060 t .Llabel\n"
                     "ffffffff81000070 d data\n"
                     "not a line\n"
                     "12 TT two\n"
                     "ffffffffc0000000 t read_it\t[module]"}};
  const auto table = read_kallsyms(dir.path("kallsyms"), budget);
  ASSERT_TRUE(table) << table.error().text();
  EXPECT_EQ(table->size(), 5);
  const std::uint64_t start = 0xffffffff81000000;
  EXPECT_EQ(name_at(*table, start), "_text");
  EXPECT_EQ(name_at(*table, start + 0x2f), "local");
  EXPECT_EQ(name_at(*table, start + 0x6f), "at_the_same_place");
  EXPECT_EQ(name_at(*table, start + 0x70), "data");
  EXPECT_EQ(name_at(*table, 0xffffffffc0000010), "read_it\t[module]");
  EXPECT_EQ(read_kallsyms(dir.path("none"), budget).error().code, Errc::not_found);
}

// What perf 7.3 reads of a map; it leaves out names of one or two letters, too.
TEST(PlainSymbols, LinesOfPerfMaps) {
  elf::Budget budget;
  const TempDir dir{{"perf-1.map",
                     "1000 10 one\n"
                     "1010 8 name with; blanks\n"
                     "\r\n"
                     "zz 8 no address\n"
                     "1020 8\n"
                     "ffffffffffffffff 8 ends nowhere\n"
                     "0x1040 0X8 long H.f(int)\n"
                     "0X1050\t8\ttabs\n"
                     "  1060   8   blanks before\n"
                     "0x 8 no digits\n"
                     "-1070 8 negative\n"
                     "0x10000000000001080 8 too large\n"
                     "1090 8 f\n"
                     "1030 4 last"}};
  UnreadLines unread;
  const auto table = read_perf_map(dir.path("perf-1.map"), budget, {}, &unread);
  ASSERT_TRUE(table);
  EXPECT_EQ(table->size(), 7);
  EXPECT_EQ(unread.count, 6);
  EXPECT_EQ(unread.first, 4);
  const struct {
    std::uint64_t address;
    const char* name;
  } expected[] = {{0x1008, "one"},  {0x1017, "name with; blanks"}, {0x1018, "-"},
                  {0x1033, "last"}, {0x1047, "long H.f(int)"},     {0x1048, "-"},
                  {0x1057, "tabs"}, {0x1060, "blanks before"},     {0x1070, "-"},
                  {0x1090, "f"}};
  for (const auto& [address, name] : expected) EXPECT_EQ(name_at(*table, address), name) << address;
}

}  // namespace
}  // namespace evname::symbols
