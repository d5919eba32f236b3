// Text of perf stat: what is read as counts, found again for the events of a metric and computed.

#include "evname/metric.hpp"
#include "fuzz/input.hpp"
#include "fuzz/target.hpp"

namespace evname::fuzz::counts_target {

FUZZ_TARGET(counts, data, size) {
  static const auto kMachine = Machine::named("skylakex");
  if (!kMachine) return 0;
  static const MetricSet kMetrics = [] {
    MetricSet set(*kMachine, MetricFacts(*kMachine));
    (void)set.add_expression("m", "inst_retired.any / source_count(cycles) + duration_time");
    return set;
  }();
  const auto counts = read_counts_text(fuzz::text_of(data, size));
  if (!counts) return 0;
  for (const CountGroup& group : counts->groups)
    kMetrics.evaluate(match_counts(*kMachine, kMetrics.events(), group));
  return 0;
}

}  // namespace evname::fuzz::counts_target
