#pragma once
// Opens the events of a recording on all its threads and CPUs, and maps their buffers.

#include <cstdint>
#include <string>
#include <vector>

#include "counting/attr_bytes.hpp"
#include "evname/recorder.hpp"
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
  bool of_cpus = false;            ///< everything on CPUs is sampled
  std::vector<std::string> notes;  ///< what was given up
};

Result<OpenRecording> open_recording(const Machine& machine, std::span<const Encoding> events,
                                     const CountTarget& target, const RecordOptions& options);

}  // namespace evname::sampling
