#include "events/machine/generic_codes.hpp"

#include <array>

#include "base/text.hpp"
#include "events/machine/code_index.hpp"

namespace evname::machine {
namespace {

constexpr std::uint64_t kNone = ~std::uint64_t{0};
constexpr std::size_t kBranches = 4;  // perf_event.h, PERF_COUNT_HW_BRANCH_INSTRUCTIONS

/// By PERF_COUNT_HW_…: cycles, instructions, cache references and misses, branches and misses, bus
/// cycles, stalled cycles of frontend and backend, reference cycles.
struct Row {
  std::string_view arch, model, cpuid;  ///< globs, several separated by '|'
  std::array<std::uint64_t, 10> codes;
};

// The first that fits. Sources in Linux: arch/x86/events/intel/core.c (intel_perfmon_event_map),
// arch/x86/events/amd/core.c (amd_pmu_event_map), drivers/perf/arm_pmuv3.c (armv8_pmuv3_perf_map),
// drivers/perf/arm_v7_pmu.c, arch/powerpc/perf/power*-pmu.c (generic_events),
// arch/s390/kernel/perf_cpum_cf.c (cpumf_generic_events_basic).
constexpr Row kRows[] = {
    {"x86",
     "*",
     "GenuineIntel-*",
     {0x3c, 0xc0, 0x4f2e, 0x412e, 0xc4, 0xc5, 0x13c, kNone, kNone, 0x300}},
    {"x86", "amdzen1", "*", {0x76, 0xc0, 0xff60, 0x964, 0xc2, 0xc3, kNone, 0x287, 0x187, kNone}},
    {"x86",
     "amdzen2|amdzen3",
     "*",
     {0x76, 0xc0, 0xff60, 0x964, 0xc2, 0xc3, kNone, 0xa9, kNone, kNone}},
    {"x86",
     "amdzen*",
     "*",
     {0x76, 0xc0, 0xff60, 0x964, 0xc2, 0xc3, kNone, 0xa9, kNone, 0x100000120}},
    // On 32-bit Arm cycles are 0xff for the driver, which counts what 0x11 does.
    {"arm64|arm", "*", "*", {0x11, 0x8, 0x4, 0x3, 0xc, 0x10, 0x1d, 0x23, 0x24, kNone}},
    {"powerpc",
     "power8",
     "*",
     {0x1e, 0x2, 0x100ee, 0x3e054, 0x10068, 0x400f6, kNone, 0x100f8, 0x4000a, kNone}},
    {"powerpc",
     "power9",
     "*",
     {0x1e, 0x2, 0x100fc, 0x2c04e, 0x4d05e, 0x400f6, kNone, 0x100f8, 0x1e054, kNone}},
    {"powerpc",
     "power10",
     "*",
     {0x600f4, 0x500fa, 0x100fc, 0x400f0, 0x2f04a, 0x3e098, kNone, kNone, kNone, kNone}},
    {"s390", "*", "*", {0, 1, kNone, kNone, kNone, kNone, kNone, kNone, kNone, kNone}},
};

bool fits(std::string_view globs, std::string_view text) {
  for (const std::string_view glob : split(globs, '|'))
    if (glob_match(glob, text)) return true;
  return false;
}

/// Branches are what changes the program counter, or branches where the CPU lacks that event.
std::uint64_t arm_branches(const detail::MachineState& state, std::size_t pmu) {
  constexpr std::uint64_t kPcWriteRetired = 0x0c, kBrRetired = 0x21;
  const bool has_writes = !state.index->find(state, pmu, {kPcWriteRetired}).empty();
  const bool has_branches = !state.index->find(state, pmu, {kBrRetired}).empty();
  return has_branches && !has_writes ? kBrRetired : kPcWriteRetired;
}

}  // namespace

std::optional<std::uint64_t> core_code(const detail::MachineState& state, std::size_t pmu,
                                       std::uint64_t hardware) {
  const BoundPmu& bound = state.pmus[pmu];
  if (!bound.pmu.is_core || hardware >= std::size(kRows[0].codes)) return std::nullopt;
  const std::string_view model = bound.model() ? bound.model().name() : std::string_view();
  for (const Row& row : kRows) {
    if (!fits(row.arch, state.cpu.arch) || !fits(row.model, model) ||
        !fits(row.cpuid, state.cpu.cpuid))
      continue;
    if (row.codes[hardware] == kNone) return std::nullopt;
    const bool arm = state.cpu.arch == "arm64" && hardware == kBranches;
    return arm ? arm_branches(state, pmu) : row.codes[hardware];
  }
  return std::nullopt;
}

}  // namespace evname::machine
