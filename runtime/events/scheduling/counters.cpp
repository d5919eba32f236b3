#include "events/scheduling/counters.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/read_file.hpp"
#include "base/text.hpp"
#include "events/machine/code_index.hpp"
#include "events/machine/lookup.hpp"
#include "events/scheduling/demand.hpp"
#include "events/tables/cpu_facts.hpp"
#include "evname/attr.hpp"

#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#endif
#ifdef __linux__
#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <cerrno>
#endif

namespace evname::scheduling {
namespace {

struct CounterNumbers {
  unsigned generic = 0;
  unsigned fixed = 0;
};

constexpr std::uint64_t kEven = 0x5555555555555555;

constexpr std::uint64_t low_bits(unsigned count) {
  return count >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << count) - 1;
}

/// Returns the numbers of counters in the tables: the maximum of the PMU's lists.
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

/// Reads 0 or 1 from a file of one line; returns `missing` if it is not there or has another
/// content.
bool read_switch(const std::string& path, bool missing) {
  const std::string value = text_of_file(path);
  return value == "1" || (value != "0" && missing);
}

/// Returns the number of generic counters of each hardware thread. Intel SDM, leaf 0AH: EAX bits
/// 7:0 version, 15:8 counters; AMD APM, leaf 80000022H: EAX bit 0 PerfMonV2, EBX bits 3:0 counters.
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

bool is_intel(const detail::MachineState& state) {
  return state.cpu.arch == "x86" && state.cpu.cpuid.starts_with("GenuineIntel");
}

std::uint64_t field(const machine::BoundPmu& bound, std::string_view name,
                    const ConfigWords& config) {
  const pmu::Format* format = bound.pmu.find_format(name);
  return format != nullptr && format->word < config.size() ? format->extract(config[format->word])
                                                           : 0;
}

/// Adds the counters that the table states for the event.
void join(const machine::BoundPmu& bound, const machine::NamedCode& named, CounterSet* out,
          bool* any_fact) {
  if (named.event == nullptr) return;
  tables::find_event(*named.model, named.name, [&](const tables::EventHit& hit) {
    if (!bound.has(hit.pmu) || hit.event != named.event ||
        (hit.counters->generic | hit.counters->fixed) == 0)
      return;
    *any_fact = true;
    out->generic |= hit.counters->generic;
    out->fixed |= hit.counters->fixed;
  });
}

/// Fixed counters can only count (Intel SDM, IA32_FIXED_CTR_CTRL).
constexpr std::string_view kFilters[] = {"cmask", "inv", "edge"};

bool has_filter(const machine::BoundPmu& bound, const ConfigWords& config) {
  return std::any_of(std::begin(kFilters), std::end(kFilters),
                     [&](std::string_view name) { return field(bound, name, config) != 0; });
}

/// Returns the counters of the names of that code, else of the code without its filters;
/// kAnyCounter if unknown.
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

/// Returns the counter that bits 16 to 19 of a code of Power choose
/// (arch/powerpc/perf/isa207-common.h).
CounterSet power_set(std::uint64_t pmc) {
  if (pmc == 0) return {tables::kAnyCounter, 0};
  return pmc <= 4 ? CounterSet{std::uint64_t{1} << (pmc - 1), 0}
                  : CounterSet{0, std::uint64_t{1} << (pmc - 5)};
}

/// Returns true if an event stays on the lower four counters without SMT: events 0xd0 to 0xd3, 0xcd
/// and 0xc6 (arch/x86/events/intel/core.c, intel_*_event_constraints).
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
      counters.one_thread && counters.all.generic > 0xf)
    out.generic = 0xf;
  return out;
}

struct RegisterRow {
  std::uint16_t copies;
  std::string_view name;
};
/// The table holds the MSRs that config1 goes to, shared by all events of a thread that use them
/// (Intel SDM; arch/x86/events/intel/core.c, intel_*_extra_regs). Kind n is row n - 1.
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

constexpr std::size_t kLargestConfig = 4 << 20;

bool has_line(std::string_view text, std::string_view wanted) {
  const auto lines = split(text, '\n');
  return std::ranges::find(lines, wanted) != lines.end();
}

/// Returns true if a parameter of the kernel is on: kstrtobool of lib/kstrtox.c.
bool is_switched_on(std::string_view command_line, std::string_view parameter) {
  bool out = false;
  for (const std::string_view word : split(trim(command_line), ' ')) {
    if (!word.starts_with(parameter)) continue;
    std::string_view value = word.substr(parameter.size());
    if (!value.starts_with('=')) continue;
    value.remove_prefix(1);
    out = value.starts_with('1') || value.starts_with('y') || value.starts_with('Y') ||
          value.starts_with('t') || value.starts_with('T') || to_lower(value) == "on";
  }
  return out;
}

