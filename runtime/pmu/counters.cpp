#include "pmu/counters.hpp"

#include "base/text.hpp"

namespace evname::pmu {
namespace {

/// Conditions are globs, alternatives separated by `|`; the first row whose conditions hold counts.
struct Row {
  std::string_view pmu, arch, cpuid;
  CounterNumbers counters;
};

constexpr CounterNumbers kOwn{0, 0, true};

constexpr Row kRows[] = {
    // arch/x86/events/msr.c, rapl.c, intel/cstate.c, intel/uncore.h (free-running counters)
    {"msr|power|power_core|cstate_*|*free_running*", "x86", "*", kOwn},
    // arch/x86/events/amd/core.c: four counters, six (PerfCtrExtCore) from family 15h on
    {"cpu",
     "x86",
     "AuthenticAMD-15-*|AuthenticAMD-16-*|AuthenticAMD-17-*|AuthenticAMD-18-*|"
     "AuthenticAMD-20-*|AuthenticAMD-22-*",
     {4, 0}},
    {"cpu", "x86", "AuthenticAMD-*|HygonGenuine-*", {6, 0}},
    // arch/x86/events/amd/uncore.c: NUM_COUNTERS_L3, NUM_COUNTERS_NB, and what leaf 80000022H tells
    // of the memory controllers of Zen 4 and 5
    {"amd_l3", "x86", "*", {6, 0}},
    {"amd_df|amd_nb|amd_l2|amd_umc*", "x86", "*", {4, 0}},
    // Arm's technical reference manuals, PMCR_EL0.N: six at least, beside the cycle counter
    {"armv8_*|armv9_*", "arm64", "*", {6, 1}},
    // drivers/perf/hisilicon/hisi_uncore_*_pmu.c
    {"hisi_*hha*", "arm64", "*", {16, 0}},
    {"hisi_*ddrc*|hisi_*l3c*|hisi_*sllc*|hisi_*pa*|hisi_*uc*", "arm64", "*", {8, 0}},
    // drivers/perf/fsl_imx8_ddr_perf.c: counter 0 is for cycles alone
    {"imx8_ddr*", "arm64", "*", {3, 1}},
    // arch/powerpc/perf: PMC1 to PMC4; PMC5 and PMC6 count instructions and cycles
    {"cpu", "powerpc", "*", {4, 2}},
    // arch/s390/kernel/perf_cpum_cf.c, perf_pai_*.c: all counters run all the time
    {"cpum_cf*|pai_*", "s390", "*", kOwn},
};

bool holds(std::string_view globs, std::string_view text) {
  for (const std::string_view glob : split(globs, '|'))
    if (glob_match(glob, text)) return true;
  return false;
}

}  // namespace

std::optional<CounterNumbers> builtin_counters(std::string_view pmu, std::string_view arch,
                                               std::string_view cpuid) {
  for (const Row& row : kRows)
    if (row.arch == arch && holds(row.pmu, pmu) && holds(row.cpuid, cpuid)) return row.counters;
  return std::nullopt;
}

/// Intel SDM, volume 3, "Performance Monitoring": four generic counters a thread, eight a core that
/// runs one thread, on Sandy Bridge to Cascade Lake.
std::optional<unsigned> counters_without_smt(std::string_view arch, std::string_view model) {
  constexpr std::string_view kModels[] = {"sandybridge", "jaketown", "ivybridge", "ivytown",
                                          "haswell",     "haswellx", "broadwell", "broadwellde",
                                          "broadwellx",  "skylake",  "skylakex",  "cascadelakex"};
  if (arch == "x86")
    for (const std::string_view known : kModels)
      if (known == model) return 8;
  return std::nullopt;
}

}  // namespace evname::pmu
