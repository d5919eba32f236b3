// Records of the processes that exist before sampling begins, of a /proc that is made here.

#include "sampling/existing.hpp"

#include <fmt/format.h>
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

std::uint64_t number_at(std::string_view record, std::size_t at) {
  return word_at(record, at) | std::uint64_t{word_at(record, at + 4)} << 32;
}

/// "COMM 7/8 name", "FORK 7/8 of 1/7", or "MMAP2 7/7 START+SIZE OFFSET MAJOR:MINOR/INODE PROTECTION
/// FLAGS PATH": include/uapi/linux/perf_event.h.
std::string text_of_record(std::string_view record) {
  const auto number = [&](std::size_t at) { return std::to_string(word_at(record, at)); };
  if (word_at(record, 0) == perf_format::kRecordComm)
    return "COMM " + number(8) + '/' + number(12) + ' ' + record.substr(16).data();
  if (word_at(record, 0) == perf_format::kRecordFork)
    return "FORK " + number(8) + '/' + number(16) + " of " + number(12) + '/' + number(20);
  if (word_at(record, 0) == perf_format::kRecordMmap2)
    return fmt::format("MMAP2 {}/{} {:x}+{:x} {:x} {}:{}/{} {} {} {}", number(8), number(12),
                       number_at(record, 16), number_at(record, 24), number_at(record, 32),
                       word_at(record, 40), word_at(record, 44), number_at(record, 48),
                       word_at(record, 64), word_at(record, 68), record.substr(72).data());
  return number(0);
}

Lines lines_of_process(const test::TempDir& proc, MadeRecords how = {}) {
  Roots roots;
  roots.procfs = proc.path();
  how.roots = &roots;
  Lines lines;
  const int processes[] = {7};
  process_records(how, processes,
                  [&](std::string_view record) { lines.push_back(text_of_record(record)); });
  return lines;
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
  EXPECT_EQ(lines_of_process(proc),
            (Lines{"FORK 7/7 of 1/1", "COMM 7/7 leader", "FORK 7/30 of 7/7", "COMM 7/30 other",
                   "FORK 7/8 of 7/7", "COMM 7/8 renamed"}));
}

// proc(5); PROT_* and MAP_* of mman.h. perf's name of code without a file is "//anon"
// (perf_event__synthesize_mmap_events of tools/perf/util/synthetic-events.c).
TEST(ExistingProcesses, MappingsOfCodeAreRecorded) {
  const test::TempDir proc;
  proc.write("7/comm", "it\n");
  proc.write("7/status", "PPid:\t1\n");
  proc.write("7/maps",
             "00400000-00401000 r-xp 00001000 08:1f 1234   /usr/bin/a file\n"
             "7f0000000000-7f0000003000 rwxp 00000000 00:00 0 \n"
             "7f0000003000-7f0000004000 --xs 00002000 103:02 5   /tmp/x (deleted)\n"
             "7f0000004000-7f0000005000 rw-p 00000000 08:01 6   /tmp/data\n"
             "7ffd00000000-7ffd00001000 r-xp 00000000 00:00 0   [vdso]\n"
             "7ffd00001000-7ffd00001000 r-xp 00000000 00:00 0   [empty]\n");
  const Lines code = {"MMAP2 7/7 400000+1000 1000 8:31/1234 5 2 /usr/bin/a file",
                      "MMAP2 7/7 7f0000000000+3000 0 0:0/0 7 2 //anon",
                      "MMAP2 7/7 7f0000003000+1000 2000 259:2/5 4 1 /tmp/x (deleted)",
                      "MMAP2 7/7 7ffd00000000+1000 0 0:0/0 5 2 [vdso]"};
  Lines expected = {"FORK 7/7 of 1/1", "COMM 7/7 it"};
  EXPECT_EQ(lines_of_process(proc, {.mappings = false, .ids_in_records = false}), expected);
  expected.insert(expected.end(), code.begin(), code.end());
  EXPECT_EQ(lines_of_process(proc, {.ids_in_records = false}), expected);
  expected.insert(expected.begin() + 5, "MMAP2 7/7 7f0000004000+1000 0 8:1/6 3 2 /tmp/data");
  EXPECT_EQ(lines_of_process(proc, {.data_mappings = true, .ids_in_records = false}), expected);
}

}  // namespace
}  // namespace evname::sampling
