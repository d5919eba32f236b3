// The facts of metric expressions that a recording's features state.

#include <algorithm>
#include <limits>

#include "events/metrics/facts.hpp"
#include "evname/metric.hpp"
#include "evname/perf_data.hpp"

namespace evname {

MetricFacts recorded_facts(const PerfData& file) {
  MetricFacts facts(file.machine());
  const perfdata::Features& features = file.features();
  const perfdata::CpuTopology& topology = features.topology;
  const auto known = [](std::size_t count) {
    return count > 0 ? static_cast<double>(count) : std::numeric_limits<double>::quiet_NaN();
  };
  facts.set("#num_cpus", known(features.cpus_available));
  facts.set("#num_cpus_online", known(features.cpus_online));
  facts.set("#num_packages", known(topology.packages.size()));
  facts.set("#num_cores", known(topology.threads.size()));
  const std::string& arch = file.machine().cpu().arch;
  facts.set("#num_dies", metrics::has_dies(arch) ? known(topology.dies.size()) : 0);
  if (!topology.threads.empty())
    facts.set("#smt_on", std::ranges::any_of(topology.threads, metrics::names_several));
  facts.set("#system_tsc_freq",
            arch == "x86" ? metrics::named_tsc_frequency(features.cpu_desc) : 0);
  return facts;
}

}  // namespace evname
