#pragma once
// Applies the rules that depend on the place of an event in its group, and implements
// Machine::regroup.

#include <cstddef>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "events/machine/machine_state.hpp"
#include "events/syntax/events.hpp"
#include "evname/encoding.hpp"
#include "evname/machine.hpp"

namespace evname::machine {

/// Returns true for events that the kernel counts itself: they can be in a group with events of any
/// PMU.
bool is_software(const Encoding& encoding);

/// Returns true if the PMU traces into a buffer of its own (intel_pt). Events of other PMUs can be
/// in the groups that its events lead.
bool is_aux(std::string_view pmu);

/// Returns which event of a group is sampled if its leader has the modifier S: the leader, or the
/// event after it if the leader can't be sampled as it is meant (evsel__read_sampler of
/// util/record.c). `leader` is an index into `events`, whose groups are those of regroup().
std::size_t sampled_member(const Machine& machine, std::span<const Encoding> events,
                           std::size_t leader);

/// The terms ratio-to-prev and aux-action of a list of events. They are for `perf record`, and
/// change an attr depending on the event's place in its group.
class RecordTerms {
 public:
  static bool are_in(const syntax::Spec& spec);
  /// Notes the terms of an event. `encodings` has those of the event from index `first` on.
  void note(const syntax::Spec& spec, std::size_t first, std::span<Encoding* const> encodings);
  bool empty() const { return ratios_.empty() && actions_.empty(); }
  /// Sets periods and words as perf does (evsel__apply_ratio_to_prev of util/evsel.c and
  /// arch/x86/util/evsel.c), in the order in which perf opens the events. An event that perf record
  /// refuses gets a warning.
  void apply(const detail::MachineState& state, std::span<Encoding* const> all) const;

 private:
  std::vector<std::pair<std::size_t, double>> ratios_;  ///< index and ratio, by index
  std::vector<std::size_t> actions_;                    ///< indexes of events with an aux-action
};

}  // namespace evname::machine
