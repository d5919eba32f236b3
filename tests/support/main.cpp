// Runs the tests of one folder of tests/: `unit-tests --folder=cpu`; all of them without it.

#include <gtest/gtest.h>

#include <cstdio>
#include <string>
#include <string_view>

#ifdef __has_feature
#if __has_feature(thread_sanitizer)
#define EVNAME_THREAD_SANITIZER
#endif
#endif

namespace {

// These tests put much data through one thread, where ThreadSanitizer has nothing to find and takes
// fifteen times as long.
#ifdef EVNAME_THREAD_SANITIZER
constexpr std::string_view kLeftOut =
    "-AccessTimelines.*:Corruption.*:MapList.HoldsAMillionRanges:Queue.*:Stacks.*:"
    "SumsOfRecordings.*:*.WhatUnpacksToFarMoreThanRecordingsDoIsLeft*";
#else
constexpr std::string_view kLeftOut = "";
#endif

// Returns a filter for the tests whose source is in the folder.
std::string tests_of(std::string_view folder) {
  const std::string place = "tests/" + std::string(folder) + "/";
  const testing::UnitTest& all = *testing::UnitTest::GetInstance();
  std::string filter;
  for (int s = 0; s < all.total_test_suite_count(); ++s) {
    const testing::TestSuite& suite = *all.GetTestSuite(s);
    for (int t = 0; t < suite.total_test_count(); ++t) {
      const testing::TestInfo& test = *suite.GetTestInfo(t);
      if (std::string_view(test.file()).find(place) == std::string_view::npos) continue;
      filter.append(filter.empty() ? "" : ":").append(suite.name()).append(".").append(test.name());
    }
  }
  return filter;
}

}  // namespace

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  constexpr std::string_view kOption = "--folder=";
  if (argc > 1 && std::string_view(argv[1]).starts_with(kOption)) {
    std::string filter = tests_of(std::string_view(argv[1]).substr(kOption.size()));
    if (filter.empty()) {
      std::fprintf(stderr, "%s: there are no such tests\n", argv[1]);
      return 1;
    }
    GTEST_FLAG_SET(filter, filter.append(kLeftOut));
  }
  return RUN_ALL_TESTS();
}
