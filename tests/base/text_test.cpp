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

// What std::from_chars of the C++ standard takes ([charconv.from.chars]), in the order of the text.
TEST(Text, ReadsDoublesAtTheStart) {
  const struct {
    const char* text;
    std::size_t used;
    double value;
  } cases[] = {
      {"1.5GHz", 3, 1.5}, {"64Bytes", 2, 64}, {"1e3", 3, 1000}, {"1e", 1, 1},     {"-2.", 3, -2},
      {".5", 2, .5},      {"1 ", 1, 1},       {"0x10", 1, 0},   {"1E-2", 4, .01}, {"1,5", 1, 1},
      {"", 0, 7},         {".", 0, 7},        {"+1", 0, 7},     {" 1", 0, 7},     {"-", 0, 7},
      {"--1", 0, 7},      {"-+1", 0, 7},      {"instr", 0, 7},  {"x1", 0, 7},     {"1e999", 0, 7},
  };
  for (const auto& c : cases) {
    double value = 7;
    EXPECT_EQ(read_double(c.text, value), c.used) << c.text;
    EXPECT_EQ(value, c.value) << c.text;
  }
  EXPECT_EQ(parse_double("12.5"), 12.5);
  EXPECT_EQ(parse_double("12.5%"), std::nullopt);
  EXPECT_EQ(parse_double(""), std::nullopt);
}

TEST(Text, ReadsHexadecimalDoublesAtTheStart) {  // what printf's %a writes after 0x
  const struct {
    const char* text;
    std::size_t used;
    double value;
  } cases[] = {{"1.8p3", 5, 12}, {"ff", 2, 255}, {"1.8p-1 ", 6, .75}, {".8", 2, .5}, {"1g", 1, 1},
               {"", 0, 7},       {"p3", 0, 7},   {"-1", 0, 7},        {"+1", 0, 7},  {" 1", 0, 7}};
  for (const auto& c : cases) {
    double value = 7;
    EXPECT_EQ(read_hex_double(c.text, value), c.used) << c.text;
    EXPECT_EQ(value, c.value) << c.text;
  }
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

TEST(Text, CountsOneAndMany) {
  EXPECT_EQ(counted(0, "record is", "records are"), "0 records are");
  EXPECT_EQ(counted(1, "record is", "records are"), "1 record is");
  EXPECT_EQ(counted(2, "record is", "records are"), "2 records are");
}

// What begins a formula: owasp.org/www-community/attacks/CSV_Injection, and the full-width forms of
// the same letters. A separator of the reader's country begins a cell, too.
TEST(Text, GuardsWhatASpreadsheetWouldCompute) {
  const std::pair<const char*, const char*> cases[] = {
      {"", ""},           {"bash", "bash"},   {"=1", "'=1"},         {"+1", "'+1"},
      {"-1", "'-1"},      {"@x", "'@x"},      {"\t=1", "'\t'=1"},    {"\r=1", "'\r'=1"},
      {"\n=1", "'\n'=1"}, {"＝1", "'＝1"},    {"＋1", "'＋1"},       {"－1", "'－1"},
      {"＠1", "'＠1"},    {";=1", ";'=1"},    {"a;-1", "a;'-1"},     {"a\n=1", "a\n'=1"},
      {"a=1", "a=1"},     {"a-b;c", "a-b;c"}, {"f(1,-1)", "f(1,-1)"}};
  for (const auto& [text, guarded] : cases) EXPECT_EQ(without_formulas(text), guarded) << text;
}

TEST(Text, SpellsBytesAndLetters) {
  const std::uint8_t bytes[] = {0, 9, 0x10, 0xab, 0xff};
  EXPECT_EQ(hex_text(bytes), "000910abff");
  EXPECT_EQ(hex_text({}), "");
  EXPECT_EQ(to_lower("@AZ[`az{09\xc4"), "@az[`az{09\xc4");
  EXPECT_EQ(last_part("/a/b"), "b");
  EXPECT_EQ(last_part("b"), "b");
  EXPECT_EQ(last_part("a/"), "");
  for (const char letter : {'\0', '\x1f', '\x7f'}) EXPECT_TRUE(is_control(letter));
  for (const char letter : {' ', '~', '\x80'}) EXPECT_FALSE(is_control(letter));
  EXPECT_EQ(joined(std::vector{1, 2, 3}, ", "), "1, 2, 3");
  EXPECT_EQ(joined(std::vector{"a"}, ", "), "a");
}

TEST(Text, NumbersEndAtTheirLastBit) {
  EXPECT_EQ(parse_decimal("18446744073709551615"), UINT64_MAX);
  EXPECT_EQ(parse_decimal("18446744073709551616"), std::nullopt);
  EXPECT_EQ(parse_hex("ffffffffffffffff"), UINT64_MAX);
  EXPECT_EQ(parse_hex("10000000000000000"), std::nullopt);
  EXPECT_EQ(parse_hex("0x1"), std::nullopt);
  EXPECT_EQ(parse_number("0x"), std::nullopt);
  EXPECT_EQ(parse_double("1.5"), 1.5);
  EXPECT_EQ(parse_double("1.5 "), std::nullopt);
  EXPECT_EQ(parse_double(""), std::nullopt);
}

TEST(Text, TimesAreCutNotRounded) {
  const struct {
    std::uint64_t ns;
    const char *seconds, *microseconds;
  } cases[] = {{0, "0.000000000", "0.000000"},
               {999, "0.000000999", "0.000000"},
               {1'000, "0.000001000", "0.000001"},
               {999'999'999, "0.999999999", "0.999999"},
               {1'000'000'000, "1.000000000", "1.000000"},
               {UINT64_MAX, "18446744073.709551615", "18446744073.709551"}};
  for (const auto& c : cases) {
    EXPECT_EQ(seconds_text(c.ns), c.seconds);
    EXPECT_EQ(microseconds_text(c.ns), c.microseconds);
  }
}

}  // namespace
}  // namespace evname
