// Records of the processes that exist before sampling begins, of a /proc that is made here.

#include "sampling/existing.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <linux/perf_event.h>
#include <sys/stat.h>

#include <string>
#include <vector>

#include "base/bytes.hpp"
#include "perf_format/record.hpp"
#include "support/bytes_out.hpp"
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

/// "COMM 7/8 name", "FORK 7/8 of 1/7", "MMAP 7/7 START+SIZE OFFSET PATH", "CGROUP ID PATH", or
/// "MMAP2 7/7 START+SIZE OFFSET MAJOR:MINOR/INODE PROTECTION FLAGS PATH":
/// include/uapi/linux/perf_event.h.
std::string text_of_record(std::string_view record) {
  const auto number = [&](std::size_t at) { return std::to_string(word_at(record, at)); };
  if (word_at(record, 0) == perf_format::kRecordComm)
    return "COMM " + number(8) + '/' + number(12) + ' ' + record.substr(16).data();
  if (word_at(record, 0) == perf_format::kRecordFork)
    return "FORK " + number(8) + '/' + number(16) + " of " + number(12) + '/' + number(20);
  if (word_at(record, 0) == perf_format::kRecordCgroup)
    return fmt::format("CGROUP {} {}", number_at(record, 8), record.substr(16).data());
  if (word_at(record, 0) == perf_format::kRecordMmap)
    return fmt::format("MMAP {}/{} {:x}+{:x} {:x} {}",
                       static_cast<std::int32_t>(word_at(record, 8)), number(12),
                       number_at(record, 16), number_at(record, 24), number_at(record, 32),
                       record.substr(40).data());
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

/// The low 16 bits of the word after a record's type: where it was, and what kind it is.
std::uint32_t misc_of(std::string_view record) { return word_at(record, 4) & 0xffff; }

/// The records of a kernel, or "hidden".
Lines lines_of_kernel(const test::TempDir& root, std::string_view kallsyms) {
  root.write("kallsyms", std::string(kallsyms));
  const Roots roots{.sysfs = root.path("sys"), .procfs = root.path()};
  Lines lines;
  const bool is_known =
      kernel_records({.roots = &roots, .ids_in_records = false}, [&](std::string_view record) {
        EXPECT_EQ(misc_of(record), PERF_RECORD_MISC_KERNEL);
        lines.push_back(text_of_record(record));
      });
  EXPECT_EQ(is_known, !lines.empty());
  return lines;
}

// machine__create_kernel_maps and machine__get_running_kernel_start of tools/perf/util/machine.c:
// from _text, or from _stext, to _edata, or to _etext; modules have symbols of these names, too.
TEST(ExistingKernel, ItsCodeIsBetweenItsSymbols) {
  const test::TempDir root;
  EXPECT_EQ(lines_of_kernel(
                root,
                "ffffffff81000000 T _text\nffffffff81000100 T _stext\nffffffff82000000 T _etext\n"
                "ffffffff83000000 D _edata\nffffffffc0000000 t _text\t[module]\n"),
            (Lines{"MMAP -1/0 ffffffff81000000+2000000 ffffffff81000000 [kernel.kallsyms]_text"}));
  EXPECT_EQ(lines_of_kernel(root, "ffffffc080010000 T _stext\nffffffc081000000 T _etext\n"),
            (Lines{"MMAP -1/0 ffffffc080010000+ff0000 ffffffc080010000 [kernel.kallsyms]_stext"}));
  EXPECT_EQ(lines_of_kernel(root, "ffffffff81000000 T _text\n"),
            (Lines{"MMAP -1/0 ffffffff81000000+7effffff ffffffff81000000 [kernel.kallsyms]_text"}));
  EXPECT_EQ(lines_of_kernel(root, "0000000000000000 T _text\n0000000000000000 D _edata\n"),
            Lines{});
}

// proc_modules(5): name, size in decimal, users, their names, state, address.
TEST(ExistingKernel, ModulesHaveTheirSizesAndBuildIds) {
  const test::TempDir root;
  root.write("modules",
             "no_such_file 1000 2 - Live 0xffffffffc0001000 (OE)\n"
             "hidden 4096 0 - Live 0x0000000000000000\n"
             "empty 0 0 - Live 0xffffffffc0003000\n"
             "cut 4096 0 -\n"
             "other 4096 1 no_such_file, Live 0xffffffffc0004000\n");
  const std::string text = "ffffffff81000000 T _text\nffffffff81000001 D _edata\n";
  const Lines expected = {"MMAP -1/0 ffffffff81000000+1 ffffffff81000000 [kernel.kallsyms]_text",
                          "MMAP -1/0 ffffffffc0001000+3e8 0 [no_such_file]",
                          "MMAP -1/0 ffffffffc0004000+1000 0 [other]"};
  EXPECT_EQ(lines_of_kernel(root, text), expected);

  const std::string id = "0123456789abcdefghij";
  root.write("sys/module/other/notes/.note.gnu.build-id",
             test::BytesOut(std::endian::native).u32(4).u32(20).u32(3).str() +
                 std::string("GNU\0", 4) + id);
  const Roots roots{.sysfs = root.path("sys"), .procfs = root.path()};
  std::vector<std::string> with_id;
  kernel_records({.roots = &roots}, [&](std::string_view record) {
    if (misc_of(record) == (PERF_RECORD_MISC_KERNEL | PERF_RECORD_MISC_MMAP_BUILD_ID)) {
      EXPECT_EQ(record[40], 20);
      with_id.push_back(std::string(record.substr(44, 20)) + ' ' + record.substr(72).data());
    }
  });
  EXPECT_EQ(with_id, Lines{id + " [other]"});
}

TEST(ExistingCgroups, AreListedFromTheRootWithTheirInodes) {
  const test::TempDir root;
  root.write("mount/a/b/cgroup.procs", "");
  root.write("mount/c/cgroup.procs", "");
  root.write("self/mounts",
             "x /nowhere tmpfs rw 0 0\ncgroup2 " + root.path("mount") + " cgroup2 rw 0 0\n");
  const Roots roots{.procfs = root.path()};
  Lines lines, expected;
  cgroup_records({.roots = &roots},
                 [&](std::string_view record) { lines.push_back(text_of_record(record)); });
  for (const char* path : {"/", "/a", "/c", "/a/b"}) {
    struct stat about {};
    ASSERT_EQ(::stat((root.path("mount") + path).c_str(), &about), 0);
    expected.push_back(fmt::format("CGROUP {} {}", about.st_ino, path));
  }
  EXPECT_EQ(lines, expected);
}

TEST(ExistingProcesses, DescendantsFollowTheirParents) {
  const test::TempDir proc;
  const std::pair<int, int> parents[] = {{2, 1}, {3, 2}, {4, 3}, {5, 1}, {6, 2}};
  for (const auto& [process, parent] : parents)
    proc.write(fmt::format("{}/status", process),
               fmt::format("Name:\tx\nTgid:\t9\nPPid:\t{}\n", parent));
  proc.write("self/status", "PPid:\t2\n");
  const Roots roots{.procfs = proc.path()};
  EXPECT_EQ(with_descendants(roots, {2}), (std::vector<int>{2, 3, 6, 4}));
  EXPECT_EQ(with_descendants(roots, {3, 2}), (std::vector<int>{3, 2, 4, 6}));
  EXPECT_EQ(with_descendants(roots, {77}), std::vector<int>{77});
  EXPECT_EQ(process_of(roots, 6), 9);
  EXPECT_EQ(process_of(roots, 77), 77);
}

TEST(ExistingProcesses, WithoutAListAllAreRecorded) {
  const test::TempDir proc;
  for (const char* process : {"7", "12"}) proc.write(std::string(process) + "/comm", "name\n");
  proc.write("version", "");
  const Roots roots{.procfs = proc.path()};
  Lines lines;
  process_records({.roots = &roots}, {},
                  [&](std::string_view record) { lines.push_back(text_of_record(record)); });
  EXPECT_EQ(lines,
            (Lines{"FORK 12/12 of 0/0", "COMM 12/12 name", "FORK 7/7 of 0/0", "COMM 7/7 name"}));
}

}  // namespace
}  // namespace evname::sampling
