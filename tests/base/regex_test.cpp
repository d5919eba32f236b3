#include "base/regex.hpp"

#include <gtest/gtest.h>

namespace evname {
namespace {

TEST(Regex, FindsTheLeftmostLongestMatch) {
  const auto regex = Regex::compile("b|(bc)+");
  ASSERT_TRUE(regex);
  const auto match = regex->search("abcbc");
  ASSERT_TRUE(match);
  EXPECT_EQ(match->offset, 1u);
  EXPECT_EQ(match->size, 4u);
  EXPECT_FALSE(regex->search("xyz"));
}

TEST(Regex, TakesWhatMapfilesHold) {
  for (const char* pattern : {"GenuineIntel-6-(3D|47)", "GenuineIntel-6-55-[01234]",
                              "0x004[bcd][[:xdigit:]]{4}", "^IBM.3906.*[13]\\.[1-5].[[:xdigit:]]+$",
                              "a\\\\1\\.2", "AuthenticAMD-25-([12][0-9A-F]|[0-9A-F])"})
    EXPECT_TRUE(Regex::compile(pattern)) << pattern;
}

TEST(Regex, RefusesWhatIsNoneOrNeedsTooMuchMemory) {
  for (const std::string& pattern :
       {std::string("("), "f" + std::string(24, '+'), std::string("((a{1,200}){1,200}){1,200}"),
        std::string("a{99999999999999999999}"), std::string(2000, 'a'), std::string("(a*)\\1"),
        std::string("\\\\(.?)*\\9")})
    EXPECT_FALSE(Regex::compile(pattern)) << pattern;
}

// A repetition may copy its part 4,096 times at worst, and a pattern has 1,024 bytes.
TEST(Regex, RepetitionsAreCounted) {
  const struct {
    std::string pattern;
    bool fits;
  } rows[] = {{std::string(1024, 'a'), true},
              {std::string(1025, 'a'), false},
              {"f" + std::string(12, '+'), true},
              {"f" + std::string(13, '+'), false},
              {"a{4095}", true},
              {"a{4096}", false},
              {"a{1,4095}", true},
              {"a{4096,1}", false},
              {"(a{1,63}){1,63}", true},
              {"(a{1,63}){1,64}", false},
              {"(a{63}b{31})+", true},
              {"(a{63}b{32})+", false},
              {"(a{3}){1}c", true}};
  for (const auto& row : rows)
    EXPECT_EQ(Regex::compile(row.pattern).has_value(), row.fits) << row.pattern.substr(0, 20);
}

TEST(Regex, TextThatIsLongerThanAnyCpuidDoesNotMatch) {
  EXPECT_FALSE(Regex::compile("a")->search(std::string(300, 'a')));
  EXPECT_FALSE(Regex::compile("a")->search(std::string(257, 'a')));
  EXPECT_TRUE(Regex::compile("a")->search(std::string(256, 'a')));
}

}  // namespace
}  // namespace evname
