// Values of callers are found until there are too many.

#include "recordings/locations/by_location.hpp"

#include <gtest/gtest.h>

#include <string>

namespace evname::locations {
namespace {

// Far more than there is room for: what was set last is there, and none is ever wrong.
TEST(ByCallers, AllAreForgottenWhenThereAreTooMany) {
  ByCallers<std::uint64_t> values(10'000);
  std::size_t found = 0;
  for (std::uint64_t i = 0; i < 10'000; ++i) {
    const Address callers[] = {{i, false}, {i + 1, true}};
    ASSERT_EQ(values.find({1, 2, 3}, callers), nullptr);
    values.set(i);
    ASSERT_NE(values.find({1, 2, 3}, callers), nullptr);
    ASSERT_EQ(*values.find({1, 2, 3}, callers), i);
    if (i < 20) continue;
    const std::uint64_t old = i - i % 19;
    const Address earlier[] = {{old, false}, {old + 1, true}};
    const auto* const kept = values.find({1, 2, 3}, earlier);
    ASSERT_TRUE(!kept || *kept == old);
    found += kept != nullptr;
  }
  EXPECT_GT(found, 5'000u);
  EXPECT_LT(found, 10'000u);
}

TEST(ByCallers, OtherCallersAndOtherOwnersAreOthers) {
  ByCallers<std::string_view> texts;
  const Address callers[] = {{1, false}, {2, false}};
  EXPECT_FALSE(texts.find({1, 2, 3}, callers));
  texts.set("a");
  ASSERT_TRUE(texts.find({1, 2, 3}, callers));
  EXPECT_EQ(*texts.find({1, 2, 3}, callers), "a");
  const Address kernel[] = {{1, true}, {2, false}};
  EXPECT_FALSE(texts.find({1, 2, 3}, kernel));
  EXPECT_FALSE(texts.find({1, 2, 4}, callers));
  EXPECT_FALSE(texts.find({1, 2, 3}, std::span(callers).first(1)));
  EXPECT_FALSE(texts.find({}, {}));
  texts.set("");
  EXPECT_TRUE(texts.find({}, {}));
}

}  // namespace
}  // namespace evname::locations
