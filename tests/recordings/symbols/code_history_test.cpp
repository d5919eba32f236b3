// The function at an address at a time, by the dump of a JIT compiler.

#include "recordings/symbols/code_history.hpp"

#include <gtest/gtest.h>

#include <random>

#include "support/jitdump.hpp"
#include "support/temp_dir.hpp"

namespace evname::symbols {
namespace {

using test::BytesOut;
using test::Jitdump;
using test::TempDir;

CodeHistory history_of(const Jitdump& dump) {
  const TempDir dir;
  auto read = CodeHistory::read(dir.write("jit-1.dump", dump.str()));
  EXPECT_TRUE(read) << (read ? "" : read.error().text());
  return read ? std::move(*read) : CodeHistory();
}

CodeTime at(std::uint64_t monotonic, std::uint64_t counter = 0) {
  Mapping mapping;
  mapping.time = monotonic;
  mapping.counter = counter;
  return CodeTime(mapping);
}

/// "name+offset" of what was there; "-": nothing.
std::string code_at(const CodeHistory& history, std::uint64_t address, const CodeTime& time) {
  const CodeHistory::Code* const code = history.find(address, time);
  if (!code) return "-";
  return std::string(history.name(*code)) + "+" + std::to_string(address - code->start);
}

// As perf inject --jit maps it: a mapping lasts until another one takes its place, or a part of it;
// what is moved also stays where it was; JIT_CODE_CLOSE takes nothing away.
TEST(CodeHistory, HasACodeAtAnAddressFromItsTimeOn) {
  for (const std::endian order : {std::endian::little, std::endian::big}) {
    const CodeHistory history = history_of(Jitdump(0, order)
                                               .load(10, "first", 0x1000, 16, 1)
                                               .load(20, "second", 0x1000, 16, 2)
                                               .load(30, "third", 0x1008, 16, 3)
                                               .move(40, 0x1000, 0x2000, 8, 2)
                                               .load(25, "early, written late", 0x3000, 4, 4)
                                               .move(45, 0x9000, 0x9100, 8, 77)
                                               .close(50)
                                               .load(55, "index again", 0x5000, 8, 2)
                                               .load(60, "after all", 0x2000, 4, 5)
                                               .load(70, "empty", 0x1000, 0, 6));
    const struct {
      std::uint64_t address, time;
      const char* code;
    } expected[] = {
        {0x1000, 9, "-"},
        {0x1000, 10, "first+0"},
        {0x100f, 19, "first+15"},
        {0x1010, 19, "-"},
        {0x1000, 20, "second+0"},
        {0x1008, 29, "second+8"},
        {0x1008, 30, "third+0"},
        {0x1007, 99, "second+7"},
        {0x1017, 99, "third+15"},
        {0x1018, 99, "-"},
        {0x2000, 39, "-"},
        {0x2004, 40, "second+4"},
        {0x2008, 40, "-"},
        {0x2000, 60, "after all+0"},
        {0x2004, 60, "second+4"},
        {0x3000, 24, "-"},
        {0x3003, 25, "early, written late+3"},
        {0x9100, 99, "-"},
        {0xfff, 99, "-"},
        {~0ull, 99, "-"},
        {0x1000, 99, "second+0"},
    };
    for (const auto& [address, time, code] : expected)
      EXPECT_EQ(code_at(history, address, at(time)), code) << std::hex << address << " " << time;
    EXPECT_TRUE(history.has(0x2007));
    EXPECT_FALSE(history.has(0x2008));
    EXPECT_EQ(history.epoch(at(9)), 0);
    EXPECT_LT(history.epoch(at(39)), history.epoch(at(40)));
    EXPECT_EQ(history.epoch(at(61)), history.epoch(at(9999)));
  }
}

TEST(CodeHistory, APartOfADumpSaysTheSameOfItsAddresses) {
  const Jitdump::Line lines[] = {{0x2000, 7, "a.js"}};
  for (const std::endian order : {std::endian::little, std::endian::big}) {
    const std::string whole = Jitdump(0, order)
                                  .load(10, "first", 0x1000, 16, 1)
                                  .lines(0x2000, lines)
                                  .unwinding("table", "header")
                                  .load(15, "with a line", 0x2000, 16, 8)
                                  .load(20, "second", 0x1000, 16, 2)
                                  .load(25, "not asked for", 0x7000, 16, 9)
                                  .load(30, "moved", 0x3000, 16, 3)
                                  .move(40, 0x3000, 0x4000, 16, 3)
                                  .close(50)
                                  .str();
    const auto bytes = [](const std::string& text) {
      return Bytes(reinterpret_cast<const std::uint8_t*>(text.data()), text.size());
    };
    const std::uint64_t asked[] = {0x1008, 0x2004, 0x4001};
    const std::string part = part_of_dump(bytes(whole), asked);
    const auto before = CodeHistory::of_bytes(bytes(whole), "whole"),
               after = CodeHistory::of_bytes(bytes(part), "part");
    ASSERT_TRUE(before && after);
    EXPECT_EQ(after->size(), 5);  // first, second, with a line, moved, and moved to
    for (const std::uint64_t address : asked)
      for (const std::uint64_t time : {5, 10, 16, 20, 35, 40, 60})
        EXPECT_EQ(code_at(*after, address, at(time)), code_at(*before, address, at(time)));
    EXPECT_EQ(code_at(*after, 0x4001, at(60)), "moved+1");
    EXPECT_EQ(code_at(*after, 0x7000, at(60)), "-");
    const CodeHistory::Code* const lined = after->find(0x2004, at(60));
    ASSERT_NE(lined, nullptr);
    EXPECT_EQ(after->line(*lined, 0x2004), (std::pair<std::string_view, std::uint32_t>("a.js", 7)));
    EXPECT_EQ(part.find(std::string(16, '\0') + std::string(16, '\0')), part.npos) << "code";
    EXPECT_EQ(part_of_dump(bytes(part), asked), part);
    const std::uint64_t none[] = {0x9000};
    EXPECT_EQ(part_of_dump(bytes(whole), none), "");
    for (std::size_t size = 0; size < whole.size(); ++size)
      part_of_dump(bytes(whole).first(size), asked);
  }
}

TEST(CodeHistory, WithoutATimeNamesWhatWasAlone) {
  const CodeHistory history = history_of(Jitdump()
                                             .load(10, "alone", 0x1000, 16)
                                             .load(10, "one", 0x2000, 16)
                                             .load(20, "other", 0x2000, 16)
                                             .load(10, "again", 0x3000, 16)
                                             .load(20, "again", 0x3000, 16)
                                             .load(10, "moved up", 0x4000, 16)
                                             .load(20, "moved up", 0x4004, 16));
  for (const CodeTime& time : {at(0), at(0, 15)}) {
    EXPECT_EQ(code_at(history, 0x1004, time), "alone+4");
    EXPECT_EQ(code_at(history, 0x2004, time), "-");
    EXPECT_EQ(code_at(history, 0x3004, time), "again+4");
    EXPECT_EQ(code_at(history, 0x4003, time), "moved up+3");
    EXPECT_EQ(code_at(history, 0x4008, time), "-");
    EXPECT_EQ(history.epoch(time), 0);
  }
  EXPECT_EQ(code_at(history, 0x2004, at(15)), "one+4");
}

TEST(CodeHistory, TimesMayBeTheCounters) {
  const CodeHistory history = history_of(Jitdump(Jitdump::kCounterTimes)
                                             .load(1000, "one", 0x1000, 16)
                                             .load(2000, "other", 0x1000, 16));
  EXPECT_EQ(code_at(history, 0x1000, at(5000, 1999)), "one+0");
  EXPECT_EQ(code_at(history, 0x1000, at(5000)), "-");
}

TEST(CodeHistory, LinesAreThoseOfTheCodeThatFollows) {
  const Jitdump::Line first[] = {{0x1008, 8, "\xff"}, {0x1000, 7, "a.js"}, {0x100c, 1, "b.js"}};
  const Jitdump::Line lost[] = {{0x5000, 9, "lost.js"}};
  const Jitdump::Line second[] = {{0x1004, 20, "c.js"}, {0x1002, 19, "\xff"}};
  const CodeHistory history = history_of(Jitdump()
                                             .lines(0x1000, first)
                                             .load(10, "first", 0x1000, 16, 1)
                                             .lines(0x1000, second)
                                             .load(20, "second", 0x1000, 16, 2)
                                             .lines(0x5000, lost)
                                             .load(30, "third", 0x6000, 16, 3)
                                             .move(40, 0x1000, 0x7000, 16, 1));
  const auto line = [&](std::uint64_t address, std::uint64_t time) {
    const auto [source, number] = history.line(*history.find(address, at(time)), address);
    return std::string(source) + ":" + std::to_string(number);
  };
  EXPECT_EQ(line(0x1000, 10), "a.js:7");
  EXPECT_EQ(line(0x100b, 10), ":8");  // of an entry that says "as before" and is the first
  EXPECT_EQ(line(0x100f, 10), "b.js:1");
  EXPECT_EQ(line(0x1001, 20), ":0");
  EXPECT_EQ(line(0x1003, 20), "c.js:19");
  EXPECT_EQ(line(0x100f, 20), "c.js:20");
  EXPECT_EQ(line(0x6000, 30), ":0");
  EXPECT_EQ(line(0x7000, 40), "a.js:7");
}

// The first entry of each function in a dump of Node 20 is 64 bytes after its start.
TEST(CodeHistory, LinesOfV8AreShifted) {
  const Jitdump::Line lines[] = {{0x1040, 7, "a.js"}, {0x1048, 8, "a.js"}, {0x1010, 9, "a.js"}};
  const CodeHistory history = history_of(Jitdump(0, std::endian::little, 1, 0xdeadbeef)
                                             .lines(0x1000, lines)
                                             .load(10, "first", 0x1000, 16, 1));
  const CodeHistory::Code& code = *history.find(0x1000, at(10));
  EXPECT_EQ(history.line(code, 0x1007).second, 7);
  EXPECT_EQ(history.line(code, 0x1008).second, 8);
}

TEST(CodeHistory, IsTheSameAsALookAtAllRecords) {
  std::mt19937 random(7);
  const auto number = [&](std::uint32_t below) { return std::uint64_t{random() % below}; };
  for (int round = 0; round < 20; ++round) {
    struct Load {
      std::uint64_t time, start, size;
      std::string name;
    };
    std::vector<Load> loads;
    Jitdump dump;
    for (int i = 0; i < 60; ++i) {
      loads.push_back({1 + number(40), number(100), 1 + number(30), std::to_string(i)});
      dump.load(loads[i].time, loads[i].name, loads[i].start, loads[i].size);
    }
    const CodeHistory history = history_of(dump);
    for (std::uint64_t address = 0; address < 140; ++address)
      for (std::uint64_t time = 1; time < 42; ++time) {
        const Load* last = nullptr;
        for (const Load& one : loads)
          if (one.time <= time && address >= one.start && address - one.start < one.size &&
              (!last || one.time >= last->time))
            last = &one;
        const std::string expected =
            last ? last->name + "+" + std::to_string(address - last->start) : "-";
        ASSERT_EQ(code_at(history, address, at(time)), expected) << address << " " << time;
      }
  }
}

TEST(CodeHistory, SizesAreClaims) {
  const std::string huge = BytesOut().u64(0x1000).u64(~0ull).u64(0).u32(1).u32(0).u8(0).str();
  const std::string unwinding = BytesOut().u64(~0ull).u64(~0ull).u64(0).raw("short").str();
  const CodeHistory history = history_of(Jitdump()
                                             .load(10, "all of memory", 1, ~0ull - 1)
                                             .load(10, "beyond its end", 2, ~0ull - 1)
                                             .record(0, 10, "no name")
                                             .record(1, 10, "short")
                                             .record(2, 10, huge)
                                             .record(4, 10, unwinding)
                                             .record(99, 10, "")
                                             .load(20, "small", 0x1000, 8));
  EXPECT_EQ(history.size(), 2);
  EXPECT_EQ(history.damage(), "");
  EXPECT_EQ(code_at(history, 0x2000, at(20)), "all of memory+8191");
  const CodeHistory::Code* const small = history.find(0x1000, at(20));
  ASSERT_TRUE(small);
  EXPECT_EQ(history.name(*small), "small");
  EXPECT_TRUE(history.unwinding(*small).table.empty());
  const TempDir dir;
  const std::string bad =
      Jitdump().load(10, "one", 0x1000, 8).str() + BytesOut().u32(0).u32(8).u64(0).str();
  const auto stopped = CodeHistory::read(dir.write("bad", bad));
  ASSERT_TRUE(stopped);
  EXPECT_EQ(stopped->size(), 1);
  EXPECT_EQ(stopped->damage(), "a record at 108 is too short");
  for (const Jitdump& later : {Jitdump(0, std::endian::little, 2), Jitdump(2)})
    EXPECT_EQ(CodeHistory::read(dir.write("later", later.str())).error().code, Errc::unsupported);
}

TEST(CodeHistory, DamagedDumps) {
  const Jitdump::Line lines[] = {{0x1000, 7, "a.js"}};
  const std::string whole = Jitdump()
                                .lines(0x1000, lines)
                                .unwinding("table", "header")
                                .load(10, "first", 0x1000, 7, 1)
                                .move(20, 0x1000, 0x2000, 7, 1)
                                .str();
  const TempDir dir;
  for (std::size_t size = 0; size < whole.size(); ++size) {
    const auto cut = CodeHistory::read(dir.write("cut", whole.substr(0, size)));
    EXPECT_EQ(cut.has_value(), size >= 40) << size;
    std::string changed = whole;
    changed[size] = '\xff';
    dir.write("changed", changed);
    if (const auto other = CodeHistory::read(dir.path("changed"))) {
      EXPECT_LE(other->size(), 2) << size;
      other->find(0x1003, at(15));
    }
  }
}

// A compiler that puts its code where it was before, and one whose code lies over all other.
TEST(CodeHistory, ManyPiecesTakeLittle) {
  Jitdump dump;
  constexpr std::uint64_t kCount = 20'000;
  for (std::uint64_t i = 0; i < kCount; ++i) {
    dump.load(2 * i + 1, std::to_string(i), 0x10000 + i % 2 * 64 * i, 64);
    dump.load(2 * i + 2, "wide", 0x8000, 0x10000000);
  }
  const CodeHistory history = history_of(dump);
  for (std::uint64_t i = 2; i < kCount; i += 2) {
    EXPECT_EQ(code_at(history, 0x10001, at(2 * i + 1)), std::to_string(i) + "+1");
    EXPECT_EQ(code_at(history, 0x10001, at(2 * i + 2)), "wide+32769");
  }
  EXPECT_EQ(code_at(history, 0x10001, at(0)), "-");
}

// Code that is moved again and again has its name each time.
TEST(CodeHistory, LongNamesOfMovedCodeTakeLittle) {
  const std::string name(1 << 20, 'n');
  Jitdump dump;
  dump.load(1, name, 0x1000, 16, 1).load(2, name, 0x1000, 16, 2);
  for (std::uint64_t i = 0; i < 100'000; ++i) dump.move(3 + i, 0x1000, 0x1000, 16, 1 + i % 2);
  const CodeHistory history = history_of(dump);
  const CodeHistory::Code* const code = history.find(0x1008, at(0));
  ASSERT_NE(code, nullptr);
  EXPECT_EQ(history.name(*code).size(), name.size());
}

}  // namespace
}  // namespace evname::symbols
