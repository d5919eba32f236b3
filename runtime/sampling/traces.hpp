#pragma once
// Prepares events whose hardware writes a trace into its own area, and makes the records that
// describe the trace. Source of the layouts: util/{auxtrace,arm-spe,intel-pt,intel-bts,hisi-ptt}.h
// of tools/perf.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "evname/recorder.hpp"
#include "sampling/ring.hpp"
#include "sampling/sampling_attr.hpp"

namespace evname::sampling {

/// The beginning of the names of PMUs whose traces evname decodes.
inline constexpr std::string_view kDecodedTrace = "arm_spe";

/// A buffer with a trace beside it, and its CPU or thread; -1: all.
struct TraceSource {
  std::size_t ring = 0;
  int thread = -1, cpu = -1;
};

/// Finds the first event that has a trace, or returns nullptr. Errors: unsupported and
/// invalid_argument for events that can't be recorded, or not together.
Result<const Encoding*> traced_event(std::span<const Encoding> events,
                                     const RecordOptions& options);

/// Sets the members that perf sets for an event with a trace: its period, and for Arm's SPE the
/// time stamps that readers need to put samples in order (`with_times`: also for threads).
void set_trace_options(const Machine& machine, Encoding& event, EventOptions& own, bool with_times);

/// Returns the records TIME_CONV, if the kernel converts the times of the hardware, and
/// AUXTRACE_INFO.
std::string trace_description(const Machine& machine, std::span<const Encoding> events,
                              const RecordOptions& options, bool of_cpus,
                              const perf_event_mmap_page& page);

/// Returns the record AUXTRACE. The bytes of the trace follow it, padded to a multiple of 8.
std::string trace_record(const TraceSource& source, const RingContent& content);

/// Returns the feature AUXTRACE: where these records are in the file.
std::string trace_index(std::span<const std::uint64_t> places);

}  // namespace evname::sampling
