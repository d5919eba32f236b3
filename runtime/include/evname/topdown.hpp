#pragma once
// The top-down tree of a core shows how its issue slots and cycles were spent, level by level.
//
//   auto tree = evname::TopdownTree::of(machine, facts);
//   auto nodes = tree->select(2);                        // levels 1 and 2
//   auto groups = tree->schedule(nodes, options);        // how to count them
//   tree->evaluate(counts, values, flagged);             // counts: parallel to tree->events()
//   tree->next(values, flagged);                         // the node to look at

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "evname/error.hpp"
#include "evname/export.h"
#include "evname/machine.hpp"
#include "evname/metric.hpp"
#include "evname/schedule.hpp"

namespace evname {

/// A node of a tree. It is a metric of the tables as well (list_metrics(), MetricSet).
struct TopdownNode {
  /// Stands for no node of a tree.
  static constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();

  /// The whole that the value of a node is a share of. Siblings in slots add up to their parent;
  /// siblings in clocks may overlap. A share of the parent means a share of its stalled cycles.
  enum class Share : std::uint8_t { unknown, slots, clocks, operations, parent };

  std::string name;                   ///< of its metric: "tma_l1_bound", "frontend_bound"
  std::string desc;                   ///< one sentence; may be empty
  unsigned level = 1;                 ///< 1 is the top
  std::size_t parent = kNone;         ///< index of the node above it; TopdownNode::kNone at level 1
  std::vector<std::size_t> children;  ///< indexes, in the order of their names
  Share share = Share::unknown;       ///< the whole that its value is a share of
  std::string threshold;            ///< the condition on which it is flagged; empty: never flagged
  std::vector<std::string> sample;  ///< events to sample if it is high, in the syntax of -e
  std::string problem;  ///< why this machine can't compute it: "'#smt_on' has no value …"; else ""
};

/// Returns "slots", "clocks", "operations" or "parent"; "" for unknown.
EVNAME_API const char* to_string(TopdownNode::Share share);

/// The tree of one core PMU of a machine. Parents come before their children. Views and references
/// that it returns are valid as long as it exists, also if it is moved. Thread-safe: several
/// threads may call const members at the same time.
class EVNAME_API TopdownTree {
 public:
  /// Returns the core PMUs of a machine that have a tree: {"cpu"}, {"cpu_atom", "cpu_core"}.
  static std::vector<std::string> pmus(const Machine& machine);

  /// Builds the tree of a core PMU; an empty name is the first of pmus(). Errors: not_found.
  [[nodiscard]] static Result<TopdownTree> of(const Machine& machine, const MetricFacts& facts,
                                              std::string_view pmu = {});

  ///@{
  /// A moved-from tree may only be assigned to or destroyed.
  TopdownTree(TopdownTree&&) noexcept;
  TopdownTree& operator=(TopdownTree&&) noexcept;
  ///@}
  ~TopdownTree();

  /// Returns the core PMU.
  const std::string& pmu() const;
  /// Returns the nodes; parents come before their children.
  std::span<const TopdownNode> nodes() const;
  /// Returns human-readable messages about metrics that are in the group of a level but not in the
  /// tree, because none of their groups names a parent. The tables of the build have none.
  std::span<const std::string> warnings() const;
  /// Returns the number of levels.
  unsigned depth() const;

  /// Returns the node of that name, ignoring case; "tma_" may be omitted. kNone: there
  /// is none.
  std::size_t find(std::string_view name) const;

  /// Returns the nodes of levels 1 to `levels` (0: all), in their order. With a branch, returns
  /// only that node, its ancestors, and its descendants down to its own level + `levels`.
  std::vector<std::size_t> select(unsigned levels = 0,
                                  std::size_t branch = TopdownNode::kNone) const;

  /// Returns the events of all nodes, each once. match_counts() finds their counts in files.
  std::span<const MetricEvent> events() const;
  /// Returns the events that some nodes need, as indexes into events(), each once, in the order of
  /// the nodes. The slots come before the parts of Intel's slots (PERF_METRICS).
  std::vector<std::size_t> events_of(std::span<const std::size_t> nodes) const;

  /// Returns the fewest groups that count the events of some nodes; see MetricSet::schedule(). The
  /// slots lead the group of their parts.
  [[nodiscard]] Result<MetricSchedule> schedule(std::span<const std::size_t> nodes,
                                                const ScheduleOptions& options) const;

  /// Computes every node, in percent. `counts` is parallel to events(); if it is shorter, the
  /// remaining events were not counted. `values` and `flagged` are parallel to nodes(): NaN if a
  /// node has no value, and 1 if it and all nodes above it are beyond their thresholds. Parses
  /// nothing, and allocates only on a thread's first call.
  void evaluate(std::span<const EventCount> counts, std::span<double> values,
                std::span<std::uint8_t> flagged = {}) const;

  /// Returns why a node has no value for these counts.
  MetricSet::Gap explain(std::size_t node, std::span<const EventCount> counts) const;

  /// Returns the node to look at next: from level 1 downwards the flagged child with the largest
  /// value, until none is flagged. If its children have no values yet, count them next.
  /// kNone: nothing is flagged.
  std::size_t next(std::span<const double> values, std::span<const std::uint8_t> flagged) const;

  /// Returns the sum of the nodes of a level that are shares of slots; NaN if none has a value. For
  /// levels 1 and 2 it is 100 if every node above is divided.
  double sum_of_level(unsigned level, std::span<const double> values) const;

  /// Returns the metrics of the nodes, without those with a `problem`.
  const MetricSet& metrics() const;
  /// Returns the index of a node's metric in metrics(); kNone if it has a `problem`.
  std::size_t metric_of(std::size_t node) const;

 private:
  struct EVNAME_HIDDEN State;
  EVNAME_HIDDEN explicit TopdownTree(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace evname
