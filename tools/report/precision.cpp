#include "report/precision.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "evname/attr.hpp"
#include "evname/machine.hpp"

namespace evname::tools {
namespace {

bool is_amd(const Recording& file) {
  return file.machine().cpu().cpuid.starts_with("AuthenticAMD");
}

/// Returns true if the machine has a PMU whose name begins so.
bool has_pmu_like(const Recording& file, std::string_view name) {
  return std::ranges::any_of(file.machine().pmus(),
                             [&](const PmuInfo& pmu) { return pmu.name.starts_with(name); });
}

/// Returns true if the tables say that samples of the event can be precise.
bool may_be_precise(const Recording& file, const RecordedEvent& event) {
  for (const EventInfo& info : file.machine().events(event.bare_name()))
    if (info.pmu == event.pmu && info.precise != EventInfo::Precision::unknown) return true;
  return false;
}

/// Returns the event as `record -e` takes it, with the modifier for precise samples.
std::string precise_name(const RecordedEvent& event) {
  std::string modifiers(event.modifiers);
  std::erase(modifiers, 'p');
  return fmt::format("{}{}{}pp", event.name, event.name.ends_with('/') ? "" : ":", modifiers);
}

std::string software_text(const RecordedEvent& event) {
  const std::uint64_t config = event.code.config[0];
  constexpr std::uint64_t kCpuClock = 0, kTaskClock = 1;  // PERF_COUNT_SW_*
  if (config == kCpuClock || config == kTaskClock)
    return "a timer: samples name the instruction that its interrupt found, mostly one that waits "
           "for another";
  return "samples name the instruction that caused it, or the kernel's code that counts it";
}

/// Returns the remedy for samples that name an instruction behind the one that caused the event.
std::string remedy(const Recording& file, const RecordedEvent& event) {
  if (is_amd(file) || has_pmu_like(file, "ibs_op"))
    return "; `evname record -e ibs_op//` names the instruction itself";
  if (has_pmu_like(file, "arm_spe"))
    return "; `evname record -e arm_spe_0//` names the instruction itself";
  if (may_be_precise(file, event))
    return fmt::format("; `evname record -e {}` names the instruction itself", precise_name(event));
  return "";
}

std::string text_of(const Recording& file, const RecordedEvent& event) {
  const unsigned precise = file.attr(event.attr).precise_ip();
  if (event.pmu.starts_with("ibs_")) return "exact: IBS names the instruction itself";
  if (file.facts().decodes_traces && event.ids.empty())
    return "exact: SPE names the instruction itself";
  if (event.code.type == kTypeSoftware) return software_text(event);
  if (event.code.type == kTypeTracepoint) return "exact: a tracepoint has its own place";
  if (event.code.type == kTypeBreakpoint)
    return "samples name the instruction behind the access on x86, else the access itself";
  if (precise >= 2)
    return is_amd(file) ? "exact: IBS names the instruction itself"
                        : "exact: precise samples (PEBS) name the instruction itself";
  if (precise == 1)
    return fmt::format(
        "precise with a constant distance: mostly the instruction behind the one "
        "that caused it{}",
        remedy(file, event));
  return "not precise: samples name an instruction behind the one that caused it, maybe far "
         "behind" +
         remedy(file, event);
}

}  // namespace

std::vector<std::string> precision_lines(std::span<const Recording> files, const Report& report) {
  std::vector<std::string> lines;
  for (const Report::Event& event : report.events()) {
    if (event.samples == 0) continue;
    for (const Recording& file : files) {
      const auto same = std::ranges::find_if(file.events(), [&](const RecordedEvent& one) {
        return one.full_name() == event.event.full_name() && one.pmu == event.event.pmu;
      });
      if (same == file.events().end()) continue;
      std::string line = fmt::format("{}: {}", event.name, text_of(file, *same));
      if (std::ranges::find(lines, line) == lines.end()) lines.push_back(std::move(line));
    }
  }
  return lines;
}

}  // namespace evname::tools
