// The buffers of the kernel, made by hand: where records begin and end is said by two counts of
// bytes, which nobody vouches for.

#include "sampling/ring.hpp"

#include <gtest/gtest.h>

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
    const auto content = ring_content(buffer, one.tail, one.head);
    ASSERT_EQ(content.has_value(), one.read.has_value());
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

}  // namespace
}  // namespace evname::sampling
