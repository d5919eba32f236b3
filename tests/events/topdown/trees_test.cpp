// The top-down trees of the build: that every node can be counted, in how many groups, and values
// computed by hand.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <map>

#include "evname/topdown.hpp"

namespace evname::test {
namespace {

TopdownTree tree_of(std::string_view cpu, std::string_view pmu = "", double smt = 1) {
  const Machine machine = Machine::named(cpu).value();
  MetricFacts facts(machine);
  facts.set("#smt_on", smt);
  facts.set("#core_wide", 1);
  facts.set("#has_pmem", 0);
  facts.set("#slots", 8);
  return TopdownTree::of(machine, facts, pmu).value();
}

void check(const TopdownTree& tree, const std::string& where) {
  EXPECT_TRUE(tree.warnings().empty()) << where;
  for (const TopdownNode& node : tree.nodes()) {
    const std::string what = where + " " + node.name;
    EXPECT_EQ(node.problem, "") << what;
    EXPECT_FALSE(node.threshold.empty()) << what;
    EXPECT_FALSE(node.desc.empty()) << what;
    EXPECT_NE(node.share, TopdownNode::Share::unknown) << what;
    const unsigned above = node.parent == TopdownNode::kNone ? 0 : tree.nodes()[node.parent].level;
    EXPECT_EQ(node.level, above + 1) << what;
  }
  for (const MetricEvent& event : tree.events()) {
    const bool is_live_alone = event.text.starts_with("msr/");  // named machines don't have the PMU
    EXPECT_TRUE(is_live_alone || !event.encodings.empty())
        << where << " " << event.text << ": " << event.problem;
  }
}

TEST(TopdownTrees, EveryNodeOfEveryModelCanBeCounted) {
  std::size_t trees = 0;
  for (const ModelInfo& model : models()) {
    const auto machine = Machine::named(model.name);
    if (!machine) continue;
    for (const std::string& pmu : TopdownTree::pmus(*machine)) {
      check(tree_of(model.name, pmu), fmt::format("{} {}", model.name, pmu));
      ++trees;
    }
  }
  EXPECT_GT(trees, 60u);
}

TEST(TopdownTrees, EachCoreTypeOfAHybridHasItsOwn) {
  using Names = std::vector<std::string>;
  EXPECT_EQ(TopdownTree::pmus(Machine::named("alderlake").value()),
            (Names{"cpu_atom", "cpu_core"}));
  EXPECT_EQ(TopdownTree::pmus(Machine::named("arrowlake").value()),
            (Names{"cpu_atom", "cpu_core", "cpu_lowpower"}));
  EXPECT_EQ(tree_of("alderlake", "cpu_atom").find("ports_utilization"), TopdownNode::kNone);
  EXPECT_NE(tree_of("alderlake", "cpu_core").find("ports_utilization"), TopdownNode::kNone);
}

struct GroupsOf {
  const char* cpu;
  const char* pmu;
  std::size_t one, two;  ///< groups for level 1, for levels 1 and 2
};

// The counters: 4 generic ones until Cascade Lake with SMT, 8 from Ice Lake on, where the register
// PERF_METRICS needs none; 6 on Zen and Gracemont, 8 on Crestmont; 6 on Arm beside the cycles.
TEST(TopdownTrees, LevelsNeedAsFewGroupsAsTheCountersAllow) {
  for (const GroupsOf& c :
       {GroupsOf{"sandybridge", "cpu", 1, 4}, GroupsOf{"skylakex", "cpu", 1, 4},
        GroupsOf{"icelakex", "cpu", 1, 2}, GroupsOf{"sapphirerapids", "cpu", 1, 1},
        GroupsOf{"lunarlake", "cpu_core", 1, 1}, GroupsOf{"lunarlake", "cpu_atom", 1, 1},
        GroupsOf{"alderlake", "cpu_atom", 1, 2}, GroupsOf{"sierraforest", "cpu", 1, 2},
        GroupsOf{"amdzen4", "cpu", 1, 2}, GroupsOf{"arm/neoverse-n1", "", 1, 1},
        GroupsOf{"arm/neoverse-v1", "", 1, 1}}) {
    const TopdownTree tree = tree_of(c.cpu, c.pmu);
    const auto groups = [&](unsigned levels) {
      const auto plan = tree.schedule(tree.select(levels), {});
      EXPECT_EQ(plan->groups.size() > 1, !plan->why.empty()) << c.cpu;
      return plan->groups.size();
    };
    EXPECT_EQ(groups(1), c.one) << c.cpu << " " << c.pmu;
    EXPECT_EQ(groups(2), c.two) << c.cpu << " " << c.pmu;
  }
}

TEST(TopdownTrees, SlotsLeadTheGroupOfTheirParts) {
  for (const char* cpu :
       {"icelake", "sapphirerapids", "alderlake", "lunarlake", "pantherlake", "novalake"}) {
    const bool is_hybrid = TopdownTree::pmus(Machine::named(cpu).value()).front() != "cpu";
    const TopdownTree tree = tree_of(cpu, is_hybrid ? "cpu_core" : "cpu");
    for (const unsigned levels : {1u, 2u, 0u}) {
      const auto plan = tree.schedule(tree.select(levels), {});
      ASSERT_TRUE(plan) << cpu;
      const auto& first = plan->groups.front().events;
      EXPECT_EQ(tree.events()[first.front()].encodings.front().code.config[0], 0x400u) << cpu;
      EXPECT_NE(tree.events()[first[1]].text.find("topdown-"), std::string::npos) << cpu;
    }
  }
}

using Numbers = std::map<std::string, double>;

/// The values of nodes by name.
Numbers values_of(const TopdownTree& tree, const Numbers& named) {
  std::vector<EventCount> counts;
  for (const MetricEvent& event : tree.events()) {
    const auto at = named.find(event.text);
    counts.push_back(at == named.end() ? EventCount{} : EventCount{at->second});
  }
  std::vector<double> values(tree.nodes().size());
  tree.evaluate(counts, values);
  Numbers out;
  for (std::size_t i = 0; i < values.size(); ++i) out[tree.nodes()[i].name] = values[i];
  return out;
}

// 1,000 cycles of 4 slots: 400 not delivered, 3,000 issued, 2,800 retired, 50 cycles of recovery.
TEST(TopdownTrees, Level1OfSkylakeIsWhatItsSlotsSay) {
  const Numbers got = values_of(tree_of("skylakex", "", 0), {{"CPU_CLK_UNHALTED.THREAD", 1000},
                                                             {"IDQ_UOPS_NOT_DELIVERED.CORE", 400},
                                                             {"UOPS_ISSUED.ANY", 3000},
                                                             {"UOPS_RETIRED.RETIRE_SLOTS", 2800},
                                                             {"INT_MISC.RECOVERY_CYCLES", 50}});
  EXPECT_DOUBLE_EQ(got.at("tma_frontend_bound"), 10);
  EXPECT_DOUBLE_EQ(got.at("tma_bad_speculation"), 10);
  EXPECT_DOUBLE_EQ(got.at("tma_retiring"), 70);
  EXPECT_DOUBLE_EQ(got.at("tma_backend_bound"), 10);
}

// 1,000 cycles of 6 slots.
TEST(TopdownTrees, Level1OfZen4IsWhatItsSlotsSay) {
  const TopdownTree tree = tree_of("amdzen4");
  const Numbers got = values_of(tree, {{"ls_not_halted_cyc", 1000},
                                       {"de_no_dispatch_per_slot.no_ops_from_frontend", 1200},
                                       {"de_no_dispatch_per_slot.backend_stalls", 1800},
                                       {"de_no_dispatch_per_slot.smt_contention", 600},
                                       {"de_src_op_disp.all", 2400},
                                       {"ex_ret_ops", 2100}});
  EXPECT_DOUBLE_EQ(got.at("frontend_bound"), 20);
  EXPECT_DOUBLE_EQ(got.at("backend_bound"), 30);
  EXPECT_DOUBLE_EQ(got.at("smt_contention"), 10);
  EXPECT_DOUBLE_EQ(got.at("bad_speculation"), 5);
  EXPECT_DOUBLE_EQ(got.at("retiring"), 35);
}

// 1,000 cycles of 8 slots; each of 10 mispredicted branches costs 4 cycles.
TEST(TopdownTrees, Level1OfNeoverseV1IsWhatItsSlotsSay) {
  const Numbers got = values_of(tree_of("arm/neoverse-v1"), {{"cpu_cycles", 1000},
                                                             {"stall_slot_frontend", 1600},
                                                             {"stall_slot_backend", 2400},
                                                             {"stall_slot", 4000},
                                                             {"br_mis_pred", 10},
                                                             {"op_retired", 3000},
                                                             {"op_spec", 4000}});
  EXPECT_DOUBLE_EQ(got.at("frontend_bound"), 16);  // 20 % - 4 %
  EXPECT_DOUBLE_EQ(got.at("backend_bound"), 30);
  EXPECT_DOUBLE_EQ(got.at("retiring"), 37.5);         // 75 % of half
  EXPECT_DOUBLE_EQ(got.at("bad_speculation"), 16.5);  // 25 % of half + 4 %
}

}  // namespace
}  // namespace evname::test
