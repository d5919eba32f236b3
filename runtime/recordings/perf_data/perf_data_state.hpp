#pragma once
// What a PerfData holds. Built once, then only read.

#include <vector>

#include "base/access.hpp"
#include "evname/perf_data.hpp"
#include "recordings/session/session.hpp"
#include "recordings/stream/recording_file.hpp"

namespace evname::perfdata::session {
struct Sums;
}  // namespace evname::perfdata::session

namespace evname::detail {

struct PerfDataState {
  perfdata::stream::File file;
  Machine machine;
  std::vector<RecordedEvent> events;  ///< parallel to file.events
};

struct SampleRef {
  const RecordedEvent& event;
  const perfdata::session::SampleView& view;
  bool swapped;  ///< numbers of the view's parts are of the other byte order
};

/// Lasts as long as `ref`.
inline Sample sample_of(const SampleRef& ref) { return Access::make<Sample>(&ref); }
Sample sample_of(const SampleRef&&) = delete;

inline SampleRef sample_ref(const PerfDataState& state, const perfdata::session::SampleView& view) {
  const auto index = static_cast<std::size_t>(&view.event - state.file.events.list().data());
  return {state.events[index], view, state.file.header.order != std::endian::native};
}

}  // namespace evname::detail

namespace evname::recording {

/// PERF_CONTEXT_MAX of include/uapi/linux/perf_event.h: from here on a callchain's words are
/// markers.
inline constexpr std::uint64_t kContextMax = -4095;
/// How many frames perf follows and prints: PERF_MAX_STACK_DEPTH.
inline constexpr std::size_t kMostFrames = 127;

/// Returns the address of the sample's instruction; 0 if it has none.
Address instruction_of(const Sample& sample);

/// Has Sample::stack() other sources than ip()? A callchain may consist of markers.
bool has_chain(const Sample& sample);

/// How a session goes through the recording for a pass with these options.
perfdata::session::PassOptions session_options(const PassOptions& options);
/// How many threads to use; at least 1.
unsigned jobs_of(const PassOptions& options);
SampleTally tally_of(perfdata::session::Tally tally);
SampleTally tally_of(const perfdata::session::Sums& sums);

}  // namespace evname::recording
