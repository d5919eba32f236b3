// Which samples are selected. Whatever takes a filter refuses to select by CPU if CPUs are not
// sampled.

#include <gtest/gtest.h>

#include <functional>

#include "evname/evname.h"
#include "evname/profile.hpp"
#include "evname/recording.hpp"
#include "evname/report.hpp"
#include "evname/rewrite.hpp"
#include "support/perf_file.hpp"
#include "support/temp_dir.hpp"
#include "support/written.hpp"

namespace evname::test {
namespace {

constexpr std::uint64_t kIp = 1, kTid = 2, kTime = 4, kCpu = 128;

/// Two samples, of the threads 6 and 7, at 1 and 2 s; CPUs only if they are asked for.
Recording two_samples(const TempDir& dir, std::uint64_t sample_type = kIp | kTid | kTime) {
  PerfFile file;
  file.event({.type = 1, .config = 0, .sample_type = sample_type, .ids = {1}});
  for (const std::uint32_t n : {1u, 2u}) {
    BytesOut body;
    body.u64(0xfff0 + n).u32(5).u32(5 + n).u64(n * 1'000'000'000);
    if (sample_type & kCpu) body.u32(n).u32(0);
    file.record(9, body.str());
  }
  return Recording::open(dir.write("perf.data", file.file())).value();
}

std::string selected(const Recording& file, const SampleFilter& filter) {
  const Symbols symbols;
  Locations locations(file, symbols);
  const auto selection = Selection::make(filter, file, &locations);
  EXPECT_TRUE(selection) << selection.error().text();
  std::string threads;
  file.for_each_sample([&](const Sample& sample) {
    if (selection->accepts(sample)) threads += std::to_string(*sample.tid()) + ' ';
  });
  return threads;
}

TEST(Selection, AcceptsWhatSatisfiesAllMembers) {
  const TempDir dir;
  const struct {
    SampleFilter filter;
    std::string threads;
  } kRows[] = {{{}, "6 7 "},
               {{.event = "cpu-c*"}, "6 7 "},
               {{.event = "cycles"}, ""},
               {{.cpus = {1, 3}}, "6 "},
               {{.pids = {5}, .tids = {7}}, "7 "},
               {{.pids = {4}, .tids = {7}}, ""},
               {{.comms = {":6"}}, "6 "},
               {{.comms = {":7", "x", ":6", ":7"}, .tids = {9, 7, 6, 7}}, "6 7 "},
               {{.times = {{1'500'000'000, 2'000'000'000}}}, "7 "},
               {{.dso = "[unknown]"}, "6 7 "},
               {{.dso = "libc.so*"}, ""},
               {{.sym = "main"}, ""}};
  const Recording file = two_samples(dir, kIp | kTid | kTime | kCpu);
  for (const auto& row : kRows) EXPECT_EQ(selected(file, row.filter), row.threads);
}

// perf_time__ranges_skip_sample of tools/perf/util/time-utils.c.
TEST(Selection, WhatHasTimeZeroIsOfEachTime) {
  const TempDir dir;
  PerfFile file;
  file.event({.type = 1, .config = 0, .sample_type = kTid | kTime, .ids = {1}});
  for (const std::uint32_t n : {0u, 1u, 2u})
    file.record(9, BytesOut().u32(5).u32(5 + n).u64(n * 1'000'000'000).str());
  const Recording opened = Recording::open(dir.write("perf.data", file.file())).value();
  EXPECT_EQ(selected(opened, {.times = {{1'500'000'000, 2'000'000'000}}}), "5 7 ");
}

TEST(Selection, KeepsItsFilterAndRefusesToNameFunctionsWithoutLocations) {
  const TempDir dir;
  const Recording file = two_samples(dir);
  const auto refused = Selection::make({.sym = "main"}, file);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Errc::invalid_argument);
  // The filter is a temporary, whose texts are long enough to be allocated.
  const auto selection =
      Selection::make({.comms = {std::string(64, 'x'), ":6"}, .tids = {6, 7}}, file);
  ASSERT_TRUE(selection);
  std::size_t accepted = 0;
  file.for_each_sample([&](const Sample& sample) { accepted += selection->accepts(sample); });
  EXPECT_EQ(accepted, 1u);
  static_assert(!std::is_copy_constructible_v<Sample>);  // it is a view of the pass
}

/// The error of `add`, which asks for a selection by CPU.
std::string error_of(const Recording& file,
                     std::function<void(evname_recording*, evname_error*)> ask) {
  evname_error error{};
  evname_recording* recording = nullptr;
  EXPECT_EQ(evname_recording_open(file.facts().path.c_str(), &recording, &error), EVNAME_OK);
  ask(recording, &error);
  evname_recording_free(recording);
  return error.message;
}

TEST(Selection, ByCpuIsRefusedIfAnEventDoesNotSampleIt) {
  const TempDir dir;
  const Recording file = two_samples(dir);
  const SampleFilter filter{.cpus = {0}};
  const TextSink sink = [](std::string_view) { return true; };
  const std::uint32_t cpu = 0;
  evname_filter c_filter{};
  c_filter.cpus = &cpu;
  c_filter.cpus_count = 1;
  const auto message = [](const auto& result) {
    return result ? std::string("accepted") : result.error().text();
  };
  const struct {
    const char* consumer;
    std::string got;
  } kRows[] = {
      {"Selection", message(Selection::make(filter, file))},
      {"annotate", message(annotate(file, {.filter = filter}, sink))},
      {"Report", message(Report({.filter = filter}).add(file))},
      {"export_profile",
       message(export_profile(std::span(&file, 1),
                              {.format = ProfileFormat::speedscope, .filter = filter}, sink))},
      {"extract", message(extract(file, filter, dir.path("part.data")))},
      {"split", message(split(file, SplitKey::event, filter, dir.path("parts")))},
      {"evname_report_add", error_of(file,
                                     [&](evname_recording* recording, evname_error* error) {
                                       evname_report* report = nullptr;
                                       evname_report_new("event", &c_filter, &report, error);
                                       evname_report_add(report, recording, nullptr, error);
                                       evname_report_free(report);
                                     })},
  };
  for (const auto& row : kRows)
    EXPECT_NE(row.got.find("does not sample 'cpu'"), std::string::npos) << row.consumer << row.got;
}

}  // namespace
}  // namespace evname::test
