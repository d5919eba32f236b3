#pragma once
// Opens the events of a recording on all its threads and CPUs, and maps their buffers.

#include <cstdint>
#include <string>
#include <vector>

#include "counting/attr_bytes.hpp"
#include "evname/recorder.hpp"
#include "sampling/existing.hpp"
#include "sampling/machine_features.hpp"
#include "sampling/ring.hpp"

namespace evname::sampling {

/// An event that is open.
struct OpenEvent {
  Encoding encoding;
  counting::AttrBytes attr;
  std::vector<int> files;          ///< one for each place
  std::vector<std::uint64_t> ids;  ///< parallel to `files`
};

/// All that is open. The destructor closes it.
struct OpenRecording {
  OpenRecording() = default;
  OpenRecording(OpenRecording&& other) noexcept = default;
  OpenRecording& operator=(OpenRecording&& other) noexcept = default;
  ~OpenRecording();

  std::vector<OpenEvent> events;
  std::vector<Ring> rings;
  std::vector<int> ring_files;     ///< parallel to `rings`: what to wait for
  std::vector<int> processes;      ///< whose mappings are there already; empty: all
  bool has_own_tracker = false;    ///< the last event is `dummy:u`, and always on
  bool data_mappings = false;      ///< mappings that are not executable are recorded, too
  bool of_cpus = false;            ///< everything on CPUs is sampled
  std::vector<std::string> notes;  ///< what was given up

  /// Returns the events as a file has them; the views are valid as long as they are.
  std::vector<RecordedEvent> recorded_events() const;
  /// Starts or stops what is not always on (PERF_EVENT_IOC_ENABLE, _DISABLE). Errors: io.
  Result<void> order_all(unsigned long request) const;
  /// Returns true if an event samples the kernel.
  bool samples_kernel() const;
  /// Passes on records of the kernel, if asked for, and of the processes that were there already.
  /// Notes if the kernel keeps its addresses to itself.
  void existing_records(const RecordOptions& options, const RecordSink& sink,
                        BuildIds* build_ids = nullptr, bool of_kernel = true);
};

/// How a sampler opens events beside the options of recordings.
struct SamplerNeeds {
  std::span<const RecordOptions> own;  ///< of each event
  /// Mappings and names are recorded also while the events are disabled.
  bool tracks_always = false;
};

Result<OpenRecording> open_recording(const Machine& machine, std::span<const Encoding> events,
                                     const CountTarget& target, const RecordOptions& options,
                                     const SamplerNeeds& needs = {});

}  // namespace evname::sampling
