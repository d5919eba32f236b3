// Second objects and items: what the functions of C say of them is not what they say of the first.

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "evname/attr.hpp"
#include "evname/evname.h"
#include "support/perf_file.hpp"
#include "support/temp_dir.hpp"
#include "support/tracing_data.hpp"

namespace {

using namespace evname::perf_format;
using evname::test::BytesOut;
using evname::test::PerfFile;
using evname::test::TempDir;

/// Frees what a function of C has made.
template <class T>
using Owned = std::unique_ptr<T, void (*)(T*)>;

Owned<evname_recording> open(const TempDir& dir, const PerfFile& file,
                             const char* name = "perf.data") {
  evname_recording* recording = nullptr;
  EXPECT_EQ(evname_recording_open(dir.write(name, file.file()).c_str(), &recording, nullptr),
            EVNAME_OK);
  return {recording, evname_recording_free};
}

Owned<evname_machine> skylakex(const char* events = nullptr) {
  evname_machine* machine = nullptr;
  evname_machine_options options{};
  options.events = events;
  options.flags = EVNAME_NO_USER_EVENTS;
  EXPECT_EQ(evname_machine_open("skylakex", &options, &machine, nullptr), EVNAME_OK);
  return {machine, evname_machine_free};
}

// The functions of a process are in the map of its JIT compiler: tools/perf/Documentation/
// jit-interface.txt.
TEST(CSeveral, SymbolsNameStacksEachOnItsOwn) {
  const TempDir dir{{"a/tmp/perf-5.map", "10000 1000 of_a\n"},
                    {"b/tmp/perf-5.map", "10000 1000 of_b\n"}};
  PerfFile file;
  file.event({.type = 1, .sample_type = kSampleIp | kSampleTid | kSampleTime});
  BytesOut map;
  map.u32(5).u32(5).u64(0x10000).u64(0x1000).u64(0).padded("//anon").u32(5).u32(5).u64(1);
  file.record(1, map.str(), 2);
  file.record(9, BytesOut().u64(0x10010).u32(5).u32(5).u64(7).str(), 2);
  const auto recording = open(dir, file);
  evname_samples* samples = nullptr;
  ASSERT_EQ(evname_samples_open(recording.get(), 0, &samples, nullptr), EVNAME_OK);
  const Owned<evname_samples> owned(samples, evname_samples_free);
  evname_frames* frames = nullptr;
  ASSERT_EQ(evname_frames_new(&frames, nullptr), EVNAME_OK);
  const Owned<evname_frames> owned_frames(frames, evname_frames_free);
  evname_sample sample;
  ASSERT_EQ(evname_samples_next(samples, &sample), 1);
  for (const auto& [root, name] : {std::pair{"a", "of_a"}, {"b", "of_b"}, {"a", "of_a"}}) {
    const std::string symfs = dir.path(root);
    evname_symbol_options options = {};
    options.symfs = symfs.c_str();
    evname_symbols* symbols = nullptr;
    ASSERT_EQ(evname_symbols_new(&options, &symbols, nullptr), EVNAME_OK);
    const Owned<evname_symbols> owned_symbols(symbols, evname_symbols_free);
    ASSERT_EQ(evname_samples_stack(samples, symbols, frames, nullptr), EVNAME_OK);
    evname_frame frame;
    ASSERT_EQ(evname_frames_at(frames, 0, &frame), EVNAME_OK);
    EXPECT_STREQ(frame.function, name);
  }
}

TEST(CSeveral, RecordingsOfAProfileHaveTheirOwnTallies) {
  const TempDir dir;
  PerfFile one, two;
  for (PerfFile* const file : {&one, &two})
    file->event({.type = 1, .sample_type = kSampleIp | kSampleTid | kSampleTime});
  for (PerfFile* const file : {&one, &two, &two})
    file->record(9, BytesOut().u64(0x10010).u32(5).u32(5).u64(7).str(), 2);
  const auto first = open(dir, one, "1"), second = open(dir, two, "2");
  const evname_recording* const both[] = {first.get(), second.get()};
  std::uint64_t samples = 0;
  evname_tally tallies[2];
  ASSERT_EQ(evname_profile_write(both, 2, nullptr, nullptr, dir.path("out.pb.gz").c_str(), &samples,
                                 tallies, nullptr),
            EVNAME_OK);
  EXPECT_EQ(samples, 3u);
  EXPECT_EQ(tallies[0].samples, 1u);
  EXPECT_EQ(tallies[1].samples, 2u);
}

TEST(CSeveral, ItemsOfAnArrayEndWithTheLast) {
  const TempDir dir;
  PerfFile file;
  file.event({.type = 2, .config = 316, .sample_type = kSampleRaw});
  file.feature(
      1, evname::test::tracing_data(std::endian::little, "sched", {{316, "sched_switch"}},
                                    "\tfield:int pair[2];\toffset:8;\tsize:8;\tsigned:1;\n\n"));
  const auto recording = open(dir, file);
  const std::string raw = BytesOut().u64(0).u32(7).u32(0xffffffff).str();
  const std::pair<int, std::int64_t> rows[] = {
      {EVNAME_OK, 7}, {EVNAME_OK, -1}, {EVNAME_OUT_OF_RANGE, 0}, {EVNAME_OUT_OF_RANGE, 0}};
  for (std::size_t i = 0; i < std::size(rows); ++i) {
    evname_field field;
    EXPECT_EQ(evname_sample_field(recording.get(), 0, raw.data(), raw.size(), "pair", i, &field),
              rows[i].first)
        << i;
    EXPECT_EQ(field.number, rows[i].second) << i;
    EXPECT_EQ(field.count, 2u) << i;
  }
}

// Values of PEBS and PerPkg: tools/perf/pmu-events/README and jevents.py.
TEST(CSeveral, FlagsOfEventsAreTheirOwn) {
  const TempDir dir{{"my.json", R"([{"EventName":"a","EventCode":"0x1","PerPkg":"1"},
      {"EventName":"b","EventCode":"0x2","Deprecated":"1"},
      {"EventName":"c","EventCode":"0x3","PEBS":"1"},
      {"EventName":"d","EventCode":"0x4","PEBS":"2"},
      {"EventName":"e","EventCode":"0x5"}])"}};
  const auto machine = skylakex(dir.path().c_str());
  const std::pair<const char*, std::uint32_t> rows[] = {
      {"a", EVNAME_EVENT_PER_PACKAGE},
      {"b", EVNAME_EVENT_DEPRECATED},
      {"c", EVNAME_EVENT_PRECISE},
      {"d", EVNAME_EVENT_PRECISE | EVNAME_EVENT_MUST_BE_PRECISE},
      {"e", 0}};
  for (const auto& [name, flags] : rows) {
    evname_events* events = nullptr;
    ASSERT_EQ(evname_events_list(machine.get(), name, &events, nullptr), EVNAME_OK);
    const Owned<evname_events> owned(events, evname_events_free);
    evname_event event;
    ASSERT_EQ(evname_events_at(events, 0, &event), EVNAME_OK) << name;
    EXPECT_EQ(event.flags, flags) << name;
  }
}

// This machine has no uncore PMU: the event has no type.
TEST(CSeveral, EventsThatCantBeCountedAreLeftOutOnlyIfAsked) {
  const auto machine = skylakex();
  for (const std::uint32_t flags : {0u, std::uint32_t{EVNAME_COUNT_PARTIAL}}) {
    evname_counters* counters = nullptr;
    const int status = evname_counters_open(machine.get(), "page-faults:u,uncore_imc/event=1/",
                                            nullptr, 0, flags, &counters, nullptr);
    const Owned<evname_counters> owned(counters, evname_counters_free);
    EXPECT_EQ(status == EVNAME_OK, flags != 0) << flags;
    const int problem = evname_counters_problem(counters, 1, nullptr);
    EXPECT_EQ(problem, flags != 0 ? EVNAME_UNSUPPORTED : EVNAME_INVALID_ARGUMENT);
  }
}

}  // namespace
