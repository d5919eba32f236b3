#include "base/text.hpp"

#include <gtest/gtest.h>

namespace evname {
namespace {

struct NumberCase {
  const char* text;
  std::optional<std::uint64_t> value;
};

TEST(Text, ParsesNumbersAsPerfLexesThem) {
  const NumberCase cases[] = {
      {"0", 0},
      {"012", 12},
      {"0x3c", 0x3c},
      {"0XFF", std::nullopt},
      {"", std::nullopt},
      {"1.5", std::nullopt},
      {"-1", std::nullopt},
      {"0x", std::nullopt},
      {"18446744073709551615", 18446744073709551615u},
      {"18446744073709551616", std::nullopt},
  };
  for (const auto& c : cases) EXPECT_EQ(parse_number(c.text), c.value) << c.text;
}

TEST(Text, TrimsOnlyTheEnds) {
  EXPECT_EQ(trim(" a b\n"), "a b");
  EXPECT_EQ(trim(" \t\n"), "");
}

TEST(Text, SplitKeepsEmptyPieces) {
  EXPECT_EQ(split("a,,b", ','), (std::vector<std::string_view>{"a", "", "b"}));
  EXPECT_EQ(split("", ','), (std::vector<std::string_view>{""}));
}

using Cpus = std::vector<unsigned>;

TEST(CpuList, ReadsRangesUpToTheLimit) {
  EXPECT_EQ(parse_cpu_list("0-2,8\n", 10), (Cpus{0, 1, 2, 8}));
  EXPECT_EQ(parse_cpu_list("0-4294967295", 2), (Cpus{0, 1}));
  EXPECT_EQ(parse_cpu_list("4294967295", 2), (Cpus{4294967295u}));
  EXPECT_EQ(parse_cpu_list("3-1,x", 10), Cpus{});
  EXPECT_EQ(parse_cpu_list("", 10), Cpus{});
}

}  // namespace
}  // namespace evname
