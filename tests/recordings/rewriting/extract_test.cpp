// Smaller recordings: the samples that were asked for, each once, and all other records.

#include "evname/rewrite.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <filesystem>

#include "base/bytes.hpp"
#include "recordings/rewriting/copies.hpp"
#include "support/perf_file.hpp"
#include "support/temp_dir.hpp"
#include "support/written.hpp"

namespace evname::test {
namespace {

constexpr std::uint64_t kType = 2 | 4 | 128 | 0x10000;  // TID, TIME, CPU, IDENTIFIER

class Extraction : public testing::TestWithParam<std::endian> {
 protected:
  Extraction() : whole(GetParam()) {
    whole.event({.type = 1, .config = 0, .sample_type = kType, .ids = {1}});
    whole.event({.type = 1, .config = 2, .sample_type = kType, .ids = {2}});
    comm(5, "work");
    comm(6, "../a/b");
    comm(7, "work");
    sample(1, 5, 10, 0);
    sample(2, 6, 11, 1);
    sample(1, 6, 12, 1);
    comm(5, "later", 12);
    sample(1, 5, 13, 0);
    sample(2, 7, 14, 2);
  }
  void comm(std::uint32_t tid, std::string_view name, std::uint64_t time = 1) {
    BytesOut body = whole.out();
    body.u32(5).u32(tid).padded(name).u32(5).u32(tid).u64(time).u32(0).u32(0).u64(1);
    whole.record(3, body.str());
  }
  void sample(std::uint64_t id, std::uint32_t tid, std::uint64_t time, std::uint32_t cpu) {
    whole.record(9, whole.out().u64(id).u32(5).u32(tid).u64(time).u32(cpu).u32(0).str());
  }
  Recording open() const { return Recording::open(dir.write("whole.data", whole.file())).value(); }

  /// "work 5 0 10 cpu-clock;…"
  static std::string samples(const Recording& file) {
    std::string out;
    file.for_each_sample([&](const Sample& one) {
      out += std::string(one.comm()) + " " + std::to_string(*one.tid()) + " " +
             std::to_string(*one.cpu()) + " " + std::to_string(*one.time()) + " " +
             file.events()[one.event().attr].full_name() + ";";
    });
    return out;
  }
  static std::string samples_at(const std::string& path) {
    const auto file = Recording::open(path);
    return file ? samples(*file) : file.error().text();
  }

