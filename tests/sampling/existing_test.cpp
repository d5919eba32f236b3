// Records of the processes that exist before sampling begins, of a /proc that is made here.

#include "sampling/existing.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/bytes.hpp"
#include "perf_format/record.hpp"
#include "support/temp_dir.hpp"

namespace evname::sampling {
namespace {

using Lines = std::vector<std::string>;

std::uint32_t word_at(std::string_view record, std::size_t at) {
  return load<std::uint32_t>(reinterpret_cast<const std::uint8_t*>(record.data()) + at,
                             std::endian::native);
}

/// "COMM 7/8 name" or "FORK 7/8 of 1/7": include/uapi/linux/perf_event.h.
std::string text_of_record(std::string_view record) {
  const auto number = [&](std::size_t at) { return std::to_string(word_at(record, at)); };
  if (word_at(record, 0) == perf_format::kRecordComm)
    return "COMM " + number(8) + '/' + number(12) + ' ' + record.substr(16).data();
  if (word_at(record, 0) == perf_format::kRecordFork)
    return "FORK " + number(8) + '/' + number(16) + " of " + number(12) + '/' + number(20);
  return number(0);
}

// pthread_setname_np() gives a thread a name of its own.
TEST(ExistingProcesses, ThreadsHaveTheirOwnNames) {
  const test::TempDir proc;
  proc.write("7/comm", "leader\n");
  proc.write("7/status", "Name:\tleader\nTgid:\t7\nPPid:\t1\n");
  proc.write("7/task/7/comm", "leader\n");
  proc.write("7/task/8/comm", "renamed\n");
  proc.write("7/task/30/comm", "other\n");
  proc.write("7/maps", "");
  Roots roots;
  roots.procfs = proc.path();
  MadeRecords how;
  how.roots = &roots;
  Lines lines;
  const int processes[] = {7};
  process_records(how, processes,
                  [&](std::string_view record) { lines.push_back(text_of_record(record)); });
  EXPECT_EQ(lines, (Lines{"FORK 7/7 of 1/1", "COMM 7/7 leader", "FORK 7/30 of 7/7",
                          "COMM 7/30 other", "FORK 7/8 of 7/7", "COMM 7/8 renamed"}));
}

}  // namespace
}  // namespace evname::sampling
