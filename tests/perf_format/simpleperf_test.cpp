// What simpleperf writes beside what perf does. ElfDso, DexFileDso and KernelModuleDso of
// system/extras/simpleperf/dso.cpp place functions.

#include "perf_format/simpleperf.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "perf_format/features.hpp"
#include "perf_format/symbol_lists.hpp"
#include "support/perf_file.hpp"
#include "support/simpleperf.hpp"
#include "support/tracing_data.hpp"

namespace evname::perf_format::simpleperf_test {
namespace {

using namespace test;

class Simpleperf : public testing::TestWithParam<std::endian> {
 protected:
  BytesOut out() const { return BytesOut(GetParam()); }
  void decode(std::uint64_t number, const std::string& content) {
    decode_feature(number, view_of(content), GetParam(), 0x40, features, warnings);
  }
  /// Returns each file with its functions.
  std::string lists() const {
    std::string text;
    if (!features.symbol_lists) return text;
    for (const SymbolList& list : read_symbol_lists(*features.symbol_lists)) {
      text += fmt::format("{}{} {}:", list.path, list.counts_from_mapping ? " mapping" : "",
                          static_cast<std::int64_t>(list.shift));
      for (const auto& [start, size, name] : list.symbols)
        text += fmt::format(" {}@{:x}+{:x}", name, start, size);
      text += '\n';
    }
    return text;
  }
  void add(SimpleperfRecords& records, std::uint32_t type, const std::string& body,
           std::uint16_t misc = 0) {
    PerfFile file(GetParam());
    file.record(type, body, misc);
    RecordReader reader(view_of(file.records()), GetParam());
    Record record;
    ASSERT_TRUE(reader.next(record));
    records.add(record);
    EXPECT_FALSE(reader.next(record));
    EXPECT_EQ(reader.fault(), nullptr);
  }

