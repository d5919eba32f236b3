// Values by callers, and what they may take.

#include "annotation/recent_callers.hpp"

#include <gtest/gtest.h>

namespace evname::annotation {
namespace {

using Texts = RecentCallers<std::string, 4>;

std::string text_of(std::uint64_t i) {
  return std::string(1 << 12, static_cast<char>('a' + i % 26));
}

// Far more than may be kept: what is there is right, and room is made a few times only.
TEST(RecentCallers, AllAreForgottenWhenTheyTakeTooMuch) {
  RecentCallers<std::string, 14> texts;
  std::size_t found = 0;
  for (std::uint64_t i = 0; i < 20'000; ++i) {
    const CodeAddress callers[] = {{i, false}, {i + 1, true}};
    EXPECT_EQ(texts.find({1, 2, 3}, callers), nullptr);
    texts.set(text_of(i));
    const std::string* const again = texts.find({1, 2, 3}, callers);
    ASSERT_TRUE(!again || *again == text_of(i));
    if (!again) texts.set(text_of(i));
    found += again != nullptr;
  }
  EXPECT_GT(found, 19'900);
}

TEST(RecentCallers, OtherCallersAndOtherOwnersAreOthers) {
  Texts texts;
  const CodeAddress callers[] = {{1, false}, {2, false}};
  EXPECT_EQ(texts.find({1, 2, 3}, callers), nullptr);
  texts.set(std::string("a"));
  ASSERT_NE(texts.find({1, 2, 3}, callers), nullptr);
  EXPECT_EQ(*texts.find({1, 2, 3}, callers), "a");
  const CodeAddress kernel[] = {{1, true}, {2, false}};
  EXPECT_EQ(texts.find({1, 2, 3}, kernel), nullptr);
  EXPECT_EQ(texts.find({1, 2, 4}, callers), nullptr);
  EXPECT_EQ(texts.find({1, 2, 3}, std::span(callers).first(1)), nullptr);
}

}  // namespace
}  // namespace evname::annotation