/// Returns the configuration of the running kernel; "" if it can't be read. /proc/config.gz is not
/// read: programs that only resolve events would need a decompressor.
std::string kernel_config(const Roots& roots) {
#ifdef __linux__
  utsname system{};
  if (roots.procfs == Roots().procfs && uname(&system) == 0)
    return read_text_file(std::string("/boot/config-") + system.release, kLargestConfig)
        .value_or("");
#endif
  return {};
}

constexpr bool kIsArm =
#ifdef __aarch64__
    true;
#else
    false;
#endif

#ifdef __linux__

/// Open files; the destructor closes members of a group before its leader.
class Files {
 public:
  Files() = default;
  Files(const Files&) = delete;
  ~Files() {
    for (std::size_t i = files_.size(); i-- > 0;) ::close(files_[i]);
  }
  int leader() const { return files_.empty() ? -1 : files_.front(); }
  std::size_t size() const { return files_.size(); }

  /// Opens cycles of this thread in user space, as the leader of a group or a member. Returns false
  /// and sets errno if it is refused.
  bool add_cycles() {
    perf_event_attr attr{};
    attr.size = PERF_ATTR_SIZE_VER0;
    attr.type = PERF_TYPE_HARDWARE;
    attr.config = PERF_COUNT_HW_CPU_CYCLES;
    attr.pinned = files_.empty();
    attr.exclude_kernel = attr.exclude_hv = true;
    const long file = syscall(SYS_perf_event_open, &attr, 0, -1, leader(), PERF_FLAG_FD_CLOEXEC);
    if (file < 0) return false;
    files_.push_back(static_cast<int>(file));
    return true;
  }

 private:
  std::vector<int> files_;
};

#endif

}  // namespace

PmuCounters counters_of(const detail::MachineState& state, const machine::BoundPmu& bound,
                        const ScheduleOptions& options) {
  const std::string_view model = bound.model() ? bound.model().name() : std::string_view();
  const auto fact = tables::first_row(tables::FactLayers(state.facts), &tables::CpuFacts::counters,
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
          one_thread != 0,
          fact ? fact.row->paired_event : std::uint64_t{0}};
}

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
  need.paired = counters.paired_event != 0 && !generic_code(encoding) &&
                field(state.pmus[pmu], "event", config) == counters.paired_event;
  if (need.paired) need.counters.generic &= kEven & counters.all.generic >> 1;
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

/// They are event 0 with unit masks from 0x80 on (arch/x86/events/perf_event.h, is_metric_event).
/// On hybrid CPUs only cpu_core has them.
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

/// The kernel accepts a group that would fit if all counters were free (validate_group of the PMU's
/// driver, which ignores disabled events). If a counter is taken, the largest such group does not
/// fit, and the kernel puts a pinned group into an error state: reads return nothing
/// (perf_event_open(2), `pinned`).
std::optional<bool> is_counter_taken() {
#ifdef __linux__
  constexpr std::size_t kMostCounters = 64;
  Files files;
  while (files.size() < kMostCounters && files.add_cycles()) {
  }
  if (files.size() == 0 || files.size() == kMostCounters || errno != EINVAL) return std::nullopt;
  std::uint64_t count = 0;
  const auto got = ::read(files.leader(), &count, sizeof count);
  if (got < 0) return std::nullopt;
  return got == 0;
#else
  return std::nullopt;
#endif
}

// Source: lib/Kconfig.debug; arch/arm64/kernel/watchdog_hld.c uses arm_pmu_irq_is_nmi(), which is
// true only with irqchip.gicv3_pseudo_nmi.
bool watchdog_counts(const WatchdogFacts& facts) {
  if (!facts.config.empty() && !has_line(facts.config, "CONFIG_HARDLOCKUP_DETECTOR_PERF=y"))
    return false;
  if (!facts.is_arm) return true;
  if (!facts.config.empty() && !has_line(facts.config, "CONFIG_ARM64_PSEUDO_NMI=y")) return false;
  return is_switched_on(facts.command_line, "irqchip.gicv3_pseudo_nmi");
}

bool watchdog_takes_counter(const Roots& roots) {
  if (text_of_file(roots.procfs + "/sys/kernel/nmi_watchdog") != "1") return false;
  const Roots own;
  if (roots.procfs == own.procfs && roots.sysfs == own.sysfs)
    if (const auto taken = is_counter_taken()) return *taken;
  return watchdog_counts({kIsArm, kernel_config(roots), text_of_file(roots.procfs + "/cmdline")});
}

}  // namespace evname::scheduling

namespace evname {

ScheduleOptions ScheduleOptions::live(const Roots& roots) {
  ScheduleOptions out;
  out.nmi_watchdog = scheduling::watchdog_takes_counter(roots);
  out.smt = scheduling::read_switch(roots.sysfs + "/devices/system/cpu/smt/active", true);
  const Roots own;
  if (roots.sysfs == own.sysfs && roots.procfs == own.procfs)
    out.generic_counters = scheduling::cpuid_counters();
  return out;
}

}  // namespace evname
