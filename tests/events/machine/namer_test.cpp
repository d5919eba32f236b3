#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <random>

#include "events/machine/code_lists.hpp"
#include "evname/attr.hpp"
#include "support/fake_machine.hpp"

namespace evname::test {
namespace {

const EventTables& tables() {
  static const EventTables* const kTables = [] {
    auto* tables = new EventTables("x86");
    tables->add_model(
        "toy", {
                   {.name = "long_name", .terms = "event=0x10,umask=1,period=5"},
                   {.name = "name_b", .terms = "event=0x10,umask=1"},
                   {.name = "name_a", .terms = "event=0x10,umask=1"},
                   {.name = "old", .terms = "event=0x10,umask=1", .flags = tables::kDeprecated},
                   {.name = "stalls", .terms = "event=0x20,cmask=1"},
                   {.name = "base", .terms = "event=0x20"},
                   {.name = "load_gt_4", .terms = "event=0xcd,umask=1,ldlat=4"},
                   {.name = "offcore", .terms = "event=0xb7,umask=1,offcore_rsp=5"},
                   {.name = "broken", .terms = "event=0x1ff"},
                   {.name = "two_less", .terms = "event=0x30,inv=1"},
                   {.name = "one_less", .terms = "event=0x30,cmask=1,edge=1"},
                   {.pmu = "uncore_cha", .name = "unc", .terms = "event=0x1"},
               });
    return tables;
  }();
  return *kTables;
}

Machine toy() {
  std::vector<pmu::Pmu> pmus = skylakex_pmus();
  return make_machine(tables(), 0, std::move(pmus));
}

CodeNames names(std::uint32_t type, std::uint64_t config, std::uint64_t config1 = 0) {
  return toy().names_of(make_code(type, {config, config1}));
}

using Names = std::vector<std::string>;

TEST(Namer, NamesCurrentBeforeDeprecatedThenShortThenAlphabetical) {
  const CodeNames found = names(4, 0x110);
  EXPECT_EQ(found.names, (Names{"name_a", "name_b", "long_name", "old"}));
  EXPECT_TRUE(found.exact);
  EXPECT_EQ(found.qualifiers, "");
  EXPECT_EQ(found.pmu, "cpu");
  EXPECT_EQ(found.terms, "event=0x10,umask=0x1");
}

TEST(NearCodes, HaveTheSameEventAndDifferInFewBits) {
  std::string found;
  for (const machine::NearCode& near : machine::near_codes(toy(), "cpu", make_code(4, {0x0310})))
    found += near.name + ' ' + near.terms + '\n';
  EXPECT_EQ(found,
            "long_name event=0x10,umask=0x1\nname_a event=0x10,umask=0x1\n"
            "name_b event=0x10,umask=0x1\nold event=0x10,umask=0x1\n");  // the deprecated one last
  const auto nearest = machine::near_codes(toy(), "cpu", make_code(4, {0x120}), 1);
  ASSERT_EQ(nearest.size(), 1u);
  EXPECT_EQ(nearest[0].name, "base");
  EXPECT_TRUE(machine::near_codes(toy(), "cpu", make_code(4, {0x0377})).empty());
  EXPECT_TRUE(machine::near_codes(toy(), "cpu", make_code(4, {0x0300})).empty());
  EXPECT_TRUE(machine::near_codes(toy(), "no_such_pmu", make_code(4, {0x0310})).empty());
}

TEST(Namer, QualifiersThatTheEventHasItselfStayInItsName) {
  EXPECT_EQ(names(4, 0x01000020).names, Names{"stalls"});
  const CodeNames inverted = names(4, 0x01800020);
  EXPECT_EQ(inverted.names, Names{"stalls"});
  EXPECT_FALSE(inverted.exact);
  EXPECT_EQ(inverted.qualifiers, "inv=1");
  EXPECT_EQ(inverted.terms, "event=0x20,cmask=0x1,inv=1");
}

TEST(Namer, QualifiersAreSpelledOutBesideTheBaseName) {
  const CodeNames found = names(4, 0x02840020);
  EXPECT_EQ(found.names, Names{"base"});
  EXPECT_FALSE(found.exact);
  EXPECT_EQ(found.qualifiers, "cmask=0x2,edge=1,inv=1");
}

TEST(Namer, TheNameWithTheFewestQualifiersWins) {
  const CodeNames found = names(4, 0x01840030);
  EXPECT_EQ(found.names, Names{"one_less"});
  EXPECT_EQ(found.qualifiers, "inv=1");
  EXPECT_EQ(names(4, 0x01800030).names, Names{"two_less"});
  EXPECT_EQ(names(4, 0x01800030).qualifiers, "cmask=0x1");
  EXPECT_EQ(found.text(), "one_less with inv=1");
  EXPECT_EQ(names(4, 0x110).text(), "name_a");
  EXPECT_EQ(names(4, 0x111).text(), "cpu/event=0x11,umask=0x1/");
}

TEST(Namer, NothingIsGuessed) {
  EXPECT_TRUE(names(4, 0x111).names.empty());
  EXPECT_EQ(names(4, 0x111).terms, "event=0x11,umask=0x1");
  EXPECT_TRUE(names(4, 0x1cd, 0x5).names.empty());    // another latency is another event
  EXPECT_TRUE(names(4, 0x110, 0x1).names.empty());    // config1 counts
  EXPECT_TRUE(names(4, 0x1000000110).names.empty());  // a bit outside of all fields
  EXPECT_EQ(names(4, 0x1000000110).terms, "config=0x1000000110");
}

TEST(Namer, OverlappingFieldsAreTakenFromTheEventOrNotAtAll) {
  EXPECT_EQ(names(4, 0x1cd, 4).names, Names{"load_gt_4"});
  EXPECT_EQ(names(4, 0x1cd, 4).terms, "event=0xcd,umask=0x1,ldlat=0x4");
  EXPECT_EQ(names(4, 0x1b7, 5).terms, "event=0xb7,umask=0x1,offcore_rsp=0x5");
  EXPECT_EQ(names(4, 0x1b7, 6).terms, "event=0xb7,umask=0x1,offcore_rsp=0x6");  // as its kind has
  EXPECT_EQ(names(4, 0x110, 6).terms, "event=0x10,umask=0x1,config1=0x6");
}

TEST(Namer, SysfsEventsAreNamedToo) {
  EXPECT_EQ(names(4, 0x22).names, Names{"myup"});
  EXPECT_EQ(names(4, 0x1cd, 3).names, Names{"mem-loads"});
  EXPECT_EQ(names(21, 0xff).names, Names{"clockticks"});
  EXPECT_TRUE(names(4, 0x33).names.empty());  // MixedCase can't be asked for
}

TEST(Namer, ATableEventTakesThePlaceOfTheSysfsEventOfItsName) {
  const Machine machine = skylakex_machine();
  EXPECT_EQ(machine.names_of(make_code(4, {0xc0})).names,
            (Names{"inst_retired.any", "instructions"}));
  EXPECT_TRUE(machine.names_of(make_code(4, {0x11})).names.empty());
}

TEST(Namer, TheTypeChoosesThePmu) {
  EXPECT_EQ(names(24, 1).names, Names{"unc"});
  EXPECT_EQ(names(24, 1).pmu, "uncore_cha_0");
  EXPECT_TRUE(names(25, 1).names.empty());
  const CodeNames unknown = names(99, 0x1ff, 3);
  EXPECT_TRUE(unknown.names.empty());
  EXPECT_EQ(unknown.pmu, "");
  EXPECT_EQ(unknown.terms, "config=0x1ff,config1=0x3");
}

TEST(Namer, CodesWithoutANameHaveTheirPmuAndTheirWords) {
  const CodeNames raw = toy().names_of(make_code(99, {0x63, 0x7}));
  EXPECT_EQ(raw.terms, "config=0x63,config1=0x7");
  EXPECT_FALSE(raw.exact);
  const CodeNames software = toy().names_of(make_code(1, {99}));
  EXPECT_EQ(software.pmu, "software");
  EXPECT_TRUE(software.names.empty());
  const CodeNames tracepoint = toy().names_of(make_code(2, {99}));
  EXPECT_EQ(tracepoint.pmu, "tracepoint");
  EXPECT_EQ(tracepoint.terms, "config=0x63");
  const CodeNames unknown = toy().names_of("no_such_pmu", make_code(0, {0x63, 0x7}));
  EXPECT_EQ(unknown.pmu, "no_such_pmu");
  EXPECT_EQ(unknown.terms, "config=0x63,config1=0x7");
}

TEST(Namer, GenericTypesHaveTheNamesOfTheKernel) {
  EXPECT_EQ(names(0, 0).names, (Names{"cycles", "cpu-cycles"}));
  EXPECT_EQ(names(0, 0).pmu, "hardware");
  EXPECT_EQ(names(0, (4ull << 32) | 1).pmu, "hardware");  // one core PMU: no type belongs there
  EXPECT_TRUE(names(0, (77ull << 32) | 1).names.empty());
  EXPECT_TRUE(names(3, (77ull << 32) | 0x10002).names.empty());
  EXPECT_EQ(names(1, 2).names.front(), "page-faults");
  EXPECT_EQ(names(3, 0x10002).names, Names{"LLC-load-misses"});
  EXPECT_TRUE(names(2, 123).names.empty());
}

TEST(Namer, NameOfGivesTextThatResolvesToTheSameCode) {
  const Machine machine = toy();
  const struct {
    std::uint32_t type;
    std::uint64_t config, config1;
    const char* text;
  } cases[] = {
      {4, 0x110, 0, "name_a"},
      {4, 0x01800020, 0, "cpu/stalls,inv=1/"},
      {4, 0x111, 0, "cpu/event=0x11,umask=0x1/"},
      {4, 0xc0, 0, "instructions"},
      {4, 0x1b7, 6, "cpu/event=0xb7,umask=0x1,offcore_rsp=0x6/"},
      {4, 0x110, 6, "cpu/event=0x10,umask=0x1,config1=0x6/"},
      {4, 0x1cd, 7, "cpu/mem-loads,ldlat=0x7/"},
      {24, 1, 0, "unc"},
      {0, 3, 0, "cache-misses"},
      {0, 0x17, 0, "0:0x17"},
      {99, 0x1ff, 3, "99:0x1ff/config1=0x3/"},
      {99, 0x1ff, 0, "99:0x1ff"},
      {3, 0x10002, 0, "LLC-load-misses"},
  };
  for (const auto& c : cases) {
    Encoding encoding;
    encoding.code = make_code(c.type, {c.config, c.config1});
    EXPECT_EQ(machine.name_of(encoding), c.text);
    const auto back = machine.resolve(c.text);
    ASSERT_TRUE(back) << c.text << back.error().text();
    EXPECT_EQ(back->front().code.type, c.type) << c.text;
    EXPECT_EQ(back->front().code.config[0], c.config) << c.text;
    EXPECT_EQ(back->front().code.config[1], c.config1) << c.text;
  }
}

TEST(Namer, ACodeWithoutTypeIsNamedByItsPmu) {
  Encoding encoding;
  encoding.pmu = "uncore_cha";
  encoding.code.config[0] = 1;
  std::vector<pmu::Pmu> pmus;
  pmus.push_back(make_pmu("uncore_cha", std::nullopt, {{"event", "config:0-7"}}));
  pmus.back().is_uncore = true;
  EXPECT_EQ(make_machine(tables(), 0, std::move(pmus)).name_of(encoding), "unc");
}

// 0x5302c2 is what IA32_PERFEVTSEL0 holds while UOPS_RETIRED.RETIRE_SLOTS (C2H, 02H) is counted in
// both rings, with interrupt and enable bits (Intel SDM vol. 3, 20.2.1.1).
TEST(Namer, CodesCopiedFromTheRegisterAreNamedWithItsControlBits) {
  const auto machine = Machine::named("skylakex");
  if (!machine) GTEST_SKIP() << "no tables are built in";
  const CodeNames names = machine->names_of("cpu", make_code(4, {0x5302c2}));
  ASSERT_FALSE(names.names.empty());
  EXPECT_EQ(names.names.front(), "uops_retired.retire_slots");
  EXPECT_FALSE(names.exact);
  EXPECT_EQ(names.qualifiers, "config=0x530000");
}

/// Codes that are near what machines count, and some that are not.
class Codes {
 public:
  explicit Codes(const Machine& machine) : known_(machine::event_codes(machine)) {}

