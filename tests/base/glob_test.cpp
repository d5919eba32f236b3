#include "base/glob.hpp"

#include <fnmatch.h>
#include <gtest/gtest.h>

#include <ctime>
#include <random>
#include <string>

namespace evname {
namespace {

bool by_libc(const std::string& glob, const std::string& text) {
  return fnmatch(glob.c_str(), text.c_str(), 0) == 0;
}

void expect_as_libc(const std::string& glob, const std::string& text) {
  const bool matches = by_libc(glob, text);
  EXPECT_EQ(glob_match(glob, text), matches) << "'" << glob << "' and '" << text << "'";
  EXPECT_EQ(Glob(glob).matches(text), matches) << "'" << glob << "' and '" << text << "'";
}

TEST(Glob, MatchesAsFnmatchDoes) {
  const char* const globs[] = {"",
                               "*",
                               "?",
                               "a",
                               "a*",
                               "*a",
                               "**",
                               "a*b*c",
                               "[a]",
                               "[!a]",
                               "[^a]",
                               "[a-c]",
                               "[c-a]",
                               "[]a]",
                               "[]",
                               "[!]",
                               "[",
                               "[a",
                               "[a-]",
                               "[-a]",
                               "[a-",
                               "\\*",
                               "a\\",
                               "[\\]]",
                               "[\\",
                               "[!\\!a]",
                               "[[:alpha:]]",
                               "[[:digit:]x]",
                               "[[:al]",
                               "[[:foo:]]",
                               "[[:",
                               "[[:alpha:]",
                               "[[.a.]]",
                               "[[.-.]]",
                               "[a-[.c.]]",
                               "[[=a=]]",
                               "[[.a",
                               "[[=a",
                               "[[.ab.]]",
                               "[[:alpha:]-z]",
                               "[*?]",
                               "*[0-9]",
                               "[[:punct:]]",
                               "[[:cntrl:]]",
                               "[[:space:]]",
                               "[[:xdigit:]]",
                               "[[:graph:]]",
                               "[[:blank:]]"};
  const char* const texts[] = {"",   "a",  "b",  "c",  "abc", "aXbYc", "[",   "]",    "-",  "*",
                               "\\", "!",  "[a", "[]", "[!",  "[a-",   "a\\", "l",    ":]", "9",
                               "z",  "[[", "f",  "\n", " ",   "/",     ".a",  "[[=a", "~",  "\x7f"};
  for (const char* glob : globs)
    for (const char* text : texts) expect_as_libc(glob, text);
}

TEST(Glob, MatchesRandomTextsAsFnmatchDoes) {
  std::mt19937 random(27);
  const auto word = [&](std::string_view letters, std::size_t most) {
    std::string out;
    for (std::size_t left = random() % (most + 1); left > 0; --left)
      out += letters[random() % letters.size()];
    return out;
  };
  expect_as_libc("aba*bac", "abac");  // "bac" may not share letters with "aba"
  for (int i = 0; i < 200'000; ++i) expect_as_libc(word("ab*?[]!^-\\", 9), word("ab[]-!", 7));
}

TEST(Glob, TakesTimeInProportionToItsLength) {
  constexpr std::size_t kLength = 100'000;  // whose square takes minutes
  const std::clock_t start = std::clock();
  for (const std::string piece : {"[", "[[:alpha:]", "[[.", "[[=", "*", "*a", "[!", "\\", "[]"}) {
    std::string glob;
    while (glob.size() < kLength) glob += piece;
    const Glob compiled(glob);
    for (int i = 0; i < 100; ++i) compiled.matches("mem_load_retired.l3_miss");
  }
  EXPECT_LT((std::clock() - start) / CLOCKS_PER_SEC, 20);
}

}  // namespace
}  // namespace evname
