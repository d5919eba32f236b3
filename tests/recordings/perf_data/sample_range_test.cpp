// Samples in a loop: the same as those that a callback is given, whatever the recording.

#include <gtest/gtest.h>

#include <string>

#include "evname/recording.hpp"
#include "support/perf_file.hpp"
#include "support/temp_dir.hpp"

namespace evname {
namespace {

using namespace perf_format;
using test::AttrSpec;
using test::BytesOut;
using test::PerfFile;
using test::TempDir;

constexpr std::uint64_t kType = kSampleIdentifier | kSampleTid | kSampleTime;

BytesOut head(std::uint64_t id, std::uint64_t time) {
  return BytesOut().u64(id).u32(5).u32(6).u64(time);
}

Recording open_bytes(const std::string& bytes) {
  const TempDir dir;
  return Recording::open(dir.write("perf.data", bytes)).value();
}

std::string note(const Sample& sample) {
  std::string text = std::to_string(sample.time().value_or(0)) + "/" +
                     std::to_string(sample.event().attr) + "+" + std::to_string(sample.period()) +
                     std::string(sample.comm());
  const SampleWords chain = sample.callchain();
  for (std::size_t i = 0; i < chain.size(); ++i) text += "," + std::to_string(chain[i]);
  return text + " ";
}

std::string of_loop(const Recording& file, const PassOptions& options = {}) {
  std::string text;
  for (const Sample& sample : file.samples(options)) text += note(sample);
  return text;
}

std::string of_callback(const Recording& file, const PassOptions& options = {}) {
  std::string text;
  file.for_each_sample([&](const Sample& sample) { text += note(sample); }, options);
  return text;
}

/// Counter values: a sample of two events in each record. Callchains in the second half.
PerfFile several() {
  AttrSpec first{.sample_type = kType | kSampleRead, .read_format = kReadGroup | kReadId};
  AttrSpec second = first, third{.sample_type = kType | kSampleCallchain};
  first.ids = {1};
  second.ids = {2};
  third.ids = {3};
  PerfFile file;
  file.event(first).event(second).event(third);
  for (std::uint64_t time = 90; time > 0; time -= 10) {
    file.record(9, head(1, time).u64(2).u64(time * 5).u64(1).u64(time * 7).u64(2).str());
    file.record(9, head(3, time + 1).u64(2).u64(time).u64(time + 2).str());
  }
  return file;
}

TEST(SampleRange, HandsOutWhatACallbackIsGiven) {
  const Recording file = open_bytes(several().file());
  EXPECT_EQ(of_loop(file), of_callback(file));
  EXPECT_NE(of_loop(file).find("91/2+0:6,90,92 "), std::string::npos) << of_loop(file);
  const PassOptions in_order{.file_order = true};
  EXPECT_EQ(of_loop(file, in_order), of_callback(file, in_order));
  EXPECT_NE(of_loop(file, in_order), of_loop(file));
}

TEST(SampleRange, TellsAtTheEndWhatThePassMet) {
  PerfFile bytes;
  bytes.event({.sample_type = kType, .ids = {1}});
  bytes.record(9, head(1, 10).str()).raw(BytesOut().u32(9).u16(0).u16(0).str());
  SampleRange samples = open_bytes(bytes.file()).samples();
  ASSERT_NE(samples.next(), nullptr);
  EXPECT_EQ(samples.tally().samples, 1u);
  EXPECT_TRUE(samples.tally().warnings.empty());
  EXPECT_EQ(samples.next(), nullptr);
  EXPECT_EQ(samples.next(), nullptr);
  EXPECT_EQ(samples.tally().samples, 1u);
  EXPECT_FALSE(samples.tally().warnings.empty());
}

TEST(SampleRange, CanBeLeftAndGoneOnWith) {
  const Recording file = open_bytes(several().file());
  SampleRange samples = file.samples();
  std::string text;
  for (const Sample& sample : samples) {
    text += note(sample);
    if (text.size() > 40) break;
  }
  SampleRange moved = std::move(samples);
  for (const Sample& sample : moved) text += note(sample);
  EXPECT_EQ(text, of_callback(file));
}

TEST(SampleRange, EndsWhereItIsStopped) {
  const Recording file = open_bytes(several().file());
  SampleRange samples = file.samples({.file_order = true});
  ASSERT_NE(samples.next(), nullptr);
  samples.stop();
  EXPECT_EQ(samples.next(), nullptr);
  EXPECT_EQ(samples.tally().samples, 1u);
}

TEST(SampleRange, SeveralOfOneRecordingDoNotKnowOfEachOther) {
  const Recording file = open_bytes(several().file());
  SampleRange one = file.samples(), other = file.samples();
  std::string texts[2];
  for (;;) {
    const Sample *a = one.next(), *b = other.next();
    ASSERT_EQ(a == nullptr, b == nullptr);
    if (a == nullptr) break;
    texts[0] += note(*a);
    texts[1] += note(*b);
  }
  EXPECT_EQ(texts[0], texts[1]);
}

static_assert(std::input_iterator<SampleRange::Iterator>);

}  // namespace
}  // namespace evname
