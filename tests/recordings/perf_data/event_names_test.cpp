#include <gtest/gtest.h>

#include "evname/recording.hpp"
#include "recordings/perf_data/perf_names.hpp"
#include "support/perf_file.hpp"
#include "support/temp_dir.hpp"

namespace evname::perf_data {
namespace {

using perf_format::Attr;
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
      {"unknown event PMU=12 config=0x1", "", ""},
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

constexpr std::uint32_t kArch = 6, kCpuDesc = 8, kCpuid = 9;

/// The one event of a file whose EVENT_DESC calls it `name` (nullptr: has none), with these further
/// features.
RecordedEvent event_of(const AttrSpec& attr, const char* name, std::string_view mappings = {},
                       std::vector<std::pair<std::uint32_t, const char*>> features = {}) {
  PerfFile input;
  input.event(attr);
  for (const auto& [feature, text] : features)
    input.feature(feature, BytesOut().string(text).str());
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
  const auto file = Recording::open(dir.write("perf.data", input.file()));
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
  EXPECT_EQ(event.modifiers, "");  // from the recorded text, not the attr
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

/// perf 7.3 reads cpu/mem-loads,ldlat=30/ as config1 0x1f: the 3 of sysfs' mem-loads is ORed to it.
TEST(EventNames, FieldsThatTheUserSetStayBesideTheName) {
  const std::string mappings =
      BytesOut().u32(2).u32(4).string("cpu").u32(8).string("intel_pt").str();
  const struct {
    std::uint32_t type;
    std::uint64_t config, config1;
    const char *recorded, *name;
  } kRows[] = {
      {4, 0x1cd, 0x1f, "cpu/mem-loads,ldlat=30/P", "cpu/mem-loads,ldlat=30/"},
      {4, 0x1cd, 0x1f, "cpu/mem-loads,ldlat=30/:P", "cpu/mem-loads,ldlat=30/"},
      {4, 0x1cd, 0x1f, "cpu/event=0xcd,umask=0x1,config1=0x1f/P", "cpu/mem-loads,ldlat=0x1f/"},
      {4, 0x1cd, 0x1f, "r1cd", "cpu/mem-loads,ldlat=0x1f/"},
      {4, 0x1cd, 0x1f, "cpu/mem-loads,ldlat=64/P", "cpu/mem-loads,ldlat=0x1f/"},  // another code
      {4, 0x1cd, 0x3, "cpu/mem-loads,ldlat=3/P", "mem-loads"},
      {4, 0x20d1, 0, "cpu/event=0xd1,umask=0x20/", "mem_load_retired.l3_miss"},
      {4, 0x1b7, 0x3fbfc00001, "cpu/event=0xb7,umask=0x1,offcore_rsp=0x3fbfc00001/",
       "cpu/offcore_response,offcore_rsp=0x3fbfc00001/"},
      {4, 0x1c6, 0x400407, "cpu/event=0xc6,umask=0x1,frontend=0x400407/",
       "cpu/event=0xc6,umask=0x1,frontend=0x400407/"},
      {8, 0x2401, 0, "intel_pt/tsc,noretcomp=0/u", "intel_pt/tsc,noretcomp=0/"},
      {8, 0x2403, 0, "intel_pt/cyc/u", "intel_pt/cyc/"},
      {8, 0x2401, 0, "intel_pt//u", "intel_pt//"},
      {8, 0x2401, 0, "intel_pt/cyc/u", "intel_pt/config=0x2401/"},  // it has no cyc
  };
  for (const auto& row : kRows) {
    const AttrSpec attr{.type = row.type, .config = row.config, .config1 = row.config1};
    EXPECT_EQ(
        event_of(attr, row.recorded, mappings, {{kArch, "x86_64"}, {kCpuid, "GenuineIntel,6,85,4"}})
            .name,
        row.name)
        << row.recorded;
  }
}

/// 4000 events between samples are no 4000 samples a second, whatever the number is.
TEST(EventNames, OfAPeriodAndAFrequencyDiffer) {
  PerfFile input;
  BytesOut desc;
  desc.u32(2).u32(136);
  for (const auto& [name, flags] :
       {std::pair{"cycles/period=4000/", std::vector<int>{18}}, {"cycles/freq=4000/", {18, 10}}}) {
    const AttrSpec attr{.type = 0, .period = 4000, .flags = flags};
    input.event(attr);
    desc.raw(attr_bytes(attr, std::endian::little)).u32(0).string(name);
  }
  input.feature(12, desc.str());
  const test::TempDir dir;
  const auto file = Recording::open(dir.write("perf.data", input.file()));
  ASSERT_TRUE(file) << file.error().text();
  ASSERT_EQ(file->events().size(), 2u);
  EXPECT_EQ(file->events()[0].name, "cycles/period=4000/");
  EXPECT_EQ(file->events()[1].name, "cycles/freq=4000/");
}

/// An i7-5500U is a Broadwell (Intel's product page); without a CPUID, its name is what there is.
TEST(EventNames, AreOfTheCpuThatIsDescribedIfTheCpuidIsMissing) {
  const AttrSpec attr{.type = 4, .config = 0xc4};
  const char* const description = "Intel(R) Core(TM) i7-5500U CPU @ 2.40GHz";
  EXPECT_EQ(event_of(attr, nullptr, {}, {{kArch, "x86_64"}, {kCpuDesc, description}}).name,
            "br_inst_retired.all_branches");
  EXPECT_EQ(event_of(attr, nullptr, {}, {{kArch, "aarch64"}, {kCpuDesc, description}}).exact,
            false);
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

// perf-facts 9.2: what perf prints for events without recorded names.
TEST(AttrName, IsWhatPerfPrints) {
  const struct {
    std::uint32_t type;
    std::uint64_t config;
    const char* name;
  } kRows[] = {{0, 0, "cycles"},
               {0, 5, "branch-misses"},
               {0, 9, "ref-cycles"},
               {0, 10, "unknown-hardware"},
               {0, 0x400000001, "instructions"},
               {1, 0, "cpu-clock"},
               {1, 9, "dummy"},
               {1, 10, "unknown-software"},
               {2, 316, "unknown tracepoint id=0x13c"},
               {3, 0, "L1-dcache-loads"},
               {3, 0x10000, "L1-dcache-load-misses"},
               {3, 0x102, "LLC-stores"},
               {3, 0x203, "dTLB-prefetches"},
               {3, 0x10206, "node-prefetch-misses"},
               {3, 7, "unknown-ext-hardware-cache-type"},
               {3, 0x300, "unknown-ext-hardware-cache-op"},
               {3, 0x20000, "unknown-ext-hardware-cache-result"},
               {4, 0x1a8, "raw 0x1a8"},
               {3, 0x101, "invalid-cache"},
               {3, 0x204, "invalid-cache"},
               {0xfffffffe, 7, "num_cpus_online"},
               {12, 0, "unknown event PMU=12 config=0"},
               {0xffffffff, 1, "unknown event PMU=-1 config=0x1"}};
  for (const auto& row : kRows) {
    Attr attr;
    attr.code.type = row.type;
    attr.code.config[0] = row.config;
    EXPECT_EQ(attr_name(attr), row.name) << row.type << ':' << row.config;
  }
}

TEST(AttrName, OfABreakpointHasItsAddressAndAccess) {
  Attr attr;
  attr.code.type = kTypeBreakpoint;
  attr.code.config[1] = 0x1000;
  attr.bp_type = 3;
  EXPECT_EQ(attr_name(attr), "mem:0x1000:rw");
}

TEST(AttrModifiers, FollowExcludeBitsAndPrecision) {
  const std::uint64_t user = 1 << 4, kernel = 1 << 5, hv = 1 << 6, precise2 = 2 << 15;
  const std::uint64_t host = 1 << 19, guest = 1 << 20;
  const struct {
    std::uint64_t flags;
    const char* letters;
  } kRows[] = {{guest, "H"},
               {0, ""},
               {kernel | hv | guest, "uH"},
               {kernel | hv, "u"},
               {precise2 | guest, "ppH"},
               {precise2, "pp"},
               {user | hv, "k"},
               {hv, "ku"},
               {host, "G"}};
  for (const auto& row : kRows) {
    Attr attr;
    attr.flags = row.flags;
    EXPECT_EQ(attr_modifiers(attr), row.letters) << row.flags;
  }
}

TEST(AttrModifiers, AreNotComputedForTracepointsAndDynamicPmus) {
  for (std::uint32_t type : {2u, 10u}) {
    Attr attr;
    attr.code.type = type;
    EXPECT_EQ(attr_modifiers(attr), "");
  }
}

}  // namespace
}  // namespace evname::perf_data
