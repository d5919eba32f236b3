#pragma once
// What `evname topdown` is asked.

#include <string>
#include <vector>

#include "evname/metric.hpp"
#include "metrics/options.hpp"
#include "stat/options.hpp"

namespace evname::tools {

struct TopdownOptions {
  MetricOptions given;  ///< the machine and the facts that counts are of, and their separator
  StatOptions stat;     ///< what is counted, where, and the parts that counts are added up for
  std::vector<std::string> from, nodes;
  std::string html;
  unsigned level = 0;  ///< the deepest that is counted and shown; 0: as far as it is worth it
  bool drill = false, all = false, json = false, csv = false;

  void add_to(Command& command);
  bool is_live() const { return from.empty(); }
  /// Whether people read the answer.
  bool as_text() const { return !json && !csv && html.empty(); }
  /// What counts of a recording are added up for.
  CountsPer counts_per() const;
  /// Returns what is read, which no output may replace.
  std::vector<std::string> inputs() const;
  /// What is wrong with them together; "": nothing.
  std::string mistake() const;

 private:
  void add_tree_options(Command& command);
  void add_count_options(Command& command);
  void add_formats(Command& command);
};

}  // namespace evname::tools
