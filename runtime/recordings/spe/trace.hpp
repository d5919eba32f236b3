#pragma once
// Describes the trace data of a recording: the facts about the hardware in AUXTRACE_INFO, the data
// of each CPU or thread, the hardware's clock, and the events that samples are made for.

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "evname/pass.hpp"
#include "perf_format/counter_clock.hpp"
#include "perf_format/record.hpp"
#include "perf_format/recorded_events.hpp"
#include "recordings/spe/packets.hpp"

namespace evname::spe {

/// A CPU as AUXTRACE_INFO describes it.
struct Cpu {
  std::uint64_t number = 0;
  std::uint64_t midr = 0;    ///< MIDR_EL1, which identifies the core
  std::uint64_t events = 0;  ///< EventBit that it has
};

/// Returns the data source of an operation as union perf_mem_data_src; 0 if it is about no data.
/// `cpu` may be unknown.
std::uint64_t memory_source(const Operation& operation, const Cpu* cpu);

/// The data of one of the recorder's buffers.
struct Queue {
  std::uint32_t index = 0;  ///< the recorder's number
  std::int32_t cpu = -1;    ///< -1: of a thread
  std::int32_t tid = -1;
  std::vector<Buffer> buffers;
};

/// Events that samples are made for, in the order of the samples of one operation. Each has a bit
/// of TraceOptions, and is made for operations with any of its bits.
struct MadeEvent {
  TraceKind kind;
  std::string_view name;
  std::uint64_t of_events;  ///< bits of Operation::events
  std::uint32_t of_kinds;   ///< bits of Operation::is; all bits: every operation
};
inline constexpr std::uint32_t kAllKinds = UINT32_MAX;
inline constexpr MadeEvent kMadeEvents[] = {
    {TraceKind::first_level, "l1d-miss", kL1dRefill, 0},
    {TraceKind::first_level, "l1d-access", kL1dAccess, 0},
    {TraceKind::last_level, "llc-miss", kLlcMiss, 0},
    {TraceKind::last_level, "llc-access", kLlcAccess, 0},
    {TraceKind::tlb, "tlb-miss", kTlbWalk, 0},
    {TraceKind::tlb, "tlb-access", kTlbAccess, 0},
    {TraceKind::branches, "branch", 0, kIsBranch},
    {TraceKind::remote, "remote-access", kRemoteAccess, 0},
    {TraceKind::memory, "memory", 0, kIsMemory | kIsVector},
    {TraceKind::instructions, "instructions", 0, kAllKinds},
};
inline constexpr std::size_t kMadeCount = std::size(kMadeEvents);

struct Trace {
  static constexpr std::uint32_t kNone = UINT32_MAX;

  TraceOptions options;
  perf_format::CounterClock clock;
  std::vector<Cpu> cpus;
  bool has_one_core = false;  ///< all CPUs are of one kind
  bool has_times = false;     ///< an event samples the time
  bool is_live = false;       ///< each queue has one buffer, which is refilled
  std::vector<Queue> queues;
  std::array<std::uint32_t, kMadeCount> events;  ///< in the file's list, or kNone

  /// Returns a CPU; for -1, any CPU if all are of one kind; nullptr if it is unknown.
  const Cpu* cpu_of(std::int32_t number) const;
};

/// Bytes with records, and their place in the file.
struct Records {
  Bytes bytes;
  std::uint64_t place = 0;
};

/// Returns the hardware of a recording's trace data if it is not SPE, such as "Intel PT"; empty if
/// there are no such data. `records` begin with their description.
std::string undecoded_traces(const Records& records, std::endian order,
                             const perf_format::Features& features);

/// Returns the SPE trace data in `streams`, and adds the events that samples are made for; nullptr
/// if there are none. The first stream begins with their description.
std::shared_ptr<const Trace> read_trace(std::span<const Records> streams, std::endian order,
                                        const perf_format::Features& features,
                                        const TraceOptions& options, perf_format::Events& events,
                                        perf_format::Warnings& warnings);

}  // namespace evname::spe
