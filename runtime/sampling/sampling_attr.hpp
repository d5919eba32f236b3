#pragma once
// Makes the perf_event_attr for sampling from options and from the terms of an event that say how
// to sample it, cpu-clock/freq=100,call-graph=dwarf/; removes features that older kernels refuse.

#include <cstdint>
#include <optional>
#include <string_view>

#include "counting/counter_sets.hpp"
#include "evname/recorder.hpp"

namespace evname::sampling {

/// The options of one event.
struct EventOptions : RecordOptions {
  std::uint64_t bits = 0;  ///< perf_format::SampleBit of the fields that it samples
  std::string filter;      ///< empty: none
};

/// Properties of a single event of a recording.
struct EventRole {
  bool tracks = false;                ///< it also records mappings, processes and names
  bool is_alone = false;              ///< it is the only event
  bool of_cpu = false;                ///< it samples CPUs, not threads
  bool leads = true;                  ///< it leads its group
  bool reads_group = false;           ///< its samples have the counts of its group (`:S`)
  bool is_member = false;             ///< it is counted in such a group, and not sampled
  bool always_on = false;             ///< it is never disabled
  bool traces = false;                ///< its hardware writes a trace beside the buffer
  const EventOptions* own = nullptr;  ///< options of this event
};

/// Returns how often an event is sampled in a second, or 0 if it is sampled by a period.
std::uint64_t frequency_of(const Encoding& event, const RecordOptions& options);

counting::AttrBytes sampling_attr(const Encoding& event, const EventRole& role);

/// A feature of an attr that is given up, because older kernels or this CPU may lack it. give_up()
/// returns the `step`-th, the newest first, or nullopt after the last. `attr` changes only if it
/// asks for the feature.
struct GivenUp {
  std::string_view what;  ///< "build ids of mappings (Linux 5.12)"
  bool had_it = false;
};
std::optional<GivenUp> give_up(counting::AttrBytes& attr, std::size_t step);

/// Returns the options for this event: its own terms override the options of all events. Errors:
/// invalid_argument for an unknown field or call-graph.
Result<EventOptions> options_of_event(const Encoding& event, const RecordOptions& common);

/// Returns true if a term of the event says how often it is sampled (period=7, freq=100).
bool has_own_rate(const Encoding& event);

}  // namespace evname::sampling
