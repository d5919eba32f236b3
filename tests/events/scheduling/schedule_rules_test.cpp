// The rules of single counters and registers, on models of the tables. Sources: Intel SDM volume 3
// and arch/x86/events/intel/core.c for MSRs that events share and for events that stay on the lower
// counters; arch/powerpc/perf/isa207-common.h for the counter that a code of Power chooses;
// drivers/perf/arm_pmuv3.c for Arm's cycle counter.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>
#include <vector>

#include "evname/machine.hpp"
#include "evname/schedule.hpp"

namespace evname::test {
namespace {

/// The machine of a model; nullptr if the build has no tables of it.
const Machine* model_machine(const char* cpu) {
  static std::map<std::string, Result<Machine>> known;
  auto at = known.find(cpu);
  if (at == known.end())
    at = known.emplace(cpu, Machine::named(cpu, {}, {}, UserEvents::leave_out)).first;
  return at->second ? &*at->second : nullptr;
}

struct Made {
  std::size_t groups = 0;
  std::string why, notes;
  std::vector<std::string> counters;  ///< of the events of the first group
  unsigned generic = 0, fixed = 0;
  std::string error;
};

/// The schedule of events of a single PMU.
Made made_of(const Machine& machine, const std::string& events,
             const ScheduleOptions& options = {}) {
  const auto found = schedule(machine, events, options);
  Made out;
  if (!found) {
    out.error = found.error().message;
    return out;
  }
  const Schedule::Pmu& pmu = found->pmus.front();
  out.groups = pmu.groups.size();
  out.why = pmu.why;
  for (const std::string& note : found->warnings) out.notes += note;
  for (const Schedule::Event& one : pmu.groups.front()) out.counters.push_back(one.counter);
  out.generic = pmu.generic_counters;
  out.fixed = pmu.fixed_counters;
  return out;
}

TEST(ScheduleRules, MsrsAreSharedByEventsWithOneValue) {
  const Machine* const machine = model_machine("skylakex");
  if (machine == nullptr) GTEST_SKIP() << "no tables of skylakex are built in";
  const struct {
    std::vector<std::pair<unsigned, unsigned>> events;  // code and config1
    std::size_t groups;
    const char* what = "";
  } rows[] = {
      {{{0xb7, 1}, {0xb7, 2}}, 1},
      {{{0xb7, 1}, {0xb7, 2}, {0xb7, 3}}, 2, "offcore response MSR"},
      {{{0xbb, 1}, {0xbb, 2}, {0xbb, 3}}, 2, "offcore response MSR"},
      {{{0x2a, 1}, {0x2a, 2}, {0x2a, 3}}, 2, "offcore response MSR"},
      {{{0x2b, 1}, {0x2b, 2}, {0x2b, 3}}, 2, "offcore response MSR"},
      {{{0xb7, 1}, {0xbb, 2}, {0x2a, 3}}, 2, "offcore response MSR"},
      {{{0xb7, 1}, {0xbb, 1}, {0x2a, 2}}, 1},
      {{{0xb7, 1}, {0xb7, 2}, {0xb7, 0}}, 1},  // no value
      {{{0xb8, 1}, {0xb8, 2}, {0xb8, 3}}, 1},
      {{{0xba, 1}, {0xba, 2}, {0xba, 3}}, 1},
      {{{0x29, 1}, {0x29, 2}, {0x29, 3}}, 1},
      {{{0x2c, 1}, {0x2c, 2}, {0x2c, 3}}, 1},
      {{{0xcd, 1}, {0xcd, 2}}, 2, "load latency MSR"},
      {{{0xcd, 1}, {0xcd, 0}}, 1},
      {{{0xce, 1}, {0xce, 2}}, 1},
      {{{0xc6, 1}, {0xc6, 2}}, 2, "frontend MSR"},
      {{{0xc7, 1}, {0xc7, 2}}, 1},
      {{{0xcd, 1}, {0xc6, 2}}, 1},
      {{{0xb7, 1}, {0xcd, 2}, {0xc6, 3}, {0xb7, 4}}, 1},
  };
  for (const auto& row : rows) {
    std::string events, names;
    for (std::size_t i = 0; i < row.events.size(); ++i) {
      const auto& [code, config1] = row.events[i];
      events += fmt::format("{}cpu/event={:#x},umask={:#x},config1={:#x}/", i > 0 ? "," : "", code,
                            0x10 + i, config1);
    }
    const Made made = made_of(*machine, events);
    EXPECT_EQ(made.groups, row.groups) << events << made.error;
    const std::string why =
        std::string("too many different values for the ") + row.what + " of cpu";
    EXPECT_EQ(made.why.substr(0, why.size()), row.groups > 1 ? why : "") << events;
  }
}

TEST(ScheduleRules, SomeEventsStayOnTheLowerFourCounters) {
  const Machine* const skylake = model_machine("skylakex");
  const Machine* const icelake = model_machine("icelakex");  // its counters are no threads' halves
  if (skylake == nullptr || icelake == nullptr) GTEST_SKIP() << "tables are not built in";
  const std::pair<unsigned, std::size_t> rows[] = {{0xc5, 1}, {0xc6, 2}, {0xc7, 1}, {0xcc, 1},
                                                   {0xcd, 2}, {0xce, 1}, {0xcf, 1}, {0xd0, 2},
                                                   {0xd1, 2}, {0xd2, 2}, {0xd3, 2}, {0xd4, 1}};
  for (const auto& [code, groups] : rows) {
    std::string four, five;
    for (unsigned i = 0; i < 5; ++i) {
      const std::string one = fmt::format("cpu/event={:#x},umask={:#x}/", code, 0xe3 + i);
      five += (i > 0 ? "," : "") + one;
      if (i < 4) four = five;
    }
    const ScheduleOptions alone{.smt = false};
    EXPECT_EQ(made_of(*skylake, four, alone).groups, 1u) << five;
    EXPECT_EQ(made_of(*skylake, five, alone).groups, groups) << five;
    EXPECT_EQ(made_of(*skylake, five, alone).generic, 8u);
    EXPECT_EQ(made_of(*skylake, five).groups, 2u) << five;  // four counters for each thread
    EXPECT_EQ(made_of(*icelake, "r1", alone).generic, 8u);
  }
}

TEST(ScheduleRules, OfManyEventsEightAreNamed) {
  const struct {
    const char* cpu;
    unsigned events;
    const char* why;
  } rows[] = {
      {"skylakex", 4, ""},
      {"skylakex", 5, "5 events (rfe01, rfe02, rfe03, rfe04, rfe05) for 4 counters of cpu (0-3)"},
      {"icelakex", 8, ""},
      {"icelakex", 9,
       "9 events (rfe01, rfe02, rfe03, rfe04, rfe05, rfe06, rfe07, rfe08 and 1 more) for 8 "
       "counters of cpu (0-7)"},
  };
  for (const auto& row : rows) {
    const Machine* const machine = model_machine(row.cpu);
    if (machine == nullptr) continue;
    std::string events;
    for (unsigned i = 1; i <= row.events; ++i)
      events += fmt::format("{}rfe{:02x}", i > 1 ? "," : "", i);
    EXPECT_EQ(made_of(*machine, events).why, row.why) << row.cpu;
  }
}

TEST(ScheduleRules, CodesOfPowerChooseTheirCounter) {
  const Machine* const machine = model_machine("power9");
  if (machine == nullptr) GTEST_SKIP() << "no tables of power9 are built in";
  const struct {
    const char* events;
    std::size_t groups;
    std::vector<std::string> counters;
  } rows[] = {
      {"r10fe2", 1, {"0"}},
      {"r20fe2", 1, {"1"}},
      {"r30fe2", 1, {"2"}},
      {"r40fe2", 1, {"3"}},
      {"r500fa", 1, {"fixed 0"}},  // instructions and cycles of the run latch
      {"r600f4", 1, {"fixed 1"}},
      {"r10fe2,r20fe4,r30fe6,r40fe8,r500fa,r600f4", 1, {"0", "1", "2", "3", "fixed 0", "fixed 1"}},
      {"r10fe2,r10fe4", 2, {"0"}},
      {"r40fe2,r40fe4", 2, {"3"}},
      {"r500fa,r500fc", 2, {"fixed 0"}},
      {"r600f4,r600f6", 2, {"fixed 1"}},
      {"r10fe2,rfe4,rfe6,rfe8", 1, {"0", "1", "2", "3"}},
      {"rfe2,rfe4,rfe6,rfe8,rfea", 2, {}},
  };
  for (const auto& row : rows) {
    const Made made = made_of(*machine, row.events);
    EXPECT_EQ(made.groups, row.groups) << row.events << made.error;
    if (row.counters.empty()) continue;
    const std::multiset<std::string> found(made.counters.begin(), made.counters.end());
    EXPECT_EQ(found, std::multiset<std::string>(row.counters.begin(), row.counters.end()))
        << row.events;
  }
}

// arch/powerpc/kernel/watchdog.c uses timers.
TEST(ScheduleRules, TheWatchdogOfPowerTakesNoCounter) {
  const Machine* const machine = model_machine("power9");
  if (machine == nullptr) GTEST_SKIP() << "no tables of power9 are built in";
  EXPECT_EQ(made_of(*machine, "rfe2,rfe4,rfe6,rfe8", {.nmi_watchdog = true}).groups, 1u);
}

TEST(ScheduleRules, ArmsCyclesHaveACounterOfTheirOwn) {
  const Machine* const machine = model_machine("neoverse-n1");
  if (machine == nullptr) GTEST_SKIP() << "no tables of neoverse-n1 are built in";
  const struct {
    const char* events;
    std::size_t groups;
  } rows[] = {{"r11,r1,r2,r3,r4,r5,r6", 1},    {"cycles,r1,r2,r3,r4,r5,r6", 1},
              {"r10,r1,r2,r3,r4,r5,r6", 2},    {"r12,r1,r2,r3,r4,r5,r6", 2},
              {"r11,r11:u,r1,r2,r3,r4,r5", 1}, {"r11,r11:u,r1,r2,r3,r4,r5,r6", 2}};
  for (const auto& row : rows)
    EXPECT_EQ(made_of(*machine, row.events).groups, row.groups) << row.events;
  EXPECT_EQ(made_of(*machine, "r11").counters, std::vector<std::string>{"fixed 0"});
  // The watchdog counts cycles: the other cycles go to a generic counter, and so on.
  const ScheduleOptions watched{.nmi_watchdog = true};
  EXPECT_EQ(made_of(*machine, "r11,r1,r2,r3,r4,r5", watched).groups, 1u);
  EXPECT_EQ(made_of(*machine, "r11,r1,r2,r3,r4,r5,r6", watched).groups, 2u);
}

TEST(ScheduleRules, SomePmusHaveACounterForEachEvent) {
  const Machine* const machine = model_machine("skylakex");
  if (machine == nullptr) GTEST_SKIP() << "no tables of skylakex are built in";
  for (const char* pmu : {"msr", "power", "cstate_core"}) {
    std::string text;
    for (int i = 0; i < 20; ++i) text += fmt::format("{}{}/event={}/", i > 0 ? "," : "", pmu, i);
    const auto encodings = machine->resolve(text);
    if (!encodings) continue;  // this build describes no such PMU
    const auto made = schedule(*machine, *encodings);
    ASSERT_TRUE(made) << made.error().text();
    EXPECT_TRUE(made->fits()) << pmu;
    EXPECT_EQ(made->warnings, std::vector<std::string>()) << pmu;
  }
}

TEST(ScheduleRules, HybridCpusHaveTheCountersOfEachCore) {
  const Machine* const machine = model_machine("alderlake");
  if (machine == nullptr) GTEST_SKIP() << "no tables of alderlake are built in";
  const auto counters = [&](const ScheduleOptions& options) {
    const auto made = schedule(*machine, "cpu_core/r1/,cpu_atom/r1/", options);
    std::string out;
    for (const Schedule::Pmu& pmu : made.value().pmus)
      out += fmt::format("{} {}+{};", pmu.pmus.front(), pmu.generic_counters, pmu.fixed_counters);
    return out;
  };
  // Intel SDM, 20.3.9 and 20.3.10: eight and four, six and three.
  EXPECT_EQ(counters({}), counters({.generic_counters = 2}));  // which core would it be?
  EXPECT_EQ(counters({}), counters({.smt = false}));
  const auto made = schedule(*machine, "cycles,{instructions,branches},cs");
  ASSERT_TRUE(made);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(made->pmus[i].groups.size(), 1u) << i;
    EXPECT_EQ(made->pmus[i].groups[0].size(), 3u) << i;
  }
  EXPECT_EQ(made->pmus.at(2).pmus.front(), "software");
}

TEST(ScheduleRules, ThresholdsAreNotComputedBesideTheWatchdog) {
  const Machine* const machine = model_machine("skylakex");
  if (machine == nullptr) GTEST_SKIP() << "no tables of skylakex are built in";
  using enum GroupConstraint;
  for (const auto constraint :
       {none, no_group_events, no_group_events_nmi, no_group_events_smt, no_threshold_and_nmi})
    for (const bool watchdog : {false, true})
      for (const bool smt : {false, true}) {
        const bool apart = constraint == no_group_events ||
                           (constraint == no_group_events_nmi && watchdog) ||
                           (constraint == no_threshold_and_nmi && watchdog) ||
                           (constraint == no_group_events_smt && smt);
        const Made made = made_of(*machine, "r1,r2,r3",
                                  {.constraint = constraint, .nmi_watchdog = watchdog, .smt = smt});
        EXPECT_EQ(made.groups, apart ? 3u : 1u) << static_cast<int>(constraint) << watchdog << smt;
        EXPECT_EQ(made.why, apart ? "MetricConstraint: its events are not to be grouped" : "");
      }
}

}  // namespace
}  // namespace evname::test
