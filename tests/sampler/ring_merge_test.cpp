// Buffers of the kernel, made by hand: several at once, records that wrap, counts that wrap, and
// bytes that are no records.

#include "sampler/live_samples.hpp"

#include <gtest/gtest.h>
#include <linux/perf_event.h>

#include <cstring>
#include <optional>
#include <vector>

namespace evname::sampler {
namespace {

using perf_format::Record;

constexpr std::uint64_t kSampleType = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TIME;
constexpr std::uint64_t kOwnId = 7;
constexpr std::size_t kSampleSize = 24;  // header, id, time

/// A buffer as the kernel fills it.
class MadeRing {
 public:
  explicit MadeRing(std::size_t size = 128, std::uint64_t start = 0) : data_(size / 8) {
    page_.data_head = page_.data_tail = start;
  }

  void put(std::uint64_t word) {
    data_[page_.data_head / 8 % data_.size()] = word;
    page_.data_head += 8;
  }
  void put_header(std::uint32_t type, std::uint16_t size) {
    const perf_event_header header{type, 0, size};
    std::uint64_t word;
    std::memcpy(&word, &header, sizeof word);
    put(word);
  }
  /// A sample of `size` bytes, which has zeros at its end.
  void put_sample(std::uint64_t time, std::uint16_t size = kSampleSize) {
    put_header(PERF_RECORD_SAMPLE, size);
    put(kOwnId);
    put(time);
    for (std::size_t at = kSampleSize; at < size; at += 8) put(0);
  }
  std::uint64_t tail() const { return page_.data_tail; }
  perf_event_mmap_page& page() { return page_; }

  sampling::Ring ring() {
    return sampling::Ring::over(
        page_, {reinterpret_cast<const std::uint8_t*>(data_.data()), data_.size() * 8});
  }

 private:
  std::vector<std::uint64_t> data_;
  perf_event_mmap_page page_{};
};

perf_format::Events made_events() {
  perf_format::Attr attr;
  attr.sample_type = kSampleType;
  attr.flags = 1u << perf_format::kSampleIdAll;
  perf_format::Events events;
  events.add(attr, {kOwnId});
  events.add(attr, {kOwnId + 1});
  return events;
}

/// Walks over buffers, and keeps the times of samples.
struct Walk {
  explicit Walk(std::vector<MadeRing*> of) {
    for (MadeRing* one : of) rings.push_back(one->ring());
    merge.emplace(rings, events);
  }
  std::vector<std::uint64_t> times(std::uint64_t limit = UINT64_MAX) {
    std::vector<std::uint64_t> out;
    merge->begin(limit);
    perf_format::Record record;
    const perf_format::Event* event = nullptr;
    while (merge->next(record, event)) {
      if (event != nullptr)
        out.push_back(load<std::uint64_t>(record.body().data() + 8, std::endian::native));
    }
    return out;
  }

