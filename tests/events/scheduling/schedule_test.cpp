// Groups of named events, on hand-made machines and on models of the tables.
#include "evname/schedule.hpp"

#include <gtest/gtest.h>

#include "support/fake_machine.hpp"
#include "support/temp_dir.hpp"

namespace evname::test {
namespace {

constexpr std::uint64_t kAny = tables::kAnyCounter;

/// "a b | c": events of a group, groups of a PMU; PMUs on lines of their own, "pmu: …".
std::string text(const Result<Schedule>& made) {
  if (!made) return "error: " + made.error().message;
  std::string out;
  for (const Schedule::Pmu& pmu : made->pmus) {
    out += (out.empty() ? "" : "\n") + pmu.pmus.front() + ":";
    for (std::size_t i = 0; i < pmu.groups.size(); ++i) {
      if (i > 0) out += " |";
      for (const Schedule::Event& one : pmu.groups[i]) (out += " ") += made->events[one.event].name;
    }
  }
  return out;
}

/// A core PMU of four generic and three fixed counters, and a unit of two counters in two
/// instances.
const EventTables& small_tables() {
  static const EventTables* const kTables = [] {
    auto* tables = new EventTables("x86");
    tables->add_model(
        "small",
        {
            {.name = "op_a", .terms = "event=0xa0", .counters = {kAny, 0}},
            {.name = "op_b", .terms = "event=0xa1", .counters = {kAny, 0}},
            {.name = "op_c", .terms = "event=0xa2", .counters = {kAny, 0}},
            {.name = "op_d", .terms = "event=0xa3", .counters = {kAny, 0}},
            {.name = "first", .terms = "event=0xb0", .counters = {0x1, 0}},
            {.name = "first_too", .terms = "event=0xb1", .counters = {0x1, 0}},
            {.name = "low", .terms = "event=0xb2", .counters = {0x3, 0}},
            {.name = "unknown", .terms = "event=0xb3"},
            {.name = "fifth", .terms = "event=0xb4", .counters = {0x10, 0}},
            {.name = "gaps", .terms = "event=0xb5", .counters = {0x3ab0, 0}},
            {.name = "both", .terms = "event=0xb6", .counters = {0x8000000000000070, 0x28}},
            {.name = "high", .terms = "event=0xb7", .counters = {0xc000000000000000, 0}},
            {.name = "inst_retired.any", .terms = "event=0xc0", .counters = {kAny, 0x1}},
            {.name = "cpu_clk_unhalted.thread", .terms = "event=0x3c", .counters = {kAny, 0x2}},
            {.name = "ref_tsc", .terms = "event=0x0,umask=0x3", .counters = {0, 0x4}},
            {.pmu = "uncore_cbox", .name = "unit_u", .terms = "event=1", .counters = {kAny, 0}},
            {.pmu = "uncore_cbox", .name = "unit_v", .terms = "event=2", .counters = {kAny, 0}},
            {.pmu = "uncore_cbox", .name = "unit_w", .terms = "event=3", .counters = {kAny, 0}},
        });
    tables->set_counters("default_core", 4, 3);
    tables->set_counters("uncore_cbox", 2, 0);
    return tables;
  }();
  return *kTables;
}

Machine small_machine() {
  auto pmus = skylakex_pmus();
  pmus.push_back(make_pmu("software", 1, {}));  // as sysfs has it
  Machine machine = make_machine(small_tables(), 0, std::move(pmus));
  const_cast<detail::MachineState&>(detail::state_of(machine)).cpu.cpuid = "GenuineIntel-6-55-4";
  return machine;
}

struct ScheduleCase {
  const char* events;
  const char* groups;
};

void expect(const Machine& machine, std::span<const ScheduleCase> cases,
            const ScheduleOptions& options = {}) {
  for (const ScheduleCase& c : cases)
    EXPECT_EQ(text(schedule(machine, c.events, options)), c.groups) << c.events;
}

TEST(Schedule, GroupsEventsByTheCountersTheyCanUse) {
  constexpr ScheduleCase kCases[] = {
      {"op_a,op_b,op_c,op_d", "cpu: op_a op_b op_c op_d"},
      {"op_a,op_b,op_c,op_d,unknown", "cpu: op_a op_b op_c op_d | unknown"},
      {"first,first_too", "cpu: first | first_too"},
      {"op_a,op_b,op_c,first", "cpu: op_a op_b op_c first"},
      {"low,first,op_a,op_b", "cpu: low first op_a op_b"},
      {"low,first,first_too,op_a,op_b", "cpu: low first op_a op_b | first_too"},
      {"inst_retired.any,cpu_clk_unhalted.thread,ref_tsc,op_a,op_b,op_c,op_d",
       "cpu: inst_retired.any cpu_clk_unhalted.thread ref_tsc op_a op_b op_c op_d"},
      {"ref_tsc,ref_tsc:u", "cpu: ref_tsc | ref_tsc"},
      // The second kind of cycles moves to a generic counter.
      {"cpu_clk_unhalted.thread,cpu_clk_unhalted.thread:u,op_a,op_b,op_c",
       "cpu: cpu_clk_unhalted.thread cpu_clk_unhalted.thread op_a op_b op_c"},
      {"fifth", "error: fifth can't be counted: it needs counter 4, and cpu has 0-3 and fixed 0-2"},
      {"gaps",
       "error: gaps can't be counted: it needs counter 4-5,7,9,11-13, and cpu has 0-3 and fixed "
       "0-2"},
      {"both",
       "error: both can't be counted: it needs counter 4-6,63 and fixed 3,5, and cpu has 0-3 and "
       "fixed 0-2"},
      {"high",
       "error: high can't be counted: it needs counter 62-63, and cpu has 0-3 and fixed 0-2"},
  };
  expect(small_machine(), kCases);
}

TEST(Schedule, KnowsCodesByWhatTheyAre) {
  constexpr ScheduleCase kCases[] = {
      {"cycles,instructions,ref-cycles,op_a,op_b,op_c,op_d",
       "cpu: cycles instructions ref-cycles op_a op_b op_c op_d"},
      {"cpu/event=0xb0/,first_too", "cpu: cpu/event=0xb0/ | first_too"},
      {"r3c,op_a,op_b,op_c,op_d", "cpu: r3c op_a op_b op_c op_d"},
      // A fixed counter can't compare.
      {"cpu/event=0x3c,cmask=1/,op_a,op_b,op_c,op_d",
       "cpu: cpu/event=0x3c,cmask=1/ op_a op_b op_c | op_d"},
      {"cpu/event=0x3c,inv=1/,op_a,op_b,op_c,op_d",
       "cpu: cpu/event=0x3c,inv=1/ op_a op_b op_c | op_d"},
      {"cpu/event=0x3c,edge=1/,op_a,op_b,op_c,op_d",
       "cpu: cpu/event=0x3c,edge=1/ op_a op_b op_c | op_d"},
      {"cpu/event=0xb0,cmask=1/,first_too", "cpu: cpu/event=0xb0,cmask=1/ | first_too"},
      {"L1-dcache-loads,op_a,op_b,op_c,op_d", "cpu: L1-dcache-loads op_a op_b op_c | op_d"},
  };
  expect(small_machine(), kCases);
}

TEST(Schedule, KeepsGroupsWholeAndEventsOnce) {
  constexpr ScheduleCase kCases[] = {
      {"op_a,{op_b,op_c},op_d", "cpu: op_a op_b op_c op_d"},
      {"{op_a,op_b,op_c},{op_d,unknown}", "cpu: op_a op_b op_c | op_d unknown"},
      {"{op_a,op_b,op_c},{op_a,op_b,op_d}", "cpu: op_a op_b op_c op_d"},
      {"op_a,op_a,op_b,op_a", "cpu: op_a op_b"},
      {"op_a,{op_a,op_b}", "cpu: op_a op_b"},
      {"cs,{op_a,cs},cs", "cpu: op_a cs"},
      {"{op_a,op_b,op_c,op_d,unknown}",
       "error: the group {op_a,op_b,op_c,op_d,unknown} can't be counted at once: 5 events (op_a, "
       "op_b, op_c, op_d, "
       "unknown) for 4 counters of cpu (0-3)"},
      {"{op_a,first,first_too}",
       "error: the group {op_a,first,first_too} can't be counted at once: 2 events (first, "
       "first_too) for 1 counter of cpu (0)"},
  };
  expect(small_machine(), kCases);
}

// The attr's words and exclude_* bits tell events apart; S only says how a group is read.
TEST(Schedule, CountsWhatOnlyDiffersInModifiersTwice) {
  const Machine machine = small_machine();
  for (const char* modifiers : {"u", "k", "h", "G", "H", "I", "p", "pp"})
    EXPECT_EQ(text(schedule(machine, "op_a,op_a:" + std::string(modifiers) + ",op_a")),
              "cpu: op_a op_a")
        << modifiers;
  constexpr ScheduleCase kCases[] = {
      {"op_a,op_a:S", "cpu: op_a"},
      {"op_a:p,op_a:pp", "cpu: op_a op_a"},
      {"cpu/event=0xa0/,cpu/event=0xa0,config1=1/",
       "cpu: cpu/event=0xa0/ cpu/event=0xa0,config1=1/"},
      {"mem:0x1000:r,mem:0x1000:w,mem:0x1000:r", "software: mem:0x1000:r | mem:0x1000:w"}};
  expect(machine, kCases);
}

TEST(Schedule, TakesPmusApart) {
  constexpr ScheduleCase kCases[] = {
      {"op_a,cs,unit_u,op_b,unit_v", "cpu: op_a op_b\nsoftware: cs\nuncore_cbox_0: unit_u unit_v"},
      {"unit_u,unit_v,unit_w", "uncore_cbox_0: unit_u unit_v | unit_w"},
      {"{op_a,cs}", "cpu: op_a cs"},
      {"cs,faults,duration_time,user_time,cs", ""},
  };
  const Machine machine = small_machine();
  expect(machine, std::span(kCases).first(3));
  const auto software = schedule(machine, kCases[3].events);
  ASSERT_TRUE(software);
  ASSERT_EQ(software->pmus.size(), 1u);
  EXPECT_EQ(software->pmus[0].groups.size(), 4u);
  EXPECT_TRUE(software->fits());
  EXPECT_TRUE(software->warnings.empty());
}

TEST(Schedule, TellsInstancesOfAUnitTogether) {
  const auto made = schedule(small_machine(), "unit_u,unit_v,unit_w");
  ASSERT_TRUE(made);
  EXPECT_EQ(made->pmus.at(0).pmus, (std::vector<std::string>{"uncore_cbox_0", "uncore_cbox_1"}));
  EXPECT_FALSE(made->fits());
  EXPECT_EQ(made->pmus[0].why,
            "3 events (unit_u, unit_v, unit_w) for 2 counters of uncore_cbox_0 (0-1)");
}

TEST(Schedule, TellsWhichCounterEachEventHas) {
  const auto made = schedule(small_machine(), "op_a,first,ref_tsc,low");
  ASSERT_TRUE(made);
  std::vector<std::string> counters;
  for (const Schedule::Event& one : made->pmus.at(0).groups.at(0)) counters.push_back(one.counter);
  EXPECT_EQ(counters[1], "0");
  EXPECT_EQ(counters[2], "fixed 2");
  EXPECT_EQ(counters[3], "1");
  EXPECT_EQ(made->pmus[0].generic_counters, 4u);
  EXPECT_EQ(made->pmus[0].fixed_counters, 3u);
}

TEST(Schedule, LeavesTheNmiWatchdogItsCounter) {
  constexpr ScheduleCase kCases[] = {
      {"op_a,op_b,op_c,op_d", "cpu: op_a op_b op_c op_d"},  // it has the fixed counter of cycles
      {"cycles,op_a,op_b,op_c", "cpu: cycles op_a op_b op_c"},
      {"cycles,op_a,op_b,op_c,op_d", "cpu: cycles op_a op_b op_c | op_d"},
      {"unit_u,unit_v", "uncore_cbox_0: unit_u unit_v"},
  };
  expect(small_machine(), kCases, {.nmi_watchdog = true});
  const auto made = schedule(small_machine(), "cycles,op_a,op_b,op_c,op_d", {.nmi_watchdog = true});
  EXPECT_EQ(made->pmus.at(0).why.substr(0, 33), "the NMI watchdog and 5 events (cy");
}

TEST(Schedule, HonoursTheConstraintOfAMetric) {
  const Machine machine = small_machine();
  using enum GroupConstraint;
  const struct {
    ScheduleOptions options;
    const char* groups;
  } cases[] = {
      {{.constraint = none}, "cpu: op_a op_b"},
      {{.constraint = no_group_events}, "cpu: op_a | op_b"},
      {{.constraint = no_group_events_nmi}, "cpu: op_a op_b"},
      {{.constraint = no_group_events_nmi, .nmi_watchdog = true}, "cpu: op_a | op_b"},
      {{.constraint = no_group_events_smt, .smt = true}, "cpu: op_a | op_b"},
      {{.constraint = no_group_events_smt, .smt = false}, "cpu: op_a op_b"},
  };
  for (const auto& c : cases) EXPECT_EQ(text(schedule(machine, "op_a,op_b", c.options)), c.groups);
}

// perf_event.h of arch/x86/events: slots are fixed counter 3, its metrics have no counter.
TEST(Schedule, KeepsTopdownMetricsBesideTheirSlots) {
  static const EventTables* const kTables = [] {
    auto* tables = new EventTables("x86");
    tables->add_model("topdown",
                      {{.name = "op_a", .terms = "event=0xa0", .counters = {kAny, 0}},
                       {.name = "op_b", .terms = "event=0xa1", .counters = {kAny, 0}},
                       {.name = "topdown.slots", .terms = "event=0,umask=4", .counters = {0, 8}}});
    tables->set_counters("default_core", 1, 4);
    return tables;
  }();
  std::vector<pmu::Pmu> pmus;
  pmus.push_back(make_pmu("cpu", 4, {{"event", "config:0-7"}, {"umask", "config:8-15"}},
                          {{"slots", "event=0,umask=4"},
                           {"topdown-bad-spec", "event=0,umask=0x81"},
                           {"topdown-retiring", "event=0,umask=0x80"}}));
  pmus.back().is_core = true;
  const Machine machine = make_machine(*kTables, 0, std::move(pmus));
  const_cast<detail::MachineState&>(detail::state_of(machine)).cpu.cpuid = "GenuineIntel-6-6A";
  constexpr ScheduleCase kCases[] = {
      {"op_a,topdown-retiring,op_b,topdown-bad-spec,slots",
       "cpu: op_a slots topdown-retiring topdown-bad-spec | op_b"},
      {"topdown-retiring", "cpu: slots topdown-retiring"},  // perf adds them
  };
  expect(machine, kCases);
  EXPECT_TRUE(schedule(machine, kCases[0].events)->warnings.empty());
}

// The slots of the core PMU of a hybrid machine are the driver's: without its sysfs nobody knows
// them, so they can't be added.
TEST(Schedule, SaysThatTopdownMetricsNeedTheirSlots) {
  const auto machine = Machine::named("alderlake");
  if (!machine) GTEST_SKIP() << "no tables of alderlake are built in";
  const auto notes = [&](const char* events) { return schedule(*machine, events)->warnings; };
  using Notes = std::vector<std::string>;
  // perf adds the slots if the machine has an event of that name.
  const auto made = schedule(*machine, "cpu_core/event=0,umask=0x80/");
  EXPECT_EQ(made->warnings, Notes());
  EXPECT_TRUE(std::ranges::any_of(made->events,
                                  [](const Encoding& e) { return e.code.config[0] == 0x400; }));
  EXPECT_EQ(notes("{cpu_core/event=0,umask=4/,cpu_core/event=0,umask=0x80/}"), Notes());
  EXPECT_EQ(notes("cpu_atom/event=0,umask=0x80/"), Notes());
}

TEST(Schedule, NamesTopdownMetricsThatHaveNoSlots) {
  const auto notes = [](const char* events) { return schedule(small_machine(), events)->warnings; };
  using Notes = std::vector<std::string>;
  EXPECT_EQ(notes("cpu/event=0,umask=0x80/,cpu/event=0,umask=0x81/u,op_a"),
            (Notes{"cpu/event=0,umask=0x80/ counts only in a group with slots",
                   "cpu/event=0,umask=0x81/u counts only in a group with slots"}));
  EXPECT_EQ(notes("{cpu/event=0,umask=4/,cpu/event=0,umask=0x80/}"), Notes());
  EXPECT_EQ(notes("cpu/event=0,umask=0x7f/"), Notes());
  EXPECT_EQ(notes("cpu/event=1,umask=0x80/"), Notes());
}

// Instances that count the same are one answer; each other one has its own.
TEST(Schedule, InstancesThatCountOtherEventsStandAlone) {
  constexpr ScheduleCase kCases[] = {
      {"cbox_0/event=1/,cbox_1/event=2/",
       "uncore_cbox_0: cbox_0/event=1/\nuncore_cbox_1: cbox_1/event=2/"},
      {"unit_u,cbox_1/event=2/", "uncore_cbox_0: unit_u\nuncore_cbox_1: unit_u cbox_1/event=2/"},
      {"unit_u,unit_v,unit_w,cbox_1/event=2,name=unit_w/",
       "uncore_cbox_0: unit_u unit_v | unit_w"}};
  expect(small_machine(), kCases);
}

TEST(Schedule, AtMost4096EventsOfAPmuAreScheduled) {
  std::string events;
  for (int i = 0; i < 4096; ++i) events += "uncore_imc_0/config=" + std::to_string(i) + "/,";
  EXPECT_TRUE(schedule(small_machine(), events.substr(0, events.size() - 1)));
  const auto more = schedule(small_machine(), events + "uncore_imc_0/config=4096/");
  ASSERT_FALSE(more);
  EXPECT_EQ(more.error().message,
            "4097 events of uncore_imc_0 are too many to be scheduled: 4096 can be");
}

TEST(Schedule, RefusesAConstraintThatDoesNotExist) {
  const auto made =
      schedule(small_machine(), "op_a", {.constraint = static_cast<GroupConstraint>(5)});
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().message, "there is no such constraint");
}

TEST(Schedule, SaysWhatIsNotKnown) {
  const auto made = schedule(small_machine(), "llc_misses.mem_read,uncore_imc_0/event=1/");
  EXPECT_FALSE(made);  // no such name in these tables
  const auto raw = schedule(small_machine(), "uncore_imc_0/event=1/,uncore_imc_0/event=2/");
  ASSERT_TRUE(raw);
  EXPECT_TRUE(raw->fits());
  EXPECT_EQ(raw->warnings,
            std::vector<std::string>{"the number of counters of uncore_imc_0 is not known"});
}

TEST(Schedule, TakesTheNumberOfCountersFromTheCaller) {
  constexpr ScheduleCase kCases[] = {{"op_a,op_b,op_c", "cpu: op_a op_b | op_c"},
                                     {"unit_u,unit_v", "uncore_cbox_0: unit_u unit_v"}};
  expect(small_machine(), kCases, {.generic_counters = 2});
}

// ---- models of the tables ----

Machine named(const char* cpu) { return *Machine::named(cpu); }

// Intel SDM: Skylake has four generic and three fixed counters a thread, eight without SMT, where
// load events stay on the lower four.
TEST(ScheduleOfModels, Skylakex) {
  constexpr ScheduleCase kCases[] = {
      {"inst_retired.any,cpu_clk_unhalted.thread,cpu_clk_unhalted.ref_tsc,mem_load_retired.l3_miss,"
       "mem_load_retired.l2_miss,br_misp_retired.all_branches,l1d.replacement",
       "cpu: inst_retired.any cpu_clk_unhalted.thread cpu_clk_unhalted.ref_tsc "
       "mem_load_retired.l3_miss mem_load_retired.l2_miss br_misp_retired.all_branches "
       "l1d.replacement"},
      // Counter 1 only, and any but counter 1 (SKX event list)
      {"inst_retired.prec_dist,inst_retired.prec_dist:u,inst_retired.total_cycles_ps",
       "cpu: inst_retired.prec_dist inst_retired.total_cycles_ps | inst_retired.prec_dist"},
      {"offcore_response.demand_data_rd.any_response,offcore_response.demand_rfo.any_response,"
       "offcore_response.demand_code_rd.any_response",
       "cpu: offcore_response.demand_data_rd.any_response "
       "offcore_response.demand_rfo.any_response | "
       "offcore_response.demand_code_rd.any_response"},
  };
  expect(named("skylakex"), kCases);
  const char* loads =
      "mem_load_retired.l1_hit,mem_load_retired.l1_miss,mem_load_retired.l2_hit,mem_load_retired."
      "l2_miss,mem_load_retired.l3_hit";
  EXPECT_EQ(schedule(named("skylakex"), loads, {.smt = false})->pmus.at(0).groups.size(), 2u);
  const char* any =
      "br_misp_retired.all_branches,br_inst_retired.all_branches,l1d.replacement,longest_lat_cache."
      "miss,longest_lat_cache.reference,uops_issued.any";
  EXPECT_EQ(schedule(named("skylakex"), any, {.smt = false})->pmus.at(0).groups.size(), 1u);
  EXPECT_EQ(schedule(named("skylakex"), any)->pmus.at(0).groups.size(), 2u);
}

TEST(ScheduleOfModels, HaveAsManyCountersAsTheirManualsSay) {
  const struct {
    const char *cpu, *event;
    unsigned generic, fixed;
  } cases[] = {
      {"skylakex", "l1d.replacement", 4, 3},
      {"skylakex", "unc_cha_clockticks", 4, 0},
      {"skylakex", "unc_m3upi_clockticks", 3, 0},
      {"icelakex", "l1d.replacement", 8, 4},
      {"silvermont", "br_inst_retired.all_branches", 2, 4},
      {"amdzen1", "ex_ret_brn", 6, 0},
      {"amdzen4", "ex_ret_brn", 6, 0},
      {"neoverse-n1", "l1d_cache", 6, 1},
      {"power9", "pm_run_cyc", 4, 2},
  };
  for (const auto& c : cases) {
    const auto machine = Machine::named(c.cpu);
    if (!machine) continue;  // not built in
    const auto made = schedule(*machine, c.event);
    ASSERT_TRUE(made) << c.cpu << " " << c.event;
    EXPECT_EQ(made->pmus.at(0).generic_counters, c.generic) << c.cpu;
    EXPECT_EQ(made->pmus.at(0).fixed_counters, c.fixed) << c.cpu;
  }
}

TEST(ScheduleOfModels, GenericEventsAreForEveryCorePmu) {
  const auto made = schedule(named("alderlake"), "{cycles,instructions}");
  ASSERT_TRUE(made);
  EXPECT_EQ(text(made),
            "cpu_atom: cpu_atom/cycles/ cpu_atom/instructions/\n"
            "cpu_core: cpu_core/cycles/ cpu_core/instructions/");
}

// A described PMU stands for all boxes; an event of all boxes is counted beside an event of one
// box.
TEST(ScheduleOfModels, BoxesOfAUnitAreScheduledApart) {
  constexpr ScheduleCase kCases[] = {
      {"uncore_cha_0/event=1/,uncore_cha_1/event=1/,uncore_cha_0/event=2/",
       "uncore_cha_0: uncore_cha_0/event=1/ uncore_cha_0/event=2/\n"
       "uncore_cha_1: uncore_cha_1/event=1/"},
      {"uncore_cha_0/event=1/,unc_cha_clockticks",
       "uncore_cha: uncore_cha_0/event=1/ unc_cha_clockticks"},
  };
  expect(named("skylakex"), kCases);
}

// They keep their places: a group of generic events leads one group on each core PMU.
TEST(ScheduleOfModels, GenericEventsKeepTheirGroupOnEachCore) {
  const auto machine = Machine::named("alderlake");
  if (!machine) GTEST_SKIP() << "no tables of alderlake are built in";
  EXPECT_EQ(text(schedule(*machine, "{cycles,instructions},branches,cpu_core/r1/")),
            "cpu_atom: cpu_atom/cycles/ cpu_atom/instructions/ cpu_atom/branches/\n"
            "cpu_core: cpu_core/cycles/ cpu_core/instructions/ cpu_core/branches/ cpu_core/r1/");
}

TEST(ScheduleOfModels, TheirEventsCanAllBeCountedAlone) {
  for (const char* cpu : {"skylakex", "icelakex", "sapphirerapids", "alderlake", "lunarlake",
                          "silvermont", "nehalemex", "amdzen4", "neoverse-n1", "power9"}) {
    const auto machine = Machine::named(cpu);
    if (!machine) continue;
    std::size_t count = 0;
    for (const EventInfo& event : machine->events()) {
      const auto encodings = machine->resolve(event.name);
      if (!encodings) continue;  // needs a value, say
      const auto made = schedule(*machine, *encodings, {.nmi_watchdog = true});
      EXPECT_TRUE(made) << cpu << " " << event.name << ": " << made.error().message;
      if (++count == 1500) break;
    }
  }
}

TEST(ScheduleOptions, OfTheMachineAreReadFromItsTrees) {
  const struct {
    const char *watchdog, *smt;
    bool nmi_watchdog, is_smt;
  } cases[] = {{"1\n", "1\n", true, true}, {"0\n", "0\n", false, false}, {"", "x", false, true}};
  for (const auto& c : cases) {
    TempDir dir;
    dir.write("proc/sys/kernel/nmi_watchdog", c.watchdog);
    dir.write("sys/devices/system/cpu/smt/active", c.smt);
    const auto options =
        ScheduleOptions::live({.sysfs = dir.path() + "/sys", .procfs = dir.path() + "/proc"});
    EXPECT_EQ(options.nmi_watchdog, c.nmi_watchdog);
    EXPECT_EQ(options.smt, c.is_smt);
    EXPECT_FALSE(options.generic_counters);
  }
}

}  // namespace
}  // namespace evname::test
