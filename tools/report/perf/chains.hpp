#pragma once
// The callchains below the rows of perf's table.

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "recordings/report/detailed_report.hpp"

namespace evname::tools {

/// What perf's -g says: "graph,0.5,caller,function,percent".
struct ChainStyle {
  enum class Mode : std::uint8_t { none, graph, fractal, flat, folded };
  enum class Value : std::uint8_t { percent, period, count };

  Mode mode = Mode::graph;
  Value value = Value::percent;
  double least = 0.5;    ///< percent; callchains with less are left out
  std::size_t most = 0;  ///< number of callchains of a row, or of a caller; 0: all
  bool callers_first = false;
  bool skips_first = false;  ///< the row is the first function
};

/// Reads the argument of -g. Without a word for the order, it is as `style` has it.
ChainStyle chain_style(const std::string& argument, ChainStyle style);

/// Writes the callchains of rows.
class ChainText {
 public:
  ChainText(const report::RowChains& chains, const ChainStyle& style);

  /// Returns the number of frames of the longest callchain of rows with these keys.
  std::size_t depth(std::span<const std::vector<std::string>> rows) const;
  /// Returns the lines below a row that is the sum of rows of the report with these keys. `all`:
  /// the period of all rows; `own`: of this one.
  std::string of(std::span<const std::vector<std::string>> rows, std::uint64_t all,
                 std::uint64_t own) const;

 private:
  /// Frames that follow each other in all callchains, and what follows them.
  struct Tree {
    std::vector<std::uint32_t> frames;
    std::uint64_t own = 0, own_samples = 0;  ///< of callchains that end here
    std::uint64_t all = 0, all_samples = 0;  ///< with those below
    std::vector<Tree> below;
  };
  using Branches = std::vector<const Tree*>;

  std::vector<std::vector<std::uint32_t>> groups_below(
      const std::vector<std::uint32_t>& nodes) const;
  Tree tree_of(std::vector<std::uint32_t> nodes) const;
  Branches shown(const Tree& tree, std::uint64_t least) const;
  std::string value_text(const Tree& tree, std::uint64_t all) const;
  std::string graph(const Tree& root, std::uint64_t all, std::uint64_t own) const;
  void add_level(const Tree& tree, std::uint64_t all, std::size_t margin, std::vector<bool> bars,
                 std::string& out) const;
  void add_rest(std::uint64_t rest, std::uint64_t all, std::size_t margin,
                const std::vector<bool>& bars, std::string& out) const;
  std::string list(const Tree& root, std::uint64_t all) const;

  const report::RowChains& chains_;
  const ChainStyle style_;
  std::vector<std::vector<std::uint32_t>> below_;            ///< of each node
  std::vector<std::size_t> depths_;                          ///< below each row's node
  std::map<std::vector<std::string>, std::uint32_t> nodes_;  ///< of rows
  mutable std::uint64_t least_ = 0;
};

}  // namespace evname::tools
