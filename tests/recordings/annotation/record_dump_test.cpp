// Dumps of records, as perf script -D and perf report -D print them: dump_event and dump_sample of
// tools/perf/util/session.c, the stubs of tool.c, and perf_event__fprintf_* of event.c.

#include <gtest/gtest.h>

#include "support/perf_file.hpp"
#include "support/temp_dir.hpp"
#include "support/written.hpp"

namespace evname::record_dump_test {
namespace {

using test::BytesOut;
using test::PerfFile;
using test::written;

constexpr const char* kUnhandled = ": unhandled!\n";

struct Row {
  std::uint32_t type;
  BytesOut body;
  std::string text;            ///< after PERF_RECORD_, of perf script
  std::string of_report = {};  ///< the same of perf report, if it differs
};

BytesOut words(std::initializer_list<std::uint64_t> values) {
  BytesOut out;
  for (const std::uint64_t value : values) out.u64(value);
  return out;
}

const Row kRows[] = {
    {3, BytesOut().u32(5).u32(6).padded("work"), "COMM: work:5/6\n"},
    {2, words({3, 44}), "LOST: id:3: lost:44\n"},
    {5, words({1, 2, 3}), "THROTTLE", "THROTTLE: unhandled!\n"},
    {6, words({1, 2, 3}), "UNTHROTTLE", "UNTHROTTLE: unhandled!\n"},
    {8, BytesOut().u32(5).u32(6).u64(70).u64(8).u64(9),
     "READ: 5 6 cpu-clock 70\n... time enabled : 8\n... id           : 9\n: unhandled!\n",
     "READ: 5 6 cpu-clock 70\n... time enabled : 8\n... id           : 9\n"},
    {11, words({0x1000, 0x20, 5}), "AUX offset: 0x1000 size: 0x20 flags: 0x5 [TP]\n"},
    {11, words({0, 0, 0xa}), "AUX offset: 0 size: 0 flags: 0xa [OC]\n"},
    {12, BytesOut().u32(5).u32(6), "ITRACE_START pid: 5 tid: 6\n"},
    {13, words({9}), "LOST_SAMPLES: id:0: lost samples :9\n"},
    {21, words({0x12}), "AUX_OUTPUT_HW_ID hw_id: 0x12\n"},
    {22, words({0x77, 2, std::uint64_t{0} - 512, 0x4000}),
     "CALLCHAIN_DEFERRED(IP, 0x0): 5/6: 0x77\n... FP chain: nr:2\n"
     ".....  0: fffffffffffffe00 (PERF_CONTEXT_USER)\n.....  1: 0000000000004000\n",
     "CALLCHAIN_DEFERRED(IP, 0x0): 5/6: 0x77\n... FP chain: nr:2\n"
     ".....  0: fffffffffffffe00 (PERF_CONTEXT_USER)\n.....  1: 0000000000004000\n"
     ": unhandled!\n"},
    {68, BytesOut(), "FINISHED_ROUND\n"},
    {69, words({1, 7, 2, 3, std::uint64_t(-1)}),
     "ID_INDEX nr: 1\n ... id: 7  idx: 2  cpu: 3  tid: -1\n"},
    {69, words({1, 7, 2, 3, 4, 5, 6}),
     "ID_INDEX nr: 1\n ... id: 7  idx: 2  cpu: 3  tid: 4  machine_pid: 5  vcpu: 6\n"},
    {69, words({1ULL << 60, 7}), "ID_INDEX nr: 1152921504606846976\n"},
    {70, BytesOut().u32(4).u32(0), "AUXTRACE_INFO type: 4\n"},
    {71, words({0, 0x10, 0x99}).u32(1).u32(2).u32(3).u32(0),
     "AUXTRACE size: 0  offset: 0x10  ref: 0x99  idx: 1  tid: 2  cpu: 3\n"},
    {72,
     BytesOut()
         .u32(1)
         .u32(6)
         .u32(3)
         .u32(5)
         .u32(6)
         .u32(1)
         .u64(0x400)
         .u64(2'000'000'005)
         .padded("Lost"),
     "AUXTRACE_ERROR instruction trace error type 1 time 2.000000005 cpu 3 pid 5 tid 6 ip 0x400 "
     "code 6: Lost\n",
     "AUXTRACE_ERROR: unhandled!\n"},
    {73, words({1, 7, 0, 0}), "THREAD_MAP nr: 1 thread: 7\n",
     "THREAD_MAP nr: 1 thread: 7\n: unhandled!\n"},
    {73, words({2, 7, 0, 0, 8, 0, 0}), "THREAD_MAP nr: 2 threads: 7, 8\n",
     "THREAD_MAP nr: 2 threads: 7, 8\n: unhandled!\n"},
    {74, BytesOut().u16(2).u8(0).u8(0).u16(0).u16(3), "CPU_MAP: 0-3\n",
     "CPU_MAP: 0-3\n: unhandled!\n"},
    {74, BytesOut().u16(0).u16(4).u16(0).u16(2).u16(3).u16(9), "CPU_MAP: 0,2-3,9\n",
     "CPU_MAP: 0,2-3,9\n: unhandled!\n"},
    {74, BytesOut().u16(1).u16(1).u16(8).u32(0).u64(0x8b), "CPU_MAP: 0-1,3,7\n",
     "CPU_MAP: 0-1,3,7\n: unhandled!\n"},
    {74, BytesOut().u16(1).u16(2).u16(4).u32(5).u32(1), "CPU_MAP: 0,2,32\n",
     "CPU_MAP: 0,2,32\n: unhandled!\n"},
    {75, words({3, 0, 3, 1, 100, 2, 1}), "STAT_CONFIG",
     "STAT_CONFIG\n... aggr_mode 3\n... scale     1\n... interval  100\n: unhandled!\n"},
    {76, BytesOut().u64(5).u32(1).u32(2).u64(10).u64(20).u64(30), "STAT",
     "STAT\n... id 5, cpu 1, thread 2\n... value 10, enabled 20, running 30\n: unhandled!\n"},
    {77, words({1, 99}), "STAT_ROUND", "STAT_ROUND\n... time 99, type FINAL\n: unhandled!\n"},
    {78, words({2, 0}).padded("name"), "EVENT_UPDATE\n... id:    0\n... name:  name\n"},
    {78, words({1, 0, 0x3ff8000000000000}), "EVENT_UPDATE\n... id:    0\n... scale: 1.500000\n"},
    {78, words({9, 0}), "EVENT_UPDATE\n... id:    0\n... unknown type\n"},
    {79, words({21, 33554432, 5}),
     "TIME_CONV\n... Time Shift      21\n... Time Multiplier 33554432\n... Time Zero       5\n" +
         std::string(kUnhandled)},
    {80, words({3, 0}), "FEATURE feature 3"},
    {80, words({35}), "FEATURE"},
    {82, BytesOut(), "FINISHED_INIT: unhandled!\n"},
};

class RecordDump : public testing::Test {
 protected:
  /// The dump of a recording with one record; its event samples TID, TIME and ID, and has
  /// sample_id_all.
  std::string dump(std::uint32_t type, BytesOut body, bool is_of_report,
                   std::uint64_t sample_type = 2 | 4 | 64) {
    PerfFile file;
    file.event(
        {.type = 1, .sample_type = sample_type, .read_format = 1 | 4, .flags = {18}, .size = 128});
    if (type < 64 && type != 9) body.u32(5).u32(6).u64(1'000'005'000).u64(0);
    file.record(type, body.str());
    const auto opened = Recording::open(dir_.write("perf.data", file.file()));
    EXPECT_TRUE(opened);
    annotation::ScriptOptions options;
    options.dump.emplace([](std::size_t) { return std::string(); },
                         [](std::uint64_t number) { return " feature " + std::to_string(number); },
                         is_of_report);
    return written(*opened, options);
  }

  test::TempDir dir_;
};

TEST_F(RecordDump, IsThatOfPerf) {
  for (const Row& row : kRows)
    for (const bool is_of_report : {false, true}) {
      const std::string text = dump(row.type, row.body, is_of_report);
      const auto at = text.find("PERF_RECORD_");
      ASSERT_NE(at, text.npos) << row.text;
      EXPECT_EQ(
          text.substr(at),
          "PERF_RECORD_" + (is_of_report && !row.of_report.empty() ? row.of_report : row.text));
    }
}

TEST_F(RecordDump, BeginsWithTheBytes) {
  const std::string text = dump(3, BytesOut().u32(5).u32(6).padded("work\x7f\xc3"), false);
  const auto place = text.find('@'), after = text.find(" [", place);
  EXPECT_EQ(text.substr(0, place).substr(0, 3), "\n0x");
  EXPECT_EQ(text.substr(after),
            " [0x30]: event: 3\n.\n. ... raw event: size 48 bytes\n"
            ".  0000:  03 00 00 00 00 00 30 00 05 00 00 00 06 00 00 00  ......0.........\n"
            ".  0010:  77 6f 72 6b 7f c3 00 00 05 00 00 00 06 00 00 00  work............\n"
            ".  0020:  88 dd 9a 3b 00 00 00 00 00 00 00 00 00 00 00 00  ...;............\n"
            "\n1000005000 " +
                text.substr(1, place - 1) + " [0x30]: PERF_RECORD_COMM: work\x7f\xc3:5/6\n");
}

// A record that is cut off before its own fields end has no text, or a part of it, and nothing is
// read beyond it.
TEST_F(RecordDump, OfRecordsThatAreTooShort) {
  for (const Row& row : kRows)
    for (std::size_t size = 0; size < row.body.size(); size += 8) {
      const std::string text = dump(row.type, BytesOut().raw(row.body.str().substr(0, size)), true);
      EXPECT_NE(text.find("raw event"), text.npos) << row.text << size;
    }
}

// 8 CALLCHAIN, 0x800 BRANCH_STACK, 0x4000 WEIGHT, 0x8000 DATA_SRC, 0x400000 DATA_PAGE_SIZE.
TEST_F(RecordDump, HasTheFieldsOfSamples) {
  BytesOut body = BytesOut().u32(5).u32(6).u64(7000).u64(0);
  body.u64(2).u64(std::uint64_t{0} - 128).u64(0xffff0000);
  body.u64(1).u64(0x10).u64(0x20).u64(2 | 7 << 4 | 1 << 20);
  body.u64(33).u64(0x68100142).u64(4096);
  const std::string text =
      dump(9, body, true, 2 | 4 | 64 | 32 | 0x800 | 0x4000 | 0x8000 | 0x400000);
  EXPECT_EQ(text.substr(text.find("PERF_RECORD_")),
            "PERF_RECORD_SAMPLE(IP, 0x0): 5/6: 0 period: 0 addr: 0\n"
            "... FP chain: nr:2\n"
            ".....  0: ffffffffffffff80 (PERF_CONTEXT_KERNEL)\n"
            ".....  1: 00000000ffff0000\n"
            "... branch stack: nr:1\n"
            ".....  0: 0000000000000010 -> 0000000000000020 7 cycles  P   0 COND \n"
            "... weight: 33\n"
            " . data_src: 0x68100142\n"
            " .. data page size: 4K\n"
            " ... thread: :6:6\n"
            " ...... dso: <not found>\n");
}

}  // namespace
}  // namespace evname::record_dump_test
