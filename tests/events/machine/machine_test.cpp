// Hybrid machines, system events, lists of events: what takes more than one PMU or table.
#include <gtest/gtest.h>

#include "events/machine/lookup.hpp"
#include "support/fake_machine.hpp"

namespace evname::test {
namespace {

const FieldTexts kFields = {{"event", "config:0-7"}, {"umask", "config:8-15"}};

const EventTables& hybrid_tables() {
  static const EventTables* const kTables = [] {
    auto* tables = new EventTables("x86");
    tables->add_model("alderlake", {
                                       {.pmu = "cpu_atom", .name = "both", .terms = "event=0x1"},
                                       {.pmu = "cpu_core", .name = "both", .terms = "event=0x2"},
                                       {.pmu = "cpu_atom", .name = "atom", .terms = "event=0x3"},
                                   });
    return tables;
  }();
  return *kTables;
}

Machine hybrid(std::optional<std::uint32_t> atom_type) {
  std::vector<pmu::Pmu> pmus;
  pmus.push_back(make_pmu("cpu_atom", atom_type, kFields));
  pmus.push_back(make_pmu("cpu_core", 4, kFields, {{"l1-dcache-loads", "event=0x99"}}));
  for (pmu::Pmu& pmu : pmus) pmu.is_core = true;
  return make_machine(hybrid_tables(), 0, std::move(pmus));
}

// perf-facts 5.6.
TEST(HybridMachine, EventsAreOpenedOnEachCoreThatHasThem) {
  const Machine machine = hybrid(10);
  const auto both = machine.resolve("both");
  ASSERT_EQ(both->size(), 2u);
  EXPECT_EQ((*both)[0].pmu, "cpu_atom");
  EXPECT_EQ((*both)[0].code.config[0], 1u);
  EXPECT_EQ((*both)[1].code.config[0], 2u);
  EXPECT_EQ(machine.resolve("atom")->size(), 1u);
  EXPECT_FALSE(machine.resolve("cpu/event=1/"));
}

TEST(HybridMachine, HardwareWordsCarryTheTypeOfTheCorePmu) {
  const Machine machine = hybrid(10);
  const auto cycles = machine.resolve("instructions:u");
  ASSERT_EQ(cycles->size(), 2u);
  EXPECT_EQ((*cycles)[0].code.type, 0u);
  EXPECT_EQ((*cycles)[0].code.config[0], 0xa00000001u);
  EXPECT_EQ((*cycles)[0].pmu, "cpu_atom");
  EXPECT_EQ((*cycles)[1].code.config[0], 0x400000001u);
  EXPECT_EQ(machine.names_of(make_code(0, {0xa00000001})).pmu, "cpu_atom");
  EXPECT_EQ(machine.name_of((*cycles)[0]), "cpu_atom/instructions/");
  EXPECT_EQ(machine.resolve("cpu_atom/instructions/")->front().code.config[0], 0xa00000001u);
}

// evsel__uniquify_counter of tools/perf/util/evsel.c.
TEST(HybridMachine, EventsAreWrittenWithTheirCorePmu) {
  const std::pair<const char*, const char*> cases[] = {
      {"cycles", "cpu_atom/cycles/ cpu_core/cycles/"},
      {"cycles:u", "cpu_atom/cycles/u cpu_core/cycles/u"},
      {"both:k", "cpu_atom/both/k cpu_core/both/k"},
      {"both//", "cpu_atom/both/ cpu_core/both/"},
      {"both/period=5/u", "cpu_atom/both,period=5/u cpu_core/both,period=5/u"},
      {"cpu_core/event=1/", "cpu_core/event=1/"},
      {"cpu_atom/cycles/p", "cpu_atom/cycles/p"},
      {"page-faults:u", "page-faults:u"}};
  for (const auto& [text, written] : cases) {
    const auto found = hybrid(10).resolve(text);
    ASSERT_TRUE(found) << text;
    std::string all;
    for (const Encoding& e : *found) all += (all.empty() ? "" : " ") + e.written();
    EXPECT_EQ(all, written) << text;
  }
}

// AMD's events have 12 bits: the upper four are bits 35:32 of the register (PERF_CTL).
TEST(SplitEvents, ARawCodeThatLooksLikeAnEventsNumberIsWarnedOf) {
  EventTables tables("x86");
  tables.add_model("toy", {{.name = "upper", .terms = "event=0x1c7"},
                           {.name = "named", .terms = "event=0xc8,umask=1"},
                           {.name = "upper_too", .terms = "event=0x1c8"}});
  std::vector<pmu::Pmu> pmus = {
      make_pmu("cpu", 4, {{"event", "config:0-7,32-35"}, {"umask", "config:8-15"}})};
  pmus.back().is_core = true;
  const Machine machine = make_machine(tables, 0, std::move(pmus));
  const std::pair<const char*, const char*> cases[] = {
      {"r1c7", "0x1c7 is event=0xc7,umask=0x1; event 0x1c7 (upper) is r1000000c7"},
      {"4:0x1c7", "0x1c7 is event=0xc7,umask=0x1; event 0x1c7 (upper) is r1000000c7"},
      {"r1c8", ""},  // it has a name
      {"r1c9", ""},  // no event has that number
      {"rc7", ""},
      {"r1000000c7", ""}};
  for (const auto& [text, warning] : cases) {
    const auto found = machine.resolve(text);
    ASSERT_TRUE(found) << text;
    const auto warnings = found->front().warnings();
    EXPECT_EQ(warnings.empty() ? "" : warnings.front(), warning) << text;
  }
}

// PERF_PMU_TYPE_SHIFT of perf_event.h: only these two types have a PMU's type in their upper half.
TEST(HybridMachine, OnlyHardwareAndCacheCodesCarryAType) {
  const struct {
    std::uint32_t type;
    std::uint64_t config;
    const char *pmu, *name, *terms;
  } rows[] = {
      {0, 0xa00000001, "cpu_atom", "instructions", "legacy-hardware-config=0x1"},
      {0, 0x400000003, "cpu_core", "cache-misses", "legacy-hardware-config=0x3"},
      {3, 0xa00000000, "cpu_atom", "L1-dcache-loads", "legacy-cache-config=0x0"},
      {3, 0x400010002, "cpu_core", "LLC-load-misses", "legacy-cache-config=0x10002"},
      {0, 0xb00000001, "hardware", "", "config=0xb00000001"},  // no PMU has this type
      {0, 0xa000000ff, "hardware", "", "config=0xa000000ff"},  // and no event this code
      {1, 0xa00000002, "software", "", "config=0xa00000002"},
      {1, 0x400000002, "software", "", "config=0x400000002"},
      {0, 1, "hardware", "instructions", "config=0x1"},
      {1, 2, "software", "page-faults", "config=0x2"},
  };
  for (const auto& row : rows) {
    const CodeNames found = hybrid(10).names_of(make_code(row.type, {row.config}));
    EXPECT_EQ(found.pmu, row.pmu) << row.terms;
    EXPECT_EQ(found.terms, row.terms);
    EXPECT_EQ(found.names.empty() ? "" : found.names.front(), row.name) << row.terms;
    EXPECT_EQ(found.exact, *row.name != '\0') << row.terms;
  }
  const CodeNames more = hybrid(10).names_of(make_code(0, {0xa00000001, 1}));
  EXPECT_EQ(more.pmu, "hardware");
  EXPECT_TRUE(more.names.empty());
}

// perf_event_open(2): PERF_COUNT_HW_INSTRUCTIONS is 1, PERF_COUNT_SW_PAGE_FAULTS 2; the cache code
// is id | op << 8 | result << 16.
TEST(KernelEvents, AreThoseOfTheAbiWithTheirCodes) {
  const Machine machine = hybrid(10);
  const struct {
    const char *name, *pmu, *terms;
  } cases[] = {{"instructions", "hardware", "config=0x1"},
               {"page-faults", "software", "config=0x2"},
               {"L1-dcache-load-misses", "hw_cache", "config=0x10000"},
               {"duration_time", "tool", "config=0x1"}};
  for (const auto& c : cases) {
    const auto found = machine.kernel_events(c.name);
    ASSERT_EQ(found.size(), 1u) << c.name;
    EXPECT_EQ(found[0].name, c.name);
    EXPECT_EQ(found[0].pmu, c.pmu);
    EXPECT_EQ(found[0].terms, c.terms);
    EXPECT_EQ(found[0].source, Source::kernel);
  }
  for (const EventInfo& event : machine.kernel_events()) {
    EXPECT_TRUE(machine.resolve(event.name)) << event.name;
    EXPECT_FALSE(event.desc.empty()) << event.name;
  }
  EXPECT_EQ(machine.kernel_events("LLC-LOAD*").size(), 2u);  // any case
  EXPECT_EQ(machine.kernel_events("faults").front().desc, "The same as page-faults");
  EXPECT_EQ(machine.kernel_events("dTLB-store-misses").front().desc,
            "Stores that missed the data TLB");
  EXPECT_EQ(machine.kernel_events("l1-icache-loads").front().desc,
            "Instruction fetches that looked up the L1 instruction cache");
  EXPECT_TRUE(machine.kernel_events("no such*").empty());
}

// perf has 0:0xa00000000 and 0:0x400000000 where the types are 10 and 4.
TEST(HybridMachine, AnUnknownTypeLeavesAGenericEventOfThatPmuWithoutACode) {
  const Machine machine = hybrid(std::nullopt);
  const auto cycles = machine.resolve("cycles");
  ASSERT_EQ(cycles->size(), 2u);
  EXPECT_EQ((*cycles)[0].pmu, "cpu_atom");
  EXPECT_FALSE((*cycles)[0].code.has_type);
  EXPECT_EQ((*cycles)[0].warnings().size(), 1u);
  EXPECT_EQ((*cycles)[1].pmu, "cpu_core");
  EXPECT_EQ((*cycles)[1].code.type, 0u);
  EXPECT_EQ((*cycles)[1].code.config[0], 0x400000000u);
}

TEST(HybridMachine, APmusOwnCacheEventBeatsTheGenericCode) {
  const auto loads = hybrid(10).resolve("L1-dcache-loads");
  ASSERT_EQ(loads->size(), 2u);
  EXPECT_EQ((*loads)[0].code.type, 3u);
  EXPECT_EQ((*loads)[0].code.config[0], 0xa00000000u);
  EXPECT_EQ((*loads)[1].code.type, 4u);
  EXPECT_EQ((*loads)[1].code.config[0], 0x99u);
}

const EventTables& system_tables() {
  static const EventTables* const kTables = [] {
    auto* tables = new EventTables("arm64");
    tables->add_model("arm/neoverse-n1", {{.name = "cpu_cycles", .terms = "event=0x11"}});
    tables->add_model("arm/cmn/sys",
                      {{.pmu = "arm_cmn",
                        .name = "hnf_cache_miss",
                        .terms = "eventid=1,type=5",
                        .compat = "(434|436|43c|43a).*"}},
                      tables::kSystem);
    return tables;
  }();
  return *kTables;
}

Machine with_system(const char* identifier) {
  std::vector<pmu::Pmu> pmus;
  pmus.push_back(make_pmu("armv8_pmuv3_0", 8, {{"event", "config:0-15"}}));
  pmus.back().is_core = true;
  pmus.push_back(make_pmu("arm_cmn_0", 30, {{"eventid", "config:16-23"}, {"type", "config:0-15"}}));
  pmus.back().is_uncore = true;
  pmus.back().identifier = identifier;
  return make_machine(system_tables(), 0, std::move(pmus));
}

TEST(ArmMachine, RawCodesBelongToTheFirstCorePmu) {
  const Machine machine = with_system("");
  EXPECT_EQ(machine.resolve("r11")->front().pmu, "armv8_pmuv3_0");
  EXPECT_EQ(machine.resolve("r11")->front().code.type, 4u);
  EXPECT_EQ(machine.names_of(make_code(4, {0x11})).names.front(), "cpu_cycles");
  EXPECT_EQ(machine.names_of(make_code(8, {0x11})).names.front(), "cpu_cycles");
}

// perf-facts 3.4.
TEST(SystemEvents, ApplyWhereTheWholeIdentifierFitsCompat) {
  for (const char* identifier : {"43401", "434"}) {
    const Machine machine = with_system(identifier);
    const auto found = machine.resolve("HNF_cache_miss");
    ASSERT_TRUE(found) << identifier;
    EXPECT_EQ(found->front().code.config[0], 0x10005u);
    EXPECT_EQ(found->front().pmu, "arm_cmn_0");
    EXPECT_EQ(found->front().model, "arm/cmn/sys");
    EXPECT_EQ(machine.events("hnf*").front().pmu, "arm_cmn");
    EXPECT_EQ(machine.names_of(make_code(30, {0x10005})).names.front(), "hnf_cache_miss");
  }
  for (const char* identifier : {"x43401", "43d01", ""}) {
    const auto found = with_system(identifier).resolve("hnf_cache_miss");
    ASSERT_FALSE(found) << identifier;
    EXPECT_EQ(found.error().code, Errc::not_found);
    EXPECT_TRUE(with_system(identifier).events("hnf*").empty());
  }
}

TEST(EventList, ShowsTableAndSysfsEventsByPmuAndName) {
  const Machine machine = skylakex_machine();
  const auto all = machine.events("*");
  EXPECT_TRUE(std::is_sorted(all.begin(), all.end(), [](const auto& a, const auto& b) {
    return std::tie(a.pmu, a.name) < std::tie(b.pmu, b.name);
  }));
  const auto clock = machine.events("CLOCK*");
  ASSERT_EQ(clock.size(), 1u);  // once for both instances
  EXPECT_EQ(clock[0].pmu, "uncore_cbox");
  EXPECT_EQ(clock[0].source, Source::sysfs);
  const auto iio = machine.events("unc_iio*");  // listed though the machine has no such PMU
  ASSERT_EQ(iio.size(), 1u);
  EXPECT_EQ(iio[0].pmu, "uncore_iio");
  const auto any = machine.events("inst_retired.any");
  ASSERT_EQ(any.size(), 1u);
  EXPECT_EQ(any[0].pmu, "cpu");
  EXPECT_EQ(any[0].terms, "event=0xc0,period=2000003");
  EXPECT_EQ(machine.events("llc_misses*")[0].scale, 64.0);
  const auto mixed = machine.events("mixedcase");  // perf list tells it, though it can't be used
  ASSERT_EQ(mixed.size(), 1u);
  EXPECT_EQ(mixed[0].name, "MixedCase");
}

// perf-facts 3.3.
TEST(ScaleUnit, IsANumberAndTheTextAfterIt) {
  const std::tuple<const char*, double, const char*> cases[] = {
      {"64Bytes", 64, "Bytes"},
      {"1e3per_1k_instr", 1000, "per_1k_instr"},
      {"6.1e-5MiB", 6.1e-5, "MiB"},
      {"Bytes", 1, "Bytes"},
      {"", 1, ""},
      {"instr", 1, "instr"},
      {"info", 1, "info"},
      {"0x", 1, "x"},
  };
  for (const auto& [text, scale, unit] : cases) {
    EXPECT_EQ(machine::parse_scale_unit(text).scale, scale) << text;
    EXPECT_EQ(machine::parse_scale_unit(text).unit, unit) << text;
  }
}

TEST(Words, OfEnumsAreLowerCase) {
  EXPECT_STREQ(to_string(MatchedBy::architecture), "architecture");
  EXPECT_STREQ(to_string(Source::kernel), "kernel");
  EXPECT_STREQ(to_string(static_cast<MatchedBy>(100)), "unknown");
  EXPECT_STREQ(to_string(static_cast<Source>(4)), "unknown");
}

}  // namespace
}  // namespace evname::test
