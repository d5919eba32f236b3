// What the recorder refuses before it opens anything, and the words of branch types, whose bits are
// those of include/uapi/linux/perf_event.h.

#include "evname/recorder.hpp"

#include <gtest/gtest.h>

#include "support/temp_dir.hpp"

namespace evname::test {
namespace {

TEST(RecorderRefusals, TracesOfAuxPmusNameWhatRecordsThem) {
  TempDir tree;
  for (const char* pmu : {"intel_pt", "arm_spe_0", "cs_etm", "hisi_ptt2_0", "intel_bts"}) {
    const std::string at = std::string("bus/event_source/devices/") + pmu;
    tree.write(at + "/type", "8\n");
    tree.write(at + "/format/first", "config:0\n");
  }
  tree.write("bus/event_source/devices/cpu/type", "4\n");
  const auto machine = Machine::named("GenuineIntel-6-55-4", tree.path());
  ASSERT_TRUE(machine) << machine.error().text();
  for (const std::string pmu : {"intel_pt", "arm_spe_0", "cs_etm", "hisi_ptt2_0", "intel_bts"}) {
    SCOPED_TRACE(pmu);
    const auto events = machine->resolve(pmu + "/first/");
    ASSERT_TRUE(events) << events.error().text();
    const auto recorder = Recorder::open(*machine, *events);
    ASSERT_FALSE(recorder);
    EXPECT_EQ(recorder.error().code, Errc::unsupported);
    EXPECT_NE(recorder.error().message.find(pmu + "/first/"), std::string::npos);
    EXPECT_NE(recorder.error().message.find("trace"), std::string::npos);
    EXPECT_NE(recorder.error().hint.find("perf record -e " + pmu + "/first/"), std::string::npos);
  }
}

TEST(RecorderRefusals, ValuesOfAnEventsOwnTerms) {
  TempDir tree;
  tree.write("bus/event_source/devices/software/type", "1\n");
  const auto machine = Machine::named("GenuineIntel-6-55-4", tree.path());
  ASSERT_TRUE(machine);
  for (const char* text : {"cpu-clock/call-graph=up/", "cpu-clock/stack-size=7/",
                           "cpu-clock/call-graph=dwarf,stack-size=65536/"}) {
    SCOPED_TRACE(text);
    const auto events = machine->resolve(text);
    ASSERT_TRUE(events) << events.error().text();
    const auto recorder = Recorder::open(*machine, *events);
    ASSERT_FALSE(recorder);
    EXPECT_EQ(recorder.error().code, Errc::invalid_argument);
  }
  EXPECT_FALSE(Recorder::open(*machine, {}));
}

TEST(BranchTypes, AreThoseOfPerfRecord) {
  const std::pair<const char*, std::uint64_t> cases[] = {{"any", 0x8},
                                                         {"any,u", 0x9},
                                                         {"u", 0x9},  // without a type, any
                                                         {"any_call,k", 0x12},
                                                         {"any_ret", 0x20},
                                                         {"ind_call", 0x40},
                                                         {"abort_tx", 0x80},
                                                         {"in_tx", 0x100},
                                                         {"no_tx", 0x200},
                                                         {"cond", 0x400},
                                                         {"stack", 0x800},
                                                         {"ind_jmp", 0x1000},
                                                         {"call", 0x2000},
                                                         {"no_flags,any", 0x4008},
                                                         {"no_cycles,any", 0x8008},
                                                         {"save_type,any", 0x10008},
                                                         {"hw_index,any", 0x20008}};
  for (const auto& [words, bits] : cases) {
    const auto types = parse_branch_types(words);
    ASSERT_TRUE(types) << words;
    EXPECT_EQ(*types, bits) << words;
  }
  for (const char* words : {"any,", "", "any,x", "ANY", "any u"}) {
    const auto types = parse_branch_types(words);
    EXPECT_FALSE(types) << words;
  }
}

}  // namespace
}  // namespace evname::test
