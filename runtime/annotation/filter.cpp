// SampleFilter.

#include <algorithm>

#include "base/text.hpp"
#include "evname/annotate.hpp"

namespace evname {
namespace {

template <class T>
bool holds(const std::vector<T>& list, const T& value) {
  return list.empty() || std::find(list.begin(), list.end(), value) != list.end();
}

}  // namespace

std::vector<bool> SampleFilter::events(const PerfData& file) const {
  std::vector<bool> pass;
  const std::string pattern = to_lower(event);
  for (const RecordedEvent& one : file.events())
    pass.push_back(event.empty() || glob_match(pattern, to_lower(one.name)) ||
                   glob_match(pattern, to_lower(one.full_name())) ||
                   glob_match(pattern, to_lower(one.recorded_name)));
  return pass;
}

// What is not sampled: filter_cpu and perf_time__ranges_skip_sample of tools/perf.
bool SampleFilter::accepts(const Sample& sample) const {
  const std::uint32_t cpu = sample.cpu().value_or(UINT32_MAX);
  if (cpu != UINT32_MAX && !holds(cpus, cpu)) return false;
  if (!holds(pids, sample.pid().value_or(-1)) || !holds(tids, sample.tid().value_or(-1)))
    return false;
  if (!comms.empty() && std::find(comms.begin(), comms.end(), sample.comm()) == comms.end())
    return false;
  const std::uint64_t time = sample.time().value_or(UINT64_MAX);
  return times.empty() || time == 0 ||
         std::any_of(times.begin(), times.end(), [&](const TimeRange& range) {
           return time >= range.first && time <= range.last;
         });
}

}  // namespace evname
