#pragma once
// The trace data of a recording: what AUXTRACE_INFO says of the hardware, the data of each CPU or
// thread, the hardware's clock, and the events that samples are made of.

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "evname/pass.hpp"
#include "recordings/format/recorded_events.hpp"
#include "recordings/format/warnings.hpp"
#include "recordings/spe/memory_source.hpp"

namespace evname::perfdata::spe {

/// Converts counts of the hardware's timer to ns of the recording's clock and back. Source:
/// perf_event_mmap_page of include/uapi/linux/perf_event.h, and TIME_CONV.
class Clock {
 public:
  Clock() = default;
  /// Reads a TIME_CONV record, which early versions of perf wrote without its last fields.
  Clock(Bytes body, std::endian order);

  /// Returns true if there is none, so that counts are times.
  bool is_missing() const { return is_missing_; }
  std::uint64_t time_of(std::uint64_t count) const;
  std::uint64_t count_of(std::uint64_t time) const;

 private:
  std::uint64_t shift_ = 0, factor_ = 1, zero_ = 0, base_ = 0, mask_ = UINT64_MAX;
  bool is_missing_ = true;
};

/// The data that one buffer of the recorder was for.
struct Queue {
  std::uint32_t index = 0;  ///< the recorder's number
  std::int32_t cpu = -1;    ///< -1: of a thread
  std::int32_t tid = -1;
  std::vector<Buffer> buffers;
};

/// Events that samples are made of, in the order of the samples of one operation. Each has a bit of
/// TraceOptions.
struct MadeEvent {
  TraceKind kind;
  std::string_view name;
};
inline constexpr MadeEvent kMadeEvents[] = {
    {TraceKind::first_level, "l1d-miss"}, {TraceKind::first_level, "l1d-access"},
    {TraceKind::last_level, "llc-miss"},  {TraceKind::last_level, "llc-access"},
    {TraceKind::tlb, "tlb-miss"},         {TraceKind::tlb, "tlb-access"},
    {TraceKind::branches, "branch"},      {TraceKind::remote, "remote-access"},
    {TraceKind::memory, "memory"},        {TraceKind::instructions, "instructions"},
};
inline constexpr std::size_t kMadeCount = std::size(kMadeEvents);

struct Trace {
  static constexpr std::uint32_t kNone = UINT32_MAX;

  TraceOptions options;
  Clock clock;
  std::vector<Cpu> cpus;
  bool has_one_core = false;  ///< all CPUs are of one kind
  bool has_times = false;     ///< an event samples the time
  std::vector<Queue> queues;
  std::array<std::uint32_t, kMadeCount> events;  ///< in the file's list, or kNone

  /// Returns a CPU; of -1 any, if all are of one kind; nullptr if it is not known.
  const Cpu* cpu_of(std::int32_t number) const;
};

/// Bytes that hold records, and their place in the file.
struct Records {
  Bytes bytes;
  std::uint64_t place = 0;
};

/// Returns the trace data of SPE in `streams`, of which the first begins with what describes them,
/// and adds the events that samples are made of; nullptr if there are none.
std::shared_ptr<const Trace> read_trace(std::span<const Records> streams, std::endian order,
                                        const Features& features, const TraceOptions& options,
                                        Events& events, Warnings& warnings);

}  // namespace evname::perfdata::spe
