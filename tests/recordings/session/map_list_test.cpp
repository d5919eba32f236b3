#include "recordings/session/processes.hpp"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace evname::session {
namespace {

/// Expected: each address by itself, as the last range that has it says.
class Addresses {
 public:
  void add(const PlacedMap& map) {
    for (std::uint64_t at = map.start; at < map.end; ++at) shifts_[at] = map.shift;
  }
  void expect_same(const MapList& list) const {
    for (std::uint64_t at = 0; at < kSize; ++at) {
      const PlacedMap* const found = list.find(at);
      ASSERT_EQ(found ? found->shift : 0, shifts_[at]) << at;
      ASSERT_TRUE(found == nullptr || (found->start <= at && at < found->end)) << at;
    }
    std::uint64_t end = 0;
    std::size_t count = 0;
    list.for_each_piece([&](const MapList::Shared& piece) {
      for (const PlacedMap& map : *piece) {
        EXPECT_TRUE(end <= map.start && map.start < map.end);
        end = map.end;
        ++count;
      }
    });
    EXPECT_EQ(list.size(), count);
  }

  static constexpr std::uint64_t kSize = 4000;

 private:
  std::vector<std::uint64_t> shifts_ = std::vector<std::uint64_t>(kSize);  ///< 0: nothing
};

// Long and short ranges, some of them empty; copies keep what they had.
TEST(MapList, HasTheLatestRangeOfEachAddress) {
  std::mt19937 random(7);
  for (const std::uint64_t longest : {3, 40, 3000}) {
    MapList list, copy;
    Addresses expected, of_copy;
    for (std::uint64_t shift = 1; shift <= 3000; ++shift) {
      const std::uint64_t start = random() % Addresses::kSize;
      const PlacedMap map{start, std::min(start + random() % longest, Addresses::kSize), shift};
      list.add(map);
      expected.add(map);
      if (shift % 500 == 0) {
        expected.expect_same(list);
        of_copy.expect_same(copy);
        copy = list;
        of_copy = expected;
      }
    }
  }
}

TEST(MapList, EndsWithTheLastAddress) {
  MapList list;
  EXPECT_EQ(list.find(0), nullptr);
  list.add({UINT64_MAX - 9, UINT64_MAX, 1});
  list.add({0, 10, 2});
  EXPECT_EQ(list.find(UINT64_MAX - 1)->shift, 1u);
  EXPECT_EQ(list.find(UINT64_MAX), nullptr);
  EXPECT_EQ(list.find(0)->shift, 2u);
  list.add({0, UINT64_MAX, 3});
  EXPECT_EQ(list.size(), 1u);
}

// Upwards and downwards, pieces are filled.
TEST(MapList, HoldsAMillionRanges) {
  constexpr std::uint64_t kCount = 500'000, kMiddle = kCount * 16;
  MapList list;
  for (std::uint64_t i = 0; i < kCount; ++i) {
    list.add({kMiddle + i * 16, kMiddle + i * 16 + 8, i});
    list.add({kMiddle - i * 16 - 16, kMiddle - i * 16 - 8, i});
  }
  EXPECT_EQ(list.size(), 2 * kCount);
  EXPECT_EQ(list.find(kMiddle + 16 * 77 + 7)->shift, 77u);
  EXPECT_EQ(list.find(kMiddle - 16 * 77 - 9)->shift, 77u);
  EXPECT_EQ(list.find(kMiddle - 16 * 77 - 8), nullptr);
}

}  // namespace
}  // namespace evname::session
