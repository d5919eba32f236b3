// Resolving into a buffer, and the best name alone: the same answers as with texts.

#include <gtest/gtest.h>

#include <algorithm>

#include "evname/machine.hpp"
#include "support/built_models.hpp"
#include "support/temp_dir.hpp"

namespace evname {
namespace {

void expect_same(const Encoding& one, const Encoding& other) {
  EXPECT_EQ(one.pmu, other.pmu);
  EXPECT_EQ(one.code.type, other.code.type);
  EXPECT_EQ(one.code.has_type, other.code.has_type);
  EXPECT_EQ(words_of(one.code), words_of(other.code));
  EXPECT_EQ(one.bp_type, other.bp_type);
  EXPECT_EQ(one.period, other.period);
  EXPECT_EQ(one.bits, other.bits);
  EXPECT_EQ(one.modifiers, other.modifiers);
  EXPECT_EQ(one.leader, other.leader);
  EXPECT_EQ(one.name, other.name);
  EXPECT_EQ(one.terms(), other.terms());
}

void compare(const Machine& machine, const std::string& text) {
  SCOPED_TRACE(text);
  std::vector<Encoding> buffer(100);
  const auto count = machine.resolve(text, buffer);
  const auto encodings = machine.resolve(text);
  ASSERT_EQ(count.has_value(), encodings.has_value());
  if (!count) {
    EXPECT_EQ(count.error().text(), encodings.error().text());
    return;
  }
  ASSERT_EQ(*count, encodings->size());
  for (std::size_t i = 0; i < std::min(*count, buffer.size()); ++i)
    expect_same(buffer[i], (*encodings)[i]);
}

TEST(ResolveIntoBuffer, EveryEventOfEveryModelIsAsWithTexts) {
  for (const tables::ModelView& view : test::built_models(tables::kStandard)) {
    const auto machine =
        Machine::named(std::string(view.arch().arch) + "/" + std::string(view.name()));
    ASSERT_TRUE(machine);
    for (const EventInfo& event : machine->events()) compare(*machine, event.name);
    if (testing::Test::HasFailure()) break;
  }
}

TEST(ResolveIntoBuffer, EveryFormOfTextIsAsWithTexts) {
  for (const char* cpu : {"skylakex", "arm/neoverse-n1", "alderlake"}) {
    const auto machine = Machine::named(cpu);
    ASSERT_TRUE(machine) << cpu;
    SCOPED_TRACE(cpu);
    for (const char* text : {"mem_load_retired.l3_miss:pp",
                             "MEM_LOAD_RETIRED.L3_MISS",
                             "br_mis_pred:u",
                             "cycles",
                             "CYCLES",
                             "instructions:k",
                             "L2",
                             "l1d",
                             "node",
                             "branches:u",
                             "duration_time",
                             "r1a8",
                             "rc0",
                             "ra",
                             "0x1a8",
                             "1:2",
                             "mem:0x10",
                             "mem",
                             "sched:sched_switch",
                             "",
                             "mem_load_retired.l3_miss:",
                             "mem_load_retired.l3_miss:x",
                             "mem_load_retired.l3_miss:pppp",
                             "mem_load_retired.l3_miss:W",
                             "mem_load_retired.l3_miss:u ",
                             " br_mis_pred",
                             "br_mis_pred,br_mis_pred_retired",
                             "{br_mis_pred,inst_retired.any}:u",
                             "no_such_event",
                             "cpu/event=1/",
                             "br_mis_pred/umask=1/",
                             "br_mis*",
                             "br-mis-pred",
                             ".br",
                             "inst_retired.any"})
      compare(*machine, text);
  }
}

TEST(ResolveIntoBuffer, OfASysfsTreeIsAsWithTexts) {
  for (const char* cpu : {"skylakex", "neoverse-n1", "amdzen4"}) {
    const test::TempDir tree;
    if (!test::unpack_shared(tree, std::string("sysfs/") + cpu + ".tgz"))
      GTEST_SKIP() << "EVNAME_SHARED is not set";
    const auto machine = Machine::named(cpu, tree.path());
    ASSERT_TRUE(machine);
    for (const EventInfo& event : machine->events()) compare(*machine, event.name);
  }
}

TEST(ResolveIntoBuffer, TellsHowManyThereAreWhereTheyDoNotFit) {
  const auto machine = Machine::named("skylakex");
  EXPECT_EQ(machine->resolve("inst_retired.any", std::span<Encoding>()), 1u);
  std::vector<Encoding> one(1);
  EXPECT_EQ(machine->resolve("inst_retired.any,cycles,r1a8", one), 3u);
  EXPECT_EQ(one[0].pmu, "cpu");
}

TEST(ExactName, IsOfThePmuAndTheCode) {
  const struct {
    const char* cpu;
    std::string event, name;  // the name is the best of those with the code
  } kRows[] = {{"skylakex", "unc_m_cas_count.rd", "unc_m_cas_count.rd"},
               {"alderlake", "inst_retired.any", "inst_retired.any_p"}};
  for (const auto& row : kRows) {
    const auto machine = Machine::named(row.cpu);
    ASSERT_TRUE(machine);
    const auto encodings = machine->resolve(row.event);
    ASSERT_TRUE(encodings);
    for (const Encoding& encoding : *encodings)
      EXPECT_EQ(machine->exact_name(encoding.pmu, encoding.code), row.name) << encoding.pmu;
  }
}

TEST(ExactName, IsTheFirstOfTheNamesIfTheyAreExact) {
  std::size_t named = 0;
  for (const char* cpu : {"skylakex", "arm/neoverse-n1", "amdzen4"}) {
    const auto machine = Machine::named(cpu);
    ASSERT_TRUE(machine);
    for (std::uint64_t config = 0; config < 0x3000; ++config) {
      const Code code = make_code(4, {config});
      const CodeNames names = machine->names_of(code);
      const std::string expected = names.exact ? names.names.front() : "";
      ASSERT_EQ(machine->exact_name(names.pmu, code), expected) << cpu << " " << config;
      named += !expected.empty();
    }
  }
  EXPECT_GT(named, 300u);
}

}  // namespace
}  // namespace evname
