#pragma once
// The options of `evname topdown`.

#include <string>
#include <vector>

#include "evname/metric.hpp"
#include "metrics/options.hpp"
#include "stat/options.hpp"

namespace evname::tools {

struct TopdownOptions {
  MetricOptions given;  ///< the machine and the facts for counts, and their separator
  StatOptions stat;     ///< the target, and the parts that counts are added up for
  std::vector<std::string> from, nodes;
  std::string html;
  unsigned level = 0;  ///< the deepest level to count and show; 0: as far as useful
  bool drill = false, all = false, json = false, csv = false;

  void add_to(Command& command);
  bool is_live() const { return from.empty(); }
  /// Returns true if people read the output.
  bool as_text() const { return !json && !csv && html.empty(); }
  /// The parts that counts of a recording are added up for.
  CountsPer counts_per() const;
  /// Returns the input files, which no output may replace.
  std::vector<std::string> inputs() const;
  /// Returns the fault of their combination; "" if there is none.
  std::string mistake() const;

 private:
  void add_tree_options(Command& command);
  void add_count_options(Command& command);
  void add_formats(Command& command);
};

}  // namespace evname::tools
