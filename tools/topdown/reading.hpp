#pragma once
// Top-down trees of the counted core PMUs, and their values at a time and place.

#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "evname/topdown.hpp"
#include "topdown/options.hpp"

namespace evname::tools {

/// The value of a node, and its basis.
struct NodeReading {
  double value = std::numeric_limits<double>::quiet_NaN();  ///< in percent; NaN: it has none
  bool flagged = false;
  double running = 1;  ///< the smallest share of the time that its events had a counter
  unsigned runs = 0;   ///< number of runs in the mean
  bool has_value() const { return value == value; }
};

/// The wanted nodes of a tree.
struct NodeChoice {
  std::vector<std::size_t> nodes;    ///< in the order of the tree
  std::vector<std::uint8_t> always;  ///< of each node of the tree: shown even if nothing is flagged
};

/// The values of a tree at a time and a place.
struct TreeReading {
  const TopdownTree* tree = nullptr;
  const NodeChoice* choice = nullptr;
  bool names_pmu = false;      ///< there are trees of several core PMUs
  std::optional<double> time;  ///< end of the interval in seconds; nullopt: the whole run
  std::string place;           ///< "S0-D0-C1"; "": everywhere
  double seconds = 0;          ///< length of the interval
  std::vector<NodeReading> nodes;
  std::vector<EventCount> counts;  ///< of all runs together

  const TopdownNode& node(std::size_t index) const { return tree->nodes()[index]; }
  /// The node to look at next; TopdownNode::kNone: nothing is flagged.
  std::size_t next() const;
  /// The flagged nodes without a flagged child, by falling value.
  std::vector<std::size_t> deepest_flagged() const;
  /// Returns the nodes to show: below flagged ones, or all wanted ones.
  std::vector<std::size_t> shown(bool all) const;
  /// Returns why a node has no value; "" if it has one.
  std::string why_not(std::size_t index) const;
};

/// Counts of a run, or of a group of events of a run, parallel to TopdownTree::events().
struct RunCounts {
  std::span<const EventCount> counts;
  unsigned run = 0;  ///< its number, the same for all groups of the run
};

/// The tree of one core PMU and its wanted nodes.
class ChosenTree {
 public:
  /// Errors: not_found for a node of --node that the tree does not have.
  static Result<ChosenTree> of(const Machine& machine, const MetricFacts& facts,
                               const std::string& pmu, const TopdownOptions& options,
                               unsigned levels);

  const TopdownTree& tree() const { return *tree_; }
  const NodeChoice& choice() const { return choice_; }
  /// Other nodes than before.
  void choose(std::vector<std::size_t> nodes);

  /// Sets the values of a reading. A node is the mean over the groups with all its events; if there
  /// are none, over the runs with all its events; else it is computed from the mean counts of all
  /// runs. Groups of a run are adjacent.
  void evaluate(std::span<const RunCounts> runs, TreeReading& out) const;

 private:
  explicit ChosenTree(TopdownTree tree);

  std::shared_ptr<const TopdownTree> tree_;
  NodeChoice choice_;
  std::vector<std::vector<std::size_t>> events_;  ///< of each node
};

/// The trees of all core PMUs of a machine. Returns none after reporting why.
std::vector<ChosenTree> chosen_trees(const Machine& machine, const MetricFacts& facts,
                                     const TopdownOptions& options, unsigned levels);

}  // namespace evname::tools
