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

TEST(Text, AMissingFileIsNamedInTheError) {
  const auto text = read_text_file("/nonexistent/file");
  ASSERT_FALSE(text);
  EXPECT_EQ(text.error().code, Errc::not_found);
  EXPECT_EQ(text.error().where, "/nonexistent/file");
}

TEST(Text, AFileLargerThanTheLimitIsRefused) {
  const auto text = read_text_file("/dev/zero", 4096);
  ASSERT_FALSE(text);
  EXPECT_EQ(text.error().code, Errc::out_of_range);
}

}  // namespace
}  // namespace evname
