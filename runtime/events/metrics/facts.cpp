// The literals of metric expressions. Sources of their meaning: perf, util/expr.c
// (expr__get_literal), util/cputopo.c, util/smt.c, arch/x86/util/tsc.c.

#include <sys/stat.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "base/read_file.hpp"
#include "base/text.hpp"
#include "events/cpu/live_cpu.hpp"
#include "events/expression/parse.hpp"
#include "events/machine/machine_state.hpp"
#include "events/metrics/facts.hpp"
#include "evname/metric.hpp"

#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#define HAVE_CPUID 1
#endif

namespace evname {
namespace {

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
constexpr std::size_t kMaxCpus = 4096;

std::optional<std::size_t> index_of(std::string_view name) {
  const std::string hashed = name.starts_with('#') ? std::string(name) : "#" + std::string(name);
  const auto known = expression::find_literal(hashed);
  if (!known) return std::nullopt;
  return static_cast<std::size_t>(std::ranges::find(expression::kLiterals, *known) -
                                  std::begin(expression::kLiterals));
}

/// Issue slots per cycle, as Arm core PMUs state them; slots.csv has them for a CPU that is only
/// named.
double slots_of(const detail::MachineState& state) {
  for (const machine::BoundPmu& bound : state.pmus) {
    const std::string* slots = bound.pmu.find_cap("slots");
    if (!bound.pmu.is_core || slots == nullptr) continue;
    if (const auto number = parse_number(*slots))
      return *number > 0 ? static_cast<double>(*number) : kUnknown;
  }
  const tables::FactQuery cpu{state.cpu.arch, {}, state.cpu.cpuid, state.cpu.model};
  const auto known = tables::first_row(state.facts, &tables::CpuFacts::slots, cpu);
  return known ? known.row->slots : kUnknown;
}

/// The lists of CPUs in topology/NAME (or, on older kernels, OLD_NAME) of all online CPUs.
std::set<std::string> lists_of(const std::string& cpus, std::span<const unsigned> online,
                               const char* name, const char* old_name) {
  std::set<std::string> out;
  for (const unsigned cpu : online) {
    const std::string topology = cpus + "/cpu" + std::to_string(cpu) + "/topology/";
    std::string list = text_of_file(topology + name);
    if (list.empty() && old_name != nullptr) list = text_of_file(topology + old_name);
    if (!list.empty()) out.insert(std::move(list));
  }
  return out;
}

unsigned instances_in(const std::string& path) {
  return static_cast<unsigned>(
      std::clamp<std::uint64_t>(parse_number(text_of_file(path)).value_or(1), 1, kMaxCpus));
}

/// "key : value" of the first CPU.
std::string cpuinfo_value(std::string_view cpuinfo, std::string_view key) {
  for (const std::string_view line : split(cpuinfo, '\n')) {
    const std::size_t colon = line.find(':');
    if (colon == line.npos || trim(line.substr(0, colon)) != key) continue;
    return std::string(trim(line.substr(colon + 1)));
  }
  return {};
}

/// Intel SDM, CPUID leaf 15H: crystal clock (Hz) times numerator over denominator.
double enumerated_frequency() {
#ifdef HAVE_CPUID
  unsigned denominator = 0, numerator = 0, crystal = 0, unused = 0;
  if (__get_cpuid_max(0, nullptr) < 0x15) return 0;
  __cpuid_count(0x15, 0, denominator, numerator, crystal, unused);
  if (denominator != 0) return static_cast<double>(crystal) * numerator / denominator;
#endif
  return 0;
}

/// Hz; 0 for other vendors than Intel, as in perf; NaN: not known.
double live_tsc_frequency(const Roots& roots) {
  const std::string path = roots.procfs + "/cpuinfo";
  const auto cpuinfo = read_text_file(path, 16 << 20);
  if (!cpuinfo) return kUnknown;
  if (cpuinfo_value(*cpuinfo, "vendor_id") != "GenuineIntel") return 0;
  if (roots.procfs == Roots().procfs)
    if (const double frequency = enumerated_frequency(); frequency > 0) return frequency;
  return metrics::named_tsc_frequency("Intel " + cpuinfo_value(*cpuinfo, "model name"));
}

}  // namespace

namespace metrics {

bool has_dies(std::string_view arch) { return arch == "x86" || arch == "s390"; }

bool names_several(std::string_view cpu_list) {
  return cpu_list.find_first_of(",-") != std::string_view::npos;
}

double named_tsc_frequency(std::string_view cpu_name) {
  if (cpu_name.empty()) return kUnknown;
  if (cpu_name.find("Intel") == cpu_name.npos) return 0;
  const std::size_t at = cpu_name.rfind('@');
  if (at == cpu_name.npos) return kUnknown;
  const std::string_view text = trim(cpu_name.substr(at + 1));
  double number = 0;
  const std::size_t used = read_double(text, number);
  if (used == 0) return kUnknown;
  const std::string_view unit = text.substr(used);
  if (unit == "GHz") return number * 1e9;
  return unit == "MHz" ? number * 1e6 : kUnknown;
}

}  // namespace metrics

std::span<const std::string_view> MetricFacts::names() { return expression::kLiterals; }

MetricFacts::MetricFacts(const Machine& machine) {
  static_assert(std::tuple_size_v<decltype(values_)> == std::size(expression::kLiterals));
  values_.fill(kUnknown);
  set("#slots", slots_of(detail::state_of(machine)));
  set("#core_wide", 0);  // a task's counters follow it to any CPU
  set("#target_cpu", 0);
}

double MetricFacts::get(std::string_view name) const {
  const auto index = index_of(name);
  return index ? values_[*index] : kUnknown;
}

bool MetricFacts::set(std::string_view name, double value) {
  const auto index = index_of(name);
  if (index) values_[*index] = value;
  return index.has_value();
}

unsigned MetricFacts::instances(MetricInfo::Aggregation aggregation) const {
  const auto at = static_cast<std::size_t>(aggregation);
  return at < instances_.size() ? instances_[at] : 1;
}

void MetricFacts::read_topology(const std::string& sysfs) {
  const std::string cpus = sysfs + "/devices/system/cpu";
  const auto present = parse_cpu_list(text_of_file(cpus + "/present"), kMaxCpus);
  const auto online = parse_cpu_list(text_of_file(cpus + "/online"), kMaxCpus);
  if (!present.empty()) set("#num_cpus", std::ranges::max(present) + 1.0);
  if (online.empty()) return;
  set("#num_cpus_online", static_cast<double>(online.size()));
  const auto packages = lists_of(cpus, online, "package_cpus_list", "core_siblings_list");
  const auto cores = lists_of(cpus, online, "core_cpus_list", "thread_siblings_list");
  const auto dies = lists_of(cpus, online, "die_cpus_list", nullptr);
  if (!packages.empty()) set("#num_packages", static_cast<double>(packages.size()));
  if (!cores.empty()) set("#num_cores", static_cast<double>(cores.size()));
  set("#num_dies", static_cast<double>(dies.size()));
  const std::string active = text_of_file(cpus + "/smt/active");
  if (!active.empty())
    set("#smt_on", active == "1");
  else if (!cores.empty())
    set("#smt_on", std::ranges::any_of(cores, metrics::names_several));
}

MetricFacts MetricFacts::live(const Machine& machine, const Roots& roots) {
  MetricFacts facts(machine);
  facts.read_topology(roots.sysfs);
  if (const auto online = cpu::online_numbers(roots); !online.empty())
    facts.set("#num_cpus_online", static_cast<double>(online.size()));
  const std::string& arch = machine.cpu().arch;
  if (!metrics::has_dies(arch)) facts.set("#num_dies", 0);
  struct stat ignored {};
  const std::string nfit = roots.sysfs + "/firmware/acpi/tables/NFIT";
  facts.set("#has_pmem", ::stat(nfit.c_str(), &ignored) == 0);
  facts.set("#system_tsc_freq", arch == "x86" ? live_tsc_frequency(roots) : 0);
  const std::string hv = roots.sysfs + "/devices/hv_24x7/interface/";
  const auto set_instances = [&](MetricInfo::Aggregation of, const char* file) {
    facts.instances_[static_cast<std::size_t>(of)] = instances_in(hv + file);
  };
  set_instances(MetricInfo::Aggregation::per_chip, "sockets");
  set_instances(MetricInfo::Aggregation::per_core, "coresperchip");
  return facts;
}

}  // namespace evname
