// What is kept by callers, and how long.

#include "recordings/locations/recent_callers.hpp"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace evname::locations {
namespace {

std::string text_of(std::uint64_t i) {
  return std::string(i % 300, static_cast<char>('a' + i % 26));
}

// Far more than there is room for: the latest are there, none is ever wrong.
TEST(RecentCallers, LaterOnesOverwriteTheOldest) {
  RecentCallers<1 << 12> texts;
  std::size_t found = 0;
  for (std::uint64_t i = 0; i < 100'000; ++i) {
    const Address callers[] = {{i, false}, {i + 1, true}};
    EXPECT_EQ(texts.find({1, 2, 3}, callers), std::nullopt);
    texts.set(text_of(i));
    ASSERT_EQ(texts.find({1, 2, 3}, callers), text_of(i));
    if (i < 40) continue;
    const std::uint64_t old = i - i % 41;
    const Address earlier[] = {{old, false}, {old + 1, true}};
    const auto kept = texts.find({1, 2, 3}, earlier);
    ASSERT_TRUE(!kept || *kept == text_of(old));
    found += kept.has_value();
  }
  EXPECT_GT(found, 70'000);
  EXPECT_LT(found, 100'000);
}

// A 64th of the ring: 64 words, including 8 for sizes and key.
TEST(RecentCallers, WhatTakesMuchRoomIsNotKept) {
  const Address few[] = {{1, false}};
  for (const auto& [size, kept] :
       {std::pair{440, true}, {448, true}, {449, false}, {1 << 20, false}}) {
    RecentCallers<1 << 12> texts;
    texts.find({}, few);
    texts.set(std::string(static_cast<std::size_t>(size), 'x'));
    EXPECT_EQ(texts.find({}, few).has_value(), kept) << size;
  }
  const std::vector<Address> many(1000, Address{1, false});
  RecentCallers<1 << 12> texts;
  texts.find({}, many);
  texts.set("x");
  EXPECT_FALSE(texts.find({}, many));
}

TEST(RecentCallers, OtherCallersAndOtherOwnersAreOthers) {
  RecentCallers<1 << 12> texts;
  const Address callers[] = {{1, false}, {2, false}};
  EXPECT_FALSE(texts.find({1, 2, 3}, callers));
  texts.set("a");
  EXPECT_EQ(texts.find({1, 2, 3}, callers), "a");
  const Address kernel[] = {{1, true}, {2, false}};
  EXPECT_FALSE(texts.find({1, 2, 3}, kernel));
  EXPECT_FALSE(texts.find({1, 2, 4}, callers));
  EXPECT_FALSE(texts.find({1, 2, 3}, std::span(callers).first(1)));
  EXPECT_FALSE(texts.find({}, {}));
  texts.set("");
  EXPECT_EQ(texts.find({}, {}), "");
}

}  // namespace
}  // namespace evname::locations
