#pragma once
// Machines with a few metrics.

#include <gtest/gtest.h>

#include <cmath>
#include <deque>
#include <map>
#include <string>
#include <vector>

#include "evname/metric.hpp"
#include "support/fake_machine.hpp"
#include "support/temp_dir.hpp"

namespace evname::test {

/// Events of it.
inline constexpr const char *kInsns = "inst_retired.any", *kClocks = "cpu_clk_unhalted.thread",
                            *kTicks = "unc_c_clockticks";

/// The fake skylakex with these metrics.
class MetricMachine {
 public:
  MetricMachine(std::initializer_list<MetricRow> metrics)
      : MetricMachine(std::vector<MetricRow>(metrics)) {}
  explicit MetricMachine(const std::vector<MetricRow>& metrics)
      : tables_(kept().emplace_back("x86")) {
    tables_.add_model("skylakex",
                      {{.name = "inst_retired.any", .terms = "event=0xc0,period=2000003"},
                       {.name = "cpu_clk_unhalted.thread", .terms = "event=0x3c,period=2000003"},
                       {.pmu = "uncore_cbox", .name = "unc_c_clockticks", .terms = "event=0"},
                       {.pmu = "uncore_imc",
                        .name = "llc_misses.mem_read",
                        .terms = "event=0x4,umask=0x3",
                        .scale_unit = "64Bytes"}});
    for (const MetricRow& metric : metrics) tables_.add_metric(metric);
    tables_.add_metric_group("G1", "the first group");
  }

  Machine machine() const { return make_machine(tables_, 0, skylakex_pmus()); }
  MetricSet set() const { return MetricSet(machine(), MetricFacts(machine())); }

 private:
  /// Machines and sets point into their tables.
  static std::deque<EventTables>& kept() {
    static std::deque<EventTables> tables;
    return tables;
  }
  EventTables& tables_;
};

/// Counts by event text.
using CountsByName = std::map<std::string, double>;

inline std::vector<EventCount> counts_of(const MetricSet& set, const CountsByName& named) {
  std::vector<EventCount> out;
  for (const MetricEvent& event : set.events()) {
    const auto at = named.find(event.text);
    out.push_back(at == named.end() ? EventCount{} : EventCount{at->second});
  }
  return out;
}

/// The value of a metric on its own.
inline double value_of(const MetricMachine& on, const std::string& metric,
                       const CountsByName& named) {
  MetricSet set = on.set();
  const auto added = set.add(metric);
  EXPECT_TRUE(added) << metric << ": " << (added ? "" : added.error().text());
  if (!added) return std::numeric_limits<double>::quiet_NaN();
  return set.evaluate(counts_of(set, named)).at(0).value;
}

inline std::vector<std::string> event_texts(const MetricSet& set) {
  std::vector<std::string> out;
  for (const MetricEvent& event : set.events()) out.push_back(event.text);
  return out;
}

using Strings = std::vector<std::string>;

}  // namespace evname::test
