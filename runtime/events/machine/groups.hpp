#pragma once
// What depends on the place of an event in its group. Machine::regroup is implemented here.

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "events/machine/machine_state.hpp"
#include "events/syntax/events.hpp"
#include "evname/encoding.hpp"

namespace evname::machine {

/// Returns true for events that the kernel counts itself: they can be in a group with those of any
/// PMU.
bool is_software(const Encoding& encoding);

/// The terms ratio-to-prev and aux-action of a list of events: they are for `perf record` and
/// change an attr by where the event stands in its group.
class RecordTerms {
 public:
  static bool are_in(const syntax::Spec& spec);
  /// Notes the terms of an event. `encodings` is what the event resolved to, from index `first` on.
  void note(const syntax::Spec& spec, std::size_t first, std::span<Encoding* const> encodings);
  bool empty() const { return ratios_.empty() && actions_.empty(); }
  /// Sets periods and words as perf does (evsel__apply_ratio_to_prev of util/evsel.c and
  /// arch/x86/util/evsel.c), in the order in which perf opens the events. What perf record refuses
  /// becomes a warning of the event.
  void apply(const detail::MachineState& state, std::span<Encoding* const> all) const;

 private:
  std::vector<std::pair<std::size_t, double>> ratios_;  ///< index and ratio, by index
  std::vector<std::size_t> actions_;                    ///< indexes of events with an aux-action
};

}  // namespace evname::machine
