#pragma once
// Terms that are for `perf record` and change an attr by where the event stands in its group:
// ratio-to-prev and aux-action.

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "events/machine/state.hpp"
#include "events/syntax/events.hpp"
#include "evname/encoding.hpp"

namespace evname::resolver {

class RecordTerms {
 public:
  static bool are_in(const syntax::Spec& spec);
  /// `made`: what the event became, from index `first` on.
  void note(const syntax::Spec& spec, std::size_t first, std::span<Encoding* const> made);
  bool empty() const { return ratios_.empty() && actions_.empty(); }
  /// Sets periods and words as perf does (evsel__apply_ratio_to_prev of util/evsel.c and
  /// arch/x86/util/evsel.c), in the order in which perf opens the events. What perf record refuses
  /// becomes a warning of the event.
  void apply(const detail::MachineState& state, std::span<Encoding* const> all) const;

 private:
  std::vector<std::pair<std::size_t, double>> ratios_;  ///< index and ratio, by index
  std::vector<std::size_t> actions_;                    ///< indexes of events with an aux-action
};

}  // namespace evname::resolver