  Features features;
  Warnings warnings;
};
INSTANTIATE_TEST_SUITE_P(ByteOrders, Simpleperf,
                         testing::Values(std::endian::little, std::endian::big));

const std::vector<SimpleperfFile> kFiles = {
    {"/lib/a.so", kOfElf, 0x2000, 0x1000, {{0x2010, 8, "_Z1av"}, {0x2020, 4, "b"}}},
    {"/app/b.vdex", kOfDex, 0, {}, {{0x300, 0x20, "A.run"}}},
    {"/vendor/m.ko", kOfModule, 0x10, 0x4000, {{0x20, 4, "probe"}}},
    {"[kernel.kallsyms]", kOfKernel, 0, {}, {{0xffffff8000081000, 0x80, "schedule"}}},
    {"perf-7.map", kOfSymbolMap, 0, {}, {{0x7000100, 0x20, "jit"}, {0x7001ff8, 0x10, "next"}}},
    {"/lib/nothing.so", kOfElf, 0, 0, {{0x10, 0, "no size"}, {0x10, 4, ""}}}};
constexpr std::string_view kLists =
    "/lib/a.so -4096: _Z1av@2010+8 b@2020+4\n"
    "/app/b.vdex 0: A.run@300+20\n"
    "/vendor/m.ko 16368: probe@20+4\n"
    "[kernel.kallsyms] 0: schedule@ffffff8000081000+80\n"
    "perf-7.map 0: jit@7000100+20 next@7001ff8+10\n";

TEST_P(Simpleperf, FilesHaveTheirFunctions) {
  decode(128, file_list(GetParam(), kFiles));
  EXPECT_EQ(lists(), kLists);
  EXPECT_TRUE(warnings.take().empty());
}

TEST_P(Simpleperf, MessagesHaveTheSameFunctions) {
  decode(132, file_messages(GetParam(), kFiles));
  EXPECT_EQ(lists(), kLists);
  EXPECT_TRUE(warnings.take().empty());
}

// The first versions had no place: functions count from where the file is mapped.
TEST_P(Simpleperf, FilesWithoutAPlaceCountFromTheirMapping) {
  decode(128, file_list(GetParam(), {{"/a", kOfElf, 0x400, {}, {{0x4ed, 0x14, "f"}}}}));
  EXPECT_EQ(lists(), "/a mapping -1024: f@4ed+14\n");
}

TEST_P(Simpleperf, CodeMadeAtRunTimeHasPages) {
  decode(128, file_list(GetParam(), kFiles));
  std::string text;
  for (const auto& [pid, start, end] : features.run_time_code)
    text += fmt::format("{} {:x}-{:x};", pid, start, end);
  EXPECT_EQ(text, "7 7000000-7003000;");
}

TEST_P(Simpleperf, CodeInsideOfOtherCodeAddsNoPages) {
  decode(128,
         file_list(GetParam(), {{"perf-8.map",
                                 kOfSymbolMap,
                                 0,
                                 {},
                                 {{0x1000, 0x3000, "f"}, {0x2000, 8, "g"}, {0x9000, 8, "h"}}}}));
  ASSERT_EQ(features.run_time_code.size(), 2u);
  EXPECT_EQ(features.run_time_code[0].end, 0x4000u);
  EXPECT_EQ(features.run_time_code[1].start, 0x9000u);
}

TEST_P(Simpleperf, BothFeaturesMayHaveFiles) {
  decode(128, file_list(GetParam(), {kFiles[0]}));
  decode(132, file_messages(GetParam(), {kFiles[1]}));
  EXPECT_EQ(lists(), kLists.substr(0, kLists.find("/vendor")));
}

TEST_P(Simpleperf, ACutFeatureKeepsTheFilesBefore) {
  const std::string first(kLists.substr(0, kLists.find('\n') + 1));
  for (const int number : {128, 132}) {
    const auto made = [&](std::vector<SimpleperfFile> files) {
      return number == 128 ? file_list(GetParam(), files) : file_messages(GetParam(), files);
    };
    const std::string one = made({kFiles[0]}), two = made({kFiles[0], kFiles[1]});
    for (std::size_t size = one.size() + 1; size < two.size(); ++size) {
      features = {};
      decode(number, two.substr(0, size));
      EXPECT_EQ(lists(), first) << number << ' ' << size;
      EXPECT_EQ(warnings.take().size(), 1u) << number << ' ' << size;
    }
  }
}

TEST_P(Simpleperf, MetaInfoNamesEvents) {
  constexpr char kInfo[] =
      "simpleperf_version\0001.build\0event_type_info\0"
      "cpu-cycles,0,0\nsched:sched_switch,2,91\nraw-l1,d,4,17\nbroken\n,0,1\0";
  decode(129, std::string(kInfo, sizeof kInfo - 1));
  ASSERT_EQ(features.meta_info.size(), 2u);
  EXPECT_EQ(features.meta_info[0].second, "1.build");
  Events events;
  const auto add_event = [&](std::uint32_t type, std::uint64_t config, std::uint64_t flags) {
    events.add(Attr{.code = make_code(type, {config}), .flags = flags}, {});
  };
  add_event(0, 0, 1 << kExcludeKernel);
  add_event(0, 0, 1 << kExcludeUser);
  add_event(2, 91, 0);
  add_event(4, 17, 0);
  add_event(0, 1, 0);
  name_events(features, events);
  std::string names;
  for (const Event& event : events.list()) names += event.name.value_or("none") + ' ';
  EXPECT_EQ(names, "cpu-cycles:u cpu-cycles:k sched:sched_switch raw-l1,d none ");
}

TEST_P(Simpleperf, TraceDataAreListedWithoutTheirNumber) {
  decode(18, out().u64(0x1000).u64(48).u64(0x2000).u64(48).str());
  ASSERT_EQ(features.auxtrace.size(), 2u);
  EXPECT_EQ(features.auxtrace[1].offset, 0x2000u);
}

TEST_P(Simpleperf, FormatsOfTracepointsAreInsideTheirRecord) {
  const std::string data = tracing_data(GetParam(), "sched", {{316, "sched_switch"}});
  const std::string body =
      out().u32(static_cast<std::uint32_t>(data.size())).raw(data).pad(64 - data.size() % 64).str();
  const auto upper = static_cast<std::uint16_t>((body.size() + 8) >> 16);
  const std::string whole =
      out().u32(32777).u16(upper).u16(static_cast<std::uint16_t>(body.size() + 8)).raw(body).str();
  for (const int how : {66, 32777, 32772}) {
    features = {};
    Events events;
    SimpleperfRecords records(GetParam(), features, events, warnings);
    if (how == 32772) {
      add(records, 32772, whole.substr(0, 96));
      add(records, 32772, whole.substr(96));
      add(records, 32773, "");
    } else {
      add(records, how, body);
    }
    ASSERT_EQ(features.tracing.formats.size(), 1u) << how;
    EXPECT_EQ(features.tracing.formats[0].name, "sched_switch");
  }
  EXPECT_TRUE(warnings.take().empty());
}

// A record of more than 64 KiB has the upper half of its size in place of `misc`.
TEST_P(Simpleperf, RecordsInPiecesMayBeLarge) {
  const std::string data = tracing_data(GetParam(), "sched", {{316, "sched_switch"}});
  constexpr std::uint32_t kSize = 0x1f000;
  std::string whole = out()
                          .u32(32777)
                          .u16(kSize >> 16)
                          .u16(kSize & 0xffff)
                          .u32(static_cast<std::uint32_t>(data.size()))
                          .raw(data)
                          .str();
  whole.resize(kSize);
  Events events;
  SimpleperfRecords records(GetParam(), features, events, warnings);
  for (std::size_t at = 0; at < whole.size(); at += 0xf000)
    add(records, 32772, whole.substr(at, 0xf000));
  add(records, 32773, "");
  EXPECT_EQ(features.tracing.formats.size(), 1u);
  EXPECT_TRUE(warnings.take().empty());
}

TEST_P(Simpleperf, OtherRecordsDescribeTheKernelAndEvents) {
  constexpr std::string_view kSymbols =
      "ffffffc000081000 T first\nffffffc000081400 t second\t[m]\nffffffc000081800 D data\n0 T no\n";
  Events events;
  events.add({}, {1});
  events.add({}, {2});
  SimpleperfRecords records(GetParam(), features, events, warnings);
  add(records, 32769,
      out().u32(static_cast<std::uint32_t>(kSymbols.size())).raw(kSymbols).pad(4).str());
  EXPECT_EQ(lists(),
            "[kernel.kallsyms] 0: first@ffffffc000081000+400 second@ffffffc000081400+1000\n");
  add(records, 32774, out().u64(3).u64(1).u64(7).u64(5).u64(8).u64(0).u64(2).str());
  EXPECT_EQ(events.index_of(7), 1u);
  EXPECT_EQ(events.index_of(8), kNoEvent);  // there is no sixth event
  EXPECT_EQ(events.index_of(2), 1u);        // as before
}

TEST_P(Simpleperf, DamagedRecordsAreReported) {
  Events events;
  SimpleperfRecords records(GetParam(), features, events, warnings);
  add(records, 32773, "");                                     // no pieces
  add(records, 32772, out().u32(32777).u16(0).u16(99).str());  // not all of them
  add(records, 32773, "");
  add(records, 32777, out().u32(9).u32(0).str());
  add(records, 32774, out().u64(UINT64_MAX).u64(0).str());
  EXPECT_EQ(warnings.take().size(), 3u);
  EXPECT_TRUE(features.tracing.formats.empty());
}

}  // namespace
}  // namespace evname::perf_format::simpleperf_test
