#pragma once
// Resolves a target to the threads and CPUs to count on.

#include <string>
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

  std::vector<Counters::Place> places;
  bool of_task = true;           ///< true if `places` are threads, false if they are CPUs
  int cgroup_file = -1;          ///< given to perf_event_open(2) as the thread
  std::vector<unsigned> online;  ///< the numbers of the online CPUs, sorted

 private:
  ResolvedTarget() = default;
};

/// Returns the mount point of the cgroups that perf can count: the perf_event hierarchy of version
/// 1, else the hierarchy of version 2; "": there is none.
std::string cgroup_mount(const Roots& roots);

/// Returns the places at which a group is counted on a PMU with these CPUs.
std::vector<Counters::Place> places_of(const ResolvedTarget& target,
                                       const std::vector<unsigned>& cpus, bool is_uncore);

/// The place of a CPU in the machine.
struct CpuPlace {
  unsigned cpu = 0;  ///< its number
  ///@{
  /// Numbers that the kernel gives, or -1 if unknown. `cluster` and `core` are unique within a die.
  int socket = -1;
  int die = -1;
  int cluster = -1;
  int core = -1;
  int node = -1;
  ///@}
};

/// Returns the online CPUs in the order of their numbers, without those that are unplugged. Errors:
/// not_found if neither sysfs nor procfs lists them.
[[nodiscard]] Result<std::vector<CpuPlace>> online_cpus(const Roots& roots = {});

}  // namespace evname::counting
