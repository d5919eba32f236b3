#pragma once
// The contents of a Recording, which are built once and then only read, and its samples.

#include <memory>
#include <vector>

#include "base/access.hpp"
#include "evname/recording.hpp"
#include "recordings/session/record_cursor.hpp"
#include "recordings/stream/recording_file.hpp"

namespace evname::detail {

struct RecordingState {
  stream::File file;
  Machine machine;
  std::vector<RecordedEvent> events;  ///< parallel to file.events
};

/// Returns the record that a sample was read from.
inline const perf_format::SampleRecord& record_of(const Sample& sample) {
  return Access::record(sample);
}
/// Returns the mappings of the process of a sample.
inline const session::ProcessMaps& maps_of(const Sample& sample) { return Access::maps(sample); }

/// Returns the time of a sample; none if its event lacks it.
session::SampleTime time_of(const Sample& sample);

/// Returns the sample of a record. All arguments must live as long.
inline Sample sample_of(const RecordingState& state, const perf_format::SampleRecord& record,
                        const session::ProcessMaps& maps, std::string_view comm,
                        std::string_view cgroup_path) {
  return Access::make<Sample>(state.events[state.file.events.index_of(*record.event)], record, maps,
                              comm, cgroup_path, state.file.header.order != std::endian::native);
}
/// Returns the sample that was read last.
inline Sample sample_at(const RecordingState& state, const session::RecordContents& contents) {
  return sample_of(state, contents.sample(), contents.maps(), contents.comm(),
                   contents.cgroup_path());
}

/// A source of samples other than a file.
class SampleSource {
 public:
  virtual ~SampleSource() = default;
  /// Moves to the next sample. Returns false if there is none now.
  virtual bool next_sample() = 0;
  virtual SampleTally tally() const = 0;
  virtual const session::RecordContents& contents() const = 0;
};

/// Returns the samples of a source as a range, whose next() may return samples again after it has
/// returned nullptr. `data` has the source's events.
SampleRange range_over(const Recording& data, std::shared_ptr<SampleSource> source);

/// Returns the name of the process of the last sample, which is the name of its first thread; empty
/// if no record before the sample has it. It is valid as long as the range.
std::string_view process_comm(const SampleRange& range);

}  // namespace evname::detail

namespace evname::perf_data {

/// PERF_CONTEXT_MAX of include/uapi/linux/perf_event.h: from here on a callchain's words are
/// markers.
inline constexpr std::uint64_t kContextMax = -4095;
/// The maximum number of frames in perf: PERF_MAX_STACK_DEPTH.
inline constexpr std::size_t kMostFrames = 127;

/// Returns the address of the sample's instruction; 0 if it has none.
Address instruction_of(const Sample& sample);

/// Returns true if Sample::stack() has other sources than ip(). A callchain may consist of markers.
bool has_chain(const Sample& sample);

/// Returns how many addresses at the end of Sample::stack() come from the CPU's record: they are
/// addresses of calls, not return addresses.
std::size_t kept_calls(const Sample& sample);

/// Returns the index in Sample::stack() of the instruction that left user space; nullopt if the
/// callchain has no part of user space.
std::optional<std::size_t> first_of_user(const Sample& sample);

/// Returns the tally of a pass, or an error if its progress callback ended it. Errors: cancelled.
inline Result<SampleTally> unless_cancelled(SampleTally tally) {
  if (tally.cancelled) return fail(Errc::cancelled, "cancelled");
  return tally;
}

/// Returns the number of threads to use; at least 1.
unsigned jobs_of(const PassOptions& options);

/// Returns not_found if the pass is over waits, and no event says how long threads waited.
Result<void> check_waits(const Recording& file, const PassOptions& pass);

/// Returns not_found if an event does not sample a field; any of `bits` of sample_type gives the
/// field. Like perf script, it looks at the first event of each type only (find_first_output_type
/// of builtin-script.c); all events of dynamic PMUs count as one type.
Result<void> check_sampled_by_all(const Recording& file, std::uint64_t bits, std::string_view field,
                                  std::string hint);

}  // namespace evname::perf_data
