// csv, jsonl and folded stacks; which fields and samples are written.

#include "support/perf_file.hpp"
#include "support/temp_dir.hpp"
#include "written.hpp"

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
  PerfData open() {
    PerfFile file(GetParam());
    constexpr std::uint64_t kType = 0x10000 | 1 | 2 | 4 | 32 | 128 | 256;
    file.event({.type = 4,
                .config = 0x11,
                .config1 = 2,
                .sample_type = kType,
                .flags = {18, 20},
                .ids = {1}});
    file.event({.type = 1, .sample_type = kType, .flags = {18, 20}, .ids = {2}});
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
    return *PerfData::open(dir.write("perf.data", file.file()));
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
INSTANTIATE_TEST_SUITE_P(Formats, Formats, testing::Values(std::endian::little, std::endian::big));

TEST_P(Formats, CsvHasAHeaderAndQuotesWhatNeedsIt) {
  EXPECT_EQ(
      written(open(), {.format = Format::csv, .fields = fields("comm,event,period,callchain")}),
      "comm,event,pmu,code,config1,config2,config3,attr,period,callchain\n"
      "\"a,b \"\"c\"\"\",\"cpu/config=0x11,config1=0x2/\",cpu,0x11,0x2,0x0,0x0,0,7,0x10;0x20\n"
      ":6,cpu-clock,software,0x0,0x0,0x0,0x0,1,9,\n"
      "\"a,b \"\"c\"\"\",\"cpu/config=0x11,config1=0x2/\",cpu,0x11,0x2,0x0,0x0,0,5,0x10;0x20\n");
}

TEST_P(Formats, JsonHoldsTheFieldsInTheOrderAskedFor) {
  const std::string text = written(
      open(), {.format = Format::jsonl, .fields = fields("time,callchain,ip,code"), .limit = 1});
  EXPECT_EQ(text, R"({"time":2.000000000,"callchain":["0x10","0x20"],"ip":"0xfff0","code":"0x11"})"
                  "\n");
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
  SampleFilter time;
  ASSERT_TRUE(time.set_time("2,3.5"));
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
               {time, "2.0 3.5 "}};
  const PerfData file = open();
  for (const auto& row : kRows) {
    std::string times;
    const std::string text =
        written(file, {.format = Format::csv, .fields = fields("time"), .filter = row.filter});
    for (std::size_t at = text.find('\n') + 1; at < text.size(); at = text.find('\n', at) + 1)
      times += text.substr(at, 3) + ' ';
    EXPECT_EQ(times, row.times);
  }
}

TEST_P(Formats, AFieldThatNoEventSamplesIsRefused) {
  const auto refused =
      annotate(open(), {.fields = {Field::phys_addr}}, [](std::string_view) { return true; });
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Errc::not_found);
  EXPECT_NE(refused.error().message.find("phys_addr"), std::string::npos);
}

TEST(Fields, AreNamedOrChangeTheDefault) {
  const Field base[] = {Field::comm, Field::time};
  EXPECT_EQ(*parse_fields("ip,comm", base), (std::vector{Field::ip, Field::comm}));
  EXPECT_EQ(*parse_fields("+ip,-comm", base), (std::vector{Field::time, Field::ip}));
  for (const char* bad : {"", "ip,", "nothing", "ip,+comm", "sym"}) {
    const auto refused = parse_fields(bad, base);
    ASSERT_FALSE(refused) << bad;
    EXPECT_EQ(refused.error().code, Errc::invalid_argument);
  }
}

TEST(Filter, TimesAreSecondsWithOpenEnds) {
  const struct {
    const char* text;
    std::optional<std::uint64_t> first, last;
  } kGood[] = {{"1,2", 1'000'000'000, 2'000'000'000},
               {"0.000000001,", 1, std::nullopt},
               {",12.5", std::nullopt, 12'500'000'000}};
  for (const auto& row : kGood) {
    SampleFilter filter;
    ASSERT_TRUE(filter.set_time(row.text)) << row.text;
    EXPECT_EQ(filter.first, row.first);
    EXPECT_EQ(filter.last, row.last);
  }
  for (const char* bad : {"1", "2,1", "a,b", "1.0000000001,2", "99999999999999,"})
    EXPECT_FALSE(SampleFilter().set_time(bad)) << bad;
}

}  // namespace
}  // namespace evname
