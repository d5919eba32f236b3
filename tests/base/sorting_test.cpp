// Sorting keeps the order of equal elements, as std::stable_sort does.
#include "base/sorting.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <random>
#include <string>

namespace evname {
namespace {

using Row = std::pair<int, std::string>;

TEST(Sorting, IsThatOfTheStandardLibrary) {
  std::mt19937 random(1);
  for (const std::size_t size : {0, 1, 2, 3, 17, 1000}) {
    std::vector<Row> rows;
    for (std::size_t i = 0; i < size; ++i)
      rows.emplace_back(static_cast<int>(random() % 7), std::to_string(i));
    std::vector<Row> expected = rows, by_key = rows;
    std::ranges::stable_sort(expected, {}, &Row::first);
    sort_stably_by(by_key, &Row::first);
    EXPECT_EQ(by_key, expected);
    expected = rows;
    std::ranges::stable_sort(expected, std::greater{}, &Row::first);
    sort_stably(rows, [](const Row& a, const Row& b) { return a.first > b.first; });
    EXPECT_EQ(rows, expected);
  }
}

TEST(Sorting, MovesElementsThatCanNotBeCopied) {
  std::vector<std::unique_ptr<int>> rows;
  for (const int number : {3, 1, 2}) rows.push_back(std::make_unique<int>(number));
  sort_stably_by(rows, [](const std::unique_ptr<int>& row) { return *row; });
  EXPECT_EQ(*rows[0], 1);
  EXPECT_EQ(*rows[2], 3);
}

}  // namespace
}  // namespace evname
