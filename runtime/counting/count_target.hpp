#pragma once
// The threads and CPUs that a target means.

#include <vector>

#include "evname/counters.hpp"

namespace evname::counting {

/// A target, looked up: where it is counted, and the cgroup's directory, which is closed at last.
class Located {
 public:
  static Result<Located> find(const CountTarget& target, const Roots& roots);
  Located(Located&& other) noexcept;
  Located(const Located&) = delete;
  ~Located();

  std::vector<CountPlace> places;
  bool of_task = true;           ///< places are threads
  int cgroup_file = -1;          ///< given to perf_event_open(2) as the thread
  std::vector<unsigned> online;  ///< CPUs

 private:
  Located() = default;
};

/// Where a group of a PMU is counted: `cpus` and `is_uncore` are the PMU's.
std::vector<CountPlace> places_of(const Located& target, const std::vector<unsigned>& cpus,
                                  bool is_uncore);

}  // namespace evname::counting
