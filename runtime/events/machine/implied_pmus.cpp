#include "events/machine/implied_pmus.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "events/syntax/kernel_names.hpp"
#include "evname/attr.hpp"

namespace evname::machine {
namespace {

struct ImpliedPmu {
  std::string_view name;
  std::uint32_t type;
};
// Source: perf_pmus__… of util/pmus.c, which adds them without a look at sysfs, and util/pmu.h.
constexpr ImpliedPmu kImpliedPmus[] = {{"software", kTypeSoftware},
                                       {"tracepoint", kTypeTracepoint},
                                       {"breakpoint", kTypeBreakpoint},
                                       {"tool", kTypeTool}};

std::vector<pmu::SysfsEvent> implied_events(std::uint32_t type, std::string_view arch) {
  constexpr std::uint64_t kLastClock = 1;  // cpu-clock and task-clock count nanoseconds
  constexpr std::uint64_t kLastTime = 3;   // so do duration_time, user_time and system_time
  std::vector<pmu::SysfsEvent> out;
  const auto events = type == kTypeSoftware ? syntax::software_events()
                      : type == kTypeTool   ? syntax::tool_events()
                                            : std::span<const syntax::OwnEvent>();
  for (const syntax::OwnEvent& event : events) {
    if (type == kTypeTool && !has_tool_event(event.name, arch)) continue;
    pmu::SysfsEvent& added = out.emplace_back();
    added.name = event.name;
    added.terms = fmt::format("config={:#x}", event.config);
    added.implied = true;
    if (type == kTypeTool && event.config <= kLastTime) added.unit = "ns";
    if (type != kTypeSoftware || event.config > kLastClock) continue;
    added.scale = 1e-6;
    added.unit = "msec";
  }
  std::sort(out.begin(), out.end(),
            [](const pmu::SysfsEvent& a, const pmu::SysfsEvent& b) { return a.name < b.name; });
  return out;
}

}  // namespace

// Source: tool_pmu__skip_event.
bool has_tool_event(std::string_view event, std::string_view arch) {
  if (event == "slots") return arch == "arm64";
  return event != "system_tsc_freq" || arch == "x86";
}

void add_implied_pmus(std::string_view arch, std::vector<pmu::Pmu>& pmus) {
  for (const ImpliedPmu& row : kImpliedPmus) {
    auto at = std::find_if(pmus.begin(), pmus.end(),
                           [&](const pmu::Pmu& pmu) { return pmu.name == row.name; });
    if (at == pmus.end()) {
      at = pmus.emplace(at);
      at->name = row.name;
      at->is_implied = true;
    }
    if (!at->type) at->type = row.type;
    if (at->events.empty()) at->events = implied_events(row.type, arch);
  }
  pmu::sort_pmus(pmus);
}

}  // namespace evname::machine
