#pragma once
// Compares the rows of two reports.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "evname/report.hpp"

namespace evname::tools {

/// A change between two reports that have the same keys.
struct ReportChange {
  std::vector<std::string> keys;  ///< one value per SortKey
  ///@{
  /// The sums of either side; without samples if it has no such row.
  SampleSums before, after;
  ///@}
  ///@{
  /// Share of either side's samples, or of the event's if `event` is one of several keys: from 0
  /// to 1, so that recordings of different length compare.
  double share_before = 0, share_after = 0;
  ///@}
};

/// Compares the rows of two reports with the same keys. `event_key` is the index of the key
/// `event`; SIZE_MAX: there is none. The rows of an event are adjacent, and events keep the order
/// of `before`. Rows with the largest change of share come first.
std::vector<ReportChange> compare_rows(const std::vector<Report::Row>& before,
                                       const std::vector<Report::Row>& after,
                                       std::size_t event_key = SIZE_MAX);

}  // namespace evname::tools
