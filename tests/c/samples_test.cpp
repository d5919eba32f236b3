// Samples one at a time, of recordings that were made up: what has several samples in a record,
// variable parts, damage, or comes through a pipe.

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <thread>
#include <tuple>

#include "evname/attr.hpp"
#include "evname/decoded.hpp"
#include "evname/evname.h"
#include "support/perf_file.hpp"
#include "support/temp_dir.hpp"

namespace {

using namespace evname::perf_format;
using evname::test::AttrSpec;
using evname::test::BytesOut;
using evname::test::PerfFile;
using evname::test::TempDir;

constexpr std::uint64_t kType = kSampleIdentifier | kSampleTid | kSampleTime;

using Recording = std::unique_ptr<evname_recording, decltype(&evname_recording_free)>;
using Samples = std::unique_ptr<evname_samples, decltype(&evname_samples_free)>;

Recording open_path(const std::string& path) {
  evname_recording* recording = nullptr;
  evname_error error;
  EXPECT_EQ(evname_recording_open(path.c_str(), &recording, &error), EVNAME_OK) << error.message;
  return {recording, evname_recording_free};
}

Recording open_bytes(const std::string& bytes) {
  const TempDir dir;
  return open_path(dir.write("perf.data", bytes));
}

Samples begin(const Recording& recording, std::uint32_t flags = 0) {
  evname_samples* samples = nullptr;
  EXPECT_EQ(evname_samples_open(recording.get(), flags, &samples, nullptr), EVNAME_OK);
  return {samples, evname_samples_free};
}

/// "time/event+period " of each.
std::string notes(const Samples& samples) {
  std::string text;
  evname_sample sample;
  while (evname_samples_next(samples.get(), &sample) == 1)
    text += std::to_string(sample.time) + "/" + std::to_string(sample.event) + "+" +
            std::to_string(sample.period) + " ";
  return text;
}

BytesOut head(std::uint64_t id, std::uint64_t time, std::endian order = std::endian::little) {
  return BytesOut(order).u64(id).u32(5).u32(6).u64(time);
}

// PERF_RECORD_* of include/uapi/linux/perf_event.h.
TEST(CRecords, HaveTheFieldsOfTheirTypes) {
  for (const std::endian order : {std::endian::little, std::endian::big}) {
    PerfFile file(order);
    file.event({.sample_type = kType, .ids = {1}});
    const auto trailer = [&](BytesOut body) { return body.u32(7).u32(8).u64(5).u64(1).str(); };
    file.record(3, trailer(BytesOut(order).u32(5).u32(6).padded("work")), 1 << 13);
    file.record(16, trailer(BytesOut(order).u32(5).u32(6).u64(1).u64(2).u64(3)));
    file.record(15, trailer(BytesOut(order).u32(50).u32(60)), 1 << 13);
    file.record(9, head(1, 5, order).str());
    file.record(7, trailer(BytesOut(order).u32(5).u32(4).u32(6).u32(3).u64(9)));
    file.record(68, "");
    const Recording recording = open_bytes(file.file());
    const Samples samples = begin(recording, EVNAME_SAMPLES_FILE_ORDER);
    evname_record one;
    const auto has = [&](int bit) { return (one.fields >> bit & 1) != 0; };
    ASSERT_EQ(evname_records_next(samples.get(), &one), 1);
    EXPECT_STREQ(evname_record_name(one.type), "COMM");
    EXPECT_EQ(std::string(one.name, one.name_size), "work");
    EXPECT_TRUE(one.own_pid == 5 && one.own_tid == 6 && one.is_exec == 1 && one.event == 0);
    EXPECT_TRUE(one.pid == 7 && one.tid == 8 && one.time == 5 && one.id == 1);
    EXPECT_TRUE(has(EVNAME_RECORD_BIT_NAME) && has(EVNAME_RECORD_BIT_TIME));
    EXPECT_FALSE(has(EVNAME_RECORD_BIT_CPU) || has(EVNAME_RECORD_BIT_LOST));
    ASSERT_EQ(evname_records_next(samples.get(), &one), 1);
    ASSERT_TRUE(has(EVNAME_RECORD_BIT_WORDS) && one.words_count == 2);
    EXPECT_TRUE(one.words[0] == 2 && one.words[1] == 3);
    ASSERT_EQ(evname_records_next(samples.get(), &one), 1);
    EXPECT_TRUE(one.is_out == 1 && one.is_preempted == 0 && one.other_tid == 60);
    ASSERT_EQ(evname_records_next(samples.get(), &one), 1);
    ASSERT_TRUE(one.sample != nullptr);
    EXPECT_TRUE(one.type == 9 && one.sample->time == 5 && one.tid == one.sample->tid);
    ASSERT_EQ(evname_records_next(samples.get(), &one), 1);
    EXPECT_TRUE(one.own_pid == 5 && one.other_pid == 4 && one.own_tid == 6 && one.other_tid == 3);
    EXPECT_EQ(one.own_time, 9u);
    ASSERT_EQ(evname_records_next(samples.get(), &one), 1);
    EXPECT_TRUE(one.type == 68 && one.event == UINT64_MAX && one.sample == nullptr);
    EXPECT_EQ(one.fields, std::uint64_t{1} << EVNAME_RECORD_BIT_BYTES);
    EXPECT_EQ(evname_records_next(samples.get(), &one), 0);
    EXPECT_STREQ(evname_record_name(1000), "UNKNOWN");
  }
}

/// The lines of perf script for a test, in tests/data.
std::vector<std::string> lines_of_perf(const std::string& test) {
  std::ifstream file(std::string(std::getenv("EVNAME_SOURCE_ROOT")) +
                     "/tests/data/perf-script.txt");
  std::vector<std::string> lines;
  bool is_there = false;
  for (std::string line; std::getline(file, line);) {
    if (is_there && line.starts_with("== ")) break;
    if (is_there) lines.push_back(line);
    is_there = is_there || line.starts_with("== " + test);
  }
  return lines;
}

TEST(CDecoded, DataSourcesHaveTheTextsOfPerf) {
  const auto lines = lines_of_perf("DataSourcesAreSpelledAlike");
  ASSERT_EQ(lines.size(), 72u);
  for (const std::string& line : lines) {
    const std::size_t bar = line.find('|');
    evname_data_source source;
    ASSERT_EQ(evname_data_source_of(std::stoull(line.substr(line.find("clock:") + 6), nullptr, 16),
                                    &source),
              EVNAME_OK);
    const std::string text = source.text;
    EXPECT_EQ(line.substr(bar, text.size() + 1), text + ' ');
    EXPECT_EQ(text.substr(0, text.find("|LVL")), std::string("|OP ") + source.op_text);
  }
}

// No word has a longer text than the one with all names of a part, by number or by bits.
TEST(CDecoded, TextsFit) {
  for (const std::uint64_t word :
       {~0ull, ~(15ull << 33), ~(2ull << 33), ~(3ull << 33 | 5ull << 43)}) {
    evname_data_source source;
    ASSERT_EQ(evname_data_source_of(word, &source), EVNAME_OK);
    const evname::DataSource from(word);
    EXPECT_EQ(source.op_text, from.op_text());
    EXPECT_EQ(source.level_text, from.level_text());
    EXPECT_EQ(source.snoop_text, from.snoop_text());
    EXPECT_EQ(source.tlb_text, from.tlb_text());
    EXPECT_EQ(source.blocked_text, from.blocked_text());
    EXPECT_EQ(source.text, from.text());
  }
  for (std::uint64_t type = 0; type < 16; ++type)
    for (std::uint64_t other = 0; other < 16; ++other) {
      const std::uint64_t words[] = {
          1, 2, ~(15ull << 20 | 15ull << 26 | 1 << 24) | type << 20 | other << 26};
      evname_branch branch;
      ASSERT_EQ(evname_branch_of(words, "aarch64", &branch), EVNAME_OK);
      EXPECT_EQ(branch.text, evname::Branch(1, 2, words[2]).text("aarch64"));
    }
}

TEST(CDecoded, BranchesHaveThePartsOfTheirWord) {
  const std::uint64_t words[] = {1, 2, 0x2 | 7 << 4 | 4 << 20 | 3 << 24 | 2ull << 30};
  evname_branch one;
  ASSERT_EQ(evname_branch_of(words, nullptr, &one), EVNAME_OK);
  EXPECT_TRUE(one.from == 1 && one.to == 2 && one.predicted == 1 && one.mispredicted == 0);
  EXPECT_TRUE(one.in_transaction + one.abort + one.not_taken + one.extended_type == 0);
  EXPECT_TRUE(one.cycles == 7 && one.type == 4 && one.speculation == 3 && one.privilege == 2);
  EXPECT_STREQ(one.type_text, "CALL");
  EXPECT_STREQ(one.speculation_text, "SPEC_CORRECT_PATH");
  EXPECT_STREQ(one.privilege_text, "kernel");
  EXPECT_STREQ(one.prediction_text, "P");
  EXPECT_STREQ(one.text, "/P/-/-/7/CALL/SPEC_CORRECT_PATH");
  const std::uint64_t more[] = {1, 2, 15 << 20 | 5 << 26};
  ASSERT_EQ(evname_branch_of(more, "arm64", &one), EVNAME_OK);
  EXPECT_STREQ(one.type_text, "ARM64_DEBUG_EXIT");
  EXPECT_EQ(evname_branch_of(nullptr, "arm64", &one), EVNAME_INVALID_ARGUMENT);
  EXPECT_STREQ(one.type_text, "");
}

/// Progress that ends a call when it has been called so often.
struct Ending {
  int calls_left;
  std::uint64_t last = 0;
  static int tell(void* context, std::uint64_t done, std::uint64_t total) {
    auto& self = *static_cast<Ending*>(context);
    EXPECT_LE(done, total);
    self.last = done;
    return --self.calls_left < 0;
  }
};

// Each call is cancelled at each of the places where it tells its progress, and leaves no file.
TEST(CProgress, CancelsACall) {
  PerfFile file;
  file.event({.sample_type = kType, .ids = {1}});
  const std::string padding(60000, 'p');
  for (std::uint64_t time = 0; time < 100; ++time)  // some MiB
    file.record(9, head(1, time).str()).record(68, padding);
  const Recording recording = open_bytes(file.file());
  evname_filter filter = {};
  filter.progress = &Ending::tell;
  evname_error error;
  const TempDir dir;
  const std::string out = dir.path("out");
  using Call = std::function<int(Ending&)>;
  const auto with_filter = [&](auto&& call) {
    return [&filter, call](Ending& ending) {
      filter.progress_context = &ending;
      return call();
    };
  };
  // Copies are written in more than one piece, but the kernel copies a whole file as one.
  const std::tuple<const char*, int, Call> calls[] = {
      {"extract", 5, with_filter([&] {
         return evname_extract(recording.get(), &filter, out.c_str(), nullptr, nullptr, &error);
       })},
      {"annotate", 1, with_filter([&] {
         const int sink = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
         const int status =
             evname_annotate(recording.get(), nullptr, &filter, sink, nullptr, &error);
         ::close(sink);
         return status;
       })},
      {"split", 5, with_filter([&] {
         evname_parts* parts = nullptr;
         const int status = evname_split(recording.get(), EVNAME_SPLIT_THREAD, &filter, out.c_str(),
                                         &parts, nullptr, &error);
         evname_parts_free(parts);
         return status;
       })},
      {"report", 2, with_filter([&] {
         evname_report* report = nullptr;
         EXPECT_EQ(evname_report_new("event", &filter, &report, &error), EVNAME_OK);
         const int status = evname_report_add(report, recording.get(), nullptr, &error);
         EXPECT_EQ(evname_report_row_count(report), status == EVNAME_OK ? 1u : 0u);
         evname_report_free(report);
         return status;
       })},
      {"inject", 1,
       [&](Ending& ending) {
         return evname_inject_with(recording.get(), out.c_str(), &Ending::tell, &ending, nullptr,
                                   &error);
       }},
      {"samples", 1, [&](Ending& ending) {
         evname_samples* samples = nullptr;
         EXPECT_EQ(
             evname_samples_open_with(recording.get(), 0, &Ending::tell, &ending, &samples, &error),
             EVNAME_OK);
         evname_sample sample;
         int more = 0;
         while ((more = evname_samples_next(samples, &sample)) == 1) continue;
         if (more < 0) {
           EXPECT_EQ(evname_samples_next(samples, &sample), 0);
         }
         evname_samples_free(samples);
         std::snprintf(error.message, sizeof error.message, "cancelled");
         return -more;
       }}};
  for (const auto& [name, least, call] : calls) {
    int places = 0;
    for (;; ++places) {
      Ending ending{places};
      const int status = call(ending);
      if (status == EVNAME_OK) break;
      EXPECT_EQ(status, EVNAME_CANCELLED) << name << " " << places << error.message;
      EXPECT_STREQ(error.message, "cancelled");
      EXPECT_FALSE(std::filesystem::exists(out)) << name << " " << places;
    }
    std::filesystem::remove_all(out);
    EXPECT_GE(places, least) << name;
  }
}

TEST(Samples, OfOneRecordComeOneAfterTheOther) {
  const AttrSpec event{.sample_type = kType | kSampleRead, .read_format = kReadGroup | kReadId};
  AttrSpec first = event, second = event;
  first.ids = {1};
  second.ids = {2};
  PerfFile file;
  file.event(first).event(second);
  file.record(9, head(1, 20).u64(2).u64(150).u64(1).u64(17).u64(2).str());
  file.record(9, head(1, 10).u64(2).u64(100).u64(1).u64(7).u64(2).str());
  EXPECT_EQ(notes(begin(open_bytes(file.file()))), "10/0+100 10/1+7 20/0+50 20/1+10 ");
  EXPECT_EQ(notes(begin(open_bytes(file.file()), EVNAME_SAMPLES_FILE_ORDER)),
            "20/0+150 20/1+17 10/0+18446744073709551566 10/1+18446744073709551606 ");
}

std::vector<std::uint64_t> list(const std::uint64_t* words, std::size_t count) {
  return {words, words + count};
}

// Layout: PERF_RECORD_SAMPLE in perf_event_open(2).
TEST(Samples, HaveWhatTheirEventSamplesInEitherByteOrder) {
  constexpr std::uint64_t kAll = kType | kSampleIp | kSampleAddr | kSampleCpu | kSamplePeriod |
                                 kSampleCallchain | kSampleRaw | kSampleBranchStack |
                                 kSampleRegsUser | kSampleWeightStruct | kSampleDataSrc |
                                 kSampleTransaction | kSampleRegsIntr | kSamplePhysAddr |
                                 kSampleCgroup | kSampleDataPageSize | kSampleCodePageSize;
  for (const std::endian order : {std::endian::little, std::endian::big}) {
    PerfFile file(order);
    file.event({.sample_type = kAll, .regs_user = 0b101, .regs_intr = 0b10, .ids = {1}});
    BytesOut record(order);
    record.u64(1).u64(0x1000).u32(5).u32(6).u64(30).u64(0x2000).u32(3).u32(0).u64(99);
    record.u64(2).u64(0x1000).u64(0x1004);                          // callchain
    record.u32(4).raw("raw!");                                      // raw data
    record.u64(1).u64(0x50).u64(0x60).u64(1);                       // branches
    record.u64(2).u64(71).u64(72);                                  // registers of user space
    order == std::endian::little ? record.u32(100).u16(20).u16(30)  // weight, ins_lat, retire_lat
                                 : record.u16(30).u16(20).u32(100);
    record.u64(0x1e0).u64(0x8000).u64(2).u64(81);  // data_src, transaction, registers
    record.u64(0x3000).u64(77).u64(4096).u64(0x200000);
    file.record(9, record.str(), 2);
    const Recording recording = open_bytes(file.file());
    evname_recorded_event event;
    ASSERT_EQ(evname_recorded_event_at(recording.get(), 0, &event), EVNAME_OK);
    EXPECT_EQ(event.user_register_mask, 0b101u);
    EXPECT_EQ(event.interrupt_register_mask, 0b10u);
    const Samples samples = begin(recording);
    evname_sample s;
    ASSERT_EQ(evname_samples_next(samples.get(), &s), 1);
    EXPECT_EQ(s.fields, 0x1fffffu);  // one bit for each
    EXPECT_EQ(std::vector({s.ip, s.addr, s.time, s.period, s.id, s.phys_addr}),
              (std::vector<std::uint64_t>{0x1000, 0x2000, 30, 99, 1, 0x3000}));
    EXPECT_EQ(
        std::vector({s.data_src, s.transaction, s.cgroup, s.data_page_size, s.code_page_size}),
        (std::vector<std::uint64_t>{0x1e0, 0x8000, 77, 4096, 0x200000}));
    EXPECT_EQ(std::vector<std::uint64_t>({s.weight, s.ins_lat, s.retire_lat}),
              (std::vector<std::uint64_t>{100, 20, 30}));
    EXPECT_EQ(std::vector({s.pid, s.tid, static_cast<int>(s.cpu)}), (std::vector{5, 6, 3}));
    EXPECT_EQ(s.misc, 2u);
    EXPECT_STREQ(s.comm, ":6");
    EXPECT_EQ(std::string(static_cast<const char*>(s.raw), s.raw_size), "raw!");
    using Words = std::vector<std::uint64_t>;
    EXPECT_EQ(list(s.callchain, s.callchain_count), (Words{0x1000, 0x1004}));
    EXPECT_EQ(list(s.branches, s.branches_count), (Words{0x50, 0x60, 1}));
    EXPECT_EQ(list(s.user_registers, s.user_registers_count), (Words{71, 72}));
    EXPECT_EQ(list(s.interrupt_registers, s.interrupt_registers_count), (Words{81}));
  }
}

TEST(Samples, WhatIsNotSampledIsZeroAndNotThere) {
  PerfFile file;
  file.event({.sample_type = kSampleIp, .period = 7});
  file.record(9, BytesOut().u64(0x10).str());
  const Samples samples = begin(open_bytes(file.file()));
  evname_sample s;
  ASSERT_EQ(evname_samples_next(samples.get(), &s), 1);
  EXPECT_EQ(s.fields, std::uint64_t{EVNAME_SAMPLE_IP});
  EXPECT_EQ(s.period, 7u);
  EXPECT_EQ(s.time + s.tid + s.cpu + s.addr, 0u);
  EXPECT_STREQ(s.comm, "");
  EXPECT_EQ(s.callchain, nullptr);
  EXPECT_EQ(evname_samples_next(samples.get(), &s), 0);
  EXPECT_EQ(evname_samples_next(samples.get(), &s), 0);
}

TEST(Samples, DamageIsToldAtTheEndAndCanBeLeftBehind) {
  PerfFile file;
  file.event({.sample_type = kType, .ids = {1}});
  file.record(9, head(1, 10).str()).raw(BytesOut().u32(9).u16(0).u16(0).str());
  for (std::uint64_t time = 20; time < 30; ++time) file.record(9, head(1, time).str());
  const Samples stopped = begin(open_bytes(file.file()));
  EXPECT_STREQ(evname_samples_warning(stopped.get(), 0), "");
  EXPECT_EQ(notes(stopped), "10/0+0 ");
  EXPECT_STRNE(evname_samples_warning(stopped.get(), 0), "");
  const Samples salvaged = begin(open_bytes(file.file()), EVNAME_SAMPLES_SALVAGE);
  EXPECT_NE(notes(salvaged).find("29/0"), std::string::npos);
  evname_tally tally;
  evname_samples_tally(salvaged.get(), &tally);
  EXPECT_EQ(tally.samples, 11u);
}

TEST(Samples, OfAPipeComeOnceAndCanBeLeftEarly) {
  PerfFile file;
  file.event({.sample_type = kType, .ids = {1}});
  for (std::uint64_t time = 0; time < 100000; ++time)
    file.record(9, head(1, time).str()).record(68, "");
  const TempDir dir;
  const std::string path = dir.path("fifo");
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  std::signal(SIGPIPE, SIG_IGN);  // the reader goes before the writer has written all
  std::thread writer([&] {
    std::FILE* out = std::fopen(path.c_str(), "w");
    std::fwrite(file.pipe().data(), 1, file.pipe().size(), out);
    std::fclose(out);
  });
  {
    const Recording recording = open_path(path);
    const Samples samples = begin(recording), again = begin(recording);
    evname_sample s;
    for (std::uint64_t time = 0; time < 1000; ++time) {
      ASSERT_EQ(evname_samples_next(samples.get(), &s), 1);
      ASSERT_EQ(s.time, time);
    }
    EXPECT_EQ(evname_samples_next(again.get(), &s), 0);
    EXPECT_STRNE(evname_samples_warning(again.get(), 0), "");
  }
  writer.join();
}

// Each part is a copy of the whole recording, but the progress of all parts adds up to one copy.
TEST(CProgress, OfPartsIsNoMoreThanTheWhole) {
  PerfFile file;
  file.event({.sample_type = kType, .ids = {1}});
  const std::string padding(60000, 'p');
  for (std::uint32_t i = 0; i < 100; ++i)
    file.record(9, BytesOut().u64(1).u32(5).u32(6 + i % 3).u64(i).str()).record(68, padding);
  const Recording recording = open_bytes(file.file());
  Ending ending{1'000'000};
  evname_filter filter = {};
  filter.progress = &Ending::tell;
  filter.progress_context = &ending;
  const TempDir dir;
  evname_parts* parts = nullptr;
  ASSERT_EQ(evname_split(recording.get(), EVNAME_SPLIT_THREAD, &filter, dir.path("out").c_str(),
                         &parts, nullptr, nullptr),
            EVNAME_OK);
  evname_parts_free(parts);
  EXPECT_LT(ending.calls_left, 1'000'000 - 6);
}

// PERF_RECORD_LOST, LOST_SAMPLES and THROTTLE: include/uapi/linux/perf_event.h.
TEST(CReports, RowsHaveWhatWasLostAndThrottled) {
  PerfFile file;
  file.event({.type = 1, .sample_type = kType | kSamplePeriod, .ids = {1}});
  const auto trailer = [] { return BytesOut().u32(5).u32(6).u64(30).u64(1).str(); };
  for (const std::uint64_t time : {10, 20}) file.record(9, head(1, time).u64(50).str());
  file.record(2, BytesOut().u64(1).u64(7).raw(trailer()).str());
  file.record(13, BytesOut().u64(3).raw(trailer()).str());
  for (int i = 0; i < 2; ++i) file.record(5, BytesOut().u64(30).u64(1).u64(1).raw(trailer()).str());
  evname_report* made = nullptr;
  ASSERT_EQ(evname_report_new("event", nullptr, &made, nullptr), EVNAME_OK);
  const std::unique_ptr<evname_report, decltype(&evname_report_free)> report(made,
                                                                             evname_report_free);
  ASSERT_EQ(evname_report_add(made, open_bytes(file.file()).get(), nullptr, nullptr), EVNAME_OK);
  evname_report_row row;
  ASSERT_EQ(evname_report_row_at(made, 0, &row), EVNAME_OK);
  ASSERT_EQ(row.keys_count, 1u);
  EXPECT_STREQ(row.keys[0], "cpu-clock");
  EXPECT_EQ(row.samples, 2u);
  EXPECT_EQ(row.period, 100u);
  EXPECT_EQ(row.share, 1.0);
  EXPECT_EQ(row.first, 10u);
  EXPECT_EQ(row.last, 20u);
  EXPECT_EQ(row.lost, 10u);
  EXPECT_EQ(row.throttled, 2u);
  EXPECT_EQ(row.of, 2u);
  EXPECT_EQ(evname_report_row_at(made, 1, &row), EVNAME_OUT_OF_RANGE);
}

}  // namespace
