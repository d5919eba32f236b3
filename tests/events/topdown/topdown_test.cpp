// Top-down trees: their nodes, values, what is flagged, and why a value is missing.
#include "evname/topdown.hpp"

#include "../metrics/metric_machine.hpp"

namespace evname::test {
namespace {

const std::vector<MetricRow> kTree = {
    {.name = "tma_a",
     .expr = "inst_retired.any / 100",
     .group = "TopdownL1",
     .threshold = "tma_a > 0.2"},
    {.name = "tma_b",
     .expr = "1 - inst_retired.any / 100",
     .group = "TopdownL1",
     .threshold = "tma_b > 0.2"},
    {.name = "tma_a_x",
     .expr = "inst_retired.any / cpu_clk_unhalted.thread",
     .group = "TopdownL2;tma_a_group",
     .threshold = "tma_a_x > 0.1"},
    {.name = "tma_b_y",
     .expr = "0.9 + 0 * inst_retired.any",
     .group = "TopdownL2;tma_b_group",
     .threshold = "tma_b_y > 0.1"},
    {.name = "tma_info_x", .expr = "inst_retired.any", .group = "TopdownL2;other_group"},
};

struct Values {
  std::vector<double> values;
  std::vector<std::uint8_t> flagged;
  std::vector<EventCount> counts;
};

Values evaluated(const TopdownTree& tree, const CountsByName& named) {
  Values out;
  out.counts = counts_of(tree.metrics(), named);
  out.values.resize(tree.nodes().size());
  out.flagged.resize(tree.nodes().size());
  tree.evaluate(out.counts, out.values, out.flagged);
  return out;
}

TopdownTree tree_of(const std::vector<MetricRow>& metrics) {
  const Machine machine = MetricMachine(metrics).machine();
  auto tree = TopdownTree::of(machine, MetricFacts(machine));
  EXPECT_TRUE(tree);
  return std::move(*tree);
}

TEST(TopdownTree, ParentsComeFromGroupsAndPrecedeTheirChildren) {
  const TopdownTree tree = tree_of(kTree);
  Strings names;
  for (const TopdownNode& node : tree.nodes()) names.push_back(node.name);
  EXPECT_EQ(names, (Strings{"tma_a", "tma_a_x", "tma_b", "tma_b_y"}));
  EXPECT_EQ(tree.nodes()[1].parent, 0u);
  EXPECT_EQ(tree.nodes()[1].level, 2u);
  EXPECT_EQ(tree.find("A_X"), 1u);
  EXPECT_EQ(tree.select(1), (std::vector<std::size_t>{0, 2}));
  EXPECT_EQ(tree.select(1, 0), (std::vector<std::size_t>{0, 1}));
  EXPECT_EQ(tree.select(1, 2), (std::vector<std::size_t>{2, 3}));
  EXPECT_EQ(tree.select(0, 2), (std::vector<std::size_t>{2, 3}));
  EXPECT_EQ(tree.select(1, 3), (std::vector<std::size_t>{2, 3}));
  EXPECT_EQ(tree.select(2), (std::vector<std::size_t>{0, 1, 2, 3}));
  EXPECT_EQ(tree.select(0), (std::vector<std::size_t>{0, 1, 2, 3}));
  ASSERT_EQ(tree.warnings().size(), 1u);
  EXPECT_EQ(
      tree.warnings()[0],
      "tma_info_x is not a node of the tree: none of its groups (TopdownL2;other_group) names "
      "the node above it");
}

TEST(TopdownTree, ANodeIsFlaggedOnlyBelowFlaggedOnes) {
  const TopdownTree tree = tree_of(kTree);
  const Values got = evaluated(tree, {{kInsns, 85}, {kClocks, 100}});
  EXPECT_EQ(got.flagged, (std::vector<std::uint8_t>{1, 1, 0, 0}));  // b_y is 90 %, b only 15 %
  EXPECT_EQ(tree.next(got.values, got.flagged), 1u);
  EXPECT_DOUBLE_EQ(tree.sum_of_level(1, got.values), 100);
  EXPECT_DOUBLE_EQ(tree.sum_of_level(1, std::span(got.values).first(1)), got.values[0]);
  EXPECT_TRUE(std::isnan(tree.sum_of_level(1, {})));
  EXPECT_TRUE(std::isnan(tree.sum_of_level(3, got.values)));
}

TEST(TopdownTree, TheNextNodeIsTheLargestFlaggedOneBelow) {
  const TopdownTree tree = tree_of(kTree);  // a, a_x, b, b_y
  const struct {
    std::vector<double> values;
    std::vector<std::uint8_t> flagged;
    std::size_t next;
  } kRows[] = {{{30, 1, 60, 2}, {1, 1, 1, 1}, 3},
               {{60, 1, 30, 2}, {1, 1, 1, 1}, 1},
               {{30, 1, 30, 2}, {1, 1, 1, 1}, 1},  // the first of equal ones
               {{30, 1, 60, 2}, {1, 1, 1, 0}, 2},
               {{30, 1, 60, 2}, {1, 0, 0, 1}, 0},
               {{30, 1, 60, 2}, {0, 0, 0, 0}, TopdownNode::kNone}};
  for (const auto& [values, flagged, next] : kRows) EXPECT_EQ(tree.next(values, flagged), next);
}

// Of 4 slots 1: Linux's files have "100%" or no unit (hip08) where the formula is a fraction, and
// "1percent of slots" (Arm) where it has the factor.
TEST(TopdownTree, ValuesAreInPercentWhateverTheUnitOfTheMetric) {
  const std::pair<const char*, const char*> units[] = {
      {"", "inst_retired.any / 4"},
      {"100%", "inst_retired.any / 4"},
      {"100percent of slots", "inst_retired.any / 4"},
      {"1percent of slots", "100 * inst_retired.any / 4"},
      {"1Percent", "100 * inst_retired.any / 4"},
      {"10tenths", "inst_retired.any / 4"},
  };
  for (const auto& [unit, expr] : units) {
    const TopdownTree tree =
        tree_of({{.name = "a", .expr = expr, .group = "TopdownL1", .unit = unit}});
    EXPECT_DOUBLE_EQ(evaluated(tree, {{kInsns, 1}}).values.at(0), 25) << unit;
  }
}

TEST(TopdownTree, AMissingValueHasItsReason) {
  const TopdownTree tree = tree_of(kTree);
  const Values half = evaluated(tree, {{kInsns, 85}});
  EXPECT_TRUE(std::isnan(half.values[1]));
  EXPECT_EQ(tree.explain(1, half.counts).text, "cpu_clk_unhalted.thread was not counted");
  EXPECT_EQ(tree.explain(0, half.counts).why, MetricSet::Gap::Why::none);
  const Values zero = evaluated(tree, {{kInsns, 85}, {kClocks, 0}});
  EXPECT_EQ(tree.explain(1, zero.counts).text,
            "division by zero: nothing was counted of cpu_clk_unhalted.thread");
  EXPECT_EQ(tree.next(half.values, half.flagged), 0u);
}

TEST(TopdownTree, NodesThatAreBelowEachOtherAreReported) {
  const TopdownTree tree = tree_of({{.name = "a", .expr = "inst_retired.any", .group = "TopdownL1"},
                                    {.name = "b", .expr = "1", .group = "TopdownL2;c_group"},
                                    {.name = "c", .expr = "1", .group = "TopdownL3;b_group"}});
  EXPECT_EQ(tree.nodes().size(), 1u);
  EXPECT_EQ(tree.warnings().size(), 2u);
}

TEST(TopdownTree, NoValueIsMadeOfWhatWasNotCounted) {
  const TopdownTree tree =
      tree_of({{.name = "a", .expr = "max(inst_retired.any, 0)", .group = "TopdownL1"},
               {.name = "b", .expr = "1 if inst_retired.any > 1 else 2", .group = "TopdownL1"},
               {.name = "c",
                .expr = "min(inst_retired.any, cpu_clk_unhalted.thread)",
                .group = "TopdownL1"}});
  const Values got = evaluated(tree, {{kClocks, 5}});
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_TRUE(std::isnan(got.values[i])) << tree.nodes()[i].name;
    EXPECT_EQ(tree.explain(i, got.counts).text, "inst_retired.any was not counted");
  }
}

TEST(TopdownTree, AMachineWithoutNodesHasNone) {
  const Machine machine = MetricMachine({{.name = "IPC", .expr = "inst_retired.any"}}).machine();
  const auto tree = TopdownTree::of(machine, MetricFacts(machine));
  ASSERT_FALSE(tree);
  EXPECT_EQ(tree.error().message, "no core PMU of the machine has a top-down tree");
}

}  // namespace
}  // namespace evname::test
