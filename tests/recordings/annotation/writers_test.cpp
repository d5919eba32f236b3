#include <bit>

#include "support/written.hpp"

#include "support/perf_file.hpp"
#include "support/temp_dir.hpp"

namespace evname {
namespace {

using test::AttrSpec;
using test::BytesOut;
using test::PerfFile;
using test::written;

// IDENTIFIER, TID, TIME; the second has CPU too.
const AttrSpec kLabelled{
    .type = 4, .config = 0x11, .config1 = 0xff, .sample_type = 0x10006, .flags = {18}, .ids = {1}};
const AttrSpec kClock{.type = 1, .sample_type = 0x10086, .flags = {18}, .ids = {2}};

class Writers : public testing::Test {
 protected:
  PerfFile two_events() {
    PerfFile file;
    file.event(kLabelled).event(kClock);
    BytesOut names;
    names.u32(2).u32(136);
    names.raw(attr_bytes(kLabelled, std::endian::little)).u32(0).string("my_label:u");
    names.raw(attr_bytes(kClock, std::endian::little)).u32(0).string("cpu-clock");
    file.feature(12, names.str());
    return file;
  }
  void sample(PerfFile& file, std::uint64_t id, std::uint32_t tid, std::uint64_t time) {
    BytesOut body;
    body.u64(id).u32(tid).u32(tid).u64(time);
    if (id == 2) body.u32(3).u32(0);
    file.record(9, body.str());
  }
  Recording open(const PerfFile& file) {
    return *Recording::open(dir.write("perf.data", file.file()));
  }

