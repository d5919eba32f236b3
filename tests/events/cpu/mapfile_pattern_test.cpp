#include <gtest/gtest.h>

#include "events/cpu/mapfile_pattern.hpp"

namespace evname::cpu {
namespace {

struct MapfilePatternCase {
  const char *pattern, *cpuid;
  bool matches;
};

template <std::size_t N>
void check(const char* arch, const MapfilePatternCase (&cases)[N]) {
  for (const MapfilePatternCase& c : cases)
    EXPECT_EQ(pattern_matches(arch, c.pattern, c.cpuid), c.matches) << c.pattern << " " << c.cpuid;
}

// Expected values: runs of perf 6.12 and strcmp_cpuid_str of arch/x86.
TEST(Pattern, X86IgnoresTheSteppingUnlessThePatternHasThreeHyphens) {
  const MapfilePatternCase cases[] = {
      {"GenuineIntel-6-55-[01234]", "GenuineIntel-6-55-4", true},
      {"GenuineIntel-6-55-[01234]", "GenuineIntel-6-55-7", false},
      {"GenuineIntel-6-55-[01234]", "GenuineIntel-6-55", false},
      {"GenuineIntel-6-55-[0-4]", "GenuineIntel-6-55-4", false},
      {"GenuineIntel-6-8F", "GenuineIntel-6-8F-8", true},
      {"GenuineIntel-6-8F", "GenuineIntel-6-8F-88", true},
      {"GenuineIntel-6-8F", "GenuineIntel-6-8F", true},
      {"GenuineIntel-6-8f", "GenuineIntel-6-8F-8", false},
      {"GenuineIntel-6-8F", "xGenuineIntel-6-8F-8", false},
      {"GenuineIntel-6-(97|9A|B7|BA|BF)", "GenuineIntel-6-B7-1", true},
      {"GenuineIntel-6-(97|9A|B7|BA|BF)", "GenuineIntel-6-B8-1", false},
      {"GenuineIntel-6-A[DE]", "GenuineIntel-6-AE-0", true},
      {"GenuineIntel-6-[", "GenuineIntel-6-8F-8", false},
  };
  check("x86", cases);
}

TEST(Pattern, AmdFamiliesAreToldApartByLength) {
  constexpr const char* kZen1 = "AuthenticAMD-23-([12][0-9A-F]|[0-9A-F])";
  constexpr const char* kZen3 = "AuthenticAMD-25-([245][[:xdigit:]]|[[:xdigit:]])";
  const MapfilePatternCase cases[] = {
      {kZen1, "AuthenticAMD-23-1-1", true},
      {kZen1, "AuthenticAMD-23-11-0", true},
      {kZen1, "AuthenticAMD-23-2F-0", true},
      {kZen1, "AuthenticAMD-23-31-0", false},
      {kZen3, "AuthenticAMD-25-1-1", true},
      {kZen3, "AuthenticAMD-25-21-0", true},
      {kZen3, "AuthenticAMD-25-50-0", true},
      {kZen3, "AuthenticAMD-25-11-1", false},
      {kZen3, "AuthenticAMD-25-61-2", false},
      {"AuthenticAMD-25-[[:xdigit:]]+", "AuthenticAMD-25-61-2", true},
  };
  check("x86", cases);
}

TEST(Pattern, Arm64RowsStandForTheirRevisionAndLaterOnes) {
  const MapfilePatternCase cases[] = {
      {"0x00000000410fd0c0", "0x00000000410fd0c0", true},
      {"0x00000000410fd0c0", "0x00000000414fd0c1", true},
      {"0x00000000410fd0c0", "0x00000000410fd0b0", false},
      {"0x00000000410fd0c0", "0x00000000420fd0c0", false},
      {"0x00000000411fd0c2", "0x00000000411fd0c1", false},
      {"0x00000000411fd0c2", "0x00000000411fd0c2", true},
      {"0x00000000411fd0c2", "0x00000000412fd0c0", true},
      {"0x00000000411fd0c2", "0x00000000410fd0c9", false},
      {"garbage", "0x00000000410fd0c0", false},
  };
  check("arm64", cases);
}

TEST(Pattern, ElsewhereTheWholeStringHasToMatch) {
  const MapfilePatternCase cases[] = {
      {"0x004[bcd][[:xdigit:]]{4}", "0x004b0100", true},
      {"0x004[bcd][[:xdigit:]]{4}", "0x004e0100", false},
      {"0x004[bcd][[:xdigit:]]{4}", "0x004b01001", false},
      {"^IBM.390[67].*[13]\\.[1-5].[[:xdigit:]]+$", "IBM,3906,704,M03,3.5,002f", true},
      {"^IBM.390[67].*[13]\\.[1-5].[[:xdigit:]]+$", "IBM,3906,704,M03,3.6,002f", false},
      {"^IBM.393[12].*$", "IBM,3931,704,A01,3.7,002f", true},
      {"0x489-0x8000000000000007-0x[[:xdigit:]]+", "0x489-0x8000000000000007-0x20181004", true},
      {"0x5b7-0x0-0x0", "0x5b7-0x0-0x01", false},
      {"a|b", "b", true},
      {"ab*c", "ac", true},
      {"[(|]x|yz", "yz", true},
      {"\\(|yz", "yz", true},
  };
  check("powerpc", cases);
}

// POSIX extended expressions: regex(7). A text that lacks what all matches begin with is not
// compared.
TEST(Pattern, AlternativesAndRepetitionsMayLackTheBeginning) {
  const struct {
    const char *pattern, *cpuid;
    bool matches;
  } cases[] = {{"X(A)|Y", "Y", true},     {"X(A)|Y", "XA", true},     {"X(A)|Y", "X", false},
               {"X(A|B)", "XB", true},    {"X(A|B)", "B", false},     {"A[|]B", "A|B", true},
               {"A[(]|B", "B", true},     {"A[(]|B", "A(", true},     {"A[)]|B", "B", true},
               {"A\\(|B", "B", true},     {"A\\|B", "A|B", true},     {"A\\|B", "B", false},
               {"X((A)|B)|Y", "Y", true}, {"X((A)|B)|Y", "XB", true}, {"^X|Y", "Y", true},
               {"AB*C", "AC", true},      {"AB?C", "AC", true},       {"AB{0,1}C", "AC", true},
               {"AB+C", "AC", false},     {"AB+C", "ABBC", true},     {"B*", "BB", true},
               {"^AB", "AB", true},       {"^AB", "XAB", false},      {"A.C", "AxC", true}};
  for (const auto& c : cases)
    EXPECT_EQ(pattern_matches("s390", c.pattern, c.cpuid), c.matches)
        << c.pattern << ' ' << c.cpuid;
}

TEST(Pattern, OverlongTextsMatchNothing) {
  EXPECT_FALSE(pattern_matches("s390", ".*", std::string(100000, 'a')));
  EXPECT_FALSE(pattern_matches("s390", std::string(100000, '('), "a"));
}

}  // namespace
}  // namespace evname::cpu
