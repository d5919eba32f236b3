// Symbols in text and of JIT compilers.

#include "recordings/symbols/plain_symbols.hpp"

#include <gtest/gtest.h>

#include "support/bytes_out.hpp"
#include "support/temp_dir.hpp"

namespace evname::symbols {
namespace {

using test::BytesOut;
using test::TempDir;

/// "name" of what is at an address; "-": nothing.
std::string name_at(const SymbolTable& table, std::uint64_t address) {
  const Symbol* found = table.find(address);
  return found ? found->name : "-";
}

// Which lines perf takes: map__process_kallsym_symbol and symbol_type__filter of perf.
TEST(PlainSymbols, LinesOfKallsyms) {
  Budget budget;
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

TEST(PlainSymbols, LinesOfPerfMaps) {
  Budget budget;
  const TempDir dir{{"perf-1.map",
                     "1000 10 one\n"
                     "1010 8 name with; blanks\n"
                     "zz 8 no address\n"
                     "1020 8\n"
                     "ffffffffffffffff 8 ends nowhere\n"
                     "1030 4 last"}};
  const auto table = read_perf_map(dir.path("perf-1.map"), budget);
  ASSERT_TRUE(table);
  EXPECT_EQ(table->size(), 3);
  EXPECT_EQ(name_at(*table, 0x1008), "one");
  EXPECT_EQ(name_at(*table, 0x1017), "name with; blanks");
  EXPECT_EQ(name_at(*table, 0x1018), "-");
  EXPECT_EQ(name_at(*table, 0x1033), "last");
}

/// Two functions, and a record in between that loads none: jitdump-specification.txt of perf.
std::string jitdump(std::endian order) {
  const auto load = [&](std::string_view name, std::uint64_t address) {
    const std::string code(7, '\x90');
    const auto size = static_cast<std::uint32_t>(56 + name.size() + 1 + code.size());
    return BytesOut(order)
        .u32(0)
        .u32(size)
        .u64(3)
        .u32(1)
        .u32(1)
        .u64(address)
        .u64(address)
        .u64(7)
        .u64(1)
        .raw(name)
        .u8(0)
        .raw(code)
        .str();
  };
  return BytesOut(order).u32(0x4a695444).u32(1).u32(40).u32(62).u32(0).u32(1).u64(2).u64(0).str() +
         load("first", 0x1000) + BytesOut(order).u32(3).u32(16).u64(4).str() +
         load("second one", 0x1040);
}

TEST(PlainSymbols, JitdumpsOfEitherByteOrder) {
  for (const std::endian order : {std::endian::little, std::endian::big}) {
    const TempDir dir{{"jit-1.dump", jitdump(order)}};
    const auto table = read_jitdump(dir.path("jit-1.dump"));
    ASSERT_TRUE(table);
    EXPECT_EQ(table->size(), 2);
    EXPECT_EQ(name_at(*table, 0x1006), "first");
    EXPECT_EQ(name_at(*table, 0x1007), "-");
    EXPECT_EQ(name_at(*table, 0x1040), "second one");
  }
}

TEST(PlainSymbols, DamagedJitdumps) {
  const std::string whole = jitdump(std::endian::little);
  const TempDir dir;
  for (std::size_t size = 0; size < whole.size(); ++size) {
    dir.write("cut", whole.substr(0, size));
    const auto table = read_jitdump(dir.path("cut"));
    EXPECT_EQ(table.has_value(), size >= 12) << size;
    if (table) {
      EXPECT_LE(table->size(), 2);
    }
    std::string changed = whole;
    changed[size] = '\xff';
    dir.write("changed", changed);
    if (const auto other = read_jitdump(dir.path("changed"))) {
      EXPECT_LE(other->size(), 2) << size;
    }
  }
}

}  // namespace
}  // namespace evname::symbols