  test::TempDir dir;
};

// Layout: perf script -F comm,pid,tid,time,event of perf 7.3.
TEST_F(Writers, TextIsLaidOutAsPerfScriptDoes) {
  PerfFile file = two_events();
  sample(file, 1, 5, 11'177'457'123);
  sample(file, 2, 123456, 123456'000'001'000);
  EXPECT_EQ(written(open(file)),
            "              :5       5/5          11.177457: my_label:u: \n"
            "         :123456  123456/123456  123456.000001:  cpu-clock: \n");
}

TEST_F(Writers, JsonLinesHoldTheDocumentedKeysInOrder) {
  PerfFile file = two_events();
  sample(file, 1, 5, 11'177'457'123);
  sample(file, 2, 0, 12'000'000'000);
  EXPECT_EQ(written(open(file), {.format = Format::jsonl}),
            R"({"comm":":5","pid":5,"tid":5,"cpu":null,"time":11.177457123,"event":"my_label",)"
            R"("pmu":"cpu","code":"0x11","config1":"0xff","attr":0})"
            "\n"
            R"({"comm":"swapper","pid":0,"tid":0,"cpu":3,"time":12.000000000,"event":"cpu-clock",)"
            R"("pmu":"software","code":"0x0","attr":1})"
            "\n");
}

TEST_F(Writers, FieldsThatAreNotSampledAreNull) {
  PerfFile file;
  file.event({.type = 1, .sample_type = 1}).record(9, BytesOut().u64(0x1234).str());
  const std::string json = written(open(file), {.format = Format::jsonl});
  EXPECT_EQ(json.substr(0, json.find(",\"event\"")),
            R"({"comm":null,"pid":null,"tid":null,"cpu":null,"time":null)");
  const std::string text = written(open(file));  // what perf script prints for them
  EXPECT_EQ(text.substr(0, text.find(" cpu")),
            "             :-1      -1/-1      18446744073.709551:");
}

// Names: arch/*/include/uapi/asm/perf_regs.h of Linux, as perf spells them.
TEST_F(Writers, RegistersHaveTheNamesOfTheMachineRecordedOn) {
  const struct {
    const char* arch;
    std::uint64_t mask;
    const char* text;
  } kRows[] = {
      {"aarch64", 0x4001e0000001, "    x0:0x0   x29:0x1    lr:0x2    sp:0x3    pc:0x4    vg:0x5 "},
      {"armv7l", 0xf801, "    r0:0x0    fp:0x1    ip:0x2    sp:0x3    lr:0x4    pc:0x5 "},
      {"ppc64le", 0x1300000001, "    r0:0x0   nip:0x1   msr:0x2  link:0x3 "},
      {"s390x", 0x300010001, "    R0:0x0   FP0:0x1  MASK:0x2    PC:0x3 "},
      {"riscv64", 0x80000407, "    pc:0x0    ra:0x1    sp:0x2    a0:0x3    t6:0x4 "},
      {"sparc64", 0x1, " unknown:0x0 "}};
  for (const auto& row : kRows) {
    PerfFile file;
    file.event({.type = 0, .sample_type = 2 | 1 << 18, .regs_intr = row.mask});
    file.feature(6, BytesOut().string(row.arch).str());
    BytesOut body;
    body.u32(5).u32(5).u64(2);
    for (int value = 0; value < std::popcount(row.mask); ++value)
      body.u64(static_cast<std::uint64_t>(value));
    file.record(9, body.str());
    const std::string text = written(open(file), {.fields = {Field::iregs}});
    EXPECT_EQ(text, std::string(" ABI:2") + row.text + "\n") << row.arch;
  }
}

// PERF_REG_X86_XMM0 is 32, and each has two words: arch/x86/include/uapi/asm/perf_regs.h. A parser
// of JSON keeps one value of two that have the same key.
TEST_F(Writers, EachWordOfARegisterHasItsOwnKey) {
  const struct {
    std::uint64_t mask;
    const char *json, *csv;
  } kRows[] = {
      {std::uint64_t{3} << 32 | 1, R"({"AX":"0x0","XMM0":"0x1","XMM0_hi":"0x2"})",
       "AX=0x0;XMM0=0x1;XMM0_hi=0x2"},
      {std::uint64_t{3} << 62, R"({"XMM15":"0x0","XMM15_hi":"0x1"})", "XMM15=0x0;XMM15_hi=0x1"},
      {std::uint64_t{1} << 33 | 1 << 24 | 1 << 25,
       R"({"reg24":"0x0","reg25":"0x1","XMM0_hi":"0x2"})", "reg24=0x0;reg25=0x1;XMM0_hi=0x2"}};
  for (const auto& row : kRows) {
    PerfFile file;
    file.event({.type = 0, .sample_type = 2 | 1 << 18, .regs_intr = row.mask});
    file.feature(6, BytesOut().string("x86_64").str());
    BytesOut body;
    body.u32(5).u32(5).u64(2).u64(0).u64(1);
    if (std::popcount(row.mask) > 2) body.u64(2);
    file.record(9, body.str());
    const Recording opened = open(file);
    EXPECT_EQ(written(opened, {.format = Format::jsonl, .fields = {Field::iregs}}),
              std::string("{\"iregs\":") + row.json + "}\n");
    EXPECT_EQ(written(opened, {.format = Format::csv, .fields = {Field::iregs}}),
              std::string("iregs\n") + row.csv + "\n");
  }
}

// struct perf_event_attr of Linux 6.17 has five words of configuration.
TEST_F(Writers, AllWordsOfACodeAreWritten) {
  PerfFile file;
  file.event({.type = 4,
              .config = 1,
              .config1 = 2,
              .config3 = 3,
              .config4 = 4,
              .sample_type = 2,
              .size = 144});
  file.record(9, BytesOut().u32(5).u32(5).str());
  const Recording opened = open(file);
  EXPECT_EQ(written(opened, {.fields = {Field::code}}),
            "0x1,config1=0x2,config3=0x3,config4=0x4 \n");
  const std::string json =
      written(opened, {.format = Format::jsonl, .fields = {Field::event, Field::pid}});
  EXPECT_NE(json.find(R"("code":"0x1","config1":"0x2","config3":"0x3","config4":"0x4","attr":0)"),
            json.npos)
      << json;
}

TEST_F(Writers, AnEndedSinkEndsTheWriting) {
  PerfFile file = two_events();
  for (std::uint64_t time = 1; time <= 3000; ++time) sample(file, 1, 5, time);
  int calls = 0;
  const auto tally = annotate(open(file), {.format = Format::jsonl, .pass = {.jobs = 1}},
                              [&](std::string_view) { return ++calls < 1; });
  ASSERT_TRUE(tally);
  EXPECT_EQ(calls, 1);
  EXPECT_LT(tally->samples, 3000u);
}

TEST_F(Writers, ACallMayEndThePass) {
  PerfFile file = two_events();
  for (std::uint64_t time = 1; time <= 10; ++time) sample(file, 1, 5, time);
  int seen = 0;
  open(file).for_each_sample([&](const Sample& s) { return ++seen, s.time() < 4; });
  EXPECT_EQ(seen, 4);
}

}  // namespace
}  // namespace evname
