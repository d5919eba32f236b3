#include "recordings/session/processes.hpp"

#include <cstdint>
#include <utility>

#include <gtest/gtest.h>

namespace evname::session {
namespace {

// The C interface hands names out as they are.
TEST(Threads, NamesOfUnnamedThreadsEndWithNul) {
  Threads threads;
  for (const auto& [tid, name] : {std::pair{0, "swapper"},
                                  {1, ":1"},
                                  {INT32_MAX, ":2147483647"},
                                  {-1728053081, ":-1728053081"},
                                  {INT32_MIN, ":-2147483648"}})
    EXPECT_STREQ(threads.comm(-1, tid).data(), name);
}

}  // namespace
}  // namespace evname::session
