// Recordings opened with their trace data: made events follow the file's own, and copies of the
// file lack them.

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <map>

#include "evname/rewrite.hpp"
#include "support/perf_file.hpp"
#include "support/temp_dir.hpp"

namespace evname::test {
namespace {

class OpenedTraces : public testing::TestWithParam<std::endian> {
 protected:
  /// A Neoverse N1's instructions by their code, which has a name, and three operations of SPE.
  PerfFile recording() const {
    constexpr std::uint64_t kSampled =
        1 | 2 | 4 | 256 | 0x10000;  // IP, TID, TIME, PERIOD, IDENTIFIER
    PerfFile file(GetParam());
    file.event({.type = 8, .config = 8, .sample_type = kSampled, .ids = {1}});
    file.event({.type = 10, .config = 1, .sample_type = kSampled, .ids = {2}});
    file.record(79, file.out().u64(0).u64(10).u64(0).str());
    file.record(70, file.out().u32(4).u32(0).u64(10).u64(1).str());
    std::string data;
    for (char n = 1; n <= 3; ++n)
      data += std::string("\x42\x14\x49\0\x71", 5) + n + std::string(7, '\0');
    file.record(71, file.out().u64(data.size()).u64(0).u64(0).u32(0).u32(5).u32(0).u32(0).str());
    file.raw(data);
    for (std::uint64_t time : {20, 40})
      file.record(9, file.out().u64(1).u64(0x1000).u32(5).u32(6).u64(time).u64(7).str(), 2);
    file.feature(6, file.out().string("aarch64").str());
    file.feature(9, file.out().string("0x00000000410fd0c0").str());
    return file.feature(16, file.out().u32(1).u32(8).string("armv8_pmuv3_0").str());
  }
  static Result<Recording> open(const std::string& path, bool with_traces) {
    return with_traces ? Recording::open(path, UserEvents::leave_out, TraceOptions{})
                       : Recording::open(path, UserEvents::leave_out);
  }
  static std::string content_of(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  TempDir dir;
};

TEST_P(OpenedTraces, EventsThatAreMadeFollowThoseOfTheFile) {
  for (const std::string& bytes : {recording().file(), recording().pipe()}) {
    const std::string path = dir.write("perf.data", bytes);
    const auto without = open(path, false), with = open(path, true);
    ASSERT_TRUE(without && with);
    EXPECT_EQ(without->events().size(), 2u);
    ASSERT_EQ(with->events().size(), 12u);
    EXPECT_EQ(with->events()[2].name, "l1d-miss");
    EXPECT_EQ(with->events()[11].name, "instructions");
    EXPECT_FALSE(without->facts().decodes_traces);
    EXPECT_TRUE(with->facts().decodes_traces);
    std::string found;
    with->for_each_sample([&](const Sample& sample) {
      found += std::to_string(sample.time().value_or(0)) + ' ' + sample.event().name + '\n';
    });
    const auto operation = [](const std::string& time) {
      return time + " l1d-access\n" + time + " tlb-access\n" + time + " memory\n" + time +
             " instructions\n";
    };
    const std::string own = with->events()[0].name;
    // Of equal times, the record of the file is first.
    EXPECT_EQ(found, operation("10") + "20 " + own + '\n' + operation("20") + operation("30") +
                         "40 " + own + '\n');
  }
}

TEST_P(OpenedTraces, WhatIsWrittenDoesNotHaveThem) {
  for (const std::string& bytes : {recording().file(), recording().pipe()}) {
    const std::string path = dir.write("perf.data", bytes);
    std::map<bool, std::string> named;
    for (const bool with_traces : {false, true}) {
      const auto file = open(path, with_traces);
      ASSERT_TRUE(file);
      const std::string out = dir.path(with_traces ? "with" : "without");
      const auto renamed = inject(*file, out);
      ASSERT_TRUE(renamed);
      EXPECT_EQ(renamed->size(), 1u);
      named[with_traces] = content_of(out);
    }
    EXPECT_NE(named[true], bytes);
    EXPECT_EQ(named[true], named[false]);
  }
  const std::string path = dir.write("perf.data", recording().file());
  std::map<bool, std::string> part;
  for (const bool with_traces : {false, true}) {
    const auto file = open(path, with_traces);
    const std::string out = dir.path(with_traces ? "part-with" : "part-without");
    SampleFilter filter;
    filter.times = {{30, 50}};
    ASSERT_TRUE(extract(*file, filter, out));
    part[with_traces] = content_of(out);
  }
  EXPECT_FALSE(part[false].empty());
  EXPECT_EQ(part[true], part[false]);
}

INSTANTIATE_TEST_SUITE_P(Orders, OpenedTraces,
                         testing::Values(std::endian::little, std::endian::big));

}  // namespace
}  // namespace evname::test