  PerfFile whole;
  TempDir dir;
};

TEST_P(Extraction, SplitsByEachKey) {
  using Parts = std::vector<std::array<std::string, 3>>;  // key, name of the file, samples
  const std::map<SplitKey, Parts> kExpected = {
      {SplitKey::event,
       {{"cpu-clock", "cpu-clock.data",
         "work 5 0 10 cpu-clock;../a/b 6 1 12 cpu-clock;later 5 0 13 cpu-clock;"},
        {"page-faults", "page-faults.data", "../a/b 6 1 11 page-faults;work 7 2 14 page-faults;"}}},
      {SplitKey::thread,
       {{"work (5)", "work_5.data", "work 5 0 10 cpu-clock;later 5 0 13 cpu-clock;"},
        {"../a/b (6)", "_.._a_b_6.data", "../a/b 6 1 11 page-faults;../a/b 6 1 12 cpu-clock;"},
        {"work (7)", "work_7.data", "work 7 2 14 page-faults;"}}},
      {SplitKey::comm,
       {{"work", "work.data", "work 5 0 10 cpu-clock;work 7 2 14 page-faults;"},
        {"../a/b", "_.._a_b.data", "../a/b 6 1 11 page-faults;../a/b 6 1 12 cpu-clock;"},
        {"later", "later.data", "later 5 0 13 cpu-clock;"}}},
      {SplitKey::cpu,
       {{"0", "0.data", "work 5 0 10 cpu-clock;later 5 0 13 cpu-clock;"},
        {"1", "1.data", "../a/b 6 1 11 page-faults;../a/b 6 1 12 cpu-clock;"},
        {"2", "2.data", "work 7 2 14 page-faults;"}}}};
  const Recording file = open();
  const std::uint64_t of_a_part = whole.records().size() / 8 + 1;
  for (const std::uint64_t parts_a_pass : {100, 2, 1, 0}) {
    for (const auto& [key, expected] : kExpected) {
      const std::string name(split_keys()[static_cast<int>(key)].name);
      const std::string folder = dir.path(name + std::to_string(parts_a_pass));
      ExtractOptions options;
      options.pass.progress = [](std::uint64_t done, std::uint64_t all) {
        EXPECT_LE(done, all);
        return true;
      };
      const auto done =
          rewriting::split_in_passes(file, key, {}, folder, options, parts_a_pass * of_a_part);
      ASSERT_TRUE(done) << done.error().text();
      EXPECT_EQ(done->tally.selected, 5u);
      Parts found;
      for (const SplitResult::Part& part : done->parts) {
        EXPECT_EQ(std::filesystem::path(part.path).parent_path(), folder);
        found.push_back({part.key, std::filesystem::path(part.path).filename().string(),
                         samples_at(part.path)});
      }
      EXPECT_EQ(found, expected) << name << ' ' << parts_a_pass;
    }
  }
}

TEST_P(Extraction, ALastPassMayHaveFewerParts) {
  sample(1, 5, 15, 3);
  sample(1, 5, 16, 4);
  const std::uint64_t of_a_part = whole.records().size() / 8 + 1;
  const auto done =
      rewriting::split_in_passes(open(), SplitKey::cpu, {}, dir.path("parts"), {}, 3 * of_a_part);
  ASSERT_TRUE(done) << done.error().text();
  ASSERT_EQ(done->parts.size(), 5u);
  EXPECT_EQ(samples_at(done->parts[2].path), "work 7 2 14 page-faults;");
  EXPECT_EQ(samples_at(done->parts[3].path), "later 5 3 15 cpu-clock;");
  EXPECT_EQ(samples_at(done->parts[4].path), "later 5 4 16 cpu-clock;");
}

// A record with the values of a group counts once and goes where its leader goes (rewrite.hpp).
TEST_P(Extraction, ARecordWithSeveralValuesIsOne) {
  constexpr std::uint64_t kRead = 16, kIdsOfGroup = 4 | 8;
  whole = PerfFile(GetParam());
  for (const std::uint64_t id : {1, 2})
    whole.event({.type = 1,
                 .config = 2 * (id - 1),
                 .sample_type = kType | kRead,
                 .read_format = kIdsOfGroup,
                 .ids = {id}});
  for (const std::uint64_t time : {10, 11}) {
    BytesOut body = whole.out();
    body.u64(1).u32(5).u32(5).u64(time).u32(0).u32(0);
    whole.record(9, body.u64(2).u64(100 * time).u64(1).u64(7 * time).u64(2).str());
  }
  const auto one = extract(open(), {.times = {{11, 11}}}, dir.path("part.data"));
  ASSERT_TRUE(one) << one.error().text();
  EXPECT_EQ(one->tally.selected, 1u);
  const auto done = split(open(), SplitKey::event, {}, dir.path("parts"));
  ASSERT_TRUE(done) << done.error().text();
  ASSERT_EQ(done->parts.size(), 1u);
  EXPECT_EQ(done->parts[0].key, "cpu-clock");
  EXPECT_EQ(done->parts[0].samples, 2u);
}

// Without a filter, only the samples are left out of a part. There is no room for a trace that is
// as long as the disk is free, once for each of three parts.
TEST_P(Extraction, NothingIsWrittenIfTheOtherRecordsHaveNoRoom) {
  PerfFile main(GetParam()), trace(GetParam());
  main.event({.type = 1, .config = 0, .sample_type = kType, .ids = {1}});
  main.event({.type = 1, .config = 2, .sample_type = kType, .ids = {2}});
  main.feature(24, whole.out().u64(1).str());  // a directory
  dir.write("whole/data", main.file());
  dir.write("whole/data.0", whole.records());
  const std::uint64_t free = std::filesystem::space(dir.path()).available / 8 * 8;
  trace.record(71, whole.out().u64(free).pad(32).str());
  const std::string holes = dir.write("whole/data.1", trace.records());
  std::error_code error;
  std::filesystem::resize_file(holes, trace.records().size() + free, error);
  if (error) GTEST_SKIP() << error.message();
  const auto file = Recording::open(dir.path("whole"));
  ASSERT_TRUE(file) << file.error().text();
  ExtractOptions options;  // copying would end at once
  options.pass.progress = [&](std::uint64_t, std::uint64_t) { return !dir.has("parts"); };
  const auto done = split(*file, SplitKey::cpu, {}, dir.path("parts"), options);
  ASSERT_FALSE(done);
  EXPECT_TRUE(done.error().message.starts_with("3 files with all events and other records need"))
      << done.error().text();
}

// No two parts have one file, and no name is longer than a name may be.
TEST_P(Extraction, NamesThatWouldBeTheSameGetNumbers) {
  comm(5, "a/b", 20);
  sample(1, 5, 20, 0);
  comm(6, "a b", 21);
  sample(1, 6, 21, 0);
  comm(7, "a_b", 22);
  sample(1, 7, 22, 0);
  const auto done = split(open(), SplitKey::comm, {.times = {{20, 30}}}, dir.path("parts"));
  ASSERT_TRUE(done) << done.error().text();
  std::vector<std::string> names;
  for (const SplitResult::Part& part : done->parts)
    names.push_back(std::filesystem::path(part.path).filename().string());
  EXPECT_EQ(names, (std::vector<std::string>{"a_b.data", "a_b-2.data", "a_b-3.data"}));
}

// File systems allow names of 255 bytes; a number and the ending follow.
TEST_P(Extraction, LongNamesAreCut) {
  PerfFile file(GetParam());
  for (const std::uint64_t id : {1, 2})
    file.event({.type = 1, .config = id, .sample_type = kType, .ids = {id}});
  for (const std::uint64_t id : {1, 2})  // EVENT_UPDATE of a name
    file.record(78,
                file.out().u64(2).u64(id).padded(std::string(300, 'n') + std::to_string(id)).str());
  for (const std::uint64_t id : {1, 2})
    file.record(9, file.out().u64(id).u32(5).u32(5).u64(id).u32(0).u32(0).str());
  const auto recording = Recording::open(dir.write("long.data", file.file()));
  ASSERT_TRUE(recording) << recording.error().text();
  const auto done = split(*recording, SplitKey::event, {}, dir.path("parts"));
  ASSERT_TRUE(done) << done.error().text();
  ASSERT_EQ(done->parts.size(), 2u);
  EXPECT_EQ(done->parts[1].path, dir.path("parts") + "/" + std::string(100, 'n') + "-2.data");
}

TEST_P(Extraction, KeepsWhatAFilterAccepts) {
  const struct {
    SampleFilter filter;
    std::string expected;
  } kCases[] = {
      {{.event = "page-*"}, "../a/b 6 1 11 page-faults;work 7 2 14 page-faults;"},
      {{.cpus = {2}}, "work 7 2 14 page-faults;"},
      {{.tids = {5}}, "work 5 0 10 cpu-clock;later 5 0 13 cpu-clock;"},
      {{.comms = {"later"}}, "later 5 0 13 cpu-clock;"},
      {{.times = {{11, 12}}}, "../a/b 6 1 11 page-faults;../a/b 6 1 12 cpu-clock;"},
  };
  const Recording file = open();
  for (const auto& one : kCases) {
    const auto done = extract(file, one.filter, dir.path("part.data"));
    ASSERT_TRUE(done) << done.error().text();
    EXPECT_EQ(samples_at(dir.path("part.data")), one.expected);
  }
}

TEST_P(Extraction, WritesNothingWithoutASample) {
  const auto done = extract(open(), {.comms = {"nobody"}}, dir.path("part.data"));
  ASSERT_TRUE(done) << done.error().text();
  EXPECT_EQ(done->tally.selected, 0u);
  EXPECT_FALSE(dir.has("part.data"));
  const auto parts = split(open(), SplitKey::cpu, {.comms = {"nobody"}}, dir.path("parts"));
  ASSERT_TRUE(parts) << parts.error().text();
  EXPECT_TRUE(parts->parts.empty());
  EXPECT_FALSE(dir.has("parts"));
}

// PERF_RECORD_HEADER_ATTR and EVENT_UPDATE (PERF_EVENT_UPDATE__NAME is 2) of
// tools/lib/perf/include/perf/event.h. A stream may describe an event at its very end.
TEST_P(Extraction, NamesInAPipeStayThoughItsLastRecordIsAnEvent) {
  const AttrSpec last{.type = 1, .config = 3, .sample_type = kType, .ids = {3}};
  const auto record = [&](std::uint32_t type, const std::string& body) {
    return PerfFile(GetParam()).record(type, body).records();
  };
  const std::string name = record(78, whole.out().u64(2).u64(1).padded("mine").str());
  const std::string event = record(64, attr_bytes(last, GetParam()) + whole.out().u64(3).str());
  const std::string round = record(68, "");  // FINISHED_ROUND
  for (const std::string& rest : {event + round, round + event}) {
    const auto file = Recording::open(dir.write("pipe", whole.pipe() + name + rest));
    ASSERT_TRUE(file) << file.error().text();
    const auto done = extract(*file, {}, dir.path("part"));
    ASSERT_TRUE(done) << done.error().text();
    const auto part = Recording::open(dir.path("part"));
    ASSERT_TRUE(part) << part.error().text();
    ASSERT_EQ(part->events().size(), 3u);
    EXPECT_EQ(part->events()[0].recorded_name, "mine");
    EXPECT_EQ(part->events()[2].ids, std::vector<std::uint64_t>{3});
  }
}

TEST_P(Extraction, WritesWhatWasSalvaged) {
  whole.raw(std::string(16, '\0'));
  for (std::uint64_t time = 20; time < 25; ++time) sample(1, 7, time, 3);
  const std::string before =
      "work 5 0 10 cpu-clock;../a/b 6 1 11 page-faults;../a/b 6 1 12 cpu-clock;later 5 0 13 "
      "cpu-clock;work 7 2 14 page-faults;";
  std::string after;
  for (std::uint64_t time = 20; time < 25; ++time)
    after += "work 7 3 " + std::to_string(time) + " cpu-clock;";
  for (const bool salvage : {false, true}) {
    ExtractOptions options;
    options.pass.salvage = salvage;
    const auto done = extract(open(), {}, dir.path("part.data"), options);
    ASSERT_TRUE(done) << done.error().text();
    EXPECT_EQ(done->tally.selected, salvage ? 10u : 5u);
    EXPECT_EQ(samples_at(dir.path("part.data")), salvage ? before + after : before);
    const auto parts =
        split(open(), SplitKey::cpu, {}, dir.path(salvage ? "salvaged" : "parts"), options);
    ASSERT_TRUE(parts) << parts.error().text();
    ASSERT_EQ(parts->parts.size(), salvage ? 4u : 3u);
    EXPECT_EQ(samples_at(parts->parts.back().path), salvage ? after : "work 7 2 14 page-faults;");
  }
}

// Feature AUXTRACE has a count, then the place in the file and the size of each AUXTRACE record,
// whose trace follows it: struct auxtrace_index of tools/perf/util/auxtrace.h.
TEST_P(Extraction, TheIndexOfTracesLeadsToTheirNewPlaces) {
  constexpr std::uint64_t kData = 104 + 2 * 8 + 2 * 152;  // behind header, ids and attrs
  BytesOut index = whole.out();
  index.u64(2);
  for (const std::uint64_t reference : {77, 78}) {
    index.u64(kData + whole.records().size()).u64(48 + 16);
    BytesOut body = whole.out();
    body.u64(16).u64(0).u64(reference).u32(0).u32(5).u32(0).u32(0);
    whole.record(71, body.str()).raw("trace of " + std::to_string(reference) + " ends");
    sample(1, 6, 20 + reference, 2);
  }
  whole.feature(18, index.str());
  for (const SampleFilter& filter : {SampleFilter{.cpus = {2}}, SampleFilter{.cpus = {0}}, {}}) {
    ASSERT_TRUE(extract(open(), filter, dir.path("part.data")));
    const std::string bytes = dir.read("part.data");
    const auto word = [&](std::uint64_t at) {
      return load<std::uint64_t>(reinterpret_cast<const std::uint8_t*>(bytes.data()) + at,
                                 GetParam());
    };
    const std::uint64_t features = word(72), table = word(40) + word(48);
    const int row = std::popcount(features & ((1u << 18) - 1));
    ASSERT_NE(features >> 18 & 1, 0u);
    const std::uint64_t section = word(table + 16 * row);
    ASSERT_EQ(word(section), 2u);
    for (const std::uint64_t i : {0, 1}) {
      const std::uint64_t at = word(section + 8 + 16 * i);
      EXPECT_EQ(word(section + 16 + 16 * i), 48u + 16);
      EXPECT_EQ(word(at + 24), 77 + i) << filter.cpus.size();
      EXPECT_EQ(bytes.substr(at + 48, 16), "trace of " + std::to_string(77 + i) + " ends");
    }
  }
}

INSTANTIATE_TEST_SUITE_P(ByteOrders, Extraction,
                         testing::Values(std::endian::little, std::endian::big),
                         [](const auto& order) {
                           return order.param == std::endian::big ? "Big" : "Little";
                         });

}  // namespace
}  // namespace evname::test
