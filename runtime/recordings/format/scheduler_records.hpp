#pragma once
// Records SCHEDSTAT_CPU and SCHEDSTAT_DOMAIN: /proc/schedstat as `perf sched stats record` took it
// before and after the program.
// Source: perf_record_schedstat_{cpu,domain} and schedstat-v1*.h of tools/lib/perf/include/perf.

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "base/bytes.hpp"
#include "evname/features.hpp"
#include "recordings/format/record.hpp"

namespace evname::perfdata {
inline namespace format {

inline bool is_of_scheduler(std::uint32_t type) {
  return type == kRecordSchedstatCpu || type == kRecordSchedstatDomain;
}

/// What the last record of each CPU and domain has more than its first.
class SchedulerSums {
 public:
  /// `record` is one of the two; what of it is not whole is left out.
  void add(const Record& record, std::endian order);
  /// In the order of their first records.
  std::vector<SchedulerStatistics> take();

 private:
  struct Known {
    SchedulerStatistics first;
    std::vector<std::uint64_t> last;  ///< as many as the first has, or fewer
  };
  std::vector<Known> known_;
  std::map<std::pair<std::uint32_t, std::int32_t>, std::size_t> places_;  ///< CPU, domain or -1
};

}  // namespace format
}  // namespace evname::perfdata
