// Work on several threads: each item once, in order where that is promised, and a failure of one
// reaches the caller.
#include "base/parallel.hpp"

#include <gtest/gtest.h>

#include <numeric>
#include <stdexcept>

namespace evname {
namespace {

constexpr unsigned kJobs[] = {0, 1, 2, 7};
constexpr std::size_t kCounts[] = {0, 1, 2, 100};

TEST(Parallel, EachItemIsWorkedOnOnce) {
  for (const unsigned jobs : kJobs)
    for (const std::size_t count : kCounts) {
      std::vector<std::atomic<int>> calls(count);
      parallel_for(count, jobs, [&](std::size_t i) { ++calls.at(i); });
      for (const auto& call : calls) EXPECT_EQ(call, 1) << count << " by " << jobs;
    }
}

TEST(Parallel, WhatIsProducedIsConsumedInOrder) {
  for (const unsigned jobs : kJobs)
    for (const std::size_t count : kCounts) {
      std::vector<std::atomic<bool>> produced(count);
      std::vector<std::size_t> consumed, all(count);
      produce_and_consume(
          count, jobs, [&](std::size_t i) { produced.at(i) = true; },
          [&](std::size_t i) {
            EXPECT_TRUE(produced.at(i));
            consumed.push_back(i);
          });
      std::iota(all.begin(), all.end(), 0);
      EXPECT_EQ(consumed, all) << jobs;
    }
}

TEST(Parallel, AnExceptionReachesTheCaller) {
  const auto fail = [](std::size_t i) {
    if (i == 3) throw std::runtime_error("third");
  };
  const auto nothing = [](std::size_t) {};
  for (const unsigned jobs : kJobs) {
    EXPECT_THROW(parallel_for(9, jobs, fail), std::runtime_error) << jobs;
    EXPECT_THROW(produce_and_consume(9, jobs, fail, nothing), std::runtime_error) << jobs;
    std::size_t consumed = 0;
    EXPECT_THROW(produce_and_consume(9, jobs, nothing,
                                     [&](std::size_t i) {
                                       fail(i);
                                       ++consumed;
                                     }),
                 std::runtime_error)
        << jobs;
    EXPECT_EQ(consumed, 3u) << jobs;  // those before the failure
  }
}

TEST(Parallel, AnExceptionIsThrownOnce) {
  FirstException failure;
  EXPECT_FALSE(failure.kept());
  failure.rethrow();
  for (const char* text : {"first", "second"}) try {
      throw std::runtime_error(text);
    } catch (...) {
      failure.keep();
    }
  EXPECT_TRUE(failure.kept());
  try {
    failure.rethrow();
    FAIL();
  } catch (const std::runtime_error& error) {
    EXPECT_STREQ(error.what(), "first");
  }
  EXPECT_NO_THROW(failure.rethrow());
}

}  // namespace
}  // namespace evname
