#pragma once
// Counters of the kernel (perf_event_open(2)) for one command.

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "evname/machine.hpp"

namespace evname::tools {

/// What one encoding has counted.
struct Count {
  std::uint64_t value = 0;
  std::uint64_t enabled = 0;  ///< ns that it was wanted
  std::uint64_t running = 0;  ///< ns that it was really counted

  bool is_scaled() const { return running < enabled; }
  /// The value as it would be, had the counter never had to share the hardware.
  double scaled() const;
};

/// The open counters of one encoding. Closes them.
class Counter {
 public:
  /// For a task and its children, or on the CPUs of an uncore PMU. The counter starts when the task
  /// executes its program; uncore ones start with start().
  /// `leader` (null: none) is the group's; a member counts where it does, and only while it does.
  static Result<Counter> open(const Encoding& encoding, const PmuInfo* pmu, pid_t task,
                              const Counter* leader = nullptr);

  Counter(Counter&& other) noexcept
      : files_(std::move(other.files_)), cpus_(std::move(other.cpus_)) {
    other.files_.clear();
  }
  Counter& operator=(Counter&& other) noexcept {
    std::swap(files_, other.files_);
    std::swap(cpus_, other.cpus_);
    return *this;
  }
  Counter(const Counter&) = delete;
  ~Counter();

  void start() const;
  void stop() const;
  Result<Count> read() const;

 private:
  Counter() = default;
  std::vector<int> files_;      ///< -1 where a CPU refused
  std::vector<unsigned> cpus_;  ///< of `files_`; empty: one file, the task's
};

}  // namespace evname::tools
