// csv, jsonl and folded stacks; which fields and samples are written.

#include <array>

#include "support/perf_file.hpp"
#include "support/temp_dir.hpp"
#include "support/written.hpp"

namespace evname {
namespace {

using test::BytesOut;
using test::fields;
using test::PerfFile;
using test::written;

constexpr std::uint64_t kUser = static_cast<std::uint64_t>(-512);

// IP, TID, TIME, CALLCHAIN, CPU, PERIOD; an event of raw code 0x11 and cpu-clock.
class Formats : public testing::TestWithParam<std::endian> {
 protected:
  Recording open() {
    PerfFile file(GetParam());
    constexpr std::uint64_t kType = 0x10000 | 1 | 2 | 4 | 32 | 128 | 256;
    file.event(
        {.type = 4, .config = 0x11, .config1 = 2, .sample_type = kType, .flags = {18}, .ids = {1}});
    file.event({.type = 1, .sample_type = kType, .flags = {18}, .ids = {2}});
    file.record(3, file.out()
                       .u32(5)
                       .u32(5)
                       .padded("a,b \"c\"")
                       .u32(5)
                       .u32(5)
                       .u64(1)
                       .u32(0)
                       .u32(0)
                       .u64(1)
                       .str());
    sample(file, 1, 5, 2'000'000'000, 0, 7, {kUser, 0x10, 0x20});
    sample(file, 2, 6, 3'500'000'000, 3, 9, {});
    sample(file, 1, 5, 4'000'000'000, 1, 5, {kUser, 0x10, 0x20});
    return *Recording::open(dir.write("perf.data", file.file()));
  }
  static void sample(PerfFile& file, std::uint64_t id, std::uint32_t tid, std::uint64_t time,
                     std::uint32_t cpu, std::uint64_t period, std::vector<std::uint64_t> chain) {
    BytesOut body = file.out();
    body.u64(id).u64(0xfff0).u32(5).u32(tid).u64(time).u32(cpu).u32(0).u64(period);
    body.u64(chain.size());
    for (std::uint64_t address : chain) body.u64(address);
    file.record(9, body.str());
  }
  test::TempDir dir;
};

// TID and BRANCH_STACK; the second event has no branches.
class BranchFormats : public testing::Test {
 protected:
  Recording open() {
    PerfFile file;
    file.event({.type = 4, .sample_type = 0x10000 | 2 | 2048, .branch_type = 8, .ids = {1}});
    file.event({.type = 4, .sample_type = 0x10000 | 2, .ids = {2}});
    BytesOut body;
    body.u64(1).u32(5).u32(5).u64(1).u64(0x10).u64(0x20).u64(1 | 4 | 7 << 4 | 4 << 20);
    file.record(9, body.str(), 2).record(9, BytesOut().u64(2).u32(5).u32(5).str(), 1);
    return *Recording::open(dir.write("perf.data", file.file()));
  }
  test::TempDir dir;
};
INSTANTIATE_TEST_SUITE_P(Formats, Formats, testing::Values(std::endian::little, std::endian::big));

TEST_P(Formats, CsvHasAHeaderAndQuotesWhatNeedsIt) {
  EXPECT_EQ(
      written(open(), {.format = Format::csv, .fields = fields("comm,event,period,callchain")}),
      "comm,event,pmu,code,config1,config2,config3,attr,period,callchain\n"
      "\"a,b \"\"c\"\"\",\"cpu/config=0x11,config1=0x2/\",cpu,0x11,0x2,0x0,0x0,0,7,0x10;0x20\n"
      ":6,cpu-clock,software,0x0,0x0,0x0,0x0,1,9,\n"
      "\"a,b \"\"c\"\"\",\"cpu/config=0x11,config1=0x2/\",cpu,0x11,0x2,0x0,0x0,0,5,0x10;0x20\n");
}

TEST_P(Formats, AnEventAloneIsOneColumnOfCsv) {
  EXPECT_EQ(written(open(), {.format = Format::csv, .fields = fields("event")}),
            "event\n\"cpu/config=0x11,config1=0x2/\"\ncpu-clock\n"
            "\"cpu/config=0x11,config1=0x2/\"\n");
}

TEST_P(Formats, JsonHoldsTheFieldsInTheOrderAskedFor) {
  const std::string text = written(
      open(), {.format = Format::jsonl, .fields = fields("time,callchain,ip,code"), .limit = 1});
  EXPECT_EQ(text, R"({"time":2.000000000,"callchain":["0x10","0x20"],"ip":"0xfff0","code":"0x11"})"
                  "\n");
}

TEST_P(Formats, TheFileIsAFieldOfEachFormat) {
  const Recording file = open();
  const std::string path = dir.path() + "/perf.data";
  const auto line = [&](Format format) {
    return written(file, {.format = format, .fields = fields("file,tid"), .limit = 1});
  };
  EXPECT_EQ(line(Format::jsonl), "{\"file\":\"" + path + "\",\"tid\":5}\n");
  EXPECT_EQ(line(Format::csv), "file,tid\n" + path + ",5\n");
  EXPECT_EQ(line(Format::text), path + ":       5 \n");
}

TEST_P(Formats, FoldedStacksHaveTheRootFirstAndAreSummedUp) {
  const AnnotateOptions samples{.format = Format::folded};
  EXPECT_EQ(written(open(), samples),
            "cpu-clock;:6;0xfff0 1\n"
            "cpu/config=0x11,config1=0x2/;a,b_\"c\";0x20;0x10 2\n");
  const AnnotateOptions periods{.format = Format::folded, .count_periods = true};
  EXPECT_EQ(written(open(), periods),
            "cpu-clock;:6;0xfff0 9\n"
            "cpu/config=0x11,config1=0x2/;a,b_\"c\";0x20;0x10 12\n");
}

TEST_P(Formats, FiltersPassOnlyWhatFitsAllOfThem) {
  const struct {
    SampleFilter filter;
    std::string times;
  } kRows[] = {{{}, "2.0 3.5 4.0 "},
               {{.event = "CPU-*"}, "3.5 "},
               {{.event = "*0x11*"}, "2.0 4.0 "},
               {{.cpus = {1, 3}}, "3.5 4.0 "},
               {{.comms = {"a,b \"c\""}}, "2.0 4.0 "},
               {{.tids = {6}}, "3.5 "},
               {{.pids = {6}}, ""},
               {{.cpus = {0}, .tids = {6}}, ""},
               {{.times = {{2'000'000'000, 3'500'000'000}}}, "2.0 3.5 "},
               {{.times = {{0, 2'000'000'000}, {4'000'000'000}}}, "2.0 4.0 "}};
  const Recording file = open();
  for (const auto& row : kRows) {
    std::string times;
    const std::string text =
        written(file, {.format = Format::csv, .fields = fields("time"), .filter = row.filter});
    for (std::size_t at = text.find('\n') + 1; at < text.size(); at = text.find('\n', at) + 1)
      times += text.substr(at, 3) + ' ';
    EXPECT_EQ(times, row.times);
  }
}

TEST(FullName, HasTheModifiersThatEventLeavesOut) {
  PerfFile recorded;
  recorded.event({.type = 1, .sample_type = 0x10000 | 2, .flags = {5, 6}, .ids = {1}});
  recorded.record(9, BytesOut().u64(1).u32(5).u32(5).str());
  const test::TempDir dir;
  const Recording file = *Recording::open(dir.write("perf.data", recorded.file()));
  EXPECT_EQ(written(file, {.format = Format::jsonl, .fields = fields("pmu,full_name")}),
            "{\"pmu\":\"software\",\"full_name\":\"cpu-clock:u\"}\n");
  EXPECT_EQ(written(file, {.fields = fields("full_name")}), "cpu-clock:u \n");
}

// So that recordings of any events give the same columns.
TEST_F(BranchFormats, RowsHaveTheirDefaultFieldsWhateverIsSampled) {
  const auto all = parse_fields("+file", default_fields(Format::csv));
  EXPECT_TRUE(written(open(), {.format = Format::csv, .fields = *all, .limit = 1})
                  .starts_with("comm,pid,tid,cpu,time,event,pmu,code,config1,config2,config3,attr,"
                               "file\n:5,5,5,,,"));
}

Error refusal_of(const Recording& file, const AnnotateOptions& options) {
  const auto refused = annotate(file, options, [](std::string_view) { return true; });
  EXPECT_FALSE(refused);
  return refused ? Error{} : refused.error();
}

TEST_P(Formats, AFieldThatNoEventSamplesIsRefused) {
  for (const Format format : {Format::text, Format::csv, Format::jsonl}) {
    const Error error = refusal_of(open(), {.format = format, .fields = {Field::phys_addr}});
    EXPECT_EQ(error.code, Errc::not_found);
    EXPECT_NE(error.message.find("phys_addr"), std::string::npos);
  }
}

TEST_P(Formats, AFieldThatAFormatDoesNotHaveIsRefused) {
  for (const AnnotateOptions& options :
       {AnnotateOptions{.format = Format::text, .fields = {Field::callchain}},
        AnnotateOptions{.format = Format::folded, .fields = {Field::ip}}})
    EXPECT_EQ(refusal_of(open(), options).code, Errc::invalid_argument);
}

// Branches of two events: one samples them, one does not.
TEST_F(BranchFormats, AreObjectsInJsonAndWordsInCsv) {
  const AnnotateOptions json{.format = Format::jsonl, .fields = fields("brstack,misc")};
  EXPECT_EQ(
      written(open(), json),
      R"({"brstack":[{"from":"0x10","to":"0x20","predicted":false,"not_taken":false,"in_tx":true,)"
      R"("abort":false,"cycles":7,"type":"CALL","spec":""}],"misc":"U"})"
      "\n"
      R"({"brstack":null,"misc":"K"})"
      "\n");
  const AnnotateOptions csv{.format = Format::csv, .fields = fields("brstack,misc")};
  EXPECT_EQ(written(open(), csv), "brstack,misc\n0x10/0x20/M/X/-/7/CALL/-,U\n,K\n");
}

TEST(Fields, AreNamedOrChangeTheDefault) {
  const Field base[] = {Field::comm, Field::time};
  EXPECT_EQ(*parse_fields("ip,comm", base), (std::vector{Field::ip, Field::comm}));
  EXPECT_EQ(*parse_fields("+ip,-comm", base), (std::vector{Field::time, Field::ip}));
  for (const char* bad : {"", "ip,", "nothing", "ip,+comm", "+ip,comm", "-comm,-time"}) {
    const auto refused = parse_fields(bad, base);
    ASSERT_FALSE(refused) << bad;
    EXPECT_EQ(refused.error().code, Errc::invalid_argument);
  }
}

TEST(Fields, OfPerfScriptThatAreNotHereAreRefusedWithTheReason) {
  const struct {
    const char *field, *says;
  } kRows[] = {{"ipc", "not decoded"},
               {"comm,metric", "not computed"},
               {"vcpu", "no machine"},
               {"hw:comm", "all types"}};
  for (const auto& row : kRows) {
    const auto refused = parse_fields(row.field, {});
    ASSERT_FALSE(refused) << row.field;
    EXPECT_EQ(refused.error().code, Errc::unsupported);
    EXPECT_NE(refused.error().text().find(row.says), std::string::npos) << refused.error().text();
  }
}

// The first sample is at 1 s, the last at 11 s, as SAMPLE_TIME says.
class Times : public testing::Test {
 protected:
  Recording open(bool tells) {
    PerfFile file;
    file.event({.type = 1, .sample_type = 4});
    if (tells) file.feature(21, BytesOut().u64(1'000'000'000).u64(11'000'000'000).str());
    return *Recording::open(dir.write("perf.data", file.file()));
  }
  test::TempDir dir;
};

// Shares: perf_time__percent_parse_str of tools/perf/util/time-utils.c.
TEST_F(Times, AreSecondsWithOpenEndsOrShares) {
  const struct {
    const char* text;
    std::vector<std::array<std::uint64_t, 2>> ranges;
  } kGood[] = {{"1,2", {{1'000'000'000, 2'000'000'000}}},
               {"0.000000001,", {{1, UINT64_MAX}}},
               {",12.5", {{0, 12'500'000'000}}},
               {"1,2 3,", {{1'000'000'000, 2'000'000'000}, {3'000'000'000, UINT64_MAX}}},
               {"10%-20%", {{2'000'000'000, 2'999'999'999}}},
               {"10%/2", {{2'000'000'000, 2'999'999'999}}},
               {"50%", {{1'000'000'000, 5'999'999'999}}},
               {"50%-50%", {{6'000'000'000, 6'000'000'000}}},
               {"0%-100%", {{1'000'000'000, 11'000'000'000}}},
               {"10%/1,10%/3", {{1'000'000'000, 1'999'999'999}, {3'000'000'000, 3'999'999'999}}}};
  const Recording file = open(true);
  for (const auto& row : kGood) {
    const auto ranges = parse_times(row.text, file);
    ASSERT_TRUE(ranges) << row.text << ranges.error().text();
    std::vector<std::array<std::uint64_t, 2>> got;
    for (const TimeRange& range : *ranges) got.push_back({range.first, range.last});
    EXPECT_EQ(got, row.ranges) << row.text;
  }
  for (const char* bad :
       {"1", "2,1", "a,b", "1,2,3", "1.0000000001,2", "99999999999999,", "10%-", "110%-120%",
        "110%-100%", "50%-101%", "18446744074,", "10%/0", "10%/11", "%", "10%-20%,5"}) {
    const auto ranges = parse_times(bad, file);
    ASSERT_FALSE(ranges) << bad;
    EXPECT_EQ(ranges.error().code, Errc::invalid_argument) << bad;
  }
}

TEST_F(Times, OfARecordingThatTellsNoEndsHaveNoShares) {
  const auto ranges = parse_times("10%", open(false));
  ASSERT_FALSE(ranges);
  EXPECT_EQ(ranges.error().code, Errc::not_found);
}

}  // namespace
}  // namespace evname
