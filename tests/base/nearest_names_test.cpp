#include "base/nearest_names.hpp"

#include <gtest/gtest.h>

#include <cstdint>

namespace evname {
namespace {

using Names = std::vector<std::string>;

TEST(EditDistance, CountsSingleChanges) {
  EXPECT_EQ(edit_distance("skylake", "skylakex"), 1u);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3u);
  EXPECT_EQ(edit_distance("", "abc"), 3u);
  EXPECT_EQ(edit_distance("abc", "abc"), 0u);
}

TEST(EditDistance, CountsTwoLettersInTheWrongOrderOnce) {
  EXPECT_EQ(edit_distance("lsit", "list"), 1u);
  EXPECT_EQ(edit_distance("ba", "ab"), 1u);
  EXPECT_EQ(edit_distance("ca", "abc"), 3u);  // none inside an exchanged pair
  EXPECT_EQ(edit_distance(std::string(200, 'a'), std::string(200, 'b')), 128u);
}

TEST(NearestName, IsTheFirstOfTheNearestInReach) {
  const Names names = {"--jsonl", "--json", "--jso"};
  EXPECT_EQ(nearest_within("--jsons", names, 2), "--jsonl");
  EXPECT_EQ(nearest_within("--json", names, 0), "--json");
  EXPECT_EQ(nearest_within("--csv", names, 1), "");
  EXPECT_EQ(nearest_within("x", Names{}, SIZE_MAX), "");
}

TEST(NearestName, MayDifferInAThirdOfTheLettersAndInThree) {
  const Names names = {"branches"};
  const std::pair<const char*, const char*> cases[] = {
      {"brXnches", "branches"},   {"brXnXhes", "branches"}, {"brXnXXes", ""},
      {"brXXnXches", "branches"}, {"brXXnXXches", ""},      {"branchesXXXX", ""}};
  for (const auto& [word, expected] : cases) EXPECT_EQ(nearest_name(word, names), expected) << word;
}

TEST(NearestNames, KeepsTheNearestFewEachOnce) {
  NearestNames near(2);
  EXPECT_EQ(near.hint(), "");
  near.offer(3, "far");
  near.offer(1, "b");
  EXPECT_EQ(near.hint(), "did you mean b, far?");
  near.offer(1, "a");
  near.offer(1, "a");
  near.offer(2, "late");
  EXPECT_EQ(near.names(), (Names{"a", "b"}));
  EXPECT_EQ(near.hint(), "did you mean a, b?");
}

}  // namespace
}  // namespace evname
