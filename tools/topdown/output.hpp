#pragma once
// Writes the trees of `evname topdown` as text, CSV, JSON or a page.

#include <string>
#include <vector>

#include "stat/runs.hpp"
#include "topdown/reading.hpp"
#include "topdown/tree_page.hpp"

namespace evname::tools {

class TopdownOutput {
 public:
  TopdownOutput(const Machine& machine, const TopdownOptions& options)
      : machine_(machine), options_(options), page_(machine, options) {}

  /// Returns false after reporting why nothing can be written.
  bool open();
  void add(const ChosenTree& chosen, const TreeReading& reading);
  /// Ends the output. Returns false after reporting that not all of it could be written.
  bool finish();
  /// Returns true if a requested node has no value: of level 1, unless more was requested.
  bool lacks_values() const { return lacks_values_; }
  /// Whether any node had a value.
  bool has_values() const { return has_values_; }

 private:
  void note_values(const TreeReading& reading);
  void sum_up(const ChosenTree& chosen, const TreeReading& reading);
  void add_sums();
  void write(bool all);

  const Machine& machine_;
  const TopdownOptions& options_;
  CountOutput output_;
  TreePage page_;
  std::string text_;  ///< not yet written
  /// Counts of all intervals of a tree and a place.
  struct Sum {
    const ChosenTree* chosen;
    std::string place;
    TreeReading reading;
    std::size_t intervals = 0;
  };
  std::vector<Sum> sums_;
  bool lacks_values_ = false, has_values_ = false, is_first_ = true;
};

}  // namespace evname::tools
