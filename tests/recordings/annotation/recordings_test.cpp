// Real recordings, against what perf says of them.

#include <gtest/gtest.h>

#include <fmt/format.h>
#include <regex.h>

#include <algorithm>
#include <cstdio>
#include <memory>

#include "recordings/perf_data/recording_state.hpp"
#include "recordings/stream/stream.hpp"
#include "support/output_of.hpp"
#include "support/recordings.hpp"
#include "support/written.hpp"

namespace evname {
namespace {

using test::output_of;
using test::read_all;
using test::read_tsv;
using test::shared_dir;
using test::written;

class Recordings : public testing::Test {
 protected:
  void SetUp() override {
    if (shared_dir().empty()) GTEST_SKIP() << "EVNAME_SHARED is not set";
  }
};

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (std::string_view line : split(text, '\n'))
    if (!line.empty()) lines.emplace_back(line);
  return lines;
}

/// A line of `perf script` as "comm pid/tid time: name: …"; "" for lines that start no sample
/// (callchains, registers). Dropped: the CPU and the period.
class ScriptLine {
 public:
  ScriptLine() {
    ::regcomp(&pattern_,
              "^ *([^ ].*[^ ]|[^ ]) +(-?[0-9]+/-?[0-9]+) +(\\[[0-9]+\\] +)?([0-9]+\\.[0-9]{6}:) +"
              "([0-9]+ +)?([^ ].*)$",
              REG_EXTENDED);
  }
  ~ScriptLine() { ::regfree(&pattern_); }
  std::string key(const std::string& line) const {
    regmatch_t part[7];
    if (::regexec(&pattern_, line.c_str(), 7, part, 0) != 0) return {};
    const auto text = [&](int i) {
      return line.substr(static_cast<std::size_t>(part[i].rm_so),
                         static_cast<std::size_t>(part[i].rm_eo - part[i].rm_so));
    };
    return text(1) + ' ' + text(2) + ' ' + text(4) + ' ' + text(6);
  }

