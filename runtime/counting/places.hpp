#pragma once
// Resolves a target to the threads and CPUs to count on.

#include <vector>

#include "evname/counters.hpp"

namespace evname::counting {

/// The places of a target, and the open directory of its cgroup, which the destructor closes.
class ResolvedTarget {
 public:
  static Result<ResolvedTarget> find(const CountTarget& target, const Roots& roots);
  ResolvedTarget(ResolvedTarget&& other) noexcept;
  ResolvedTarget(const ResolvedTarget&) = delete;
  ~ResolvedTarget();

  std::vector<CountPlace> places;
  bool of_task = true;           ///< true if `places` are threads, false if they are CPUs
  int cgroup_file = -1;          ///< given to perf_event_open(2) as the thread
  std::vector<unsigned> online;  ///< the numbers of the online CPUs, sorted

 private:
  ResolvedTarget() = default;
};

/// Returns the places at which a group is counted on a PMU with these CPUs.
std::vector<CountPlace> places_of(const ResolvedTarget& target, const std::vector<unsigned>& cpus,
                                  bool is_uncore);

}  // namespace evname::counting
