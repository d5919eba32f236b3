#pragma once
// Reads the records SCHEDSTAT_CPU and SCHEDSTAT_DOMAIN: /proc/schedstat before and after a program,
// by `perf sched stats record`.
// Source: perf_record_schedstat_{cpu,domain} and schedstat-v1*.h of tools/lib/perf/include/perf.

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "base/bytes.hpp"
#include "perf_format/feature_types.hpp"
#include "perf_format/record.hpp"

namespace evname::perf_format {

inline bool is_of_scheduler(std::uint32_t type) {
  return type == kRecordSchedstatCpu || type == kRecordSchedstatDomain;
}

/// Reads a record of one of the two types, up to its first fault.
SchedulerStatistics read_scheduler_record(const Record& record, std::endian order);

/// Subtracts the first record of each CPU and domain from its last.
class SchedulerSums {
 public:
  /// Adds a record of one of the two types, up to its first fault.
  void add(const Record& record, std::endian order);
  /// Returns the differences in the order of first records.
  std::vector<SchedulerStatistics> take();

 private:
  struct Known {
    SchedulerStatistics first;
    std::vector<std::uint64_t> last;  ///< no more than the first has
  };
  std::vector<Known> known_;
  std::map<std::pair<std::uint32_t, std::int32_t>, std::size_t> places_;  ///< CPU, domain or -1
};

}  // namespace evname::perf_format
