#include "events/scheduling/counter_need.hpp"

#include <algorithm>
#include <array>

#include "events/machine/generic_codes.hpp"
#include "events/machine/namer.hpp"
#include "events/scheduling/demand.hpp"
#include "evname/attr.hpp"

namespace evname::scheduling {
namespace {

bool is_intel(const detail::MachineState& state) {
  return state.cpu.arch == "x86" && state.cpu.cpuid.starts_with("GenuineIntel");
}

std::uint64_t field(const machine::BoundPmu& bound, std::string_view name,
                    const ConfigWords& config) {
  const pmu::Format* format = bound.pmu.find_format(name);
  return format != nullptr && format->word < config.size() ? format->extract(config[format->word])
                                                           : 0;
}

/// Adds what the table knows of the event.
void join(const machine::BoundPmu& bound, const machine::NamedCode& named, CounterSet* out,
          bool* any_fact) {
  if (named.event == nullptr) return;
  tables::find_event(*named.model, named.name, [&](const tables::EventHit& hit) {
    const bool own =
        std::find(bound.tables.begin(), bound.tables.end(), hit.pmu) != bound.tables.end();
    if (!own || hit.event != named.event || (hit.counters->generic | hit.counters->fixed) == 0)
      return;
    *any_fact = true;
    out->generic |= hit.counters->generic;
    out->fixed |= hit.counters->fixed;
  });
}

/// Fixed counters can do nothing but count (Intel SDM, IA32_FIXED_CTR_CTRL).
constexpr std::string_view kFilters[] = {"cmask", "inv", "edge"};

bool has_filter(const machine::BoundPmu& bound, const ConfigWords& config) {
  return std::any_of(std::begin(kFilters), std::end(kFilters),
                     [&](std::string_view name) { return field(bound, name, config) != 0; });
}

/// Of the names of that code, else of the code less its filters; kAnyCounter if nothing is known.
CounterSet table_set(const detail::MachineState& state, std::size_t pmu,
                     const ConfigWords& config) {
  const machine::BoundPmu& bound = state.pmus[pmu];
  CounterSet out;
  bool any_fact = false;
  for (const machine::NamedCode& named : state.index->find(state, pmu, config))
    join(bound, named, &out, &any_fact);
  if (!any_fact && has_filter(bound, config)) {
    ConfigWords plain = config;
    for (const std::string_view name : kFilters)
      if (const pmu::Format* format = bound.pmu.find_format(name);
          format && format->word < plain.size())
        plain[format->word] &= ~format->mask;
    for (const machine::NamedCode& named : state.index->find(state, pmu, plain))
      join(bound, named, &out, &any_fact);
    out.fixed = 0;
  }
  if (!any_fact) out.generic = tables::kAnyCounter;
  return out;
}

/// Power: bits 16 to 19 of a code choose the counter (arch/powerpc/perf/isa207-common.h).
CounterSet power_set(std::uint64_t pmc) {
  if (pmc == 0) return {tables::kAnyCounter, 0};
  return pmc <= 4 ? CounterSet{std::uint64_t{1} << (pmc - 1), 0}
                  : CounterSet{0, std::uint64_t{1} << (pmc - 5)};
}

/// Without SMT these stay on the lower four counters: events 0xd0 to 0xd3, 0xcd and 0xc6
/// (arch/x86/events/intel/core.c, intel_*_event_constraints).
bool stays_low(std::uint64_t event) {
  return (event >= 0xd0 && event <= 0xd3) || event == 0xcd || event == 0xc6;
}

CounterSet counter_set(const detail::MachineState& state, std::size_t pmu,
                       const PmuCounters& counters, const ConfigWords& config) {
  const machine::BoundPmu& bound = state.pmus[pmu];
  if (state.cpu.arch == "powerpc" && bound.pmu.is_core)
    return power_set(field(bound, "pmc", config));
  CounterSet out = table_set(state, pmu, config);
  const std::uint64_t event = field(bound, "event", config);
  if (state.cpu.arch == "arm64" && bound.pmu.is_core && event == 0x11)
    out.fixed |= 1;  // CPU_CYCLES: drivers/perf/arm_pmuv3.c prefers the cycle counter
  if (bound.pmu.is_core && out.generic == tables::kAnyCounter && stays_low(event) &&
      counters_without_smt(state.cpu.arch, bound.model ? bound.model.name() : "") &&
      counters.all.generic > 0xf)
    out.generic = 0xf;
  return out;
}

struct RegisterRow {
  std::uint16_t copies;
  std::string_view name;
};
/// MSRs that config1 goes to, shared by all events of a thread that use them (Intel SDM;
/// arch/x86/events/intel/core.c, intel_*_extra_regs). Kind n is row n - 1.
constexpr RegisterRow kRegisters[] = {
    {2, "offcore response MSR"}, {1, "load latency MSR"}, {1, "frontend MSR"}};

std::uint16_t register_kind(std::uint64_t event) {
  switch (event) {
    case 0xb7:
    case 0xbb:
    case 0x2a:
    case 0x2b:
      return 1;
    case 0xcd:
      return 2;
    case 0xc6:
      return 3;
    default:
      return 0;
  }
}

SharedRegister shared_register(const detail::MachineState& state, const machine::BoundPmu& bound,
                               const ConfigWords& config) {
  if (!is_intel(state) || !bound.pmu.is_core || config[1] == 0) return {};
  const std::uint16_t kind = register_kind(field(bound, "event", config));
  if (kind == 0) return {};
  return {kind, kRegisters[kind - 1].copies, config[1]};
}

}  // namespace

Need need_of(const detail::MachineState& state, std::size_t pmu, const PmuCounters& counters,
             const Encoding& encoding) {
  Need need;
  if (counters.each_its_own || !counters.known || is_topdown_metric(state, pmu, encoding))
    return need;
  const ConfigWords config = words_of(encoding.code);
  CounterSet set{tables::kAnyCounter, 0};
  if (const auto generic = generic_code(encoding)) {
    const bool hardware = is_type(*generic, kTypeHardware);
    if (const auto code =
            hardware ? machine::core_code(state, pmu, generic->config[0]) : std::nullopt)
      set = counter_set(state, pmu, counters, {*code});
  } else {
    set = counter_set(state, pmu, counters, config);
    need.shared = shared_register(state, state.pmus[pmu], config);
  }
  need.counters = {set.generic & counters.all.generic, set.fixed & counters.all.fixed};
  if (need.counters.empty()) need.counters = set;
  return need;
}

CounterSet watchdog_counters(const detail::MachineState& state, std::size_t pmu,
                             const PmuCounters& counters) {
  if (!state.pmus[pmu].pmu.is_core || (state.cpu.arch != "x86" && state.cpu.arch != "arm64"))
    return {};
  Encoding cycles;
  cycles.code = make_code(kTypeHardware, {});
  return need_of(state, pmu, counters, cycles).counters;
}

/// Event 0 with unit masks from 0x80 on (arch/x86/events/perf_event.h, is_metric_event). Of the
/// core PMUs of a hybrid CPU cpu_core alone has them.
bool is_topdown_metric(const detail::MachineState& state, std::size_t pmu,
                       const Encoding& encoding) {
  const machine::BoundPmu& bound = state.pmus[pmu];
  const bool has_them = bound.pmu.name == "cpu" || bound.pmu.name == "cpu_core";
  if (!is_intel(state) || !has_them || is_type(encoding.code, kTypeHardware) ||
      is_type(encoding.code, kTypeHwCache))
    return false;
  const std::uint64_t config = encoding.code.config[0];
  return (config & 0xff) == 0 && ((config >> 8) & 0xff) >= 0x80;
}

std::string_view register_name(std::uint16_t kind) {
  return kind == 0 || kind > std::size(kRegisters) ? std::string_view() : kRegisters[kind - 1].name;
}

}  // namespace evname::scheduling
