// Counts in samples: of branches, as in perf script -F brcntr (annotation_br_cntr_entry() of
// tools/perf/util/annotate.c), and of events (PERF_FORMAT_* of include/uapi/linux/perf_event.h).
// Also, the types of branches (branch_type_name() of perf).

#include <gtest/gtest.h>

#include "support/perf_file.hpp"
#include "support/temp_dir.hpp"
#include "support/written.hpp"

namespace evname::counters_test {
namespace {

using test::AttrSpec;
using test::BytesOut;
using test::PerfFile;
using test::written;

class CountersOfSamples : public testing::Test {
 protected:
  std::string text(const PerfFile& file, const char* fields, Format format = Format::text) {
    const auto opened = Recording::open(dir_.write("perf.data", file.file()));
    EXPECT_TRUE(opened);
    return written(*opened, {.format = format, .fields = test::fields(fields)});
  }

  test::TempDir dir_;
};

/// Two events of a group, each with a counter of branches: IDENTIFIER, TID, TIME, BRANCH_STACK.
PerfFile branches(std::string_view width, std::uint64_t word) {
  PerfFile file;
  for (const std::uint64_t number : {0, 1})
    file.event({.type = 0,
                .config = number,
                .sample_type = 0x10000 | 2 | 4 | 1 << 11,
                .branch_type = 8 | 1 << 19,
                .flags = {18},
                .ids = {number + 1}});
  file.feature(17, BytesOut().u32(1).string("{}").u32(0).u32(2).str());
  if (!width.empty())
    file.feature(28, BytesOut().u32(1).string("branch_counter_width").string(width).str());
  BytesOut body;
  body.u64(1).u32(5).u32(5).u64(1).u64(1).u64(0x1000).u64(0x2000).u64(2).u64(word);
  file.record(9, body.str(), 2);
  return file;
}

TEST_F(CountersOfSamples, OfBranches) {
  const struct {
    std::string_view width;
    std::uint64_t word;
    const char *letters, *json;
  } cases[] = {
      {"4", 0x21, "ABB", R"({"cycles":1,"instructions":2})"},
      {"4", 0, "-", R"({"cycles":0,"instructions":0})"},
      {"4", 0x30, "BBB", R"({"cycles":0,"instructions":3})"},
      {"4", 0xf, "AAAAAAAAAAAAAAA+", R"({"cycles":15,"instructions":0})"},
      {"4", 0xf1, "ABBBBBBBBBBBBBBB+", R"({"cycles":1,"instructions":15})"},
      {"4", 0x321, "ABB", R"({"cycles":1,"instructions":2})"},
      {"2", 0x7, "AAA+B", R"({"cycles":3,"instructions":1})"},
      {"1", 0x3, "A+B+", R"({"cycles":1,"instructions":1})"},
      {"8", 0x10f, "AAAAAAAAAAAAAAAB", R"({"cycles":15,"instructions":1})"},
      {"8", 0x110, "16AB", R"({"cycles":16,"instructions":1})"},
      {"8", 0xff00, "255B+", R"({"cycles":0,"instructions":255})"},
      {"32", std::uint64_t{2} << 32 | 1, "ABB", R"({"cycles":1,"instructions":2})"},
      {"64", 3, "AAA", R"({"cycles":3})"},
      {"64", UINT64_MAX, "18446744073709551615A+", R"({"cycles":18446744073709551615})"},
      {"0", 0x21, "0x21", "\"0x21\""},
      {"65", 0x21, "0x21", "\"0x21\""},
      {"x", 0x21, "0x21", "\"0x21\""},
      {"", 0x21, "0x21", "\"0x21\""},
  };
  for (const auto& c : cases) {
    const PerfFile file = branches(c.width, c.word);
    EXPECT_EQ(text(file, "time,brcounts"), std::string("    0.000000:  ") + c.letters + " \n")
        << c.width << ' ' << c.word;
    EXPECT_EQ(text(file, "brcntr", Format::jsonl), std::string("{\"brcntr\":[") + c.json + "]}\n");
  }
}

TEST_F(CountersOfSamples, LettersOfEvents) {
  PerfFile file = branches("4", 1);
  EXPECT_EQ(text(file, "brcntr"),
            "# Branch counter abbr list:\n# cycles = A\n# instructions = B\n"
            "# '-' No event occurs\n"
            "# '+' Event occurrences may be lost due to branch counter saturated\n\n");
  PerfFile many;
  for (std::uint64_t number = 0; number < 30; ++number)
    many.event({.type = 99,
                .config = number,
                .sample_type = 0x10000 | 2 | 4 | 1 << 11,
                .branch_type = number == 3 ? 8u : 8u | 1 << 19,
                .flags = {18},
                .ids = {number + 1}});
  many.feature(28, BytesOut().u32(1).string("branch_counter_width").string("2").str());
  BytesOut body;
  body.u64(30).u32(5).u32(5).u64(1).u64(1).u64(0x1000).u64(0x2000).u64(2).u64(2);
  many.record(9, body.str(), 2);
  EXPECT_EQ(text(many, "time,brcounts"), "    0.000000:  C0C0 \n");  // 29th with counters
}

// Values come first, then the times of the group; values have ids if they are asked for.
TEST_F(CountersOfSamples, OfEvents) {
  constexpr std::uint64_t kEnabled = 1, kRunning = 2, kId = 4, kLost = 16;
  const struct {
    std::uint64_t format;
    std::vector<std::uint64_t> words;
    const char* text;
  } cases[] = {
      {0, {70}, " cycles=70"},
      {kEnabled, {70, 80}, " cycles=70 time_enabled=80"},
      {kRunning, {70, 90}, " cycles=70 time_running=90"},
      {kEnabled | kRunning, {70, 80, 90}, " cycles=70 time_enabled=80 time_running=90"},
      {kId, {70, 2}, " instructions=70"},
      {kId | kLost, {70, 1, 3}, " cycles=70"},
      {kEnabled | kRunning | kId | kLost,
       {70, 80, 90, 2, 3},
       " instructions=70 time_enabled=80 time_running=90"},
      {kLost, {70, 3}, " cycles=70"},
  };
  for (const auto& c : cases) {
    PerfFile file;
    for (const std::uint64_t number : {0, 1})
      file.event({.type = 0,
                  .config = number,
                  .sample_type = 0x10000 | 2 | 4 | 16,
                  .read_format = c.format,
                  .flags = {18},
                  .ids = {number + 1}});
    BytesOut body;
    body.u64(1).u32(5).u32(5).u64(1);
    for (const std::uint64_t word : c.words) body.u64(word);
    file.record(9, body.str(), 2);
    EXPECT_EQ(text(file, "time,counters"), std::string("    0.000000: ") + c.text + "\n")
        << c.format;
  }
}

// Two events of a group may have one name, as {cycles,cycles}: each has a key of its own.
TEST_F(CountersOfSamples, OfEventsOfOneName) {
  PerfFile file;
  for (const std::uint64_t id : {1, 2, 3})
    file.event({.type = 0,
                .sample_type = 0x10000 | 2 | 4 | 16 | 1 << 11,
                .read_format = 4 | 8,
                .branch_type = 8 | 1 << 19,
                .flags = {18},
                .ids = {id}});
  file.feature(17, BytesOut().u32(1).string("{}").u32(0).u32(3).str());
  file.feature(28, BytesOut().u32(1).string("branch_counter_width").string("4").str());
  BytesOut body;
  body.u64(1).u32(5).u32(5).u64(1).u64(3).u64(70).u64(1).u64(80).u64(2).u64(90).u64(3);
  body.u64(1).u64(0x1000).u64(0x2000).u64(2).u64(0x321);
  file.record(9, body.str(), 2);
  // A group is a sample of each of its events.
  const std::string json =
      "{\"counters\":{\"cycles\":70,\"cycles#2\":80,\"cycles#3\":90},"
      "\"brcntr\":[{\"cycles\":1,\"cycles#2\":2,\"cycles#3\":3}]}\n";
  EXPECT_EQ(text(file, "counters,brcntr", Format::jsonl), json + json + json);
  const std::string line = " cycles=70 cycles=80 cycles=90\n";
  EXPECT_EQ(text(file, "counters"), line + line + line);
}

// Types of branches beyond the first four bits: PERF_BR_NEW_*. Some have other names on arm64.
TEST_F(CountersOfSamples, TypesOfBranches) {
  const char* const plain[] = {"",         "COND", "UNCOND",  "IND",    "CALL",
                               "IND_CALL", "RET",  "SYSCALL", "SYSRET", "COND_CALL",
                               "COND_RET", "ERET", "IRQ",     "SERROR", "NO_TX"};
  const char* const other[] = {"FAULT_ALGN", "FAULT_DATA", "FAULT_INST", "ARCH_1",
                               "ARCH_2",     "ARCH_3",     "ARCH_4",     "ARCH_5"};
  const char* const arm[] = {"FAULT_ALGN",       "FAULT_DATA",       "FAULT_INST",
                             "ARM64_FIQ",        "ARM64_DEBUG_HALT", "ARM64_DEBUG_EXIT",
                             "ARM64_DEBUG_INST", "ARM64_DEBUG_DATA"};
  for (const char* arch : {"x86_64", "aarch64", "arm64", "armv7l", "s390x"}) {
    const bool is_arm64 = std::string_view(arch) == "aarch64" || std::string_view(arch) == "arm64";
    PerfFile file;
    file.event({.type = 0, .sample_type = 2 | 4 | 1 << 11, .branch_type = 8, .flags = {18}});
    file.feature(6, BytesOut().string(arch).str());
    std::string expected;
    const auto add = [&](std::uint64_t flags, const std::string& type) {
      BytesOut body;
      body.u32(5).u32(5).u64(1).u64(1).u64(0x1000).u64(0x2000).u64(flags);
      file.record(9, body.str(), 2);
      expected += " 0x1000/0x2000/-/-/-/0/" + type + "/- \n";
    };
    for (std::uint64_t type = 0; type < 15; ++type) add(type << 20, plain[type]);
    for (std::uint64_t more = 0; more < 8; ++more)
      add(15 << 20 | more << 26, is_arm64 ? arm[more] : other[more]);
    EXPECT_EQ(text(file, "brstack"), expected) << arch;
  }
}

}  // namespace
}  // namespace evname::counters_test
