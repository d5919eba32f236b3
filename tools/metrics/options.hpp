#pragma once
// The options of `evname metrics`.

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cli/command.hpp"
#include "evname/metric.hpp"
#include "input/machine.hpp"

namespace evname::tools {

struct MetricOptions {
  MachineOptions machine;
  std::string glob = "*", group, from, separator, per;
  std::vector<std::string> shown, expressions, facts;
  bool json = false, groups = false;
  int latency = 0;  ///< a MetricFacts::Latency

  void add_to(Command& command);

  /// The facts of the options' machine; --fact overrides them.
  MetricFacts facts_of(const Machine& machine) const;
  void overrule(MetricFacts& facts) const;
  /// The facts of this machine, unless the options name another.
  ScheduleOptions schedule_options() const;
};

/// Returns the fault of --fact's text; "" if there is none.
std::string fact_problem(const std::string& text);

/// Sets the facts of --fact.
void set_facts(std::span<const std::string> texts, MetricFacts& facts);

/// Metrics (or groups) by name, and expressions "NAME=EXPR". Reports what can't be added; nullopt:
/// nothing could.
std::optional<MetricSet> metric_set(const Machine& machine, const MetricFacts& facts,
                                    std::span<const std::string> names,
                                    std::span<const std::string> expressions = {});

}  // namespace evname::tools
