// Lines of records that are no samples, as perf script --show-*-events prints them: the formats of
// perf_event__fprintf() and what it calls in tools/perf/util/event.c.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "support/perf_file.hpp"
#include "support/temp_dir.hpp"
#include "support/written.hpp"

namespace evname::record_lines_test {
namespace {

using test::BytesOut;
using test::PerfFile;
using test::written;

constexpr annotation::OtherRecords kAll{.mmaps = true,
                                        .tasks = true,
                                        .switches = true,
                                        .namespaces = true,
                                        .cgroups = true,
                                        .lost = true,
                                        .text_pokes = true,
                                        .bpf = true};

BytesOut range(std::uint64_t start, std::uint64_t size, std::uint64_t offset) {
  BytesOut out;
  return out.u32(5).u32(6).u64(start).u64(size).u64(offset);
}

BytesOut mmap2(std::uint32_t protection, std::uint32_t flags) {
  return range(0x1000, 0x2000, 0)
      .u32(0xfd)
      .u32(1)
      .u64(77)
      .u64(88)
      .u32(protection)
      .u32(flags)
      .padded("/bin/a");
}

BytesOut mmap2_of_id(std::uint8_t size) {
  BytesOut out = range(0x1000, 0x2000, 0x3000);
  out.u8(size).pad(3);
  for (std::uint8_t i = 1; i <= 20; ++i) out.u8(i);
  return out.u32(5).u32(2).padded("/bin/a");
}

BytesOut namespaces(std::uint64_t count) {
  BytesOut out;
  out.u32(5).u32(6).u64(count);
  for (std::uint64_t i = 0; i < count; ++i) out.u64(i + 1).u64(i * 16);
  return out;
}

BytesOut numbers(std::initializer_list<std::uint32_t> words) {
  BytesOut out;
  for (const std::uint32_t word : words) out.u32(word);
  return out;
}

struct Row {
  std::uint32_t type;
  std::uint16_t misc;
  BytesOut body;
  const char* text;
};

const Row kRows[] = {
    {1, 0, range(0x1000, 0x2000, 0x3000).padded("/bin/a"),
     "PERF_RECORD_MMAP 5/6: [0x1000(0x2000) @ 0x3000]: x /bin/a"},
    {1, 1 << 13, range(0, 0x2000, 0).padded("//anon"),
     "PERF_RECORD_MMAP 5/6: [0(0x2000) @ 0]: r //anon"},
    {10, 0, mmap2(5, 2), "PERF_RECORD_MMAP2 5/6: [0x1000(0x2000) @ 0 fd:01 77 88]: r-xp /bin/a"},
    {10, 0, mmap2(2, 1), "PERF_RECORD_MMAP2 5/6: [0x1000(0x2000) @ 0 fd:01 77 88]: -w-s /bin/a"},
    {10, 1 << 14, mmap2_of_id(4),
     "PERF_RECORD_MMAP2 5/6: [0x1000(0x2000) @ 0x3000 <01020304>]: r-xp /bin/a"},
    {10, 1 << 14, mmap2_of_id(20),
     "PERF_RECORD_MMAP2 5/6: [0x1000(0x2000) @ 0x3000 "
     "<0102030405060708090a0b0c0d0e0f1011121314>]: r-xp /bin/a"},
    {10, 1 << 14, mmap2_of_id(21),
     "PERF_RECORD_MMAP2 5/6: [0x1000(0x2000) @ 0x3000 "
     "<0102030405060708090a0b0c0d0e0f1011121314>]: r-xp /bin/a"},
    {3, 0, numbers({5, 6}).padded("work"), "PERF_RECORD_COMM: work:5/6"},
    {3, 1 << 13, numbers({5, 6}).padded("work"), "PERF_RECORD_COMM exec: work:5/6"},
    {3, 0, numbers({5, 6}).padded("w\x01k\x7f"), "PERF_RECORD_COMM: w?k?:5/6"},
    {7, 0, numbers({7, 5, 8, 6}).u64(9), "PERF_RECORD_FORK(7:8):(5:6)"},
    {4, 0, numbers({7, 5, 8, 6}).u64(9), "PERF_RECORD_EXIT(7:8):(5:6)"},
    {2, 0, BytesOut().u64(3).u64(44), "PERF_RECORD_LOST lost 44"},
    {14, 0, BytesOut(), "PERF_RECORD_SWITCH IN         "},
    {14, 1 << 13, BytesOut(), "PERF_RECORD_SWITCH OUT        "},
    {14, 3 << 13, BytesOut(), "PERF_RECORD_SWITCH OUT preempt"},
    {15, 0, numbers({7, 8}), "PERF_RECORD_SWITCH_CPU_WIDE IN           prev pid/tid:     7/8    "},
    {15, 1 << 13, numbers({123456, 1234567}),
     "PERF_RECORD_SWITCH_CPU_WIDE OUT          next pid/tid: 123456/1234567"},
    {15, 3 << 13, numbers({7, 12345}),
     "PERF_RECORD_SWITCH_CPU_WIDE OUT preempt  next pid/tid:     7/12345"},
    {16, 0, namespaces(0), "PERF_RECORD_NAMESPACES 5/6 - nr_namespaces: 0\n\t\t[]"},
    {16, 0, namespaces(2),
     "PERF_RECORD_NAMESPACES 5/6 - nr_namespaces: 2\n\t\t[0/net: 1/0, 1/uts: 2/0x10]"},
    {16, 0, namespaces(8),
     "PERF_RECORD_NAMESPACES 5/6 - nr_namespaces: 8\n\t\t[0/net: 1/0, 1/uts: 2/0x10, 2/ipc: "
     "3/0x20, "
     "3/pid: 4/0x30, \n\t\t 4/user: 5/0x40, 5/mnt: 6/0x50, 6/cgroup: 7/0x60, 7/unknown: 8/0x70]"},
    {19, 0, BytesOut().u64(42).padded("/user.slice"), "PERF_RECORD_CGROUP cgroup: 42 /user.slice"},
    {17, 0, BytesOut().u64(0xffffc000).u32(64).u16(1).u16(2).padded("bpf_prog"),
     "PERF_RECORD_KSYMBOL addr ffffc000 len 64 type 1 flags 0x2 name bpf_prog"},
    {18, 0, BytesOut().u16(1).u16(2).u32(33).u64(0x1122),
     "PERF_RECORD_BPF_EVENT type 1, flags 2, id 33"},
    {20, 0, BytesOut().u64(0xffffc000).u16(1).u16(17).u8(0x90).pad(16).u8(0xcc).pad(2),
     "PERF_RECORD_TEXT_POKE ffffc000  old len 1 new len 17\n            Old bytes: 90\n"
     "            New bytes: 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00\n"
     "            New bytes: cc"},
};

class RecordLines : public testing::Test {
 protected:
  /// The line of a record whose event samples TID, TIME and CPU: 2 | 4 | 128.
  std::string line(const Row& row, const annotation::OtherRecords& others, bool has_trailer = true,
                   SampleFilter filter = {}) {
    PerfFile file;
    file.event({.type = 1,
                .sample_type = 2 | 4 | 128,
                .flags = has_trailer ? std::vector<int>{18} : std::vector<int>{},
                .size = 128});
    BytesOut body = row.body;
    if (has_trailer) body.u32(5).u32(6).u64(1'000'005'000).u32(3).u32(0);
    file.record(row.type, body.str(), row.misc);
    const auto opened = Recording::open(dir_.write("perf.data", file.file()));
    EXPECT_TRUE(opened);
    annotation::ScriptOptions options{
        {.fields = test::fields(fields_), .filter = filter, .printable = true}};
    options.others = others;
    return written(*opened, options);
  }

  test::TempDir dir_;
  const char* fields_ = "tid,cpu,time";
};

// The name belongs to the record's own thread, if it begins with one, else to the thread it was
// recorded in.
TEST_F(RecordLines, BeginWithTheNameOfAThread) {
  fields_ = "comm";
  const struct {
    Row row;
    const char* name;
  } cases[] = {{{3, 0, numbers({7, 7}).padded("work"), ""}, "work"},
               {{7, 0, numbers({9, 5, 9, 6}).u64(9), ""}, ":9"},
               {{4, 0, numbers({9, 5, 10, 6}).u64(9), ""}, ":10"},
               {{15, 0, numbers({7, 8}), ""}, ":6"},
               {{14, 0, BytesOut(), ""}, ":6"},
               {{2, 0, BytesOut().u64(3).u64(44), ""}, ":6"},
               {{1, 0, range(1, 2, 3).padded("/a"), ""}, ":6"}};
  for (const auto& c : cases) {
    const std::string text = line(c.row, kAll);
    EXPECT_EQ(text.substr(0, text.find(" PERF")),
              std::string(16 - std::strlen(c.name), ' ') + c.name)
        << text;
  }
}

TEST_F(RecordLines, AreThoseOfPerf) {
  for (const Row& row : kRows) {
    const std::string text = line(row, kAll);
    EXPECT_EQ(text.substr(text.find("PERF")), std::string(row.text) + '\n');
    EXPECT_EQ(text.substr(0, text.find("PERF")), "      6 [003]     1.000005: ") << row.text;
  }
}

// perf_sample__fprintf_misc: M data, E exec, S out, p preempted, after the letter of the mode.
TEST_F(RecordLines, LettersOfRecords) {
  fields_ = "misc";
  const struct {
    Row row;
    const char* letters;
  } cases[] = {{{1, 2, range(1, 2, 3).padded("/a"), ""}, "U"},
               {{1, 1 << 13 | 2, range(1, 2, 3).padded("/a"), ""}, "UM"},
               {{10, 1 << 13 | 2, mmap2(5, 2), ""}, "UM"},
               {{10, 1 << 14 | 2, mmap2_of_id(4), ""}, "U"},
               {{3, 1 << 13, numbers({5, 6}).padded("work"), ""}, "E"},
               {{3, 0, numbers({5, 6}).padded("work"), ""}, ""},
               {{14, 0, BytesOut(), ""}, ""},
               {{14, 1 << 13, BytesOut(), ""}, "S"},
               {{14, 3 << 13, BytesOut(), ""}, "Sp"},
               {{15, 0, numbers({7, 8}), ""}, ""},
               {{15, 1 << 13, numbers({7, 8}), ""}, "S"},
               {{15, 3 << 13, numbers({7, 8}), ""}, "Sp"},
               {{7, 1 << 13, numbers({7, 5, 8, 6}).u64(9), ""}, ""},
               {{2, 1 << 13, BytesOut().u64(3).u64(44), ""}, ""}};
  for (const auto& c : cases) {
    const std::string text = line(c.row, kAll), letters = text.substr(0, text.find("PERF"));
    EXPECT_EQ(letters.substr(0, letters.find(' ')), c.letters) << text;
    EXPECT_EQ(letters.size(), 6) << text;
  }
}

TEST_F(RecordLines, AreWrittenIfAskedFor) {
  const struct {
    bool annotation::OtherRecords::*wanted;
    std::vector<std::uint32_t> types;
  } cases[] = {{&annotation::OtherRecords::mmaps, {1, 10}},
               {&annotation::OtherRecords::tasks, {3, 7, 4}},
               {&annotation::OtherRecords::switches, {14, 15}},
               {&annotation::OtherRecords::namespaces, {16}},
               {&annotation::OtherRecords::cgroups, {19}},
               {&annotation::OtherRecords::lost, {2}},
               {&annotation::OtherRecords::bpf, {17, 18}}};
  EXPECT_FALSE(annotation::OtherRecords{}.any());
  for (const auto& c : cases) {
    annotation::OtherRecords one;
    one.*c.wanted = true;
    EXPECT_TRUE(one.any());
    for (const Row& row : kRows) {
      const bool is_wanted = std::find(c.types.begin(), c.types.end(), row.type) != c.types.end();
      EXPECT_EQ(!line(row, one).empty(), is_wanted) << row.text;
    }
  }
}

// Records that are cut off before their own fields end have no line.
TEST_F(RecordLines, OfRecordsThatAreTooShort) {
  for (const Row& row : kRows) {
    if (row.type == 14 || row.type == 3 || row.type == 19)
      continue;  // names of any length, or no fields
    Row cut = row;
    cut.body = BytesOut().raw(row.body.str().substr(0, 8 * ((row.body.size() - 1) / 8 > 1)));
    if (row.type == 15) cut.body = BytesOut();
    EXPECT_EQ(line(cut, kAll), "") << row.text;
  }
}

BytesOut metadata(std::uint64_t count) {
  const auto field = [](std::string text, std::size_t size) {
    return text.append(size - text.size(), 0);
  };
  BytesOut out;
  out.raw(field("bpf_prog_1_run", 512)).u64(count);
  out.raw(field("perf_version", 64)).raw(field("\"7.3.4\"", 256));
  return out.raw(field("a_name_longer_than_20_letters", 64)).raw(field("1\n\x1b", 256));
}

// perf prints them without time and thread: process_bpf_metadata_event of builtin-script.c.
TEST_F(RecordLines, OfBpfMetadataHaveALineForEachVariable) {
  const Row row{84, 0, metadata(2), ""};
  for (const bool has_trailer : {true, false})
    EXPECT_EQ(line(row, kAll, has_trailer),
              "PERF_RECORD_BPF_METADATA prog bpf_prog_1_run\n"
              "  entry 0:         perf_version = \"7.3.4\"\n"
              "  entry 1: a_name_longer_than_20_letters = 1??\n");
  EXPECT_EQ(line({84, 0, metadata(0), ""}, kAll), "PERF_RECORD_BPF_METADATA prog bpf_prog_1_run\n");
  EXPECT_EQ(line({84, 0, metadata(3), ""}, kAll), "");
  EXPECT_EQ(line(row, {.mmaps = true, .tasks = true}), "");
  SampleFilter other_cpu;
  other_cpu.cpus = {4};
  EXPECT_NE(line(row, kAll, true, other_cpu), "");
}

// Without sample_id_all a record has no time and CPU; FORK and EXIT have their own time.
TEST_F(RecordLines, WithoutSampleIds) {
  const struct {
    Row row;
    const char* start;
  } cases[] = {
      {{3, 0, numbers({5, 6}).padded("work"), ""}, "      6 [000]     0.000000: PERF_RECORD_COMM"},
      {{7, 0, numbers({7, 5, 8, 6}).u64(2'000'009'000), ""},
       "      8 [000]     2.000009: PERF_RECORD_FORK"},
      {{4, 0, numbers({7, 5, 8, 6}).u64(2'000'009'000), ""},
       "      8 [000]     2.000009: PERF_RECORD_EXIT"},
      {{7, 0, numbers({7, 5, 8, 6}), ""}, "      8 [000]     0.000000: PERF_RECORD_FORK"},
      {{1, 0, range(1, 2, 3).padded("/a"), ""}, "      6 [000]     0.000000: PERF_RECORD_MMAP"},
  };
  for (const auto& c : cases) {
    const std::string text = line(c.row, kAll, false);
    EXPECT_EQ(text.substr(0, std::string_view(c.start).size()), c.start);
  }
}

// Of a choice of CPUs, records of other CPUs are left out.
TEST_F(RecordLines, OfChosenCpus) {
  SampleFilter three, four, both;
  three.cpus = {3};
  four.cpus = {4};
  both.cpus = {4, 3};
  for (const Row& row : kRows) {
    EXPECT_FALSE(line(row, kAll, true, three).empty()) << row.text;
    EXPECT_FALSE(line(row, kAll, true, both).empty()) << row.text;
    EXPECT_TRUE(line(row, kAll, true, four).empty()) << row.text;
  }
}

}  // namespace
}  // namespace evname::record_lines_test
