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
  static Result<Counter> open(const Encoding& encoding, const PmuInfo* pmu, pid_t task);

  Counter(Counter&& other) noexcept : files_(std::move(other.files_)), by_cpu_(other.by_cpu_) {
    other.files_.clear();
  }
  Counter& operator=(Counter&& other) noexcept {
    std::swap(files_, other.files_);
    by_cpu_ = other.by_cpu_;
    return *this;
  }
  Counter(const Counter&) = delete;
  ~Counter();

  void start() const;
  void stop() const;
  Result<Count> read() const;

 private:
  Counter() = default;
  std::vector<int> files_;
  bool by_cpu_ = false;
};

}  // namespace evname::tools
