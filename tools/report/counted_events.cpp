// Finds the events of a recording that metrics need.

#include <fmt/format.h>

#include "report/table.hpp"

namespace evname::tools {
namespace {

/// The makers' names of the kernel's generic events. Source: intel_perfmon_event_map of
/// arch/x86/events/intel/core.c, amd_zen1_perfmon_event_map of arch/x86/events/amd/core.c,
/// armv8_pmuv3_perf_map of drivers/perf/arm_pmuv3.c, power9_generic_events of
/// arch/powerpc/perf/power9-pmu.c.
constexpr struct {
  std::string_view generic;
  std::string_view names[5];
} kGeneric[] = {
    {"cycles",
     {"cpu_clk_unhalted.thread", "cpu_clk_unhalted.core", "ls_not_halted_cyc", "cpu_cycles",
      "pm_cyc"}},
    {"instructions", {"inst_retired.any", "ex_ret_instr", "inst_retired", "pm_inst_cmpl"}},
    {"branches", {"br_inst_retired.all_branches", "ex_ret_brn", "br_retired", "pm_br_cmpl"}},
    {"branch-misses",
     {"br_misp_retired.all_branches", "ex_ret_brn_misp", "br_mis_pred", "pm_br_mpred_cmpl"}},
    {"cache-references", {"longest_lat_cache.reference", "l1d_cache"}},
    {"cache-misses", {"longest_lat_cache.miss", "l1d_cache_refill"}},
};

/// The event by its code, in perf's syntax.
std::string code_text(const RecordedEvent& event) {
  std::string words = fmt::format("config={:#x}", event.code.config[0]);
  for (std::size_t i = 1; i < 4; ++i)
    if (event.code.config[i] != 0) words += fmt::format(",config{}={:#x}", i, event.code.config[i]);
  return fmt::format("{}/{}/{}", event.pmu, words, event.modifiers);
}

/// The possible names of an event, best first.
std::vector<std::string> texts_of(const RecordedEvent& event) {
  std::vector<std::string> texts = {event.full_name(), code_text(event)};
  for (const auto& row : kGeneric) {
    if (event.bare_name() != row.generic) continue;
    const bool has_pmu = event.bare_name() != event.name;
    for (const std::string_view name : row.names)
      if (!name.empty())
        texts.push_back(has_pmu ? fmt::format("{}/{}/{}", event.pmu, name, event.modifiers)
                        : event.modifiers.empty() ? std::string(name)
                                                  : fmt::format("{}:{}", name, event.modifiers));
  }
  return texts;
}

/// The indexes of the set's events that a recorded event counts.
std::vector<std::size_t> counted_by(const Machine& machine, const MetricSet& set,
                                    const RecordedEvent& event) {
  std::vector<std::size_t> found;
  for (const std::string& text : texts_of(event)) {
    CountGroup group;
    group.counts.push_back({{.value = 1}, text, {}, {}});
    const auto counts = match_counts(machine, set.events(), group);
    for (std::size_t i = 0; i < counts.size(); ++i)
      if (counts[i].value == 1) found.push_back(i);
    if (!found.empty()) break;
  }
  return found;
}

}  // namespace

// If several count the same (for the kernel and for users), the event with most samples.
std::vector<std::size_t> events_counting(const Report& report, const Recording& file,
                                         const MetricSet& set) {
  const std::span<const Report::Event> events = report.events();
  std::vector<std::size_t> out(set.events().size(), SIZE_MAX);
  for (std::size_t event = 0; event < events.size(); ++event)
    for (const std::size_t i : counted_by(file.machine(), set, events[event].event))
      if (out[i] == SIZE_MAX || events[out[i]].samples < events[event].samples) out[i] = event;
  return out;
}

std::vector<std::size_t> uncounted(const MetricSet& set, std::size_t metric,
                                   std::span<const std::size_t> counted_by) {
  std::vector<std::size_t> out;
  for (const std::size_t event : set.events_of(metric))
    if (counted_by[event] == SIZE_MAX) out.push_back(event);
  return out;
}

}  // namespace evname::tools
