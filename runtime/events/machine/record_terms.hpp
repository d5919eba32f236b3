#pragma once
// Applies the terms of events that depend on the place of the event in its group.

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "events/machine/machine_state.hpp"
#include "events/syntax/events.hpp"
#include "evname/encoding.hpp"

namespace evname::machine {

/// The terms ratio-to-prev and aux-action of a list of events. They are for `perf record`, and
/// change an attr depending on the event's place in its group.
class RecordTerms {
 public:
  static bool are_in(const syntax::Spec& spec);
  /// Notes the terms of an event. The event's encodings begin at index `first`.
  void note(const syntax::Spec& spec, std::size_t first, std::span<Encoding* const> encodings);
  bool empty() const { return ratios_.empty() && actions_.empty(); }
  /// Sets periods and words as perf does (evsel__apply_ratio_to_prev of util/evsel.c and
  /// arch/x86/util/evsel.c), in perf's order of events. An event that perf record refuses gets a
  /// warning.
  void apply(const detail::MachineState& state, std::span<Encoding* const> all) const;

 private:
  std::vector<std::pair<std::size_t, double>> ratios_;  ///< index and ratio, by index
  std::vector<std::size_t> actions_;                    ///< indexes of events with an aux-action
};

}  // namespace evname::machine
