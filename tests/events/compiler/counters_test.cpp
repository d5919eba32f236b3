// Which counters can count an event, and how many there are: from topic files into the tables.
#include <fmt/format.h>

#include "tree_fixture.hpp"

namespace evname::compiler {
namespace {

class CounterFacts : public TreeTest {
 protected:
  /// "NAME generic fixed" of every event of the model; "any" for all that the PMU has.
  Strings sets() {
    const tables::ArchTables view = build().view();
    Strings out;
    for (const std::uint32_t entry : view.entries) {
      const tables::Event& event = view.events[tables::event_of(entry)];
      const tables::Counters& c = view.counters[tables::counters_of(entry)];
      const std::string generic =
          c.generic == tables::kAnyCounter ? "any" : fmt::format("{:#x}", c.generic);
      out.push_back(fmt::format("{} {} {:#x}", view.text(event.name), generic, c.fixed));
    }
    return out;
  }

  /// "PMU generic+fixed"
  Strings numbers() {
    const tables::ArchTables view = build().view();
    Strings out;
    for (const tables::PmuEvents& pmu : view.pmus)
      out.push_back(
          fmt::format("{} {}+{}", view.text(pmu.pmu), pmu.generic_counters, pmu.fixed_counters));
    return out;
  }
};

TEST_F(CounterFacts, AreSetsOfCounters) {
  dir_.write("a/m/counter.json",
             R"([{"Unit":"core","CountersNumFixed":"3","CountersNumGeneric":"4"}])");
  topic(R"([{"EventName":"A","EventCode":"1","Counter":"0,1,2,3"},
            {"EventName":"B","EventCode":"2","Counter":"1"},
            {"EventName":"C","EventCode":"3","Counter":"2, 3"},
            {"EventName":"D","EventCode":"4","Counter":"0,1,2,3,4,5,6,7"},
            {"EventName":"E","EventCode":"5"},
            {"EventName":"F","EventCode":"6","Counter":"37"}])");
  EXPECT_EQ(sets(), (Strings{"a any 0x0", "b 0x2 0x0", "c 0xc 0x0", "d any 0x0", "e 0x0 0x0",
                             "f 0x0 0x20"}));
  EXPECT_EQ(said(), Strings{});
}

// arch/x86/events/intel/core.c: codes that begin with event 0 are not extended to other counters.
TEST_F(CounterFacts, FixedCountersAreForAlone_OnlyWhatHasNoCodeOfItsOwn) {
  topic(R"([{"EventName":"INST_RETIRED.ANY","UMask":"1","Counter":"Fixed counter 0"},
            {"EventName":"REF_TSC","UMask":"3","Counter":"Fixed counter 2"},
            {"EventName":"X","EventCode":"7","Counter":"0,1"},
            {"EventName":"CLOCK","EventCode":"0xff","Unit":"iMC","Counter":"FIXED"}])");
  EXPECT_EQ(sets(),
            (Strings{"inst_retired.any any 0x1", "ref_tsc 0x0 0x4", "x any 0x0", "clock 0x0 0x1"}));
  EXPECT_EQ(numbers(), (Strings{"default_core 2+3", "uncore_imc 0+1"}));
}

TEST_F(CounterFacts, CountersOfOtherUnitsGoBeyondThirtyTwo) {
  topic(R"([{"EventName":"A","Unit":"CHA","Counter":"40"}])");
  EXPECT_EQ(sets(), Strings{"a 0x10000000000 0x0"});
}

TEST_F(CounterFacts, NumbersOfCountersComeFromCounterJsonElseFromTheEvents) {
  dir_.write("a/m/counter.json",
             R"([{"Unit":"core","CountersNumFixed":"3","CountersNumGeneric":"8"},
                 {"Unit":"CHA","CountersNumFixed":0,"CountersNumGeneric":4}])");
  topic(R"([{"EventName":"A","EventCode":"1","Counter":"0,1,2,3"},
            {"EventName":"B","Unit":"CHA","Counter":"0"},
            {"EventName":"C","Unit":"iMC","Counter":"0,1,2,3,4"},
            {"EventName":"D","Unit":"IIO"}])");
  EXPECT_EQ(numbers(),
            (Strings{"default_core 8+3", "uncore_cha 4+0", "uncore_iio 0+0", "uncore_imc 5+0"}));
}

