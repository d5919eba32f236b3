#include <gtest/gtest.h>

#include "recording/recorded_name.hpp"
#include "evname/perf_data.hpp"
#include "support/perf_file.hpp"
#include "support/temp_dir.hpp"

namespace evname {
namespace {

using test::AttrSpec;
using test::BytesOut;
using test::PerfFile;

TEST(RecordedName, OfAPmuEventIsANameOrASpelledOutCode) {
  const struct {
    const char *text, *name, *modifiers;
    std::uint64_t config = 0x11;
  } kRows[] = {
      {"", "", ""},
      {"r11", "", ""},
      {"r1a8:u", "", "u"},
      {"r11:P", "", "P"},
      {"r0x11", "", ""},
      {"read", "", "", 0xead},
      {"read", "read", "", 0x11},
      {"raw 0x11", "", ""},
      {"unknown attr type: 12", "", ""},
      {"4:0x1a8", "", ""},
      {"4:0x1a8:u", "", "u"},
      {"cpu/event=0x3c,umask=1/pp", "", "pp"},
      {"cpu/event=0x3c/ppp:u", "cpu/event=0x3c/ppp:u", ""},
      {"armv8_pmuv3/config=0x8/", "", ""},
      {"armv8_pmuv3/event=0x11/u", "", "u"},
      {"cpu/r1a8/", "", ""},
      {"r11/period=3000000,time=0,no-inherit/", "", ""},
      {"cpu/inst_retired.any,cmask=1/", "", ""},
      {"inst_retired.any", "inst_retired.any", ""},
      {"inst_retired.any:ppp", "inst_retired.any", "ppp"},
      {"cpu/inst_retired.any/u", "inst_retired.any", "u"},
      {"cpu/inst_retired.any,period=100003/", "inst_retired.any", ""},
      {"inst_retired.any/period=100003/k", "inst_retired.any", "k"},
      {"my label", "my label", ""},
      {"my_inst", "my_inst", ""},
      {"MEM_TRANS_RETIRED.LOAD_LATENCY:ldlat=64:precise=2:mh:mg:pinned",
       "MEM_TRANS_RETIRED.LOAD_LATENCY:ldlat=64:precise=2:mh:mg:pinned", ""},
  };
  for (const auto& row : kRows) {
    const RecordedName name = read_pmu_event_name(row.text, row.config);
    EXPECT_EQ(name.name, row.name) << row.text;
    EXPECT_EQ(name.modifiers, row.modifiers) << row.text;
  }
}

TEST(RecordedName, OfAGenericEventIsKeptWithoutItsSamplingTerms) {
  const struct {
    const char* text;
    std::size_t colons;
    const char *name, *modifiers;
  } kRows[] = {{"cycles:u", 0, "cycles", "u"},
               {"cycles", 0, "cycles", ""},
               {"cpu_core/cycles:ppp/", 0, "cycles", "ppp"},
               {"cpu_core/cycles/u", 0, "cycles", "u"},
               {"page-faults/period=5/", 0, "page-faults", ""},
               {"cpu-clock/freq=1000,name=slow/k", 0, "cpu-clock", "k"},
               {"sched:sched_switch/max-stack=3/", 1, "sched:sched_switch", ""},
               {"mem:0x1000/8:w:u", 0, "mem:0x1000/8:w", "u"},
               {"sched:sched_switch", 1, "sched:sched_switch", ""},
               {"foo:pe", 1, "foo:pe", ""},
               {"foo:bar:u", 1, "foo:bar", "u"},
               {"mem:0x1000:rw", 0, "mem:0x1000:rw", ""},
               {"mem:0x1000:rw:u", 0, "mem:0x1000:rw", "u"}};
  for (const auto& row : kRows) {
    const RecordedName name = read_generic_event_name(row.text, row.colons);
    EXPECT_EQ(name.name, row.name) << row.text;
    EXPECT_EQ(name.modifiers, row.modifiers) << row.text;
  }
}

/// The one event of a file whose EVENT_DESC calls it `name` (nullptr: has none).
RecordedEvent event_of(const AttrSpec& attr, const char* name, std::string_view mappings = {}) {
  PerfFile input;
  input.event(attr);
  if (name)
    input.feature(12, BytesOut()
                          .u32(1)
                          .u32(136)
                          .raw(attr_bytes(attr, std::endian::little))
                          .u32(0)
                          .string(name)
                          .str());
  if (!mappings.empty()) input.feature(16, mappings);
  const test::TempDir dir;
  const auto file = PerfData::open(dir.write("perf.data", input.file()));
  EXPECT_TRUE(file && file->events().size() == 1);
  return file ? file->events()[0] : RecordedEvent{};
}

TEST(EventNames, OfGenericEventsArePerfs) {
  const RecordedEvent event = event_of({.type = 0, .config = 1, .flags = {5, 6, 20}}, nullptr);
  EXPECT_EQ(event.name, "instructions");
  EXPECT_EQ(event.modifiers, "uH");
  EXPECT_EQ(event.recorded_name, "instructions:uH");
  EXPECT_EQ(event.pmu, "hardware");
  EXPECT_TRUE(event.exact);
}

TEST(EventNames, TheUsersLabelStays) {
  const RecordedEvent event = event_of({.type = 4, .config = 0x11, .flags = {5, 6}}, "my label");
  EXPECT_EQ(event.name, "my label");
  EXPECT_EQ(event.modifiers, "");  // those of the recorded text, not of the attr
  EXPECT_TRUE(event.exact);
}

TEST(EventNames, ACodeWithoutNameIsSpelledOut) {
  const std::string mappings = BytesOut().u32(1).u32(99).string("odd_pmu").str();
  const AttrSpec attr{.type = 99, .config = 0x3c, .config1 = 5};
  const RecordedEvent event = event_of(attr, "odd_pmu/config=0x3c,config1=5/u", mappings);
  EXPECT_EQ(event.name.substr(0, 8), "odd_pmu/");
  EXPECT_EQ(event.modifiers, "u");
  EXPECT_FALSE(event.exact);
  EXPECT_EQ(event.code.config[1], 5u);
}

TEST(EventNames, ThePmuIsFoundByTheMappingsOfTheFile) {
  const std::string mappings = BytesOut()
                                   .u32(3)
                                   .u32(4)
                                   .string("cpu_core")
                                   .u32(10)
                                   .string("cpu_atom")
                                   .u32(12)
                                   .string("i915")
                                   .str();
  const struct {
    AttrSpec attr;
    const char* pmu;
  } kRows[] = {{{.type = 0}, "hardware"},
               {{.type = 0, .config = std::uint64_t{10} << 32}, "cpu_atom"},
               {{.type = 0, .config = std::uint64_t{77} << 32}, "hardware"},
               {{.type = 1}, "software"},
               {{.type = 2}, "tracepoint"},
               {{.type = 3, .config = std::uint64_t{4} << 32}, "cpu_core"},
               {{.type = 4, .config = 1}, "cpu_core"},
               {{.type = 5}, "breakpoint"},
               {{.type = 12}, "i915"},
               {{.type = 13}, "type 13"}};
  for (const auto& row : kRows) EXPECT_EQ(event_of(row.attr, "x", mappings).pmu, row.pmu);
}

}  // namespace
}  // namespace evname
