// The buffers of the kernel, made by hand: where records begin and end is said by two counts of
// bytes, which nobody vouches for.

#include "sampling/ring.hpp"

#include <gtest/gtest.h>
#include <linux/perf_event.h>

#include <numeric>
#include <optional>
#include <string>
#include <vector>

namespace evname::sampling {
namespace {

struct Case {
  const char* what;
  std::uint64_t tail, head;
  /// Offsets in the buffer of the bytes that are read; nullopt: it makes no sense.
  std::optional<std::vector<std::uint8_t>> read;
};

std::vector<std::uint8_t> bytes_from(std::uint8_t first, std::size_t count) {
  std::vector<std::uint8_t> out(count);
  std::iota(out.begin(), out.end(), first);
  return out;
}

std::vector<std::uint8_t> both(std::vector<std::uint8_t> a, const std::vector<std::uint8_t>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

// The reader gives senseless content back, so that the kernel goes on.
TEST(Ring, ContentIsBetweenTheTwoPlaces) {
  const std::vector<std::uint8_t> buffer = bytes_from(0, 64);
  const std::uint64_t wraps = 0 - std::uint64_t{16};  // 2^64 - 16
  const Case cases[] = {
      {"empty", 0, 0, bytes_from(0, 0)},
      {"one record", 0, 24, bytes_from(0, 24)},
      {"full", 0, 64, bytes_from(0, 64)},
      {"past the first round", 640, 648, bytes_from(0, 8)},
      {"around the end", 48, 80, both(bytes_from(48, 16), bytes_from(0, 16))},
      {"full, from the middle", 32, 96, both(bytes_from(32, 32), bytes_from(0, 32))},
      {"counts past 32 bits", 0x1'0000'0030, 0x1'0000'0050,
       both(bytes_from(48, 16), bytes_from(0, 16))},
      {"counts around 2^64", wraps, 16, both(bytes_from(48, 16), bytes_from(0, 16))},
      {"more than the buffer", 0, 72, std::nullopt},
      {"backwards", 64, 56, std::nullopt},
      {"not a multiple of 8", 0, 12, std::nullopt},
      {"a tail that is none", 4, 12, std::nullopt},
  };
  for (const Case& one : cases) {
    SCOPED_TRACE(one.what);
    perf_event_mmap_page page{};
    page.data_tail = one.tail;
    page.data_head = one.head;
    const auto content = Ring::over(page, buffer, {}).read();
    ASSERT_EQ(content.has_value(), one.read.has_value());
    EXPECT_EQ(page.data_tail, content ? one.tail : one.head);
    if (!content) continue;
    std::vector<std::uint8_t> got(content->first.begin(), content->first.end());
    got.insert(got.end(), content->second.begin(), content->second.end());
    EXPECT_EQ(got, *one.read);
    EXPECT_EQ(content->end, one.head);
  }
}

TEST(Ring, WordsAreReadAcrossTheEnd) {
  const std::vector<std::uint8_t> buffer = bytes_from(0, 64);
  const auto content = ring_content(buffer, 48, 80);
  ASSERT_TRUE(content);
  const std::uint64_t expected[] = {0x3736353433323130, 0x3f3e3d3c3b3a3938, 0x0706050403020100,
                                    0x0f0e0d0c0b0a0908};
  for (std::size_t i = 0; i < 4; ++i)
    EXPECT_EQ(content->word(i * 8), std::endian::native == std::endian::little
                                        ? expected[i]
                                        : base::byte_swap(expected[i]));
}

// Bytes of a trace end anywhere.
TEST(Ring, TracesBesideIt) {
  const std::vector<std::uint8_t> buffer(64), area = bytes_from(0, 64);
  const Case cases[] = {
      {"empty", 0, 0, bytes_from(0, 0)},
      {"not a multiple of 8", 3, 7, bytes_from(3, 4)},
      {"around the end", 61, 67, both(bytes_from(61, 3), bytes_from(0, 3))},
      {"full, past 32 bits", 0x1'0000'0030, 0x1'0000'0070,
       both(bytes_from(48, 16), bytes_from(0, 48))},
      {"counts around 2^64", 0 - std::uint64_t{1}, 1, both(bytes_from(63, 1), bytes_from(0, 1))},
      {"more than the area", 0, 65, std::nullopt},
      {"backwards", 64, 63, std::nullopt},
  };
  for (const Case& one : cases) {
    SCOPED_TRACE(one.what);
    perf_event_mmap_page page{};
    page.aux_tail = one.tail;
    page.aux_head = one.head;
    Ring ring = Ring::over(page, buffer, area);
    const auto content = ring.read_trace();
    ASSERT_EQ(content.has_value(), one.read.has_value());
    EXPECT_EQ(page.aux_tail, content ? one.tail : one.head);
    if (!content) continue;
    std::vector<std::uint8_t> got(content->first.begin(), content->first.end());
    got.insert(got.end(), content->second.begin(), content->second.end());
    EXPECT_EQ(got, *one.read);
    ring.release_trace(content->end);
    EXPECT_EQ(page.aux_tail, one.head);
  }
}

// The kernel's place after some writes by rb->aux_head: a place in the area with most drivers.
TEST(Ring, SnapshotsHaveWhatIsNew) {
  constexpr std::size_t kArea = 64;
  struct Step {
    std::uint64_t head, written;
    std::size_t most;
    std::uint64_t end, size;  ///< of the snapshot, as counts of bytes
  };
  struct {
    const char* what;
    bool has_come_around;
    std::vector<Step> steps;
  } const cases[] = {
      {"nothing", false, {{0, 0, 100, 0, 0}}},
      {"the start, then more", true, {{24, 24, 100, 24, 24}, {40, 16, 100, 40, 16}}},
      {"around the end", true, {{40, 40, 100, 40, 40}, {8, 32, 100, 72, 32}}},
      {"all of it, and never twice", true, {{40, 40, 100, 40, 40}, {48, 72, 100, 112, 64}}},
      {"the newest bytes", true, {{40, 40, 10, 40, 10}, {48, 72, 10, 112, 10}}},
      {"a count of bytes", true, {{200, 200, 100, 72, 64}, {210, 10, 100, 82, 10}}},
      {"padding is no record's", true, {{40, 30, 100, 40, 40}}},
      {"always the area's size", false, {{24, 64, 100, 24, 24}, {40, 64, 100, 40, 16}}},
      {"the area's size after the end", true, {{24, 128, 100, 88, 64}}},
      {"records were lost", true, {{24, UINT64_MAX, 100, 88, 64}}},
  };
  for (const auto& one : cases) {
    SCOPED_TRACE(one.what);
    const std::vector<std::uint8_t> buffer(64);
    std::vector<std::uint8_t> area = bytes_from(1, kArea);
    if (!one.has_come_around) std::fill(area.begin() + 24, area.end(), 0);
    perf_event_mmap_page page{};
    Ring ring = Ring::over(page, buffer, area);
    for (const Step& step : one.steps) {
      if (!one.has_come_around) std::ranges::copy(bytes_from(1, step.head), area.begin());
      page.aux_head = step.head;
      const auto content = ring.newest_trace(step.written, step.most);
      ASSERT_TRUE(content);
      EXPECT_EQ(content->end, step.end);
      EXPECT_EQ(content->size(), step.size);
      if (content->size() == 0) continue;
      const std::uint8_t last =
          content->second.empty() ? content->first.back() : content->second.back();
      EXPECT_EQ(last, area[(step.end - 1) % kArea]);
    }
  }
}

}  // namespace
}  // namespace evname::sampling
