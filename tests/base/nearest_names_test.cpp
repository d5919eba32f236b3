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
  const Names few = {"cpu"};
  const std::pair<const char*, const char*> short_ones[] = {
      {"c", ""},      {"cp", "cpu"},   {"xp", ""},      {"cxu", "cpu"}, {"xxu", ""},
      {"cxxu", ""},   {"cpuxx", ""},   {"cxpux", ""},   {"cxxpu", ""},  {"xcxpux", ""},
      {"cxpuxx", ""}, {"cpuX", "cpu"}, {"Xcpu", "cpu"}, {"", ""}};
  for (const auto& [word, expected] : short_ones)
    EXPECT_EQ(nearest_name(word, few), expected) << word;
  EXPECT_EQ(nearest_name("cycXXs", Names{"cycles"}), "cycles");  // 2 of 6
  EXPECT_EQ(nearest_name("cyXXXs", Names{"cycles"}), "");
  EXPECT_EQ(nearest_name("cyXXs", Names{"cyces"}), "");  // 2 of 5
}

TEST(NearestHint, HasNamesThatHoldTheWord) {
  const Names names = {"backend_bound", "frontend_bound", "IPC", "insn_per_cycle"};
  const std::pair<const char*, const char*> cases[] = {
      {"backend", "did you mean backend_bound?"},
      {"bound", "did you mean backend_bound, frontend_bound?"},
      {"ipcc", "did you mean IPC?"},
      {"insn_per_cicle", "did you mean insn_per_cycle?"},
      {"xyz", ""}};
  for (const auto& [word, expected] : cases) EXPECT_EQ(nearest_hint(word, names), expected) << word;
  EXPECT_EQ(nearest_hint(std::string(1000, 'a'), names), "");
  EXPECT_EQ(nearest_hint("bound", Names{"a_bound", "bound_by"}),
            "did you mean bound_by, a_bound?");  // it begins with the word
}

// By hand: one letter is added, taken, replaced or exchanged with its neighbour.
TEST(EditDistance, IsTheFewestEdits) {
  const struct {
    const char *a, *b;
    std::size_t edits;
  } rows[] = {{"", "", 0},
              {"a", "", 1},
              {"abc", "bc", 1},
              {"abc", "ab", 1},
              {"abcd", "bacd", 1},
              {"abcd", "acbd", 1},
              {"abcd", "badc", 2},
              {"abc", "cba", 2},
              {"abab", "baba", 2},
              {"cycles", "cylces", 1},
              {"misses", "mises", 1},
              {"l1d", "l1i", 1},
              {"load", "store", 4},
              {"ab", "ba", 1},
              {"aab", "aba", 1},
              {"xyz", "abc", 3}};
  for (const auto& row : rows) {
    EXPECT_EQ(edit_distance(row.a, row.b), row.edits) << row.a << ' ' << row.b;
    EXPECT_EQ(edit_distance(row.b, row.a), row.edits) << row.b << ' ' << row.a;
    EXPECT_EQ(edit_distance(row.a, row.b, row.edits), row.edits) << row.a << ' ' << row.b;
    if (row.edits > 0) {
      EXPECT_GT(edit_distance(row.a, row.b, row.edits - 1), row.edits - 1) << row.a;
    }
  }
}

TEST(EditDistance, IsOfTheFirst128Letters) {
  const std::string same(kMostCompared, 'a');
  EXPECT_EQ(edit_distance(same + "b", same + "cd"), 0u);
  EXPECT_EQ(edit_distance(same.substr(1) + "b", same.substr(1) + "c"), 1u);
  EXPECT_EQ(edit_distance(same, same.substr(1)), 1u);
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
  near.offer(0, "b");  // another distance: another name, which drives the last one out
  EXPECT_EQ(near.names(), (Names{"b", "a"}));
  NearestNames none(0);
  none.offer(1, "a");
  EXPECT_EQ(none.names(), Names{});
}

}  // namespace
}  // namespace evname
