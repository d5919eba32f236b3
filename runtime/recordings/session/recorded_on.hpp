#pragma once
// Describes the machine of a recording, and finds out whether it is this machine without a restart
// since.

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "evname/attr.hpp"
#include "evname/features.hpp"
#include "recordings/session/bpf_lines.hpp"
#include "recordings/stream/recording_file.hpp"

namespace evname::session {

/// The facts about the recorded machine that mappings need.
struct RecordedOn {
  std::string_view release = {};  ///< of the kernel, as uname -r prints it; empty: unknown
  std::uint16_t machine = 0;      ///< see Mapping
  bool big_endian = false;
  std::uint64_t here_until = 0;  ///< see Mapping
  std::shared_ptr<const BpfLines> bpf_lines = {};
};

/// This machine. Times are in ns since the Epoch.
struct ThisMachine {
  std::string hostname, release;
  std::uint16_t machine = 0;
  std::uint64_t started = 0;             ///< by CLOCK_BOOTTIME
  std::uint64_t started_less_sleep = 0;  ///< by CLOCK_MONOTONIC, which stops during suspension
  std::uint64_t uptime = 0;              ///< ns

  static ThisMachine look();
};

/// The times of a recording's file: creation and last change in ns since the Epoch, and its first
/// time by the recorded clock; 0: unknown. SAMPLE_TIME does not have it if perf -B wrote the file.
struct FileTimes {
  std::uint64_t created = 0, modified = 0, first = 0;
};

/// Returns Mapping::here_until for a recording. Hostname, machine, release and start of the machine
/// must be equal. The recorded clock counts from that start; CLOCK_DATA, or less exactly the times
/// of the file, relates it to the Epoch. A copy of the file is younger, and so seems to be from
/// another machine. `clock` is from the events' attr.
std::uint64_t here_until(const perf_format::Features& features, const perf_format::Attr& clock,
                         const FileTimes& file, const ThisMachine& here);

/// Returns this machine, for samples that are read while they are taken.
RecordedOn recorded_now();

/// Returns the machine of a recording, which outlives the result.
RecordedOn recorded_on(const stream::File& file);

}  // namespace evname::session