  perf_format::Events events = made_events();
  std::vector<sampling::Ring> rings;
  std::optional<RingMerge> merge;
};

using Times = std::vector<std::uint64_t>;

TEST(RingMerge, RecordsOfSeveralBuffersComeInTheOrderOfTheirTimes) {
  MadeRing a, b, c;
  for (const std::uint64_t time : {10, 40, 50}) a.put_sample(time);
  for (const std::uint64_t time : {20, 30, 60}) b.put_sample(time);
  c.put_sample(35);
  Walk walk({&a, &b, &c});
  EXPECT_EQ(walk.times(), (Times{10, 20, 30, 35, 40, 50, 60}));
  EXPECT_EQ(a.tail(), 72u);
  EXPECT_EQ(c.tail(), 24u);
  EXPECT_EQ(walk.times(), Times());
  c.put_sample(70);
  EXPECT_EQ(walk.times(), Times{70});
  EXPECT_EQ(walk.merge->damaged(), 0u);
}

// Whichever buffer is the next one: also the last of those that wait.
TEST(RingMerge, TheOrderOfTheBuffersDoesNotMatter) {
  std::vector<std::vector<std::uint64_t>> times = {{10, 20}, {15, 50}, {30, 60}};
  do {
    std::vector<MadeRing> made(times.size());
    std::vector<MadeRing*> rings;
    for (std::size_t i = 0; i < made.size(); ++i) {
      for (const std::uint64_t time : times[i]) made[i].put_sample(time);
      rings.push_back(&made[i]);
    }
    EXPECT_EQ(Walk(rings).times(), (Times{10, 15, 20, 30, 50, 60}));
  } while (std::ranges::next_permutation(times).found);
}

TEST(RingMerge, WhatIsLaterThanTheLimitStays) {
  MadeRing a, b;
  a.put_sample(10);
  a.put_sample(40);
  b.put_sample(20);
  b.put_sample(30);
  Walk walk({&a, &b});
  EXPECT_EQ(walk.times(25), (Times{10, 20}));
  EXPECT_EQ(a.tail(), kSampleSize);
  EXPECT_EQ(walk.times(40), (Times{30, 40}));
}

// A time that is a second away is no time: waiting for it would keep the buffer full for ever.
TEST(RingMerge, ATimeFarInTheFutureDoesNotBlockABuffer) {
  MadeRing a;
  a.put_sample(5'000'000'000);
  a.put_sample(11);
  Walk walk({&a});
  EXPECT_EQ(walk.times(100), (Times{5'000'000'000, 11}));
}

TEST(RingMerge, CountsWrapAt2To32AndAt2To64) {
  for (const std::uint64_t start :
       {std::uint64_t{0xffff'ffd0}, ~std::uint64_t{0} - 47, std::uint64_t{1} << 40}) {
    MadeRing a(128, start);
    Walk walk({&a});
    for (std::uint64_t round = 0; round < 20; ++round) {
      for (std::uint64_t i = 1; i <= 5; ++i) a.put_sample(round * 10 + i);
      const std::uint64_t base = round * 10;
      EXPECT_EQ(walk.times(), (Times{base + 1, base + 2, base + 3, base + 4, base + 5}));
      EXPECT_EQ(a.tail(), a.page().data_head);
    }
    EXPECT_EQ(walk.merge->damaged(), 0u);
  }
}

// Of a record of 48 bytes any multiple of 8 may be before the end of the buffer.
TEST(RingMerge, RecordsThatWrapAreWhole) {
  for (std::uint64_t start = 0; start < 128; start += 8) {
    MadeRing a(128, start);
    a.put_sample(1, 48);
    a.put_sample(2, 48);
    Walk walk({&a});
    EXPECT_EQ(walk.times(), (Times{1, 2})) << start;
  }
}

TEST(RingMerge, ABufferIsGivenBackWhileItIsRead) {
  MadeRing a(128);
  for (std::uint64_t i = 1; i <= 5; ++i) a.put_sample(i);
  Walk walk({&a});
  walk.merge->begin(UINT64_MAX);
  perf_format::Record record;
  const perf_format::Event* event = nullptr;
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(walk.merge->next(record, event));
  EXPECT_EQ(a.tail(), 48u);  // more than a quarter, and not the record at hand
  walk.merge->end();
}

struct Damage {
  const char* what;
  std::uint16_t size;  ///< of the second record
};

TEST(RingMerge, TheRestOfABufferIsLeftOutAfterARecordThatIsNone) {
  const Damage cases[] = {{"no size", 0},
                          {"smaller than a header", 4},
                          {"no multiple of 8", 20},
                          {"longer than what is there", 56},
                          {"the longest", 0xffff}};
  for (const Damage& one : cases) {
    SCOPED_TRACE(one.what);
    MadeRing a, b;
    a.put_sample(1);
    a.put_header(PERF_RECORD_SAMPLE, one.size);
    a.put(kOwnId);
    a.put(2);
    b.put_sample(3);
    Walk walk({&a, &b});
    EXPECT_EQ(walk.times(), (Times{1, 3}));
    EXPECT_EQ(walk.merge->damaged(), 1u);
    EXPECT_EQ(a.tail(), a.page().data_head);
    a.put_sample(4);
    EXPECT_EQ(walk.times(), Times{4});
  }
}

TEST(RingMerge, CountsThatMakeNoSenseAreDamage) {
  MadeRing a;
  a.page().data_head = 129;
  Walk walk({&a});
  EXPECT_EQ(walk.times(), Times());
  EXPECT_EQ(walk.merge->damaged(), 1u);
}

TEST(RingMerge, SamplesOfUnknownEventsHaveNoEvent) {
  MadeRing a;
  a.put_header(PERF_RECORD_SAMPLE, 24);
  a.put(99);
  a.put(5);
  a.put_header(PERF_RECORD_SAMPLE, 8);
  a.put_sample(6);
  Walk walk({&a});
  EXPECT_EQ(walk.times(), Times{6});
}

}  // namespace
}  // namespace evname::sampler
