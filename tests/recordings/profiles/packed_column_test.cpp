#include "recordings/profiles/packed_column.hpp"

#include <gtest/gtest.h>
#include <malloc.h>

#include <random>

namespace evname::test {
namespace {

using profiles::PackedColumn;

void expect_same(const std::vector<std::uint64_t>& numbers) {
  PackedColumn column;
  for (const std::uint64_t number : numbers) column.push_back(number);
  for (int pass = 0; pass < 2; ++pass) {
    PackedColumn::Reader reader(column);
    for (std::size_t i = 0; i < numbers.size(); ++i) ASSERT_EQ(reader.next(), numbers[i]) << i;
  }
}

TEST(PackedColumn, ReturnsWhatWasAppended) {
  expect_same({});
  expect_same(
      {0, UINT64_MAX, 0, 1, UINT64_MAX - 1, std::uint64_t{1} << 63, 0, 127, 128, 64, 63, 0});
  std::mt19937_64 random(1);
  std::vector<std::uint64_t> numbers;
  for (unsigned i = 0; i < 100'000; ++i) numbers.push_back(random() >> i % 64);
  expect_same(numbers);
}

// Profiles of 10 million samples have four columns, whose memory must stay small.
TEST(PackedColumn, TakesTwoBytesForNumbersThatDifferLittle) {
  const auto used = [] { return mallinfo2().uordblks + mallinfo2().hblkhd; };
  const std::size_t before = used();
  PackedColumn column;
  for (std::uint64_t i = 0; i < 1'000'000; ++i) column.push_back(i * 8000 + i % 100);
  EXPECT_LT(used(), before + 2'300'000);
}

}  // namespace
}  // namespace evname::test