 private:
  regex_t pattern_;
};

std::string without_comm(std::string_view key) {
  const auto slash = key.find('/');
  return std::string(key.substr(key.find_last_of(' ', slash) + 1));
}

bool can_unpack(const std::string& name) {
  return stream::can_unpack() || name.find("zstd") == name.npos;
}

/// Each sample of the file has its line, in the same order, and there are no other lines.
/// perf 7.2 forgets what a thread was called once it has exited (":TID"); perf 6.1 doesn't.
void expect_script(const Recording& file, const std::string& script, bool forgets) {
  const ScriptLine parser;
  std::vector<std::string> keys;
  for (const std::string& line : lines_of(script))
    if (std::string key = parser.key(line); !key.empty()) keys.push_back(std::move(key));
  std::size_t at = 0, extra = 0, missing = 0;
  std::string first_missing;
  file.for_each_sample([&](const Sample& sample) {
    const std::uint64_t time = sample.time().value_or(UINT64_MAX);
    const std::string key = fmt::format("{} {}/{} {}.{:06}: {}:", sample.comm(), *sample.pid(),
                                        *sample.tid(), time / 1'000'000'000,
                                        time % 1'000'000'000 / 1000, sample.event().recorded_name);
    const std::string forgotten =
        forgets ? fmt::format(":{} {}", *sample.tid(), without_comm(key)) : key;
    std::size_t found = at;
    while (found < keys.size() && !keys[found].starts_with(key) &&
           !keys[found].starts_with(forgotten))
      ++found;
    if (found == keys.size()) {
      if (missing++ == 0) first_missing = key;
      return;
    }
    extra += found - at;
    at = found + 1;
  });
  extra += keys.size() - at;
  EXPECT_EQ(missing, 0u) << first_missing;
  EXPECT_EQ(extra, 0u);
}

TEST_F(Recordings, HaveTheSamplesThatPerfPrints) {
  const std::string dir = shared_dir() + "/recordings/";
  std::size_t compared = 0;
  for (const auto& row : read_tsv(dir + "INDEX.tsv")) {
    SCOPED_TRACE(row[0]);
    if (!can_unpack(row[0])) continue;
    const auto file = Recording::open(dir + row[0] + ".data");
    ASSERT_TRUE(file) << file.error().text();
    EXPECT_TRUE(file->warnings().empty()) << file->warnings()[0];
    const SampleTally tally = file->for_each_sample([](const Sample&) {});
    EXPECT_EQ(tally.samples, parse_decimal(row[2]));
    EXPECT_TRUE(tally.warnings.empty()) << tally.warnings[0];
    if (tally.samples == 0) continue;  // perf stat record: perf script prints the counts
    expect_script(*file, output_of("gzip -dc '" + dir + row[0] + ".script.txt.gz'"),
                  row[0].starts_with("arm64-perf72"));
    ++compared;
  }
  EXPECT_GT(compared, 50u);
}

TEST_F(Recordings, HaveTheEventsThatPerfLists) {
  const std::string dir = shared_dir() + "/recordings/";
  for (const auto& row : read_tsv(dir + "INDEX.tsv")) {
    SCOPED_TRACE(row[0]);
    const auto file = Recording::open(dir + row[0] + ".data");
    ASSERT_TRUE(file);
    std::size_t index = 0;
    for (const std::string& line : lines_of(read_all(dir + row[0] + ".evlist.txt"))) {
      // Fields that are zero are not printed.
      const auto type = line.find(": type: "), fields = std::min(type, line.find(": size: "));
      if (fields == line.npos) continue;
      ASSERT_LT(index, file->events().size());
      const RecordedEvent& event = file->events()[index++];
      // perf evlist of a pipe stops before the records that hold the names.
      if (!detail::state_of(*file).file.header.pipe) {
        EXPECT_EQ(event.recorded_name, line.substr(0, fields));
      }
      EXPECT_EQ(event.code.type, type == line.npos ? 0 : std::stoul(line.substr(type + 8))) << line;
      const auto config = line.find(" config: ");
      const auto value = config == line.npos ? 0 : std::stoull(line.substr(config + 9), nullptr, 0);
      EXPECT_EQ(event.code.config[0], value) << line;
    }
    EXPECT_EQ(index, file->events().size());
  }
}

TEST_F(Recordings, OfSimulatedMachinesHaveTheCodesAskedForAndTheirNames) {
  for (const char* model : {"sim-skylake", "sim-skylakex", "sim-amdzen4"}) {
    SCOPED_TRACE(model);
    const std::string base = shared_dir() + "/recordings/" + model;
    const auto file = Recording::open(base + ".data");
    ASSERT_TRUE(file);
    std::size_t index = 0;
    for (const auto& row : read_tsv(base + ".truth.tsv")) {
      ASSERT_LT(index, file->events().size());
      const RecordedEvent& event = file->events()[index++];
      EXPECT_EQ(event.recorded_name, row[0]);
      EXPECT_EQ(event.pmu, row[1]);
      EXPECT_EQ(event.code.config[0], std::stoull(row[2], nullptr, 0));
      EXPECT_EQ(event.code.config[1], std::stoull(row[3], nullptr, 0));
      EXPECT_EQ(event.code.config[2], std::stoull(row[4], nullptr, 0));
      if (file->machine().cpu().model.empty()) continue;  // a build without that model's events
      const auto names = split(row[5], '|');
      EXPECT_NE(std::find(names.begin(), names.end(), event.bare_name()), names.end())
          << event.name;
    }
  }
}

TEST_F(Recordings, OfOldPerfsAreReadToo) {
  const std::string dir = shared_dir() + "/corpus/";
  for (const auto& row : read_tsv(dir + "truth.tsv")) {
    SCOPED_TRACE(row[0]);
    const auto file = Recording::open(dir + row[0]);
    ASSERT_TRUE(file) << file.error().text();
    std::string codes, names;
    for (const RecordedEvent& event : file->events()) {
      codes += fmt::format("{}{}:{:#x}", codes.empty() ? "" : " ", event.code.type,
                           event.code.config[0]);
      // truth.tsv is of perfs that did not print H where an event leaves out guests.
      std::string name = event.recorded_name;
      if (name.ends_with(":H") && row[10].find(":H") == std::string::npos)
        name.resize(name.size() - 2);
      names += (names.empty() ? "" : " | ") + name;
    }
    EXPECT_EQ(codes, row[12]);
    // perf evlist of this pipe stops before the record that names its event.
    if (row[10] != "-" && row[0] != "sleep.compressed2.pipe.data") {
      EXPECT_EQ(names, row[10]);
    }
    if (row[5] != "-") {
      EXPECT_EQ(detail::state_of(*file).file.features.cpuid, row[5]);
    }
    if (row[6] != "-") {
      EXPECT_EQ(detail::state_of(*file).file.features.version, row[6]);
    }
    const SampleTally tally = file->for_each_sample([](const Sample&) {});
    // truth.tsv counts the records that are not compressed.
    const bool compressed = row[0].starts_with("sleep.compressed");
    if (compressed && !stream::can_unpack()) continue;
    EXPECT_TRUE(compressed ? tally.samples > 0 : tally.samples == parse_decimal(row[11]))
        << tally.samples;
  }
}

// *.evlist.txt: the config that perf told of each tracepoint it recorded.
TEST_F(Recordings, TracepointsHaveTheNumberThatTheRecordingGivesThem) {
  const struct {
    const char *file, *event;
    std::uint64_t config;
  } kRows[] = {
      {"arm64-n1-pipe-trace", "sched:sched_switch", 0xfa},
      {"arm64-n1-tracepoints-mixed", "sched:sched_process_exec", 0xf3},
      {"arm64-n1-tracepoints-mixed", "raw_*:sys_exit", 0x17},
      {"arm64-n1-uprobe", "probe_work:leaf", 0x5b8},
      {"s390x-tracepoints", "sched:sched_switch", 0xfc},
      {"s390x-tracepoints", "raw_syscalls:sys_enter", 0x110},
  };
  for (const auto& row : kRows) {
    const auto file = Recording::open(shared_dir() + "/recordings/" + row.file + ".data");
    ASSERT_TRUE(file) << file.error().text();
    const auto found = file->machine().resolve(row.event);
    ASSERT_TRUE(found) << found.error().text();
    ASSERT_EQ(found->size(), 1u) << row.file;
    EXPECT_EQ(found->front().code.type, 2u);
    EXPECT_EQ(found->front().code.config[0], row.config) << row.file << ' ' << row.event;
    EXPECT_EQ(file->machine().name_of(found->front()), found->front().name);
  }
}

}  // namespace
}  // namespace evname
