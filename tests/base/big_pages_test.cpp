// Memory in pages of 2 MiB. Below that size, std::allocator provides it.
#include "base/big_pages.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

namespace evname {
namespace {

constexpr std::size_t kPage = std::size_t{2} << 20;

TEST(BigPages, BeginAtPagesIfTheyFillOne) {
  BigPages<std::uint64_t> pages;
  for (const std::size_t size : {std::size_t{8}, kPage - 8, kPage, kPage + 8, 5 * kPage}) {
    std::uint64_t* const memory = pages.allocate(size / 8);
    if (size >= kPage) {
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(memory) % kPage, 0U) << size;
    }
    memory[0] = memory[size / 8 - 1] = size;
    EXPECT_EQ(memory[0], size);
    pages.deallocate(memory, size / 8);
  }
}

TEST(BigPages, KeepWhatAVectorHasWhileItGrows) {
  std::vector<std::uint32_t, BigPages<std::uint32_t>> numbers;
  constexpr std::uint32_t kCount = 3'000'000;  // 12 MB
  for (std::uint32_t i = 0; i < kCount; ++i) numbers.push_back(i);
  for (std::uint32_t i = 0; i < kCount; ++i) ASSERT_EQ(numbers[i], i);
  const auto copy = numbers;
  EXPECT_EQ(copy, numbers);
}

}  // namespace
}  // namespace evname
