// Text beside that of the installed perf script, byte for byte.

#include <algorithm>

#include "recordings.hpp"
#include "support/output_of.hpp"
#include "support/perf_file.hpp"
#include "support/temp_dir.hpp"
#include "written.hpp"

namespace evname {
namespace {

using test::BytesOut;
using test::output_of;
using test::PerfFile;

class PerfScript : public testing::Test {
 protected:
  void SetUp() override {
    if (!output_of("perf --version").starts_with("perf version 6.1"))
      GTEST_SKIP() << "perf 6.1 is not installed";
  }
  static std::string perf(const std::string& path, const std::string& fields) {
    return output_of("perf script -f -F " + fields + " -i '" + path + "'");
  }
  static std::string ours(const PerfData& file, const std::string& names) {
    return test::written(file, {.fields = test::fields(names), .names = NameStyle::recorded});
  }
  void compare(const PerfFile& file, const std::string& fields) {
    const std::string path = dir.write("perf.data", file.file());
    const auto opened = PerfData::open(path);
    ASSERT_TRUE(opened);
    const std::string expected = perf(path, fields);
    EXPECT_FALSE(expected.empty()) << fields;
    EXPECT_EQ(ours(*opened, fields), expected);
  }
  test::TempDir dir;
};

constexpr std::uint64_t kTidTime = 2 | 4;

TEST_F(PerfScript, DataSourcesAreSpelledAlike) {
  PerfFile file;
  file.event({.type = 1, .sample_type = kTidTime | 1 << 15 | 1 << 14, .flags = {18}, .size = 128});
  std::vector<std::uint64_t> values = {0x68100142, 0x1e05080021, 0x10668100142, 0};
  for (int bit = 0; bit < 43; ++bit) values.push_back(std::uint64_t{1} << bit);
  for (std::uint64_t level = 0; level < 16; ++level)  // perf 6.1 does not know CXL yet
    if (level != 9 && level != 10) values.push_back(level << 33 | 0x68100000 | 1 << 5);
  for (std::uint64_t hops = 0; hops < 5; ++hops) {
    values.push_back(hops << 43 | 0x2068100142);
    values.push_back(hops << 43 | 0x668100142);
  }
  std::uint64_t time = 1;
  for (const std::uint64_t value : values)
    file.record(9, BytesOut().u32(5).u32(5).u64(time++).u64(30).u64(value).str());
  compare(file, "time,event,data_src,weight");
}

TEST_F(PerfScript, BranchesAreSpelledAlike) {
  PerfFile file;
  file.event({.type = 0,
              .sample_type = kTidTime | 1 << 11,
              .branch_type = 1 << 3,
              .flags = {18},
              .size = 128});
  std::uint64_t time = 1;
  for (std::uint64_t flags = 0; flags < 16; ++flags)  // and every type
    file.record(9, BytesOut()
                       .u32(5)
                       .u32(5)
                       .u64(time++)
                       .u64(2)
                       .u64(0x1000)
                       .u64(0x2000)
                       .u64(flags | 70 << 4 | (flags < 15 ? flags << 20 : 0))
                       .u64(~0ull)
                       .u64(0)
                       .u64(0)
                       .str());
  compare(file, "pid,time,event,brstack");
}

TEST_F(PerfScript, SizesAndLatenciesAreSpelledAlike) {
  PerfFile file;
  file.event({.type = 0,
              .sample_type = kTidTime | 8 | 1 << 19 | 1 << 22 | 1 << 23 | 1 << 24,
              .flags = {18},
              .size = 128});
  std::uint64_t time = 1;
  for (const std::uint64_t size : {0ull, 4096ull, 65536ull, 2ull << 20, 1ull << 30, 1000ull})
    file.record(9, BytesOut()
                       .u32(5)
                       .u32(6)
                       .u64(time++)
                       .u64(0xffff'ffff'8000'0000 + size)
                       .u64(0x0003'0007'0000'0011)
                       .u64(size * 3)
                       .u64(size)
                       .u64(size)
                       .str());
  compare(file, "tid,event,addr,weight,ins_lat,phys_addr,data_page_size,code_page_size");
}

/// Where the two differ, and why.
struct Difference {
  std::string_view file, fields, why;
};
constexpr Difference kDifferences[] = {
    {"s390x-regs", "iregs", "perf 6.1 takes the mask of registers in the wrong byte order"},
    {"arm64-n1-stat", "", "counts of perf stat record: no samples"},
};

bool is_known(std::string_view path, std::string_view fields) {
  return std::any_of(std::begin(kDifferences), std::end(kDifferences), [&](const auto& row) {
    return path.find(row.file) != path.npos && fields.find(row.fields) != fields.npos;
  });
}

TEST_F(PerfScript, RecordingsAreWrittenAlikeWhateverTheFields) {
  if (test::shared_dir().empty()) GTEST_SKIP() << "EVNAME_SHARED is not set";
  std::size_t compared = 0;
  for (const std::string& path : test::all_recordings()) {
    const auto file = PerfData::open(path);
    if (!file) continue;
    for (const std::string fields :
         {"comm,pid,tid,time,event", "comm,tid,cpu,time,period,event,ip", "pid,time,event",
          "comm,event,ip", "ip,event,addr", "comm,time,event,weight,data_src,phys_addr",
          "event,time,iregs", "event,time,uregs", "event,ins_lat",
          "event,data_page_size,code_page_size", "time,event,brstack"}) {
      const std::string expected = perf(path, fields);
      if (expected.empty() || is_known(path, fields)) continue;
      const auto names = parse_fields(fields, {});
      std::string text;
      const auto tally = annotate(*file, {.fields = *names, .names = NameStyle::recorded},
                                  [&](std::string_view piece) { return text += piece, true; });
      if (!tally) continue;  // perf prints nothing for fields that are not sampled (brstack)
      EXPECT_TRUE(text == expected) << path << " " << fields;
      ++compared;
    }
  }
  EXPECT_GT(compared, 150u);
}

TEST_F(PerfScript, FiltersPassTheSameSamples) {
  const std::string path =
      std::string(std::getenv("EVNAME_SOURCE_ROOT")) + "/tests/data/cortex-a72-system.data";
  const auto file = PerfData::open(path);
  ASSERT_TRUE(file);
  const struct {
    std::string perf;
    SampleFilter filter;
  } kRows[] = {{"--comms swapper", {.comms = {"swapper"}}},
               {"--comms work,perf-exec", {.comms = {"work", "perf-exec"}}},
               {"--cpu 0", {.cpus = {0}}},
               {"--cpu 0,1", {.cpus = {0, 1}}},
               {"--pid 0", {.pids = {0}}},
               {"--tid 152", {.tids = {152}}},
               {"--tid 0,152 --cpu 1", {.cpus = {1}, .tids = {0, 152}}}};
  for (const auto& row : kRows) {
    AnnotateOptions options{.names = NameStyle::recorded, .filter = row.filter};
    EXPECT_EQ(test::written(*file, options),
              output_of("perf script -f -F comm,pid,tid,time,event " + row.perf + " -i " + path))
        << row.perf;
  }
  for (const std::string times :
       {"2.5,2.6", "2.53,", ",2.5", ",", "2.42,2.43 2.5,2.52", "10%-20%", "10%/2", "30%", "0%-100%",
        "20%-10%", "10%/1,10%/3", "0%-10%,90%-100%", "33.3%-66.6%"}) {
    const auto ranges = parse_times(times, *file);
    ASSERT_TRUE(ranges) << ranges.error().text();
    EXPECT_EQ(test::written(*file, {.fields = {Field::time}, .filter = {.times = *ranges}}),
              output_of("perf script -f -F time --time '" + times + "' -i " + path))
        << times;
  }
}

}  // namespace
}  // namespace evname
