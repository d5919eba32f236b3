#include <fmt/format.h>
#include <gtest/gtest.h>

#include "support/fake_machine.hpp"

namespace evname::test {
namespace {

struct Vector {
  const char* text;
  std::uint32_t type;
  std::uint64_t config;
  std::uint64_t config1 = 0;
};

void expect_code(const Machine& machine, const Vector& v) {
  const auto found = machine.resolve(v.text);
  ASSERT_TRUE(found) << v.text << ": " << found.error().text();
  ASSERT_EQ(found->size(), 1u) << v.text;
  const Encoding& e = found->front();
  EXPECT_EQ(e.code.type, v.type) << v.text;
  EXPECT_EQ(e.code.config[0], v.config) << v.text;
  EXPECT_EQ(e.code.config[1], v.config1) << v.text;
}

// What perf 7.3 sets for each text on that machine: perf-facts A.1 and perf-7.3-facts A.1.
TEST(Resolver, GivesTheAttributesThatPerfGives) {
  const Vector vectors[] = {
      {"cpu/event=0x3c,umask=0x1/", 4, 0x13c},
      {"cpu/split=0xff/", 4, 0xf00000000000000f},
      {"cpu/edge/", 4, 0x40000},
      {"cpu/param,umask=5/", 4, 0x544},
      {"cpu/inst_retired.any/", 4, 0xc0},
      {"inst_retired.any", 4, 0xc0},
      {"INST_RETIRED.ANY", 4, 0xc0},
      {"cpu/INST_RETIRED.ANY,umask=2/", 4, 0x2c0},
      {"cpu/MYUP/", 4, 0x22},
      {"cpu/myup/", 4, 0x22},
      {"myup", 4, 0x22},
      {"cpu/event=cpu-cycles/", 4, 0x3c},
      {"cpu/EVENT=cpu-cycles/", 4, 0x3c},
      {"mem-loads", 4, 0x1cd, 3},
      {"cpu/mem-loads,ldlat=30/", 4, 0x1cd, 0x1f},
      {"cpu/event=0x3c,config1=5,ldlat=8/", 4, 0x3c, 0xd},
      {"cpu/event=0x3c,config=0x100/", 4, 0x13c},
      {"offcore_response.demand_data_rd.any_response", 4, 0x1b7, 0x10001},
      {"mem_trans_retired.load_latency_gt_4", 4, 0x1cd, 4},
      {"frontend_retired.dsb_miss", 4, 0x1c6, 0x11},
      {"unc_cha_clockticks", 24, 0},
      {"UNC_CHA_CLOCKTICKS", 24, 0},
      {"uncore_cha/unc_cha_requests.reads/", 24, 0x350},
      {"llc_misses.mem_read", 22, 0x304},
      {"imc_free_running/read/", 23, 0x20ff},
      {"cbox_1/event=1/", 21, 1},
      {"r1a8", 4, 0x1a8},
      {"cpu/r1a8/", 4, 0x1a8},
      {"cpu/r0x1a8/", 4, 0x1a8},
      {"cpu/config=0x1a8/", 4, 0x1a8},
      {"4:0x1a8", 4, 0x1a8},
      {"rFFFFFFFFFFFFFFFF", 4, 0xffffffffffffffff},
      {"read", 4, 0xead},
      {"cpu//", 4, 0},
      {"cpu/event=0x3c,event=0x01/", 4, 0x3d},
      {"cpu/edge=1,edge=0/", 4, 0x40000},
      {"cpu/umask=0xff,config=0x1234/", 4, 0xff34},
      {"L1-dcache-load-misses", 3, 0x10000},
      {"l1d-read-miss", 3, 0x10000},
      {"LLC-misses", 3, 0x10002},
      {"cpu/LLC-misses/", 3, 0x10002},
      {"node-prefetches", 3, 0x206},
      {"cycles", 0, 0},
      {"Cycles", 0, 0},
      {"cpu-cycles", 4, 0x3c},
      {"cpu/cycles/", 0, 0},
      {"cpu/cycles,event=1/", 0, 1},
      {"cycles/event=1/", 0, 1},
      {"cycles/config=5/", 0, 0},
      {"cpu/cycles,config=5/", 0, 5},
      {"cpu/config=13,cycles/", 0, 0},
      {"cpu/config/", 4, 1},
      {"cpu/legacy-hardware-config=3/", 0, 3},
      {"cpu/legacy-cache-config=0x10002/", 3, 0x10002},
      {"default_core/event=0x3c/", 4, 0x3c},
      {"cpu/instructions/", 4, 0xc0},
      {"instructions", 4, 0xc0},
      {"4:0x1a/r5/", 4, 0x1a},
      {"faults", 1, 2},
      {"software/cs/", 1, 3},
      {"software/config=2/", 1, 2},
      {"duration_time", 0xfffffffe, 1},
      {"tool/num_cpus/", 0xfffffffe, 6},
      {"cpu/bpu/", 3, 5},
      {"1:5", 1, 5},
  };
  const Machine machine = skylakex_machine();
  for (const Vector& v : vectors) expect_code(machine, v);
}

TEST(Resolver, RefusesWhatPerfRefuses) {
  const Machine machine = skylakex_machine();
  for (const char* text : {"cpu/event/",
                           "cpu/event=0x1ff/",
                           "cpu/wide/",
                           "cpu/unknown=3/",
                           "cpu/event=abc/",
                           "cpu/param/",
                           "cpu/param=5/",
                           "cpu/EVENT=0x3c/",
                           "cpu/MixedCase/",
                           "cpu/mixedcase/",
                           "MixedCase",
                           "unc_iio_data_req_of_cpu.mem_read.part0",
                           "uncore_cha_1/event=1/",
                           "cpu/cpu-cycles,instructions/",
                           "cpu/cycles,instructions/",
                           "cpu/legacy-hardware-config=10/",
                           "cpu/legacy-cache-config=0x70000/",
                           "cpu/legacy-hardware-config=3,cycles/",
                           "uncore_cha/legacy-hardware-config=3/",
                           "task-clock/event=1/",
                           "cycles/time=2/",
                           "cycles/name=5/",
                           "cycles/branch_type=foo/",
                           "cycles/percore=7/",
                           "cycles/aux-sample-size=0x100000000/",
                           "cycles/ratio-to-prev=2/",
                           "mem:0x1000/event=1/",
                           "bpu",
                           "slots",
                           "cycles:RR",
                           "mem:0x1000:rwxr",
                           "mem:0x1000/4:rwxr",
                           "sched:b",
                           "L1-icache-stores",
                           "cpu/umask=?/",
                           "0x100000000:1",
                           "nope/event=1/"})
    EXPECT_FALSE(machine.resolve(text)) << text;
}

TEST(Resolver, ANameStandsForEveryPmuThatHasIt) {
  const Machine machine = skylakex_machine();
  for (const char* text : {"clockticks", "cbox/clockticks/", "uncore_cbox/event=0xff/",
                           "uncore_cb*/event=0xff/", "*cbox*/clockticks/"}) {
    const auto found = machine.resolve(text);
    ASSERT_TRUE(found) << text << ": " << found.error().text();
    ASSERT_EQ(found->size(), 2u) << text;
    EXPECT_EQ((*found)[0].code.type, 20u);
    EXPECT_EQ((*found)[1].code.type, 21u);
    EXPECT_EQ((*found)[1].code.config[0], 0xffu);
    EXPECT_EQ((*found)[1].pmu, "uncore_cbox_1");
  }
}

// perf-facts 5.5: the last period in list order wins; NAME/terms/ appends the name.
TEST(Resolver, TheLastPeriodCounts) {
  const Machine machine = skylakex_machine();
  const std::pair<const char*, std::uint64_t> cases[] = {
      {"inst_retired.any", 2000003},
      {"cpu/inst_retired.any,period=10/", 10},
      {"cpu/period=10,inst_retired.any/", 2000003},
      {"inst_retired.any/period=10/", 2000003},
      {"cpu/event=1/", 0},
      {"cycles/period=7/", 7},
      {"bpf-output", 1},  // which is written one at a time
      {"bpf-output/period=5/", 5},
      {"page-faults", 0},
  };
  for (const auto& [text, period] : cases)
    EXPECT_EQ(machine.resolve(text)->front().period, period) << text;
}

TEST(Resolver, BreakpointsPutAddressAndLengthIntoTheAttribute) {
  const Machine machine = skylakex_machine();
  const std::tuple<const char*, std::uint64_t, const char*> cases[] = {
      {"mem:0x1000", 4, "bp_addr=0x1000,bp_type=3,bp_len=4"},
      {"mem:0x1000:x", 8, "bp_addr=0x1000,bp_type=4,bp_len=8"},
      {"mem:0x1000/2:w:u", 2, "bp_addr=0x1000,bp_type=2,bp_len=2"},
  };
  for (const auto& [text, length, terms] : cases) {
    const Encoding e = machine.resolve(text)->front();
    EXPECT_EQ(e.code.type, 5u);
    EXPECT_EQ(e.code.config[1], 0x1000u);
    EXPECT_EQ(e.code.config[2], length) << text;
    EXPECT_EQ(e.terms(), terms);
  }
}

TEST(Resolver, AnEncodingSaysWhereItCameFrom) {
  const Machine machine = skylakex_machine();
  const Encoding table = machine.resolve("INST_RETIRED.ANY:u")->front();
  EXPECT_EQ(table.name, "inst_retired.any");
  EXPECT_EQ(table.pmu, "cpu");
  EXPECT_EQ(table.terms(), "event=0xc0,period=2000003");
  EXPECT_EQ(table.modifiers, "u");
  EXPECT_EQ(table.model, "skylakex");
  EXPECT_EQ(table.matched_by, MatchedBy::cpuid);
  EXPECT_EQ(table.source, Source::table);
  EXPECT_EQ(table.desc(), "Retired.");

  const Encoding sysfs = machine.resolve("MYUP")->front();
  EXPECT_EQ(sysfs.name, "myup");
  EXPECT_EQ(sysfs.source, Source::sysfs);
  EXPECT_EQ(sysfs.terms(), "event=0x22");
  EXPECT_EQ(sysfs.model, "");

  const Encoding raw = machine.resolve("cpu/event=0x3c,umask=1,inv/pp")->front();
  EXPECT_EQ(raw.name, "cpu/event=0x3c,umask=1,inv/");
  EXPECT_EQ(raw.terms(), "event=0x3c,umask=0x1,inv");
  EXPECT_EQ(raw.source, Source::raw);
  EXPECT_EQ(raw.modifiers, "pp");

  const Encoding kernel = machine.resolve("cycles:k")->front();
  EXPECT_EQ(kernel.name, "cycles");
  EXPECT_EQ(kernel.pmu, "hardware");
  EXPECT_EQ(kernel.source, Source::kernel);

  EXPECT_EQ(machine.resolve("cpu/event=1,name=mine/")->front().name, "mine");
  EXPECT_EQ(machine.resolve("r1a8")->front().terms(), "event=0xa8,umask=0x1");
}

TEST(Resolver, ScaledCountsHaveAFactorAndAUnit) {
  const Machine machine = skylakex_machine();
  const Encoding e = machine.resolve("llc_misses.mem_read")->front();
  EXPECT_EQ(e.scale, 64.0);
  EXPECT_EQ(e.unit, "Bytes");
}

// The names that perf stat 7.3 prints: the text with its own modifiers, without its
// group's.
TEST(Resolver, KeepsWhatWasWritten) {
  const struct {
    const char* text;
    std::vector<std::string> written;
  } kCases[] = {
      {"inst_retired.any", {"inst_retired.any"}},
      {"INST_RETIRED.ANY:u", {"INST_RETIRED.ANY:u"}},
      {"cpu/inst_retired.any/", {"cpu/inst_retired.any/"}},
      {"cpu/MYUP/u", {"cpu/MYUP/u"}},
      {"{inst_retired.any,Cycles:k}:W", {"inst_retired.any", "Cycles:k"}},
      {"{inst_retired.any:p,r1a8}:u", {"inst_retired.any:p", "r1a8"}},
      {"cpu/event=0x3c,name=mine/u", {"mine"}},
      {"page-faults//u", {"page-faults//u"}},
  };
  const Machine machine = skylakex_machine();
  for (const auto& one : kCases) {
    const auto found = machine.resolve(one.text);
    ASSERT_TRUE(found) << one.text << ": " << found.error().text();
    std::vector<std::string> written;
    for (const Encoding& event : *found) written.push_back(event.written());
    EXPECT_EQ(written, one.written) << one.text;
  }
}

TEST(Resolver, ListsKeepTheirOrder) {
  const Machine machine = skylakex_machine();
  const auto found = machine.resolve("{cycles,inst_retired.any:u}:S,faults");
  ASSERT_TRUE(found);
  ASSERT_EQ(found->size(), 3u);
  EXPECT_EQ((*found)[1].modifiers, "uS");
  EXPECT_EQ((*found)[2].name, "faults");
}

TEST(Resolver, ErrorsSayWhatToDoAboutIt) {
  const Machine machine = skylakex_machine();
  const struct {
    const char* text;
    Errc code;
    const char* message;
    const char* where;
    const char* hint;
  } cases[] = {
      {"cycles,inst_retired.ani", Errc::not_found, "no event 'inst_retired.ani' on skylakex",
       "event text, column 8", "did you mean inst_retired.any?"},
      {"inst_retired", Errc::not_found, "no event 'inst_retired' on skylakex",
       "event text, column 1", "did you mean inst_retired.any?"},
      {"unc_iio_data_req_of_cpu.mem_read.part0", Errc::not_found,
       "unc_iio_data_req_of_cpu.mem_read.part0 is an event of PMU uncore_iio, which this machine "
       "does not have",
       "event text, column 1", ""},
      {"cpu/event=0x1ff/", Errc::out_of_range,
       "value 0x1ff is too big for term 'event' of PMU 'cpu', which has 8 bits",
       "event text, column 5", ""},
      {"cpu/wide/", Errc::out_of_range,
       "value 0x1ff is too big for term 'event' of PMU 'cpu', which has 8 bits",
       "event text, column 1", ""},
      {"r3c/event=1/", Errc::not_found, "term 'event' can't be used on an event without PMU",
       "event text, column 5", "write PMU/term,.../ to use the fields of a PMU"},
      {"inst_retired.any:Q", Errc::invalid_argument,
       "'Q' is not a modifier; the modifiers are ukhpPGHSDIWebRX", "event text, column 18", ""},
      {"cpu/event=1,foo/", Errc::not_found, "'foo' is neither a term nor an event of PMU 'cpu'",
       "event text, column 13", ""},
      {"cpu/event/", Errc::invalid_argument, "term 'event' needs a value: it is 8 bits wide",
       "event text, column 5", ""},
      {"cpu/param/", Errc::invalid_argument, "the event needs a value for its parameter 'umask'",
       "event text, column 1", ""},
      {"uncore_cha_9/event=1/", Errc::not_found, "no PMU or event 'uncore_cha_9' on skylakex",
       "event text, column 1", "did you mean uncore_cha_0, uncore_cha_1f?"},
      {"sched:sched_switch", Errc::unsupported,
       "'sched:sched_switch' is a tracepoint: only the live machine or a recording knows its "
       "number",
       "event text, column 1", ""},
  };
  for (const auto& c : cases) {
    const auto found = machine.resolve(c.text);
    ASSERT_FALSE(found) << c.text;
    EXPECT_EQ(found.error().code, c.code) << c.text;
    EXPECT_EQ(found.error().message, c.message);
    EXPECT_EQ(found.error().where, c.where) << c.text;
    EXPECT_EQ(found.error().hint, c.hint) << c.text;
  }
}

TEST(Resolver, AnyTextEndsInEncodingsOrAnErrorWithAPlace) {
  const Machine machine = skylakex_machine();
  const std::string seeds[] = {"cpu/event=0x3c,umask=0x1/u", "{cycles,LLC-misses:u}:S",
                               "mem:0x1000/2:w:u",           "inst_retired.any/period=10/",
                               "uncore_cb*/clockticks/",     "cpu/param,umask=5,name='a:b',@x=1/"};
  const std::string bytes("/:,={}'@*?[]r0x\0\xff-", 18);
  unsigned random = 1;
  const auto next = [&](std::size_t bound) {
    return (random = random * 1664525u + 1013904223u) / 65536u % bound;
  };
  for (int round = 0; round < 5000; ++round) {
    std::string text = seeds[next(std::size(seeds))];
    for (int edit = 0; edit < 3; ++edit) {
      if (next(3) == 0) text.erase(next(text.size()), 1);
      if (!text.empty()) text[next(text.size())] = bytes[next(bytes.size())];
    }
    const auto found = machine.resolve(text);
    EXPECT_TRUE(found ? !found->empty() : !found.error().where.empty()) << text;
  }
}

// perf-facts 4: bits are ORed, an alias's default can't be lowered, config words are replaced.
TEST(Resolver, WarnsWhereAFieldDoesNotGetTheValueItIsGiven) {
  const struct {
    const char* text;
    const char* warning;
  } cases[] = {
      {"cpu/event=0x3c,event=0x1/", "'event' is given as 0x3c and 0x1: perf ORs that to 0x3d"},
      {"cpu/mem-loads,ldlat=30/", "'ldlat' is given as 0x3 and 0x1e: perf ORs that to 0x1f"},
      {"cpu/mem_trans_retired.load_latency_gt_4,ldlat=3/",
       "'ldlat' is given as 0x4 and 0x3: perf ORs that to 0x7"},
      {"mem-loads/ldlat=30/", "'ldlat' is given as 0x1e and 0x3: perf ORs that to 0x1f"},
      {"cpu/edge=1,edge=0/", "'edge' is given as 0x1 and 0x0: perf ORs that to 0x1"},
      {"cpu/event=1,config1=5,ldlat=8/",
       "'ldlat=0x8' ends up as 0xd: other terms set bits of that field, and perf ORs them"},
      {"cpu/config=0x13c,umask=2/",
       "'umask=0x2' ends up as 0x3: other terms set bits of that field, and perf ORs them"},
      {"cpu/event=-1/", "the sign of '-1' is skipped, as perf does"},
      {"cpu/event=0x3c,period=+0x10/", "the sign of '+0x10' is skipped, as perf does"},
      {"page-faults/period=-9/", "the sign of '-9' is skipped, as perf does"},
      {"cpu/event=1,name=-a/", nullptr},
      {"cpu/event=1,name='x=-1'/", nullptr},
      {"cpu/name='x=-1',event=-1/", "the sign of '-1' is skipped, as perf does"},
      {"cpu/event=0x3c,event=0x3c/", nullptr},
      {"cpu/edge,edge/", nullptr},
      {"cpu/mem-loads,ldlat=7/", nullptr},
      {"cpu/mem-loads,ldlat=3/", nullptr},
      {"cpu/config=1,config=2/", nullptr},
      {"cpu/config=0x100,event=0x3c/", nullptr},
      {"cpu/param,umask=5/", nullptr},
      {"cpu/inst_retired.any,period=5,period=6/", nullptr},
      {"inst_retired.any", nullptr},
  };
  const Machine machine = skylakex_machine();
  for (const auto& c : cases) {
    const auto found = machine.resolve(c.text);
    ASSERT_TRUE(found) << c.text << ": " << found.error().text();
    std::vector<std::string> expected;
    if (c.warning != nullptr) expected.push_back(c.warning);
    const auto warnings = found->front().warnings();
    EXPECT_EQ(std::vector(warnings.begin(), warnings.end()), expected) << c.text;
  }
}

// arch/powerpc/perf: the field `event` holds all others.
TEST(Resolver, DoesNotWarnOfAFieldThatRefinesAWiderOne) {
  std::vector<pmu::Pmu> pmus = skylakex_pmus();
  pmus.push_back(make_pmu("power", 9, {{"event", "config:0-51"}, {"pmc", "config:16-19"}},
                          {{"pm_cyc", "event=0x1e"}, {"pm_two", "event=0x2001e"}}));
  const Machine machine = make_machine(skylakex_tables(), 0, std::move(pmus));
  const auto warnings = [&](const char* text) {
    const auto found = machine.resolve(text);
    const auto sentences = found->front().warnings();
    return std::vector(sentences.begin(), sentences.end());
  };
  EXPECT_TRUE(warnings("power/pm_cyc,pmc=1/").empty());
  EXPECT_EQ(warnings("power/pm_two,pmc=1/").size(), 1u);
  EXPECT_EQ(warnings("power/pm_cyc,event=0x3c/").size(), 1u);
}

// perf-facts 4: PMUs with a default configuration.
TEST(Resolver, AValueReplacesItsFieldWherePerfHasDefaults) {
  std::vector<pmu::Pmu> pmus = skylakex_pmus();
  pmus.push_back(make_pmu("intel_pt", 9, {{"psb_period", "config:24-27"}}));
  const Machine machine = make_machine(skylakex_tables(), 0, std::move(pmus));
  const auto found = machine.resolve("intel_pt/psb_period=5,psb_period=2/");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->front().code.config[0], 0x2000000u);
  EXPECT_TRUE(found->front().warnings().empty());
}

// A table of a unit and one of its instance serve the same PMU; lists of a model are in the order
// of their names, PMUs in perf's.
TEST(Resolver, HasOneAnswerForEachPmuWhateverTheNumberOfTables) {
  EventTables tables("x86");
  tables.add_model("skylakex", {{.pmu = "uncore_cha", .name = "both", .terms = "event=1"},
                                {.pmu = "uncore_cha_0", .name = "both", .terms = "event=2"},
                                {.pmu = "uncore_cha", .name = "across", .terms = "event=3"},
                                {.pmu = "uncore_imc", .name = "across", .terms = "event=4"},
                                {.pmu = "uncore_cbox", .name = "across", .terms = "event=5"}});
  const Machine machine = make_machine(tables, 0, skylakex_pmus());
  const auto answers = [&](const char* name) {
    std::string out;
    const std::vector<Encoding> found = machine.resolve(name).value();
    for (const Encoding& e : found) out += fmt::format("{} {:#x}, ", e.pmu, e.code.config[0]);
    return out;
  };
  EXPECT_EQ(answers("both"), "uncore_cha_0 0x1, ");
  EXPECT_EQ(answers("across"),
            "uncore_cbox_0 0x5, uncore_cbox_1 0x5, uncore_cha_0 0x3, uncore_imc_0 0x4, ");
}

TEST(Resolver, TwoEventsInOneAreNamed) {
  const Machine machine = skylakex_machine();
  const auto found = machine.resolve("cpu/inst_retired.any,cpu_clk_unhalted.thread/");
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().message,
            "'inst_retired.any' and 'cpu_clk_unhalted.thread' are both events: only one can be "
            "counted at a time");
}

// Period, precision and what is excluded are the caller's policy; the table's period is an offer.
TEST(Resolver, SetsBitsOnlyWhereTheTextAsksForThem) {
  const char* kPlain[] = {"inst_retired.any", "cycles",
                          "cpu/event=0x3c/",  "r3c",
                          "mem-loads",        "{cycles,inst_retired.any}"};
  const Machine machine = skylakex_machine();
  for (const char* text : kPlain) {
    const auto encodings = machine.resolve(text);
    for (const Encoding& e : *encodings) EXPECT_EQ(e.bits, AttrBits{}) << text;
    Encoding buffer[2];
    ASSERT_TRUE(machine.resolve(text, buffer)) << text;
    EXPECT_EQ(buffer[0].bits, AttrBits{}) << text;
  }
  EXPECT_EQ(machine.resolve("inst_retired.any:pp")->front().bits.precise_ip, 2);
  EXPECT_TRUE(machine.resolve("{cycles,inst_retired.any}:u")->back().bits.exclude_kernel);
}

}  // namespace
}  // namespace evname::test
