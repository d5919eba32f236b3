// The fields that perf script prints for each type of event. The expected fields and sentences are
// perf 7.3's for the same file (its line feeds are spaces here, and "notselected" is two words).

#include <gtest/gtest.h>

#include <set>

#include "recordings/annotation/script_options.hpp"
#include "support/perf_file.hpp"
#include "support/temp_dir.hpp"

namespace evname::script_fields_test {
namespace {

using namespace perf_format;

constexpr std::uint64_t kHead = kSampleIdentifier | kSampleTid | kSampleTime;

/// An event of each type: cycles, dummy, a tracepoint, raw code 0x11 with addresses, one of a PMU.
test::PerfFile recording(bool has_chains = false) {
  test::PerfFile file;
  file.event({.sample_type = kHead | kSampleIp | kSamplePeriod, .ids = {1}});
  file.event({.type = 1, .config = 9, .sample_type = kHead, .ids = {2}});
  file.event({.type = 2,
              .config = 42,
              .sample_type = kHead | kSampleCpu | kSamplePeriod | kSampleRaw |
                             (has_chains ? std::uint64_t{kSampleCallchain} : 0),
              .ids = {3}});
  file.event({.type = 4,
              .config = 0x11,
              .sample_type = kHead | kSampleIp | kSampleAddr | kSampleCpu | kSamplePeriod,
              .ids = {4}});
  return file.event(
      {.type = 8, .config = 1, .sample_type = kHead | kSampleIp | kSampleWeight, .ids = {5}});
}

/// The fields of each event, in order of the alphabet, as in "comm tid|comm"; or the error.
std::string chosen(const std::vector<std::string>& arguments, const std::string& bytes) {
  const test::TempDir dir;
  const auto file = Recording::open(dir.write("perf.data", bytes), UserEvents::leave_out);
  const auto fields = annotation::parse_script_fields(arguments, file.value());
  if (!fields) return fields.error().text();
  std::string out;
  for (const std::vector<Field>& own : *fields) {
    if (!out.empty() || &own != fields->data()) out += "|";
    std::set<std::string_view> names;
    for (const FieldInfo& info : all_fields())
      if (std::find(own.begin(), own.end(), info.field) != own.end()) names.insert(info.name);
    for (const std::string_view name : names)
      out += std::string(out.empty() || out.back() == '|' ? "" : " ") + std::string(name);
  }
  return out;
}

TEST(ScriptFields, AreThoseOfPerf) {
  const struct {
    std::vector<std::string> arguments;
    const char* expected;
  } cases[] = {
      {{},
       "comm dso event ip period sym symoff tid time|bpf_output comm cpu dso event ip period sym "
       "symoff tid time|"
       "comm cpu event tid time trace|addr comm cpu dso event ip period sym symoff tid time|"
       "comm dso event ip period sym symoff tid time"},
      {{"comm,time"}, "comm time|comm time|comm time|comm time|comm time"},
      {{"hw:comm"},
       "comm|bpf_output comm cpu dso event ip period sym symoff tid time|comm cpu event tid time "
       "trace|addr "
       "comm cpu dso event ip period sym symoff tid time|comm dso event ip period sym symoff tid "
       "time"},
      {{"comm", "sw:tid", "trace:", "raw:ip,addr", "break:dso", "synth:ip"},
       "comm|tid||addr ip|comm"},
      {{"comm", "trace:+trace"}, "comm|comm|comm trace|comm|comm"},
      {{"comm,tid,trace", "trace:-tid"}, "comm tid|comm tid|comm trace|comm tid|comm tid"},
      // A field that a type does not sample is left out if it was requested for this type, and an
      // error if it was requested for all.
      {{"comm", "hw:cpu,tid"}, "tid|comm|comm|comm|comm"},
      {{"comm", "trace:ip,time"}, "comm|comm|time|comm|comm"},
      {{"comm", "raw:ip,dsoff"}, "comm|comm|comm|dso dsoff ip|comm"},
      {{"comm", "hw:brstacksym"}, "brstacksym|comm|comm|comm|comm"},
      {{"comm", "hw:tod"},
       "Can't provide 'tod' time, missing clock data. Please record with -k/--clockid option."},
      {{"comm,cpu"},
       "Samples for 'cycles' event do not have CPU attribute set. Cannot print 'cpu' field."},
      {{"+addr"},
       "Samples for 'cycles' event do not have ADDR attribute set. Cannot print 'addr' field."},
      {{"ip"},
       "Samples for 'unknown tracepoint id=0x2a' event do not have IP attribute set. Cannot print "
       "'ip' field."},
      {{"comm", "hw:brstackinsn"},
       "Display of branch stack assembler requested, but non all-branch filter set (record -b)"},
      {{"comm", "hw:brcntr"},
       "Display of branch counter requested but it's not enabled (record -j any,counter)"},
      {{"comm", "hw:bpf-output"}, "hw:bpf-output: 'bpf-output' not valid for hardware events."},
      {{"comm", "hw:trace"}, "hw:trace: 'trace' not valid for hardware events."},
      {{"comm", "raw:comm,trace"}, "raw:comm,trace: 'trace' not valid for raw events."},
      {{"foo:ip"}, "foo:ip: Invalid event type in field string."},
      {{""}, "Cannot set fields to 'none' for all event types."},
      {{"comm,+tid"}, "comm,+tid: Cannot mix +-field with overridden fields"},
      {{"-tid,comm"}, "-tid,comm: Cannot mix +-field with overridden fields"},
      {{"comm", "trace:sym"},
       "Display of symbols requested but neither sample IP nor sample address available. Hence, no "
       "addresses to "
       "convert to symbols."},
      {{"comm", "raw:ip,symoff"}, "Display of offsets requested but symbol is not selected."},
      {{"comm", "trace:dso"}, "Display of DSO requested but no address to convert."},
      {{"comm", "hw:srcline"},
       "Display of source line number requested but sample IP is not selected. Hence, no address "
       "to lookup the source "
       "line number."},
  };
  for (const auto& one : cases)
    EXPECT_EQ(chosen(one.arguments, recording().file()), one.expected)
        << testing::PrintToString(one.arguments);
}

// Tracepoints with callchains have addresses to print, unless their fields are chosen.
TEST(ScriptFields, OfTracepointsWithCallchains) {
  const std::string bytes = recording(true).file();
  EXPECT_NE(chosen({}, bytes).find("|comm cpu dso event ip sym symoff tid time trace|"),
            std::string::npos);
  EXPECT_EQ(chosen({"comm", "trace:time"}, bytes), "comm|comm|time|comm|comm");
}

// In a pipe, perf adds fields of callers to the first event of a type, unless they were removed.
TEST(ScriptFields, OfPipesHaveCallersToo) {
  test::PerfFile file;
  file.event({.sample_type = kHead | kSampleIp | kSampleCallchain, .ids = {1}});
  file.event({.type = 1, .sample_type = kHead | kSampleIp, .ids = {2}});
  file.event({.type = 8, .sample_type = kHead | kSampleIp, .ids = {3}});
  EXPECT_EQ(chosen({"comm,tid"}, file.pipe()), "comm ip sym tid|comm ip sym tid|comm tid");
  EXPECT_EQ(chosen({"-sym,-symoff"}, file.pipe()),
            "comm dso event ip period tid time|bpf_output comm dso event ip period tid time|"
            "comm cpu dso event ip period tid time");
  EXPECT_EQ(chosen({"comm,tid"}, file.file()), "comm tid|comm tid|comm tid");
}

}  // namespace
}  // namespace evname::script_fields_test
