#pragma once
// The open events of a recording, on all its threads and CPUs, and their buffers.

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "counting/counter_sets.hpp"
#include "evname/recorder.hpp"
#include "sampling/existing.hpp"
#include "sampling/machine_features.hpp"
#include "sampling/ring.hpp"
#include "sampling/traces.hpp"

namespace evname::sampling {

/// A thread, CPU or cgroup that an event is opened on, by one perf_event_open(2).
struct Place {
  int thread = -1, cpu = -1;
  int cgroup = -1;  ///< its open directory, or -1
};

/// An event that is open.
struct OpenEvent {
  Encoding encoding;
  counting::AttrBytes attr;
  std::vector<int> files;          ///< one for each place
  std::vector<Place> places;       ///< parallel to `files`
  std::vector<std::uint64_t> ids;  ///< parallel to `files`
};

/// The open events and their buffers. The destructor closes them.
struct OpenRecording {
  OpenRecording() = default;
  OpenRecording(OpenRecording&& other) noexcept = default;
  ~OpenRecording();

  std::vector<OpenEvent> events;
  std::vector<Ring> rings;
  std::vector<TraceSource> traces;
  std::vector<int> processes;         ///< processes that have mappings already; empty: all
  bool has_own_tracker = false;       ///< the last event is `dummy:u`, and always on
  bool data_mappings = false;         ///< mappings that are not executable are recorded, too
  std::vector<unsigned> online;       ///< CPUs at the start
  bool of_cpus = false;               ///< everything on CPUs is sampled
  std::vector<std::string> warnings;  ///< sentences on what was given up

  /// Adds a note, once.
  void note(std::string text);
  /// Returns the events as a file has them; the views are valid as long as this object.
  std::vector<RecordedEvent> recorded_events() const;
  /// Starts or stops the events that are not always on (PERF_EVENT_IOC_ENABLE, _DISABLE); if
  /// `only_on_cpus`, only where they sample CPUs. Errors: io.
  Result<void> order_all(unsigned long request, bool only_on_cpus = false) const;
  /// Does the same for one event.
  Result<void> order(std::size_t event, unsigned long request) const;
  /// Returns a descriptor for each sampled thread and CPU. It is readable if its buffer has
  /// samples, and hangs up when its thread ends; other threads may still use that buffer.
  std::vector<int> awaited_files() const;
  /// Returns true if an event samples the kernel.
  bool samples_kernel() const;
  /// Passes on records of the kernel, if requested, and of the existing processes. Adds a note if
  /// the kernel hides its addresses.
  void existing_records(const RecordOptions& options, const RecordSink& sink, BuildIds* build_ids,
                        bool ids_in_records, bool of_kernel = true);
};

/// Maps the buffers of the events. All have the same size, the largest that the kernel permits for
/// all of them.
Result<void> map_buffers(const RecordOptions& options, OpenRecording& recording);

/// Options for opening the events of a sampler, in addition to RecordOptions.
struct SamplerNeeds {
  std::span<const RecordOptions> own;         ///< of each event
  std::span<const std::string> filters = {};  ///< of each event
  /// Record mappings and names also while the events are disabled.
  bool tracks_always = false;
  /// Record traces for Recording's decoder: refuse other kinds, and record times.
  bool decodes_traces = false;
};

Result<OpenRecording> open_recording(const Machine& machine, std::span<const Encoding> events,
                                     const CountTarget& target, const RecordOptions& options,
                                     const SamplerNeeds& needs = {});

}  // namespace evname::sampling
