#pragma once
// Describes the machine of a recording, with its BPF programs and build ids, and finds out whether
// it is this machine without a restart since.

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "evname/attr.hpp"
#include "evname/symbols.hpp"
#include "perf_format/feature_types.hpp"
#include "recordings/stream/recording_file.hpp"

namespace evname::session {

/// The source lines of functions that the kernel made from BPF programs. The features outlive the
/// object.
class BpfLines {
 public:
  explicit BpfLines(const perf_format::Features& features);
  /// Returns the lines of a function by its start and the tag in its name, since the kernel reuses
  /// addresses.
  std::span<const CodeLine> of(std::uint64_t start, std::string_view name) const;

 private:
  std::map<std::pair<std::uint64_t, std::uint64_t>, std::vector<CodeLine>> functions_;
};

/// The facts about the recorded machine that mappings need.
struct RecordedOn {
  std::string_view release = {};  ///< of the kernel, as uname -r prints it; empty: unknown
  std::uint16_t machine = 0;      ///< see Mapping
  bool big_endian = false;
  std::uint64_t here_until = 0;  ///< see Mapping
  std::shared_ptr<const BpfLines> bpf_lines = {};
  const std::shared_ptr<const std::string>* names = nullptr;  ///< see Mapping
  std::span<const perf_format::RunTimeCode> run_time_code = {};
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

/// Finds the entries for mappings of the recorded machine as perf 7.3 does. Entries of guests are
/// left out.
class RecordedBuildIds {
 public:
  RecordedBuildIds() = default;
  /// `entries` outlive the object.
  explicit RecordedBuildIds(const std::vector<perf_format::BuildId>& entries);

  ///@{
  /// Return nullptr if there is no entry.
  const perf_format::BuildId* kernel() const { return kernel_; }
  /// A module is identified by its name, not its path: dsos__findnew_module_dso of
  /// tools/perf/util/dsos.c.
  const perf_format::BuildId* module(std::string_view file) const;
  const perf_format::BuildId* file(std::string_view path) const;
  ///@}

 private:
  const perf_format::BuildId* kernel_ = nullptr;
  std::unordered_map<std::string, const perf_format::BuildId*> modules_;  ///< by "[ext4]"
  std::unordered_map<std::string_view, const perf_format::BuildId*> files_;
};

}  // namespace evname::session
