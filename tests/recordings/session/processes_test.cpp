#include "recordings/session/processes.hpp"

#include <cstdint>
#include <utility>

#include <gtest/gtest.h>

#include "support/perf_file.hpp"

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

// The end of thread 7 of process 5 was not recorded; then process 8 has a thread 7.
TEST(Threads, AThreadWhoseNumberIsUsedAgainHasNoOldName) {
  test::PerfFile file;
  file.record(3, file.out().u32(5).u32(7).padded("old").str());
  file.record(7, file.out().u32(9).u32(8).u32(10).u32(7).u64(0).str());
  perf_format::RecordReader reader(test::view_of(file.records()), std::endian::little);
  Threads threads;
  perf_format::Record record;
  ASSERT_TRUE(reader.next(record) && threads.apply(record, std::endian::little));
  EXPECT_EQ(threads.process_comm(7), "");  // a thread is no process
  EXPECT_EQ(threads.comm(5, 7), "old");
  ASSERT_TRUE(reader.next(record) && threads.apply(record, std::endian::little));
  EXPECT_STREQ(threads.comm(9, 10).data(), ":10");
  EXPECT_STREQ(threads.comm(8, 7).data(), ":7");
}

}  // namespace
}  // namespace evname::session