  Encoding next() {
    Encoding e;
    const std::uint64_t kind = random() % 8;
    if (kind < 2 || known_.empty()) {
      constexpr std::uint32_t kTypes[] = {0, 1, 2, 3, 4, 5, 8, 9, 10, 11, 24, kTypeTool};
      e.code = make_code(kTypes[random() % std::size(kTypes)], {random() >> random() % 64});
      if (random() % 4 == 0) e.code.config[0] |= std::uint64_t{4 + random() % 8} << 32;
      if (random() % 8 == 0) e.code.config[1 + random() % 4] = random() >> random() % 64;
    } else {
      const machine::EventCode& event = known_[random() % known_.size()];
      e.pmu = event.pmu;
      if (event.code) e.code = *event.code;
      if (kind > 4) e.code.config[random() % 2] ^= std::uint64_t{1} << random() % 64;
      if (kind > 6) e.code.config[0] |= 0x410000;
    }
    return e;
  }

 private:
  std::uint64_t random() { return random_(); }

  std::vector<machine::EventCode> known_;
  std::mt19937_64 random_{1};
};

bool is_back(const Machine& machine, const Encoding& wanted, const std::string& text) {
  const auto found = machine.resolve(text);
  return found && !found->empty() &&
         std::all_of(
             found->begin(), found->end(),
             [&](const Encoding& e) { return words_of(e.code) == words_of(wanted.code); }) &&
         std::any_of(found->begin(), found->end(), [&](const Encoding& e) {
           return wanted.code.has_type ? is_type(e.code, wanted.code.type) : e.pmu == wanted.pmu;
         });
}

// EVNAME_NAMED_CODES: how many codes of each machine.
TEST(Namer, EveryAnswerResolvesToTheWordsThatWereAskedAbout) {
  const char* count = std::getenv("EVNAME_NAMED_CODES");
  const long codes = count != nullptr ? std::atol(count) : 20000;
  for (const char* cpu : {"skylakex", "alderlake", "amdzen4", "arm/neoverse-n1", "skylake",
                          "icelakex", "arrowlake", "power9"}) {
    const auto machine = Machine::named(cpu);
    if (!machine) continue;
    Codes random(*machine);
    for (long i = 0; i < codes; ++i) {
      const Encoding wanted = random.next();
      const std::string text = machine->name_of(wanted);
      ASSERT_TRUE(is_back(*machine, wanted, text))
          << cpu << ": " << wanted.pmu << ' ' << wanted.code.type << ':' << std::hex
          << wanted.code.config[0] << ',' << wanted.code.config[1] << " is " << text;
    }
  }
}

// perf reads and writes are both meant if no access is stated.
TEST(Namer, BreakpointsHaveTheirAccess) {
  const Machine machine = skylakex_machine();
  for (const auto& [text, name] : {std::pair{"mem:0x1000/4", "mem:0x1000/4"},
                                   {"mem:0x1000/4:rw", "mem:0x1000/4"},
                                   {"mem:0x1000/4:r", "mem:0x1000/4:r"},
                                   {"mem:0x1000/2:w", "mem:0x1000/2:w"},
                                   {"mem:0x1000/8:x", "mem:0x1000/8:x"},
                                   {"mem:0x1000/1:wr", "mem:0x1000/1"},
                                   {"mem:0x1000", "mem:0x1000/4"},
                                   {"mem:0x1000:x", "mem:0x1000/8:x"}}) {
    const auto found = machine.resolve(text);
    ASSERT_TRUE(found) << text;
    EXPECT_EQ(machine.name_of(found->front()), name) << text;
  }
  Encoding without_access = machine.resolve("mem:0x1000/4:x")->front();
  without_access.bp_type = 0;
  EXPECT_EQ(machine.name_of(without_access), "mem:0x1000/4");
  EXPECT_EQ(machine.name_of(machine.resolve("0:0/config2=5/")->front()), "0:0x0/config2=0x5/");
}

// A driver's PMU that a model may have, but that no file of this machine mentions.
TEST(Namer, EventsOfPossiblePmusAreNamed) {
  const auto machine = Machine::named("kunpeng920");
  if (!machine) GTEST_SKIP() << "no tables are built in";
  // drivers/perf/hisilicon/hisi_uncore_ddrc_pmu.c: flux_rd is 1.
  const CodeNames known = machine->names_of("hisi_sccl1_ddrc0", make_code(0, {0x1}));
  EXPECT_NE(std::ranges::count(known.names, "flux_rd"), 0);
  EXPECT_TRUE(known.exact);
  const CodeNames unknown = machine->names_of("hisi_sccl1_ddrc0", make_code(0, {0xfe}));
  EXPECT_TRUE(unknown.names.empty());
  EXPECT_FALSE(unknown.exact);
}

// The driver counts the event of the other bits.
TEST(Namer, BitsThatTheDriverClearsAreWarnedOf) {
  std::vector<pmu::Pmu> pmus = skylakex_pmus();
  pmus.front().cleared_bits = 0x100;
  const Machine machine = make_machine(tables(), 0, std::move(pmus));
  const Names warning = {
      "the kernel's driver of cpu clears 0x100 of config 0x110, and 0x10 counts another event"};
  for (const char* text : {"name_a", "cpu/name_a/", "cpu/event=0x10,umask=1/"}) {
    const auto found = machine.resolve(text);
    ASSERT_TRUE(found) << text;
    EXPECT_EQ(Names(found->front().warnings().begin(), found->front().warnings().end()), warning)
        << text;
  }
  EXPECT_TRUE(machine.resolve("base")->front().warnings().empty());
}

// Only the machine knows the number of cpu_atom, which generic codes of it hold.
TEST(Namer, OfflineACodeThatNeedsThePmusNumberIsNotMadeUp) {
  const auto machine = Machine::named("alderlake");
  if (!machine) GTEST_SKIP() << "no tables are built in";
  for (const char* text : {"LLC-loads", "cpu_atom/LLC-loads/", "cpu_atom/LLC-loads,period=5/"}) {
    const auto found = machine->resolve(text);
    ASSERT_TRUE(found) << text;
    const auto atom = std::find_if(found->begin(), found->end(),
                                   [](const Encoding& e) { return e.pmu == "cpu_atom"; });
    ASSERT_NE(atom, found->end()) << text;
    EXPECT_FALSE(atom->code.has_type) << text;
    EXPECT_FALSE(atom->warnings().empty()) << text;
    EXPECT_EQ(machine->name_of(*atom).substr(0, 16), "cpu_atom/legacy-") << text;
  }
  const auto both = machine->resolve("cycles");
  ASSERT_EQ(both->size(), 2u);
  for (const Encoding& e : *both) {
    EXPECT_EQ(e.name, std::string(e.pmu) + "/cycles/");
    EXPECT_TRUE(e.has_config());
    EXPECT_EQ(e.code.config[0], 0x3cu);  // intel_perfmon_event_map of intel/core.c
    EXPECT_TRUE(e.warnings().empty());
  }
}

}  // namespace
}  // namespace evname::test
