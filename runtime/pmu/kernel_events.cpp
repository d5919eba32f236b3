#include "pmu/kernel_events.hpp"

#include <algorithm>
#include <span>

#include "base/text.hpp"

namespace evname::pmu {
namespace {

struct Row {
  std::string_view name, terms;
};

// arch/x86/events/intel/core.c of Linux: parts of the PERF_METRICS register. Their codes are also
// in perf's Documentation/topdown.txt and tests/attr/test-stat-detailed-3.
constexpr Row kLevel1[] = {{"topdown-bad-spec", "event=0x00,umask=0x81"},
                           {"topdown-be-bound", "event=0x00,umask=0x83"},
                           {"topdown-fe-bound", "event=0x00,umask=0x82"},
                           {"topdown-retiring", "event=0x00,umask=0x80"}};
constexpr Row kLevel2[] = {{"topdown-br-mispredict", "event=0x00,umask=0x85"},
                           {"topdown-fetch-lat", "event=0x00,umask=0x86"},
                           {"topdown-heavy-ops", "event=0x00,umask=0x84"},
                           {"topdown-mem-bound", "event=0x00,umask=0x87"}};

struct Rule {
  std::string_view pmu;
  std::string_view models;  ///< with `|` between them
  std::span<const Row> rows;
};
constexpr std::string_view kServers = "sapphirerapids|emeraldrapids|graniterapids";
constexpr std::string_view kHybrids = "alderlake|arrowlake|lunarlake|meteorlake";
constexpr Rule kRules[] = {{"cpu", "icelake|icelakex|rocketlake|tigerlake", kLevel1},
                           {"cpu", kServers, kLevel1},
                           {"cpu", kServers, kLevel2},
                           {"cpu_core", kHybrids, kLevel1},
                           {"cpu_core", kHybrids, kLevel2}};

}  // namespace

std::vector<SysfsEvent> kernel_events(std::string_view pmu, std::string_view model) {
  std::vector<SysfsEvent> out;
  for (const Rule& rule : kRules) {
    const auto models = split(rule.models, '|');
    if (rule.pmu != pmu || std::ranges::find(models, model) == models.end()) continue;
    for (const Row& row : rule.rows) {
      SysfsEvent& event = out.emplace_back();
      event.name = row.name;
      event.terms = row.terms;
    }
  }
  std::ranges::sort(out, {}, &SysfsEvent::name);
  return out;
}

}  // namespace evname::pmu
