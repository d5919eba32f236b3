#include "events/scheduling/counters.hpp"

#include <algorithm>
#include <string>
#include <string_view>

#include "base/read_file.hpp"
#include "base/text.hpp"

#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#endif

namespace evname::scheduling {
namespace {

struct CounterNumbers {
  unsigned generic = 0;
  unsigned fixed = 0;
  bool each_its_own = false;  ///< every event has a counter to itself, or needs none
};

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
    {"hisi_*mn*|hisi_*noc*", "arm64", "*", {4, 0}},
    {"hisi_pcie*", "arm64", "*", {8, 0}},
    // drivers/perf/fsl_imx8_ddr_perf.c, fsl_imx9_ddr_perf.c: counter 0 is for cycles alone
    {"imx8_ddr*", "arm64", "*", {3, 1}},
    {"imx9_ddr*", "arm64", "*", {10, 1}},
    // drivers/perf/alibaba_uncore_drw_pmu.c, fujitsu_uncore_pmu.c, marvell_cn10k_tad_pmu.c
    {"ali_drw*", "arm64", "*", {16, 0}},
    {"mac_iod*|pci_iod*|tad*", "arm64", "*", {8, 0}},
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

/// What is known where the tables do not say; nullopt: nothing.
std::optional<CounterNumbers> builtin_counters(std::string_view pmu, std::string_view arch,
                                               std::string_view cpuid) {
  for (const Row& row : kRows)
    if (row.arch == arch && holds(row.pmu, pmu) && holds(row.cpuid, cpuid)) return row.counters;
  return std::nullopt;
}

constexpr std::uint64_t low_bits(unsigned count) {
  return count >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << count) - 1;
}

/// Numbers of the tables: the most that one of the PMU's lists has.
CounterNumbers table_numbers(const machine::BoundPmu& bound) {
  CounterNumbers out;
  for (const machine::EventList& events : bound.tables) {
    out.generic = std::max<unsigned>(out.generic, events.list->generic_counters);
    out.fixed = std::max<unsigned>(out.fixed, events.list->fixed_counters);
  }
  return out;
}

bool is_only_core(const detail::MachineState& state, const machine::BoundPmu& bound) {
  return bound.pmu.is_core && std::count_if(state.pmus.begin(), state.pmus.end(),
                                            [](const auto& p) { return p.pmu.is_core; }) == 1;
}

/// 0 or 1 in a file of one line; `missing` if it says something else, or is not there.
bool read_switch(const std::string& path, bool missing) {
  const auto text = read_head(path);
  const std::string_view value = text ? trim(*text) : std::string_view();
  return value == "1" || (value != "0" && missing);
}

/// Generic counters of each hardware thread. Intel SDM, leaf 0AH: EAX bits 7:0 version, 15:8
/// counters; AMD APM, leaf 80000022H: EAX bit 0 PerfMonV2, EBX bits 3:0 counters.
std::optional<unsigned> cpuid_counters() {
#if defined(__x86_64__) || defined(__i386__)
  unsigned a = 0, b = 0, c = 0, d = 0;
  if (__get_cpuid_count(0x0a, 0, &a, &b, &c, &d) && (a & 0xff) != 0 && (a >> 8 & 0xff) != 0)
    return a >> 8 & 0xff;
  if (__get_cpuid_count(0x80000022, 0, &a, &b, &c, &d) && (a & 1) != 0 && (b & 0xf) != 0)
    return b & 0xf;
#endif
  return std::nullopt;
}

}  // namespace

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

PmuCounters counters_of(const detail::MachineState& state, const machine::BoundPmu& bound,
                        const ScheduleOptions& options) {
  const auto builtin = builtin_counters(bound.pmu.name, state.cpu.arch, state.cpu.cpuid);
  if (builtin && builtin->each_its_own) return {{}, true, true};
  CounterNumbers numbers = table_numbers(bound);
  if (numbers.generic + numbers.fixed == 0 && builtin) numbers = *builtin;
  if (bound.pmu.is_core && !options.smt && bound.model())
    numbers.generic =
        counters_without_smt(state.cpu.arch, bound.model().name()).value_or(numbers.generic);
  if (options.generic_counters && is_only_core(state, bound))
    numbers.generic = *options.generic_counters;
  return {{low_bits(numbers.generic), low_bits(numbers.fixed)},
          numbers.generic + numbers.fixed > 0,
          false};
}

}  // namespace evname::scheduling

namespace evname {

ScheduleOptions ScheduleOptions::live(const Roots& roots) {
  ScheduleOptions out;
  out.nmi_watchdog = scheduling::read_switch(roots.procfs + "/sys/kernel/nmi_watchdog", false);
  out.smt = scheduling::read_switch(roots.sysfs + "/devices/system/cpu/smt/active", true);
  const Roots own;
  if (roots.sysfs == own.sysfs && roots.procfs == own.procfs)
    out.generic_counters = scheduling::cpuid_counters();
  return out;
}

}  // namespace evname
