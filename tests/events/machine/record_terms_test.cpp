// ratio-to-prev and aux-action, whose effect is on attrs, by the place of events in their group;
// and periods that PMUs have by default.

#include <gtest/gtest.h>
#include <linux/perf_event.h>

#include "evname/encoding.hpp"
#include "evname/machine.hpp"
#include "support/temp_dir.hpp"

namespace evname::test {
namespace {

using SysfsFiles = std::vector<std::pair<const char*, const char*>>;

/// PMU/FILE and what is in it.
void write_pmus(const TempDir& tree, const SysfsFiles& files) {
  for (const auto& [name, content] : files)
    tree.write("bus/event_source/devices/" + std::string(name), std::string(content) + '\n');
}

const SysfsFiles kPmus = {{"cpu/type", "4"},
                          {"cpu/format/event", "config:0-7,32-35"},
                          {"cpu/format/umask", "config:8-15,40-47"},
                          {"cpu/format/acr_mask", "config2:0-63"},
                          {"cpu/events/cpu-cycles", "event=0x3c"},
                          {"cpu/events/instructions", "event=0xc0"},
                          {"intel_pt/type", "8"},
                          {"intel_pt/format/pt", "config:0"},
                          {"intel_pt/format/tsc", "config:10"},
                          {"software/type", "1"}};

struct OpenedTerms {
  std::uint64_t config = 0, config2 = 0, period = 0;
  std::uint32_t aux_action = 0;
  bool operator==(const OpenedTerms&) const = default;
};
std::ostream& operator<<(std::ostream& out, const OpenedTerms& o) {
  return out << std::hex << o.config << " config2 " << o.config2 << std::dec << " period "
             << o.period << " aux_action " << o.aux_action;
}

class RecordTerms : public testing::Test {
 protected:
  void SetUp() override {
    write_pmus(tree_, kPmus);
    const auto machine = Machine::named("GenuineIntel-6-55-4", tree_.path());
    ASSERT_TRUE(machine) << machine.error().text();
    machine_.emplace(*machine);
  }
  std::vector<Encoding> resolve(const char* text) const {
    const auto found = machine_->resolve(text);
    EXPECT_TRUE(found) << text;
    return found ? *found : std::vector<Encoding>();
  }
  TempDir tree_;
  std::optional<Machine> machine_;
};

std::vector<OpenedTerms> listed(const std::vector<Encoding>& events) {
  std::vector<OpenedTerms> out;
  for (const Encoding& e : events)
    out.push_back({e.code.config[0], e.code.config[2], e.period, e.aux_action});
  return out;
}

// The events that `perf record` of perf 7.3 opens with this tree; its default of 4000 a second is
// not a period here.
TEST_F(RecordTerms, ChangeAttrsAsPerfRecordDoes) {
  const struct {
    const char* text;
    std::vector<OpenedTerms> opened;
  } cases[] = {
      {"{cpu/cycles,period=100000/,cpu/instructions,ratio-to-prev=0.5/}",
       {{0, 2, 100000}, {0xc0, 3, 50000}}},
      {"{cpu/cycles,period=100000/,cpu/instructions,period=7,ratio-to-prev=2.5/}",
       {{0, 2, 100000}, {0xc0, 3, 250000}}},
      {"{cpu/cycles/,cpu/instructions,period=1000,ratio-to-prev=3.0/}",
       {{0, 2, 333}, {0xc0, 3, 1000}}},
      {"{cs,cpu/cycles,period=100/,cpu/instructions,ratio-to-prev=2.0/}",
       {{3}, {0, 4, 100}, {0xc0, 6, 200}}},
      {"{intel_pt/aux-action=start-paused/k,cpu/instructions,aux-action=pause/,"
       "cpu/cycles,aux-action=resume/}",
       {{0x400, 0, 0, 1}, {0xc0, 0, 0, 2}, {0, 0, 0, 4}}},
      {"intel_pt//k,cpu/instructions,period=1000,aux-action=pause/", {{0x400}, {0xc0, 0, 1000, 2}}},
  };
  for (const auto& c : cases) {
    const auto found = resolve(c.text);
    EXPECT_EQ(listed(found), c.opened) << c.text;
    EXPECT_EQ(listed(machine_->regroup(found)), c.opened) << c.text;
    for (const Encoding& e : found) EXPECT_TRUE(e.warnings().empty()) << c.text;
  }
}

// acr_mask has 64 bits, one for each event of the group.
TEST_F(RecordTerms, ReloadTheCountersAtTheirPlacesInTheGroup) {
  for (const std::size_t before : {0, 1, 2, 30, 61, 62, 63}) {
    std::string text = "{";
    for (std::size_t i = 0; i < before; ++i) text += "cs,";
    text += "cpu/cycles,period=8/,cpu/instructions,ratio-to-prev=0.5/}";
    const auto found = resolve(text.c_str());
    ASSERT_EQ(found.size(), before + 2);
    const bool fits = before + 1 < 64;
    EXPECT_EQ(found[before].code.config[2], fits ? std::uint64_t{2} << before : 0) << before;
    EXPECT_EQ(found[before + 1].code.config[2], fits ? std::uint64_t{3} << before : 0) << before;
    EXPECT_EQ(found[before + 1].period, 4u);
    EXPECT_EQ(found[before + 1].warnings().size(), fits ? 0u : 1u);
  }
  const auto most =
      resolve("{cpu/cycles,period=9223372036854775808/,cpu/instructions,ratio-to-prev=1.0/}");
  EXPECT_EQ(most.at(1).period, std::uint64_t{1} << 63);
}

TEST_F(RecordTerms, AuxActionsJoinTheGroupOfTheAuxEventBeforeThem) {
  const std::pair<const char*, std::vector<std::size_t>> cases[] = {
      {"intel_pt//k,cpu/instructions,period=1000,aux-action=pause/", {0, 0}},
      {"cs,intel_pt//,cpu/cycles/,cpu/instructions,aux-action=pause/,faults", {0, 1, 1, 1, 4}},
      {"intel_pt//,{cpu/cycles/,cpu/event=1/},cpu/instructions,aux-action=pause/", {0, 1, 1, 3}},
      // A group in between has blocked it, so that a later one can't join, either.
      {"intel_pt//,{cpu/cycles/,cpu/event=1/},cpu/instructions,aux-action=pause/,"
       "cpu/event=2,aux-action=resume/",
       {0, 1, 1, 3, 4}},
      {"intel_pt//,cpu/instructions,aux-action=pause/,cpu/event=2,aux-action=resume/", {0, 0, 0}},
      {"intel_pt//,{cpu/cycles/,cpu/event=1/},intel_pt//k,cpu/event=2,aux-action=resume/",
       {0, 1, 1, 3, 3}},
  };
  for (const auto& [text, leaders] : cases) {
    std::vector<std::size_t> opened;
    for (const Encoding& e : machine_->regroup(resolve(text))) opened.push_back(e.leader);
    EXPECT_EQ(opened, leaders) << text;
  }
}

TEST_F(RecordTerms, WarnOfWhatPerfRecordRefuses) {
  const struct {
    const char* text;
    std::vector<OpenedTerms> opened;
    const char* warning;
  } cases[] = {
      {"{cpu/cycles/,cpu/instructions,ratio-to-prev=3.0/}", {{0}, {0xc0}}, "period"},
      {"{cpu/cycles,period=100/,cpu/instructions,ratio-to-prev=2.0/,cpu/event=0xc4,"
       "ratio-to-prev=3.0/}",
       {{0, 2, 100}, {0xc0, 3, 200}, {0xc4, 0, 600}},
       "config2"},
      {"{cpu/cycles,period=100,config2=4/,cpu/instructions,ratio-to-prev=2.0/}",
       {{0, 4, 100}, {0xc0, 0, 200}},
       "config2"},
      {"cpu/cycles,period=100/,cpu/instructions,ratio-to-prev=2.0/",
       {{0, 0, 100}, {0xc0}},
       "without preceding element in group"},
      {"{cs/period=5/,cpu/instructions,ratio-to-prev=2.0/}",
       {{3, 0, 5}, {0xc0}},
       "must have same PMU"},
      {"{cpu/cycles,period=100/,cs/ratio-to-prev=2.0/}", {{0, 0, 100}, {3}}, "core PMU"},
      {"{cpu/cycles,period=9223372036854775808/,cpu/instructions,ratio-to-prev=2.0/}",
       {{0, 0, 1ull << 63}, {0xc0}},
       "the period would have more than 64 bits"},
      {"{cpu/cycles/,cpu/instructions,period=9223372036854775808,ratio-to-prev=0.5/}",
       {{0}, {0xc0, 0, 1ull << 63}},
       "the period would have more than 64 bits"},
      {"cpu/instructions,aux-action=pause/", {{0xc0, 0, 0, 2}}, "no AUX event"},
      {"cpu/instructions,aux-action=pause/,intel_pt//", {{0xc0, 0, 0, 2}, {0x400}}, "no AUX event"},
      {"{intel_pt//,cpu/instructions,aux-action=start-paused/}",
       {{0x400}, {0xc0, 0, 0, 1}},
       "is for AUX events"},
      {"{intel_pt/aux-action=pause/,cpu/instructions/}",
       {{0x400, 0, 0, 2}, {0xc0}},
       "other events"},
      {"{intel_pt//,cpu/instructions,aux-action=foo/}", {{0x400}, {0xc0}}, "aux-action=foo"},
      // Warnings of the event itself stay.
      {"{cpu/cycles/,cpu/event=1,event=2,ratio-to-prev=3.0/}", {{0}, {3}}, "'event' is given as"},
      {"{cpu/cycles/,cpu/event=1,event=2,ratio-to-prev=3.0/}", {{0}, {3}}, "period"},
  };
  for (const auto& c : cases) {
    const auto found = resolve(c.text);
    EXPECT_EQ(listed(found), c.opened) << c.text;
    std::string warnings;
    for (const Encoding& e : found)
      for (const std::string& warning : e.warnings()) warnings += warning + '\n';
    EXPECT_NE(warnings.find(c.warning), warnings.npos) << c.text << '\n' << warnings;
  }
}

TEST_F(RecordTerms, AreInTheTermsThatTheCodeIsReadBackFrom) {
  const auto found = resolve("{cpu/event=0x3c,period=100/,cpu/instructions,ratio-to-prev=0.5/}");
  ASSERT_EQ(found.size(), 2u);
  for (const Encoding& e : found) {
    const auto again = machine_->resolve("cpu/" + e.terms() + '/');
    ASSERT_TRUE(again) << e.terms();
    EXPECT_EQ(again->front().code, e.code) << e.terms();
  }
}

TEST_F(RecordTerms, AuxActionGoesIntoTheAttrWhereItHasOne) {
  const auto found = resolve("{intel_pt//,cpu/instructions,aux-action=resume/}");
  ASSERT_EQ(found.size(), 2u);
  alignas(8) unsigned char bytes[136] = {};
  ASSERT_TRUE(fill_attr(found[1], bytes, sizeof bytes));
  EXPECT_EQ(bytes[116] | bytes[119], 4);  // include/uapi/linux/perf_event.h, either byte order
  const auto old = fill_attr(found[1], bytes, 112);
  ASSERT_FALSE(old);
  EXPECT_EQ(old.error().code, Errc::out_of_range);
}

// CPUs are numbered from 0 to one less than there are.
TEST(CpuTerm, IsACpuOfTheMachine) {
  const TempDir tree;
  write_pmus(tree, kPmus);
  tree.write("devices/system/cpu/present", "0-3\n");
  const auto plain = Machine::named("GenuineIntel-6-55-4", tree.path());
  ASSERT_TRUE(plain) << plain.error().text();
  const TempDir events{{"x86/mapfile.csv",
                        "Family-model,Version,Filename,EventType\n"
                        "GenuineIntel-6-55,v1,m,core\n"},
                       {"x86/m/core.json", R"([{"EventName":"A","EventCode":"1"}])"}};
  const auto with_events = plain->with_events(events.path());
  ASSERT_TRUE(with_events) << with_events.error().text();
  for (const Machine* machine : {&*plain, &*with_events}) {
    for (const char* text : {"cpu/event=1,cpu=0/", "cpu/event=1,cpu=3/", "cpu/event=1,cpu=cpu/",
                             "cpu/event=1,cpu=0-3/"})
      EXPECT_TRUE(machine->resolve(text)) << text;
    const auto none = machine->resolve("cpu/event=1,cpu=4/");
    ASSERT_FALSE(none);
    EXPECT_EQ(none.error().message, "there is no CPU 4: the machine has 4");
    EXPECT_EQ(none.error().offset, 12u);
  }
}

// arm_spe_pmu__sample_period and cs_etm_get_default_config of tools/perf/arch/arm{,64}/util.
TEST(DefaultPeriods, AreThoseOfThePmu) {
  const TempDir tree;
  write_pmus(tree, {{"arm_spe_0/type", "9"},
                    {"arm_spe_0/format/ts_enable", "config:0"},
                    {"arm_spe_1/type", "10"},
                    {"arm_spe_1/format/ts_enable", "config:0"},
                    {"arm_spe_1/caps/min_interval", "256"},
                    {"cs_etm/type", "11"},
                    {"cs_etm/format/cycacc", "config:12"}});
  const auto machine = Machine::named("0x00000000410fd0c0", tree.path());
  ASSERT_TRUE(machine) << machine.error().text();
  const std::pair<const char*, std::uint64_t> cases[] = {{"arm_spe_0//", 4096},
                                                         {"arm_spe_1/ts_enable=1/", 256},
                                                         {"arm_spe_1/period=1000/", 1000},
                                                         {"cs_etm/cycacc/u", 1}};
  for (const auto& [text, period] : cases) {
    const auto found = machine->resolve(text);
    ASSERT_TRUE(found) << text << found.error().text();
    EXPECT_EQ(found->front().period, period) << text;
  }
}

}  // namespace
}  // namespace evname::test
