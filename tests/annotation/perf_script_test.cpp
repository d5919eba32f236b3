// Text beside that of the installed perf script, byte for byte.

#include <algorithm>

#include "support/output_of.hpp"
#include "support/perf_file.hpp"
#include "support/recordings.hpp"
#include "support/temp_dir.hpp"
#include "support/written.hpp"

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

// The second and third event sample nothing; perf script looks at the first of a type only.
TEST_F(PerfScript, WhatIsNotSampledIsSpelledAlikeOrRefused) {
  constexpr std::uint64_t kAll = 0x10000 | 1 | 2 | 4 | 8 | 128 | 1 << 15 | 1 << 19 | 7 << 22;
  PerfFile file;
  file.event({.type = 4, .sample_type = kAll, .flags = {18}, .size = 128, .ids = {1}});
  file.event({.type = 4, .sample_type = 0x10000, .flags = {18}, .size = 128, .ids = {2}});
  file.event({.type = 1, .config = 9, .sample_type = 0x10000, .size = 128, .ids = {3}});
  file.record(9, BytesOut().u64(2).str());
  BytesOut body;
  body.u64(1).u64(0x1234).u32(5).u32(6).u64(9).u64(0x77).u32(3).u32(0);
  body.u64(5).u64(0x68100142).u64(0xabc).u64(4096).u64(4096);
  file.record(9, body.str(), 1).record(9, BytesOut().u64(2).str(), 2);
  for (const char* fields :
       {"ip", "addr", "data_src", "weight,ins_lat", "comm,tid,time", "pid,tid,cpu", "misc,event",
        "phys_addr,data_page_size,code_page_size", "event,brstack,period"})
    compare(file, fields);
  file.event({.type = 9, .sample_type = 0x10000, .flags = {18}, .size = 128, .ids = {4}});
  const std::string path = dir.write("perf.data", file.file());
  EXPECT_EQ(perf(path, "event,cpu"), "");
  const auto refused = annotate(*PerfData::open(path), {.fields = {Field::event, Field::cpu}},
                                [](std::string_view) { return true; });
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message.find("unknown attr type: 9"), std::string::npos);
}

// What of the masks has a name on the machine recorded on. perf 6.1 does not know riscv64's.
TEST_F(PerfScript, RegistersAreSpelledAlike) {
  for (const std::string arch : {"x86_64", "aarch64", "armv7l", "ppc64le", "s390x", "sparc64"}) {
    PerfFile file;
    file.event({.type = 0, .sample_type = kTidTime | 1 << 18, .regs_intr = ~0ull, .size = 128});
    file.feature(3, BytesOut().string("host").str()).feature(6, BytesOut().string(arch).str());
    BytesOut body;
    body.u32(5).u32(5).u64(1).u64(2);
    for (std::uint64_t value = 0; value < 64; ++value) body.u64(value);
    file.record(9, body.str());
    SCOPED_TRACE(arch);
    compare(file, "iregs");
  }
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

// What is mapped where: a mapping in the middle of another, huge anonymous memory, the heap, a
// process forked off, and a chain that a stack walk gone astray has spoiled.
TEST_F(PerfScript, UserFramesAreOffsetsInWhatIsMapped) {
  constexpr std::uint64_t kTime = kTidTime | 1 | 32, kUser = -512, kKernel = -128;
  PerfFile file;
  file.event({.type = 1, .sample_type = kTime, .flags = {18, 20}, .size = 128});
  std::uint64_t time = 0;
  const auto trailer = [&](BytesOut& body) { return body.u32(5).u32(5).u64(++time).str(); };
  const auto map = [&](std::uint64_t start, std::uint64_t size, std::uint64_t offset,
                       std::uint32_t flags, std::string_view name) {
    BytesOut body;
    body.u32(5).u32(5).u64(start).u64(size).u64(offset).u32(8).u32(1).u64(7).u64(0);
    body.u32(5).u32(flags).padded(name);
    file.record(10, trailer(body), 2);
  };
  const auto sample = [&](std::uint32_t pid, std::vector<std::uint64_t> chain) {
    BytesOut body;
    body.u64(0x10).u32(pid).u32(pid).u64(++time).u64(chain.size());
    for (const std::uint64_t address : chain) body.u64(address);
    file.record(9, body.str(), 2);
  };
  map(0x10000, 0x8000, 0x2000, 2, "/bin/program");
  map(0x12000, 0x1000, 0, 2, "/lib/library");
  map(0x20000, 0x1000, 0x5000, 0x40002, "/dev/hugepages");
  map(0x30000, 0x1000, 0x5000, 2, "[heap]");
  sample(5, {kUser, 0x10004, 0x12004, 0x13004, 0x17fff, 0x18000, 0x20008, 0x30008});
  BytesOut fork;
  fork.u32(6).u32(5).u32(6).u32(5).u64(time);
  file.record(7, trailer(fork));
  map(0x10000, 0x1000, 0x9000, 2, "/bin/other");  // of the parent only
  for (const std::uint32_t pid : {5, 6, 7})
    sample(pid, {kKernel, 0x10008, kUser, 0x10008, 0x14008});
  sample(5, {kUser, 0x10004, ~0ull, 0x10008});
  sample(5, {});
  compare(file, "comm,tid,time,event,ip");
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
