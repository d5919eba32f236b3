// The progress callback ends each call that goes over records: the call says so, and leaves
// nothing.

#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>

#include "evname/annotate.hpp"
#include "evname/profile.hpp"
#include "evname/report.hpp"
#include "evname/rewrite.hpp"
#include "recordings/perf_data/recorded_facts.hpp"
#include "support/perf_file.hpp"
#include "support/temp_dir.hpp"

namespace evname::cancel_test {
namespace {

using test::BytesOut;
using test::PerfFile;

constexpr std::uint64_t kSamples = 200'000;  // of 48 bytes: there are at least four calls

class Cancel : public testing::Test {
 protected:
  static Recording recording(std::uint64_t sample_type) {
    PerfFile file;
    file.event({.type = 1, .sample_type = sample_type});
    for (std::uint64_t i = 1; i <= kSamples; ++i)
      file.record(9, BytesOut().u64(0x1000 + i % 8).u32(5).u32(6).u64(i).u32(0).u32(0).str());
    const std::string bytes = file.file();
    return Recording::open(std::vector<std::uint8_t>(bytes.begin(), bytes.end())).value();
  }
  /// Returns options whose progress function ends the pass at its `calls`-th call.
  PassOptions after(int calls, unsigned jobs = 1) {
    calls_ = 0;
    PassOptions options;
    options.jobs = jobs;
    options.progress = [this, calls](std::uint64_t done, std::uint64_t total) {
      EXPECT_LE(done, total + (std::uint64_t{4} << 20));
      return ++calls_ < calls;
    };
    return options;
  }

  const Recording file_ = recording(1 | 2 | 4 | 128);
  std::atomic<int> calls_ = 0;
  test::TempDir dir_;
};

TEST_F(Cancel, EndsAPassOverSamplesOrRecords) {
  for (const int calls : {1, 2, 3}) {
    const SampleTally tally = file_.for_each_sample([](const Sample&) {}, after(calls));
    EXPECT_TRUE(tally.cancelled);
    EXPECT_EQ(calls_, calls);
    EXPECT_LT(tally.samples, kSamples);
    EXPECT_TRUE(tally.samples == 0 || calls > 1);  // later, samples may wait for their turn
    EXPECT_TRUE(perf_data::survey(file_, after(calls)).tally.cancelled);
    SampleRange range = file_.samples(after(calls));
    while (range.next_record()) continue;
    EXPECT_TRUE(range.tally().cancelled);
    EXPECT_EQ(range.next_record(), nullptr);
  }
  EXPECT_FALSE(file_.for_each_sample([](const Sample&) {}, after(1000)).cancelled);
}

TEST_F(Cancel, EndsTextInOneThreadAndInSeveral) {
  for (const unsigned jobs : {1u, 3u})
    for (const int calls : {1, 2}) {
      AnnotateOptions options{.fields = {Field::ip, Field::time}};
      options.pass = after(calls, jobs);
      const auto done = annotate(file_, options, [](std::string_view) { return true; });
      ASSERT_FALSE(done);
      EXPECT_EQ(done.error().code, Errc::cancelled);
      EXPECT_EQ(calls_, calls);
    }
}

TEST_F(Cancel, LeavesAReportAsItWas) {
  for (const SortKey key : {SortKey::event, SortKey::tid})
    for (const unsigned jobs : {1u, 3u}) {
      ReportOptions options{.keys = {key}};
      bool goes_on = true;
      options.pass.jobs = jobs;
      options.pass.progress = [&](std::uint64_t, std::uint64_t) { return goes_on; };
      Report report(options);
      ASSERT_TRUE(report.add(file_));
      goes_on = false;
      const auto again = report.add(file_);
      ASSERT_FALSE(again);
      EXPECT_EQ(again.error().code, Errc::cancelled);
      EXPECT_EQ(report.samples(), kSamples);
      ASSERT_EQ(report.rows().size(), 1u);
      EXPECT_EQ(report.rows()[0].samples, kSamples);
    }
}

TEST_F(Cancel, LeavesNoFile) {
  const std::string path = dir_.path() + "/out";
  ProfileOptions profile{.format = ProfileFormat::speedscope};
  profile.pass = after(2);
  const auto exported = export_profile({&file_, 1}, profile, path);
  ASSERT_FALSE(exported);
  EXPECT_EQ(exported.error().code, Errc::cancelled);
  const auto extracted = extract(file_, {}, path, {.pass = after(2)});
  ASSERT_FALSE(extracted);
  EXPECT_EQ(extracted.error().code, Errc::cancelled);
  const auto parts = split(file_, SplitKey::thread, {}, path, {.pass = after(2)});
  ASSERT_FALSE(parts);
  EXPECT_EQ(parts.error().code, Errc::cancelled);
  EXPECT_TRUE(std::filesystem::is_empty(dir_.path()));
}

}  // namespace
}  // namespace evname::cancel_test
