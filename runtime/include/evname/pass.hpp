#pragma once
// Describes a pass over the samples of a recording: its options, the sink of its text, its tally,
// and sums of samples.

#include <algorithm>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "evname/error.hpp"

namespace evname {

/// The kinds of samples made from a hardware trace, as bits of TraceOptions::kinds.
enum class TraceKind : std::uint8_t {
  first_level = 1 << 0,   ///< accesses to the first level of data cache, and misses
  last_level = 1 << 1,    ///< the same for the last level
  tlb = 1 << 2,           ///< the same for the TLB
  branches = 1 << 3,      ///< branches
  remote = 1 << 4,        ///< accesses to another socket
  memory = 1 << 5,        ///< all accesses to memory
  instructions = 1 << 6,  ///< all operations
};

/// Selects the samples to make from a hardware trace (AUX). Only Arm's SPE is decoded.
struct TraceOptions {
  static constexpr unsigned kAll = 0x7f;  ///< every TraceKind

  unsigned kinds = kAll;           ///< bits of TraceKind
  std::uint64_t period = 1;        ///< samples are made of one operation in so many
  std::uint64_t branch_stack = 0;  ///< maximum number of branches of a sample; the hardware has two

  /// Returns options that make no samples.
  static constexpr TraceOptions none() { return {0, 0, 0}; }
  /// Returns true if samples of that kind are made.
  bool makes(TraceKind kind) const { return (kinds & static_cast<unsigned>(kind)) != 0; }
};

/// How to read the samples of a recording.
struct PassOptions {
  /// Read samples in the order of the file. By default, samples are sorted by time as perf sorts
  /// them: within each FINISHED_ROUND, or by the times in all files of a directory.
  bool file_order = false;
  /// After a record whose end can't be found, continue at the next place that looks like records.
  bool salvage = false;
  /// Instead of samples, read waits: of context switches, and of `perf record --off-cpu`. A wait is
  /// the sample that was taken as its thread went off the CPU, with the ns until it came back as
  /// period, and the time when it came back. Samples of other events are left out; waits come in
  /// order of time. For a Report, annotate() and export_profile(), which fail with not_found if no
  /// event says how long threads waited.
  bool waits = false;
  /// Maximum number of threads to use; 0: one per core. There are never more than one per core, or
  /// 16 if that is more, and fewer if the system refuses to start them, or if more would not be
  /// faster.
  unsigned jobs = 0;
  /// Called at the beginning and then now and then with the number of bytes read so far and their
  /// total (0: unknown), from any thread of the pass, one call at a time. Returning false cancels
  /// the pass: a call that returns a Result fails with Errc::cancelled, other passes end with
  /// SampleTally::cancelled, a file that was being written is removed, and a Report is as before.
  std::function<bool(std::uint64_t done, std::uint64_t total)> progress = {};
};

/// Receives the output in pieces; returning false stops it.
using TextSink = std::function<bool(std::string_view)>;

/// Counts and warnings of a pass over the samples. No problem that is counted here ends the pass.
struct SampleTally {
  std::uint64_t samples = 0;      ///< read; one with counter values (`:S`) is passed on
                                  ///< as one sample of each event it counts
  std::uint64_t unknown_ids = 0;  ///< samples of no event of the file: skipped
  std::uint64_t malformed = 0;    ///< samples shorter than their event requires: skipped
  std::uint64_t lost = 0;         ///< samples that the recorder reported as lost
  /// Records that came too late to be put in order: nothing is missing, and one warning says so.
  std::uint64_t late = 0;
  /// The number of records of each type. Records that contain others are counted, and so are their
  /// contents.
  std::vector<std::pair<std::uint32_t, std::uint64_t>> records;
  std::vector<std::string> warnings;  ///< human-readable, with offsets; at most about 100
  /// Sentences about gaps in trace data, which `lost` does not count, and about missing waits.
  std::vector<std::string> gaps = {};
  /// The number of samples that a filter accepted; 0 if the pass has no filter, like
  /// Recording::samples().
  std::uint64_t selected = 0;
  bool cancelled = false;  ///< PassOptions::progress ended the pass before the last sample
};

/// Sums over samples, and counts of the samples that the kernel reported as missing.
struct SampleSums {
  std::uint64_t samples = 0;  ///< number of samples
  std::uint64_t period = 0;   ///< sum of their periods: an estimate of the event's count
  ///@{
  /// Times of the first and last sample, in ns; first > last if no sample has a time.
  std::uint64_t first = UINT64_MAX, last = 0;
  ///@}
  std::uint64_t lost = 0;       ///< samples that the kernel reported as lost
  std::uint64_t throttled = 0;  ///< how often the kernel throttled the event

  /// Returns true if `first` and `last` are times.
  bool is_timed() const { return first <= last; }
  /// Adds a sample without a time.
  void add(std::uint64_t of_period) {
    ++samples;
    period += of_period;
  }
  /// Adds a sample.
  void add(std::uint64_t of_period, std::uint64_t time) {
    add(of_period);
    first = std::min(first, time);
    last = std::max(last, time);
  }
  /// Adds the sums of other samples.
  SampleSums& operator+=(const SampleSums& other) {
    samples += other.samples;
    period += other.period;
    first = std::min(first, other.first);
    last = std::max(last, other.last);
    lost += other.lost;
    throttled += other.throttled;
    return *this;
  }
};

}  // namespace evname
