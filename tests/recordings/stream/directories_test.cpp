// Directories that perf record --threads writes: the file "data" has the header, and data.0, data.1
// and so on have the records of each thread. Also, how many faults of a file are listed.

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "evname/recording.hpp"
#include "perf_format/record.hpp"
#include "support/perf_file.hpp"
#include "support/temp_dir.hpp"

namespace evname::directories_test {
namespace {

using test::BytesOut;
using test::PerfFile;

std::string sample(std::uint64_t time) {
  PerfFile file;
  file.record(9, BytesOut().u32(5).u32(5).u64(time).str());
  return file.records();
}

PerfFile header(std::uint64_t format = 1) {
  PerfFile file;
  file.event({.type = 1, .sample_type = 2 | 4});
  file.feature(24, BytesOut().u64(format).str());  // DIR_FORMAT
  file.record(68, "");                             // FINISHED_ROUND: perf ended this file
  return file;
}

class DataDirectories : public testing::Test {
 protected:
  /// The times of the samples.
  std::string times() {
    const auto file = Recording::open(dir_.path("recording"));
    if (!file) return file.error().message;
    problems_.assign(file->warnings().begin(), file->warnings().end());
    std::string out;
    file->for_each_sample(
        [&](const Sample& sample) { out += std::to_string(sample.time().value_or(0)) + ' '; });
    return out;
  }

  test::TempDir dir_;
  std::vector<std::string> problems_;
};

TEST_F(DataDirectories, FilesThatAreMissing) {
  const struct {
    std::vector<int> files;
    std::vector<std::string> problems;
  } cases[] = {
      {{0, 1, 2}, {}},
      {{0}, {}},
      {{1}, {"data.0 is missing"}},
      {{0, 2}, {"data.1 is missing"}},
      {{0, 3}, {"data.1 to data.2 are missing"}},
      {{2, 4, 9},
       {"data.0 to data.1 are missing", "data.3 is missing", "data.5 to data.8 are missing"}},
      {{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}, {}}};
  for (const auto& c : cases) {
    std::filesystem::remove_all(dir_.path("recording"));
    dir_.write("recording/data", header().file());
    std::string expected;
    for (const int number : c.files) {
      dir_.write("recording/data." + std::to_string(number), sample(100 - number));
      expected = std::to_string(100 - number) + ' ' + expected;
    }
    EXPECT_EQ(times(), expected);
    EXPECT_EQ(problems_, c.problems);
  }
}

TEST_F(DataDirectories, FilesThatAreNone) {
  dir_.write("recording/data", header().file());
  EXPECT_EQ(times(), "");
  EXPECT_EQ(problems_, std::vector<std::string>{"directory has no data.* files"});
  dir_.write("recording/data.0", "");
  EXPECT_EQ(times(), "");
  EXPECT_EQ(problems_, std::vector<std::string>{
                           "data.0 is empty: its thread recorded nothing, or that is lost"});
  dir_.write("recording/data.1", sample(7));
  dir_.write("recording/data.x", sample(8));  // as perf, all that begin so
  std::filesystem::create_directory(dir_.path("recording/data.2"));
  EXPECT_EQ(times(), "7 8 ");
  ASSERT_EQ(problems_.size(), 2);
  EXPECT_EQ(problems_[1].substr(0, 8), "data.2: ");
}

TEST_F(DataDirectories, FormatsOfDirectories) {
  const struct {
    std::uint64_t format;
    const char* times;
    std::size_t problems;
  } cases[] = {{0, "", 0}, {1, "7 ", 0}, {2, "", 1}};
  for (const auto& c : cases) {
    dir_.write("recording/data", header(c.format).file());
    dir_.write("recording/data.0", sample(7));
    EXPECT_EQ(times(), c.times) << c.format;
    EXPECT_EQ(problems_.size(), c.problems) << c.format;
  }
  EXPECT_EQ(problems_[0], "directory format 2 is unknown; its data.* are not read");
}

// perf writes the bitmap of features when it begins, and their contents when it ends.
TEST_F(DataDirectories, RecordingsThatWereNeverEnded) {
  for (const bool has_format : {true, false}) {
    PerfFile file = has_format ? header() : PerfFile().event({.type = 1, .sample_type = 2 | 4});
    file.unterminated = true;
    dir_.write("recording/data", file.file());
    dir_.write("recording/data.0", sample(7));
    EXPECT_EQ(times(), has_format ? "7 " : "");
    const auto said = std::ranges::count(
        problems_, "the directory's format is not in the file; its data.* are read");
    EXPECT_EQ(said, has_format);
  }
}

// Equal times come in the order of the numbers, not of the names.
TEST_F(DataDirectories, EqualTimes) {
  dir_.write("recording/data", header().file());
  for (const std::uint32_t number : {10u, 9u, 2u, 0u, 1u, 3u, 4u, 5u, 6u, 7u, 8u}) {
    PerfFile file;
    file.record(9, BytesOut().u32(5).u32(number).u64(7).str());
    dir_.write("recording/data." + std::to_string(number), file.records());
  }
  const auto file = Recording::open(dir_.path("recording"));
  ASSERT_TRUE(file);
  std::int32_t next = 0;
  file->for_each_sample([&](const Sample& sample) { EXPECT_EQ(sample.tid(), next++); });
  EXPECT_EQ(next, 11);
}

TEST(ListedFaults, AreListedUpToALimit) {
  for (const std::size_t count : {0, 1, 99, 100, 101, 250})
    for (const bool has_place : {false, true}) {
      perf_format::Warnings warnings;
      for (std::size_t i = 0; i < count; ++i)
        has_place ? warnings.add(i, "fault") : warnings.add("fault");
      const std::vector<std::string> list = warnings.take();
      EXPECT_EQ(list.size(), std::min<std::size_t>(count, 101));
      if (count > 100) {
        EXPECT_EQ(list[100], std::to_string(count - 100) + " more faults of this file not listed");
      }
      if (count > 0) {
        EXPECT_EQ(list[0], has_place ? "at offset 0x0: fault" : "fault");
      }
      if (count > 99 && has_place) {
        EXPECT_EQ(list[99], "at offset 0x63: fault");
      }
      EXPECT_TRUE(warnings.take().empty());
      warnings.add("again");
      EXPECT_EQ(warnings.take(), std::vector<std::string>{"again"});
    }
}

}  // namespace
}  // namespace evname::directories_test
