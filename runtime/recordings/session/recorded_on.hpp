#pragma once
// The machine that a recording was made on, and whether it is this one, running since.

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "evname/attr.hpp"
#include "evname/features.hpp"
#include "recordings/session/bpf_lines.hpp"
#include "recordings/stream/recording_file.hpp"

namespace evname::session {

/// What mappings need to know of the machine that they were recorded on.
struct RecordedOn {
  std::string_view release = {};  ///< of the kernel, as uname -r prints it; empty: unknown
  std::uint16_t machine = 0;      ///< see Mapping
  bool big_endian = false;
  std::uint64_t here_until = 0;  ///< see Mapping
  std::shared_ptr<const BpfLines> bpf_lines = {};
};

/// The machine that runs this. Times are in ns since the Epoch.
struct ThisMachine {
  std::string hostname, release;
  std::uint16_t machine = 0;
  std::uint64_t started = 0;             ///< by CLOCK_BOOTTIME
  std::uint64_t started_less_sleep = 0;  ///< by CLOCK_MONOTONIC, which stands while it is suspended
  std::uint64_t uptime = 0;              ///< ns

  static ThisMachine look();
};

/// When a recording's file was made and last changed, in ns since the Epoch, and the first time in
/// it, by the recorded clock; 0: unknown. SAMPLE_TIME does not have it if perf -B wrote the file.
struct FileTimes {
  std::uint64_t created = 0, modified = 0, first = 0;
};

/// Returns Mapping::here_until for a recording. Hostname, machine and release have to be the same,
/// and so has the moment at which the machine started. The recorded clock counts from that moment:
/// CLOCK_DATA says where the clock was at what time, and the times of the file say nearly as much.
/// A copy of the file is younger, so that it seems to be from elsewhere. `clock` is that of the
/// events' attr.
std::uint64_t here_until(const perf_format::Features& features, const perf_format::Attr& clock,
                         const FileTimes& file, const ThisMachine& here);

/// Returns this machine, for samples that are read while they are taken.
RecordedOn recorded_now();

/// Returns the machine of a recording, which outlives the result.
RecordedOn recorded_on(const stream::File& file);

}  // namespace evname::session
