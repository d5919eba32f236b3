#pragma once
// Sorts counts by time and place.

#include <map>
#include <optional>
#include <string>
#include <utility>

#include "evname/metric.hpp"

namespace evname::metrics {

/// One line of counts in any format.
struct CountRow {
  std::optional<double> time;
  std::string place;
  Counted count;
};

/// Groups rows by time and place.
class CountTable {
 public:
  void add(CountRow row) {
    if (!counts_.groups.empty()) {  // most rows belong to the previous row's group
      CountGroup& last = counts_.groups[last_];
      if (last.time == row.time && last.place == row.place) {
        last.counts.push_back(std::move(row.count));
        return;
      }
    }
    const auto [at, is_new] = groups_.try_emplace({row.time, row.place}, counts_.groups.size());
    if (is_new) {
      const std::size_t size = counts_.groups.empty() ? 0 : counts_.groups[last_].counts.size();
      counts_.groups.push_back({row.time, std::move(row.place), {}, 0});
      counts_.groups.back().counts.reserve(size);
    }
    last_ = at->second;
    counts_.groups[last_].counts.push_back(std::move(row.count));
  }
  /// The row added last.
  Counted& last() { return counts_.groups[last_].counts.back(); }
  Counts take() { return std::move(counts_); }
  Counts& counts() { return counts_; }

 private:
  Counts counts_;
  std::size_t last_ = 0;  ///< the group of the last row
  std::map<std::pair<std::optional<double>, std::string>, std::size_t> groups_;
};

}  // namespace evname::metrics
