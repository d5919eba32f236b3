// Files of facts about CPUs: what of them is taken and what is reported.

#include "events/compiler/collect_facts.hpp"

#include <gtest/gtest.h>

#include <cstdlib>

#include "support/temp_dir.hpp"

namespace evname::compiler {
namespace {

constexpr const char* kPmus = "PMU,CPUID,Models,Kind,Type,Format,Source\n";

/// Reads one fact file of an architecture "x86" that has a model "skylake".
struct Facts {
  Facts(const std::string& name, const std::string& text) {
    dir.write(name, text);
    trees::ArchDir arch;
    arch.arch = "x86";
    arch.path = dir.path();
    arch.models.emplace_back().name = "skylake";
    arrays = collect_facts({&arch, 1}, diagnostics);
  }
  std::string message() const {
    return diagnostics.all().empty() ? "" : diagnostics.text(diagnostics.all().front());
  }

  test::TempDir dir;
  trees::Diagnostics diagnostics;
  tables::FactArrays arrays;
};

TEST(CpuFacts, OfAPmuAreItsFieldsByName) {
  const Facts facts("pmus.csv", std::string("# comment\n") + kPmus +
                                    "cpu,GenuineIntel-*,skylake,core,4,\"umask=config:8-15,40-47 "
                                    "ldlat=config1:0-15 edge=config:18\",manual\n");
  EXPECT_EQ(facts.message(), "");
  const tables::CpuFacts view = facts.arrays.view();
  ASSERT_EQ(view.pmus.size(), 1u);
  EXPECT_EQ(view.pmus[0].type, 4);
  EXPECT_EQ(view.pmus[0].kind, tables::PmuKind::core);
  ASSERT_EQ(view.pmus[0].field_count, 3);
  EXPECT_EQ(view.text(view.fields[0].name), "edge");
  EXPECT_EQ(view.fields[0].mask, 1u << 18);
  EXPECT_EQ(view.text(view.fields[1].name), "ldlat");
  EXPECT_EQ(view.fields[1].word, 1u);
  EXPECT_EQ(view.fields[1].mask, 0xffffu);
  EXPECT_EQ(view.text(view.fields[2].name), "umask");
  EXPECT_EQ(view.fields[2].mask, 0xff000000ff00u);
}

TEST(CpuFacts, WhatCantBeRightIsReportedWithItsLine) {
  const struct {
    const char *file, *text, *message;
  } cases[] = {
      {"pmus.csv", "PMU,CPUID\ncpu,\n", ":1: error: the heading has to be PMU,CPUID,Models,"},
      {"pmus.csv", "#\ncpu,,,core,,,a\n", ":2: error: the heading has to be"},
      {"pmus.csv", "*cpu,,,core,,a\n", ":2: error: 6 cells below 7 columns"},
      {"pmus.csv", "*cpu,,,main,,,a\n", ":2: error: Kind: neither core"},
      {"pmus.csv", "*cpu,,,core,raw,,a\n", ":2: error: Type: not a number"},
      {"pmus.csv", "*,,,core,,,a\n", ":2: error: PMU: missing"},
      {"pmus.csv", "*cpu,,,core,,event,a\n", ":2: error: Format: 'event' is not of the form"},
      {"pmus.csv", "*cpu,,,core,,event=config:7-0,a\n", ":2: error: Format: 'event=config:7-0'"},
      {"pmus.csv", "*cpu,,,core,,event=config:0-64,a\n", ":2: error: Format: "},
      {"pmus.csv", "*cpu,,,core,,\"event=config:0-7,7-9\",a\n", ":2: error: Format: "},
      {"pmus.csv", "*cpu,,,core,,event=config9:0,a\n", ":2: error: Format: "},
      {"pmus.csv", "*cpu,,,core,,event=0-7,a\n", ":2: error: Format: "},
      {"pmus.csv", "*cpu,,,core,,,\n", ":2: warning: Source: missing"},
      {"pmus.csv", "*cpu,,skylak,core,,,a\n", ":2: warning: Models: there is no model skylak"},
      {"units.csv", "Unit,PMU,Models,Source\n,uncore_imc,,a\n", ":2: error: Unit: missing"},
      {"counters.csv", "PMU,CPUID,Models,Generic,Fixed,One thread,Source\n#\ncpu,,,four,,,a\n",
       ":3: error: Generic: 'four' is not a number"},
      {"counters.csv", "PMU,CPUID,Models,Generic,Fixed,One thread,Source\ncpu,,,4,,,a\n",
       ":2: warning: PMU: no row of pmus.csv is about cpu"},
      {"pmu-events.csv", "PMU,CPUID,Models,Event,Terms,Scale,Unit,Source\ncpu,,,slots,,,,a\n",
       ":2: error: Event: missing"},
      {"names.csv", "Model,CPUID,Short names,Code names,PMU names,Source\nskylak,,skl,,,a\n",
       ":2: warning: Model: there is no model skylak"},
      {"pmu-events.csv",
       "PMU,CPUID,Models,Event,Terms,Scale,Unit,Source\ncpu,,,slots,event=0,half,,a\n",
       ":2: error: Scale: 'half' is not a number"},
      {"products.csv", "Products,Model,CPUID,Note,Source\ni9(,skylake,,,a\n",
       ":2: error: Products: 'i9(' is not an extended regular expression"},
      {"products.csv", "Products,Model,CPUID,Note,Source\ni9,,,,a\n", ":2: error: Note: missing"},
      {"products.csv", "Products,Model,CPUID,Note,Source\ni9,skylak,,,a\n",
       ":2: warning: Model: there is no model skylak"},
  };
  for (const auto& c : cases) {
    const std::string text = c.text;
    const Facts facts(c.file, text.starts_with('*') ? kPmus + text.substr(1) : text);
    EXPECT_NE(facts.message().find(std::string(c.file) + c.message), std::string::npos)
        << c.text << facts.message();
  }
}

constexpr const char* kPmuEvents = "PMU,CPUID,Models,Event,Terms,Scale,Unit,Source\n";
constexpr const char* kScales = "PMU,Models,Event,Scale,Unit,Source\n";
constexpr const char* kTexts = "PMU,Event,Description,Source\n";
constexpr const char* kCounters = "PMU,CPUID,Models,Generic,Fixed,One thread,Source\n";
constexpr const char* kPairs = "PMU,CPUID,Models,Generic,Fixed,One thread,Paired event,Source\n";
constexpr const char* kCleared = "PMU,CPUID,Models,Bits,Source\n";

// arch/README.md: words config to config4, bits 0 to 63 each once, types below 255.
TEST(CpuFacts, ReachToTheLastBitAndNumber) {
  const struct {
    const char *file, *heading, *row, *message;  // "": it is right
  } cases[] = {
      {"pmus.csv", kPmus, "cpu,,,core,254,,a", ""},
      {"pmus.csv", kPmus, "cpu,,,core,256,,a", "error: Type: not a number of a PMU"},
      {"pmus.csv", kPmus, "cpu,,,core,,e=config4:0,a", ""},
      {"pmus.csv", kPmus, "cpu,,,core,,e=config5:0,a", "error: Format: 'e=config5:0' is not"},
      {"pmus.csv", kPmus, "cpu,,,core,,e=config:63,a", ""},
      {"pmus.csv", kPmus, "cpu,,,core,,e=config:64,a", "error: Format: 'e=config:64' is not"},
      {"pmus.csv", kPmus, "cpu,,,core,,e=config:5-5,a", ""},
      {"pmus.csv", kPmus, "cpu,,,core,,e=config:6-5,a", "error: Format: 'e=config:6-5' is not"},
      {"pmus.csv", kPmus, "cpu,,,core,,\"e=config:0,1\",a", ""},
      {"pmus.csv", kPmus, "cpu,,,core,,\"e=config:1,1\",a", "error: Format: 'e=config:1,1' is not"},
      {"pmus.csv", kPmus, "cpu,,,core,,e=config:x,a", "error: Format: 'e=config:x' is not"},
      {"pmus.csv", kPmus, "cpu,,,core,,e=config:0-x,a", "error: Format: 'e=config:0-x' is not"},
      {"pmus.csv", kPmus, "cpu,,,core,,e=configx:0,a", "error: Format: 'e=configx:0' is not"},
      {"pmus.csv", kPmus, "cpu,,,core,,e=word:0,a", "error: Format: 'e=word:0' is not"},
      {"pmus.csv", kPmus, "cpu,,,core,,e=config,a", "error: Format: 'e=config' is not"},
      {"pmus.csv", kPmus, "cpu,,,core,,=config:0,a", "error: Format: '=config:0' is not"},
      {"pmus.csv", kPmus, "cpu,,,core,,a=config:0  b=config:1,a", ""},
      {"pmus.csv", kPmus, "cpu,,,uncore,,,a", ""},
      {"pmus.csv", kPmus, "cpu,,,other,,,a", ""},
      {"pmus.csv", kPmus, "cpu,,,none,,,a", ""},
      {"counters.csv", kCounters, "cpu,,,65535,65535,65535,a", "warning: PMU: no row of pmus.csv"},
      {"counters.csv", kCounters, "cpu,,,65536,,,a", "error: Generic: '65536' is not a number"},
      {"counters.csv", kCounters, "cpu,,,,65536,,a", "error: Fixed: '65536' is not a number"},
      {"counters.csv", kCounters, "cpu,,,,,65536,a", "error: One thread: '65536' is not a number"},
      {"counters.csv", kCounters, "cpu,,,each,,,a",
       "warning: PMU: no row of pmus.csv is about cpu"},
      {"counters.csv", kCounters, "a|b,,,4,,,a", "warning: PMU: no row of pmus.csv is about a"},
      {"counters.csv", kPairs, "cpu,,,6,,,0x3,a", "warning: PMU: no row of pmus.csv is about cpu"},
      {"counters.csv", kPairs, "cpu,,,6,,,0x10000,a",
       "error: Paired event: '0x10000' is not the number of an event"},
      {"cleared-bits.csv", kCleared, "cpu,,,21,a", "warning: PMU: no row of pmus.csv is about cpu"},
      {"cleared-bits.csv", kCleared, "cpu,,,64,a", "error: Bits: '64' is not of the form A-B,C"},
      {"pmu-events.csv", kPmuEvents, "cpu,,,slots,event=1,,,a",
       "warning: PMU: no row of pmus.csv is about cpu"},
      {"pmu-events.csv", kPmuEvents, "cpu,,,,event=1,,,a", "error: Event: missing, or Terms"},
      {"pmu-events.csv", kPmuEvents, "cpu,,,slots,,,,a", "error: Event: missing, or Terms"},
      {"slots.csv", "CPUID,Models,Slots,Source\n", "0x1,,255,a", ""},
      {"slots.csv", "CPUID,Models,Slots,Source\n", "0x1,,256,a",
       "error: Slots: '256' is not a number of slots"},
      {"slots.csv", "CPUID,Models,Slots,Source\n", "0x1,,0,a",
       "error: Slots: '0' is not a number of slots"},
      {"former-scales.csv", kScales, "cpu,,slots,6.4e-5,MiB,a",
       "warning: PMU: no row of pmus.csv is about cpu"},
      {"former-scales.csv", kScales, "cpu,,slots,0,MiB,a",
       "error: Scale: '0' is not a positive number"},
      {"former-scales.csv", kScales, "cpu,,slots,,MiB,a",
       "error: Scale: '' is not a positive number"},
      {"former-scales.csv", kScales, "cpu,,,1,MiB,a", "error: Event: missing, or Unit"},
      {"former-scales.csv", kScales, "cpu,,slots,1,,a", "error: Event: missing, or Unit"},
      {"event-descriptions.csv", kTexts, "cpu,slots,Text,a",
       "warning: PMU: no row of pmus.csv is about cpu"},
      {"event-descriptions.csv", kTexts, ",slots,Text,a", ""},
      {"event-descriptions.csv", kTexts, ",slots,,a", "error: Event: missing, or Description"},
      {"event-descriptions.csv", kTexts, ",,Text,a", "error: Event: missing, or Description"},
      {"units.csv", "Unit,PMU,Models,Source\n", "CBO,uncore_cbox,,a", ""},
      {"units.csv", "Unit,PMU,Models,Source\n", "CBO,,,a", "error: Unit: missing, or PMU"},
      {"names.csv", "Model,CPUID,Short names,Code names,PMU names,Source\n", "skylake,,skl,,,a",
       ""},
      {"products.csv", "Products,Model,CPUID,Note,Source\n", "i9,skylake,,,a", ""},
      {"products.csv", "Products,Model,CPUID,Note,Source\n", "i9,,,a note,a", ""},
      {"products.csv", "Products,Model,CPUID,Note,Source\n", ",skylake,,,a",
       "error: Products: '' is not an extended regular expression"},
  };
  for (const auto& c : cases) {
    const Facts facts(c.file, std::string(c.heading) + c.row + "\n");
    const std::string wanted = *c.message == '\0' ? "" : std::string(c.file) + ":2: " + c.message;
    EXPECT_EQ(facts.message().empty(), wanted.empty()) << c.row << facts.message();
    EXPECT_NE(facts.message().find(wanted), std::string::npos) << c.row << facts.message();
  }
}

// The number of fields has 16 bits.
TEST(CpuFacts, OfAPmuWithMoreThan65535FieldsAreAnError) {
  for (const std::size_t count : {65535, 65536}) {
    std::string fields;
    for (std::size_t i = 0; i < count; ++i) fields += " e=config:0";
    const Facts facts("pmus.csv", std::string(kPmus) + "cpu,,,core,," + fields + ",a\n");
    EXPECT_EQ(facts.arrays.view().pmus.size(), count == 65535 ? 1u : 0u);
    EXPECT_EQ(facts.message().ends_with("error: Format: too many fields"), count != 65535)
        << facts.message();
  }
}

TEST(CpuFacts, OfEventsAreJoinedByTheirPmus) {
  const Facts facts("pmu-events.csv", std::string(kPmuEvents) +
                                          "cpu,,,a,event=1,,,x\ncpu,,,b,event=2,0.5,Joules,x\n"
                                          "msr,,,c,event=3,2.5e-1,,x\ncpu,,,d,event=4,,,x\n");
  const tables::CpuFacts view = facts.arrays.view();
  ASSERT_EQ(view.event_facts.size(), 3u);
  const std::uint32_t counts[] = {2, 1, 1};
  std::uint32_t first = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(view.event_facts[i].first_event, first);
    EXPECT_EQ(view.event_facts[i].event_count, counts[i]);
    first += counts[i];
  }
  ASSERT_EQ(view.pmu_events.size(), 4u);
  EXPECT_EQ(view.text(view.pmu_events[1].unit), "Joules");
  const double scales[] = {1, 0.5, 0.25, 1};
  for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(view.pmu_events[i].scale, scales[i]);
  EXPECT_EQ(facts.diagnostics.all().size(), 3u);  // no row is about these PMUs
}

// Each column of the files that have one row for a fact, and a second row.
TEST(CpuFacts, HaveTheValuesOfEachColumn) {
  std::vector<std::string> got;
  const auto text = [](const tables::CpuFacts& view, std::initializer_list<tables::Text> cells) {
    std::string out;
    for (const tables::Text cell : cells) out.append(view.text(cell)).append("|");
    return out;
  };
  const Facts names("names.csv",
                    "Model,CPUID,Short names,Code names,PMU names,Source\n"
                    "skylake,A-1-*,skl|sky,,sky_pmu,a\n,B-1,,code,,a\n");
  for (const tables::CpuName& row : names.arrays.view().names)
    got.push_back(text(names.arrays.view(), {row.name, row.model, row.cpuids}) +
                  std::to_string(static_cast<int>(row.kind)));
  const Facts products("products.csv",
                       "Products,Model,CPUID,Note,Source\ni9,skylake,A-1-2,,a\nx[12],,,why,a\n");
  for (const tables::CpuProduct& row : products.arrays.view().products)
    got.push_back(text(products.arrays.view(), {row.pattern, row.model, row.cpuid, row.note}));
  const Facts units("units.csv", "Unit,PMU,Models,Source\nCBO,uncore_cbox,skylake,a\nQ,q,,a\n");
  for (const tables::UnitFact& row : units.arrays.view().units)
    got.push_back(text(units.arrays.view(), {row.unit, row.scope.pmus, row.scope.models}));
  const Facts texts("event-descriptions.csv",
                    std::string(kTexts) + "cpu*,slots,Slots,a\n,e|f,Others,a\n");
  for (const tables::EventTextFact& row : texts.arrays.view().event_texts)
    got.push_back(text(texts.arrays.view(), {row.scope.pmus, row.events, row.description}));
  const Facts scales("former-scales.csv",
                     std::string(kScales) + "imc,skylake,rd|wr,6.4e-5,MiB,a\n,,e,2,J,a\n");
  for (const tables::FormerScale& row : scales.arrays.view().former_scales)
    got.push_back(
        text(scales.arrays.view(), {row.scope.pmus, row.scope.models, row.events, row.unit}) +
        std::to_string(row.scale));
  const Facts slots("slots.csv", "CPUID,Models,Slots,Source\nA-1-*,,255,a\n,skylake,1,a\n");
  for (const auto& row : slots.arrays.view().slots)
    got.push_back(text(slots.arrays.view(), {row.scope.cpuids, row.scope.models}) +
                  std::to_string(row.slots));
  EXPECT_EQ(got,
            (std::vector<std::string>{
                "skl|skylake|A-1-*|0", "sky|skylake|A-1-*|0", "sky_pmu|skylake|A-1-*|2",
                "code||B-1|1", "i9|skylake|A-1-2||", "x[12]|||why|", "CBO|uncore_cbox|skylake|",
                "Q|q||", "cpu*|slots|Slots|", "|e|f|Others|", "imc|skylake|rd|wr|MiB|0.000064",
                "||e|J|2.000000", "A-1-*||255", "|skylake|1"}));
  EXPECT_EQ(names.message() + products.message() + units.message() + slots.message(), "");
}

TEST(CpuFacts, OfThisProjectHaveNoFault) {
  trees::Diagnostics diagnostics;
  const auto dirs =
      trees::find_architectures(std::string(std::getenv("EVNAME_SOURCE_ROOT")) + "/arch");
  EXPECT_GT(collect_facts(dirs, diagnostics).pmus.size(), 100u);
  for (const trees::Diagnostic& one : diagnostics.all()) ADD_FAILURE() << diagnostics.text(one);
}

TEST(CpuFacts, OfGenericEventsAreCodesInTheOrderOfTheKernelsNumbers) {
  const Facts facts("generic-events.csv",
                    "CPUID,Models,cycles,instructions,cache-references,cache-misses,branches,"
                    "branch-misses,bus-cycles,stalled-cycles-frontend,stalled-cycles-backend,"
                    "ref-cycles,Source\n,,0x11,8,,,0xc|0x21,,,,,0x300,manual\n");
  EXPECT_EQ(facts.message(), "");
  const tables::CpuFacts view = facts.arrays.view();
  const std::vector<std::pair<std::uint32_t, std::uint64_t>> expected = {
      {0, 0x11}, {1, 8}, {4, 0xc}, {4, 0x21}, {9, 0x300}};
  ASSERT_EQ(view.generic_codes.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_EQ(view.generic_codes[i].event, expected[i].first);
    EXPECT_EQ(view.generic_codes[i].code, expected[i].second);
  }
}

TEST(FactScope, IsOfTheRow) {
  const auto expect = [](const tables::CpuFacts& view, const tables::FactScope& scope,
                         std::string_view pmus) {
    EXPECT_EQ(view.text(scope.arch), "x86");
    EXPECT_EQ(view.text(scope.pmus), pmus);
    EXPECT_EQ(view.text(scope.cpuids), "A-1-*");
    EXPECT_EQ(view.text(scope.models), "skylake");
  };
  const Facts pmus("pmus.csv", std::string(kPmus) + "cpu,A-1-*,skylake,core,4,e=config:0-7,a\n");
  expect(pmus.arrays.view(), pmus.arrays.view().pmus[0].scope, "cpu");
  const Facts events(
      "pmu-events.csv",
      "PMU,CPUID,Models,Event,Terms,Scale,Unit,Source\ncpu,A-1-*,skylake,slots,event=1,,,a\n");
  expect(events.arrays.view(), events.arrays.view().event_facts[0].scope, "cpu");
  const Facts counters(
      "counters.csv",
      "PMU,CPUID,Models,Generic,Fixed,One thread,Source\ncpu,A-1-*,skylake,4,3,8,a\n");
  const tables::CpuFacts view = counters.arrays.view();
  expect(view, view.counters[0].scope, "cpu");
  EXPECT_EQ(view.counters[0].generic, 4);
  EXPECT_EQ(view.counters[0].fixed, 3);
  EXPECT_EQ(view.counters[0].one_thread, 8);
  EXPECT_EQ(view.counters[0].paired_event, 0);
  const Facts pairs("counters.csv", std::string(kPairs) + "cpu,A-1-*,skylake,6,,,0x3,a\n");
  EXPECT_EQ(pairs.arrays.view().counters[0].paired_event, 3);
  const Facts cleared("cleared-bits.csv", std::string(kCleared) + "cpu,A-1-*,skylake,\"3,21\",a\n");
  expect(cleared.arrays.view(), cleared.arrays.view().cleared_facts[0].scope, "cpu");
  EXPECT_EQ(cleared.arrays.view().cleared_facts[0].bits, 0x200008u);
  const Facts generic("generic-events.csv",
                      "CPUID,Models,cycles,instructions,cache-references,cache-misses,branches,"
                      "branch-misses,bus-cycles,stalled-cycles-frontend,stalled-cycles-backend,"
                      "ref-cycles,Source\nA-1-*,skylake,1,,,,,,,,,,a\n");
  expect(generic.arrays.view(), generic.arrays.view().generic_facts[0].scope, "");
}

TEST(FactScope, HoldsIfAllItsConditionsDo) {
  const struct {
    const char *pmus, *cpuids, *models;
    tables::FactQuery query;
    bool holds;
  } cases[] = {
      {"", "", "", {"x86", "cpu", "", ""}, true},
      {"", "", "", {"arm", "cpu", "", ""}, false},
      {"uncore_imc", "", "", {"x86", "uncore_imc_3", "", ""}, true},
      {"uncore_imc", "", "", {"x86", "uncore_imc_free_running", "", ""}, false},
      {"uncore_*|cpu", "", "", {"x86", "cpu", "", ""}, true},
      {"uncore_*|cpu", "", "", {"x86", "cpu_core", "", ""}, false},
      {"cpum", "", "", {"x86", "cpum_cf", "", ""}, false},
      {"cpu", "A-[13]-*", "", {"x86", "cpu", "A-3-1", ""}, true},
      {"cpu", "A-[13]-*", "", {"x86", "cpu", "A-2-1", ""}, false},
      {"cpu", "A-*", "zen*|milan", {"x86", "cpu", "A-1-1", "milan"}, true},
      {"cpu", "A-*", "zen*|milan", {"x86", "cpu", "A-1-1", "zen4"}, true},
      {"cpu", "A-*", "zen*|milan", {"x86", "cpu", "B-1-1", "zen4"}, false},
      {"cpu", "A-*", "", {"x86", "cpu", "", ""}, false},
  };
  for (const auto& c : cases) {
    const Facts facts("pmus.csv", kPmus + std::string(c.pmus[0] ? c.pmus : "*") + "," + c.cpuids +
                                      "," + c.models + ",core,,,a\n");
    const tables::CpuFacts view = facts.arrays.view();
    EXPECT_EQ(tables::holds(view, view.pmus[0].scope, c.query), c.holds)
        << c.pmus << " " << c.cpuids << " " << c.models;
  }
}

}  // namespace
}  // namespace evname::compiler
