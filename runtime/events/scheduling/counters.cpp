#include "events/scheduling/counters.hpp"

#include <algorithm>
#include <string>
#include <string_view>

#include "base/read_file.hpp"
#include "base/text.hpp"
#include "events/tables/cpu_facts.hpp"

#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#endif

namespace evname::scheduling {
namespace {

struct CounterNumbers {
  unsigned generic = 0;
  unsigned fixed = 0;
};

constexpr std::uint64_t low_bits(unsigned count) {
  return count >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << count) - 1;
}

/// Numbers of the tables: the most that one of the PMU's lists has.
CounterNumbers table_numbers(const machine::BoundPmu& bound) {
  CounterNumbers out;
  for (const tables::PmuEvents* list : bound.tables) {
    out.generic = std::max<unsigned>(out.generic, list->generic_counters);
    out.fixed = std::max<unsigned>(out.fixed, list->fixed_counters);
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

PmuCounters counters_of(const detail::MachineState& state, const machine::BoundPmu& bound,
                        const ScheduleOptions& options) {
  const std::string_view model = bound.model ? bound.model.name() : std::string_view();
  const auto fact = tables::first_row(tables::built_in_facts(), &tables::CpuFacts::counters,
                                      {state.cpu.arch, bound.pmu.name, state.cpu.cpuid, model});
  if (fact && fact.row->each) return {{}, true, true};
  CounterNumbers numbers = table_numbers(bound);
  if (numbers.generic + numbers.fixed == 0 && fact) numbers = {fact.row->generic, fact.row->fixed};
  const unsigned one_thread = fact ? fact.row->one_thread : 0;
  if (bound.pmu.is_core && !options.smt && one_thread != 0) numbers.generic = one_thread;
  if (options.generic_counters && is_only_core(state, bound))
    numbers.generic = *options.generic_counters;
  return {{low_bits(numbers.generic), low_bits(numbers.fixed)},
          numbers.generic + numbers.fixed > 0,
          false,
          one_thread != 0};
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