TEST_F(CounterFacts, MalformedOnesAreWarnedOfAndLeftOut) {
  dir_.write("a/m/counter.json",
             "[\n{\"Unit\":\"core\",\"CountersNumFixed\":\"3\",\"CountersNumGeneric\":\"many\"}]");
  topic(
      "[{\"EventName\":\"A\",\"Counter\":\"0,x\"},\n"
      "{\"EventName\":\"B\",\"Counter\":\"64\"},\n"
      "{\"EventName\":\"C\",\"Counter\":\"Fixed counter x\"},\n"
      "{\"EventName\":\"D\",\"Counter\":\"0,,1\"}]");
  EXPECT_EQ(sets(), (Strings{"a 0x0 0x0", "b 0x0 0x0", "c 0x0 0x0", "d 0x0 0x0"}));
  const char* rest = "is neither a list of counters (0 to 63) nor a fixed counter; left out";
  EXPECT_EQ(said(),
            (Strings{"counter.json:2: warning: core: CountersNumGeneric: 'many' is not a number of "
                     "counters (at most 64); left out",
                     fmt::format("topic.json:1: warning: A: Counter: '0,x' {}", rest),
                     fmt::format("topic.json:2: warning: B: Counter: '64' {}", rest),
                     fmt::format("topic.json:3: warning: C: Counter: 'Fixed counter x' {}", rest),
                     fmt::format("topic.json:4: warning: D: Counter: '0,,1' {}", rest)}));
  EXPECT_EQ(numbers(), Strings{"default_core 0+0"});
}

TEST_F(CounterFacts, MoreDistinctSetsThanTheTablesHoldAreLeftOut) {
  std::string json = "[";
  for (int i = 0; i < 260; ++i)
    json += fmt::format("{}{{\"EventName\":\"E{:03}\",\"Counter\":\"{},{}\"}}", i ? "," : "", i,
                        i % 30, i / 30 + 30);
  topic(json + "]");
  const Strings all = sets();
  EXPECT_NE(all[254], "e254 0x0 0x0");
  EXPECT_EQ(all[255], "e255 0x0 0x0");
  EXPECT_EQ(said().size(), 5u);
  EXPECT_EQ(
      said().front(),
      "topic.json:1: warning: e255: Counter: more than 255 distinct sets of counters; left out");
}

TEST_F(CounterFacts, ThatAreNotStatedAreNone) {
  const struct {
    const char *numbers, *expected;
  } cases[] = {{R"("CountersNumGeneric":"8")", "default_core 8+0"},
               {R"("CountersNumFixed":"3")", "default_core 0+3"},
               {R"("CountersNumGeneric":"64","CountersNumFixed":"64")", "default_core 64+64"},
               {R"("CountersNumGeneric":"65","CountersNumFixed":"1")", "default_core 0+0"},
               {R"("CountersNumGeneric":" 4 ","CountersNumFixed":"0")", "default_core 4+0"},
               {R"("Other":"1")", "default_core 0+0"}};
  topic(R"([{"EventName":"A","EventCode":"1"}])");
  for (const auto& c : cases) {
    dir_.write("a/m/counter.json", std::string(R"([{"Unit":"core",)") + c.numbers + "}]");
    EXPECT_EQ(numbers(), Strings{c.expected}) << c.numbers;
  }
}

// Spellings of Intel's files.
TEST_F(CounterFacts, AreReadInEachSpelling) {
  const struct {
    const char *text, *set;
  } cases[] = {{"0", "0x1 0x0"},
               {" 0 , 3 ", "0x9 0x0"},
               {"31", "0x80000000 0x0"},
               {"32", "0x0 0x1"},
               {"63", "0x0 0x80000000"},
               {"64", "0x0 0x0"},
               {"fixed", "0x0 0x1"},
               {"FIXED COUNTER 3", "0x0 0x8"},
               {"Fixed counter 63", "0x0 0x8000000000000000"},
               {"Fixed counter 64", "0x0 0x0"},
               {"fixed 2", "0x0 0x4"},
               {"counter 2", "0x0 0x0"},
               {"", "0x0 0x0"},
               {" ", "0x0 0x0"}};
  for (const auto& c : cases) {
    dir_.write("a/m/counter.json",
               R"([{"Unit":"core","CountersNumGeneric":"64","CountersNumFixed":"64"}])");
    topic(std::string(R"([{"EventName":"A","UMask":"1","Counter":")") + c.text + "\"}]");
    EXPECT_EQ(sets(), Strings{std::string("a ") + c.set}) << c.text;
  }
}

}  // namespace
}  // namespace evname::compiler
