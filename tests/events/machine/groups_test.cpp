#include <gtest/gtest.h>

#include <algorithm>

#include "events/machine/groups.hpp"
#include "support/fake_machine.hpp"

namespace evname::test {
namespace {

struct Opened {
  std::string name, pmu;
  std::size_t leader;
  bool operator==(const Opened&) const = default;
};
std::ostream& operator<<(std::ostream& out, const Opened& o) {
  return out << o.name << " on " << o.pmu << " led by " << o.leader;
}

std::vector<Opened> list(const std::vector<Encoding>& encodings) {
  std::vector<Opened> out;
  for (const Encoding& e : encodings)
    out.push_back({std::string(e.name), std::string(e.pmu), e.leader});
  return out;
}

Machine machine_with_slots() {
  std::vector<pmu::Pmu> pmus = skylakex_pmus();
  constexpr std::pair<const char*, const char*> kEvents[] = {
      {"mem-loads", "event=0xcd,umask=0x1"},
      {"mem-loads-aux", "event=0x03,umask=0x82"},
      {"slots", "event=0x0,umask=0x4"},
      {"topdown-retiring", "event=0x0,umask=0x80"},
      {"topdown-bad-spec", "event=0x0,umask=0x81"}};
  for (const auto& [name, terms] : kEvents) {
    pmu::SysfsEvent event;
    event.name = name;
    event.terms = terms;
    pmus.front().events.push_back(event);
  }
  std::sort(pmus.front().events.begin(), pmus.front().events.end(),
            [](const auto& a, const auto& b) { return a.name < b.name; });
  return make_machine(skylakex_tables(), 0, std::move(pmus));
}

TEST(Groups, AreToldAsTheyAreWritten) {
  const Machine machine = skylakex_machine();
  const auto found = machine.resolve("cs,{cycles,faults}:D,uncore_cbox/event=1/");
  ASSERT_TRUE(found);
  EXPECT_EQ(list(*found), (std::vector<Opened>{{"cs", "software", 0},
                                               {"cycles", "hardware", 1},
                                               {"faults", "software", 1},
                                               {"uncore_cbox/event=1/", "uncore_cbox_0", 3},
                                               {"uncore_cbox/event=1/", "uncore_cbox_1", 4}}));
  EXPECT_TRUE((*found)[1].bits.pinned);
  EXPECT_FALSE((*found)[2].bits.pinned);
}

// evsel__read_sampler of util/record.c, arch_topdown_sample_read of arch/x86/util/topdown.c and
// is_mem_loads_aux_event of util/mem-events.c.
TEST(Groups, AreSampledByTheMemberThatPerfSamples) {
  const struct {
    Machine machine;
    const char* text;
    std::size_t sampled;
  } cases[] = {
      {machine_with_slots(), "{cycles,slots}:S", 0},
      {machine_with_slots(), "{slots,cycles}:S", 0},
      {machine_with_slots(), "{slots,topdown-retiring,cycles}:S", 1},
      {machine_with_slots(), "{slots,cycles,topdown-retiring}:S", 1},
      {machine_with_slots(), "{cycles,topdown-retiring}:S", 1},  // slots lead it
      {machine_with_slots(), "slots:S", 0},
      {machine_with_slots(), "{mem-loads-aux,mem-loads}:S", 1},
      {machine_with_slots(), "{cpu/event=0x03,umask=0x82/,mem-loads}:S", 1},
      {machine_with_slots(), "{mem-loads,mem-loads-aux}:S", 0},
      {skylakex_machine(), "{cpu/event=0x03,umask=0x82/,cycles}:S", 0},  // no such event
      {skylakex_machine(), "{cycles,instructions}:S", 0},
  };
  for (const auto& one : cases) {
    SCOPED_TRACE(one.text);
    const auto found = one.machine.resolve(one.text);
    ASSERT_TRUE(found) << found.error().text();
    const auto opened = one.machine.regroup(*found);
    EXPECT_EQ(machine::sampled_member(one.machine, opened, 0), one.sampled);
  }
}

// The drivers' names: arm_spe_%d, cs_etm, intel_pt, intel_bts and hisi_ptt%u_%u, of
// drivers/hwtracing, drivers/perf and arch/x86/events/intel.
TEST(Groups, AuxPmusAreThoseOfTheDrivers) {
  for (const char* pmu : {"intel_pt", "intel_bts", "cs_etm", "arm_spe_0", "hisi_ptt0_0"})
    EXPECT_TRUE(machine::is_aux(pmu)) << pmu;
  for (const char* pmu : {"cpu", "arm_spes", "intel_ptw", "uncore_hisi_ptt", ""})
    EXPECT_FALSE(machine::is_aux(pmu)) << pmu;
}

// perf-facts 5.9 and the perf sources that groups.cpp names.
TEST(Groups, AreOpenedAsPerfOpensThem) {
  const Machine machine = machine_with_slots();
  const struct {
    const char* text;
    std::vector<Opened> opened;
  } cases[] = {
      {"cs,cycles,faults",
       {{"cs", "software", 0}, {"cycles", "hardware", 1}, {"faults", "software", 2}}},
      {"{cycles,cbox_0/event=1/,cs,cpu/event=1/}",
       {{"cycles", "hardware", 0},
        {"cs", "software", 0},
        {"cpu/event=1/", "cpu", 0},
        {"cbox_0/event=1/", "uncore_cbox_0", 3}}},
      {"{cs,faults,cbox_0/event=1/}",
       {{"cs", "software", 0}, {"faults", "software", 0}, {"cbox_0/event=1/", "uncore_cbox_0", 0}}},
      {"{cbox/event=1/,cbox/event=2/},cs",
       {{"cbox/event=1/", "uncore_cbox_0", 0},
        {"cbox/event=2/", "uncore_cbox_0", 0},
        {"cbox/event=1/", "uncore_cbox_1", 2},
        {"cbox/event=2/", "uncore_cbox_1", 2},
        {"cs", "software", 4}}},
      {"{cycles,topdown-retiring,slots}",
       {{"slots", "cpu", 0}, {"cycles", "hardware", 0}, {"topdown-retiring", "cpu", 0}}},
      {"topdown-retiring,cycles,slots,topdown-bad-spec",
       {{"slots", "cpu", 0},
        {"topdown-retiring", "cpu", 0},
        {"topdown-bad-spec", "cpu", 0},
        {"cycles", "hardware", 3}}},
      // An event with the modifier R can't lead: arch_evlist__cmp of arch/x86/util.
      {"{cycles:R,instructions}", {{"instructions", "cpu", 0}, {"cycles", "hardware", 0}}},
      {"{instructions,cycles:R}", {{"instructions", "cpu", 0}, {"cycles", "hardware", 0}}},
  };
  for (const auto& c : cases) {
    const auto found = machine.resolve(c.text);
    ASSERT_TRUE(found) << c.text;
    EXPECT_EQ(list(machine.regroup(*found)), c.opened) << c.text;
  }
}

// `X` keeps an event out of perf's regrouping; the slots that perf adds are no such event.
TEST(Groups, SlotsThatAreAddedHaveTheModifiersOfTheirMetricLessX) {
  const Machine machine = machine_with_slots();
  for (const auto& [text, modifiers] : {std::pair{"topdown-retiring:uX", "u"},
                                        {"topdown-retiring:k", "k"},
                                        {"topdown-retiring:X", ""}}) {
    const auto found = machine.resolve(text);
    ASSERT_TRUE(found) << text;
    const auto opened = machine.regroup(*found);
    ASSERT_EQ(opened.size(), 2u) << text;
    const auto slots = std::ranges::find(opened, "slots", &Encoding::name);
    ASSERT_NE(slots, opened.end()) << text;
    EXPECT_EQ(slots->modifiers, modifiers) << text;
    EXPECT_EQ(words_of(slots->code)[0], 0x400u) << text;
    EXPECT_EQ(slots->pmu, "cpu") << text;
    EXPECT_EQ(slots->bits, found->front().bits) << text;
  }
}

TEST(Groups, OfAnAnswerCutByTheCallerStayInsideIt) {
  const Machine machine = skylakex_machine();
  auto found = *machine.resolve("{cs,cycles,faults}");
  found.erase(found.begin(), found.begin() + 2);
  found[0].leader = 7;
  EXPECT_EQ(machine.regroup(found).front().leader, 0u);
}

}  // namespace
}  // namespace evname::test
