#pragma once
// perf_event_attr for sampling, and what older kernels refuse of it.

#include <cstdint>
#include <optional>
#include <string_view>

#include "counting/attr_bytes.hpp"
#include "evname/recorder.hpp"

namespace evname::sampling {

/// What makes one event of a recording differ from the others.
struct EventRole {
  bool tracks = false;                 ///< it also records mappings, processes and names
  bool is_alone = false;               ///< there is no other event
  bool of_cpu = false;                 ///< it samples CPUs, not threads
  bool leads = true;                   ///< it leads its group
  bool reads_group = false;            ///< its samples have the counts of its group (`:S`)
  bool is_member = false;              ///< it is counted in such a group, and not sampled
  bool always_on = false;              ///< it is never disabled
  const RecordOptions* own = nullptr;  ///< options of this event alone
};

counting::AttrBytes sampling_attr(const Encoding& event, const RecordOptions& options,
                                  const EventRole& role);

/// Gives up something of an attr that kernels learned later than the rest, or that this CPU does
/// not have, the newest first: what the `step`-th is, or nullopt after the last. `attr` changes
/// only if it asks for that.
struct GivenUp {
  std::string_view what;  ///< "build ids of mappings (Linux 5.12)"
  bool had_it = false;
};
std::optional<GivenUp> give_up(counting::AttrBytes& attr, std::size_t step);

}  // namespace evname::sampling
