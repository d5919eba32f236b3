#include "events/pmu/builtin.hpp"

#include <algorithm>
#include <span>

#include "base/text.hpp"
#include "events/cpu/mapfile_pattern.hpp"
#include "events/pmu/layouts.hpp"

namespace evname::pmu {
namespace {

template <class Predicate>
bool any_alternative(std::string_view condition, Predicate holds) {
  if (condition.empty()) return true;
  for (const std::string_view alternative : split(condition, '|'))
    if (holds(alternative)) return true;
  return false;
}

bool names(const Layout& row, std::string_view pmu) {
  return any_alternative(row.pmu, [&](std::string_view name) {
    if (name.find('*') != std::string_view::npos) return glob_match(name, pmu);
    return matches_ignoring_suffix(pmu, name);
  });
}

bool holds_on(const Layout& row, std::string_view arch, std::string_view cpuid,
              std::string_view model) {
  return (row.arch.empty() || row.arch == arch) &&
         any_alternative(row.models, [&](std::string_view name) { return name == model; }) &&
         any_alternative(row.cpuid, [&](std::string_view glob) { return glob_match(glob, cpuid); });
}

struct KernelEvent {
  std::string_view name, terms;
};

// Events that no table has: the kernel puts them into events/ of a core PMU. Metrics need them on
// machines that have no sysfs to ask, too.
// arch/x86/events/intel/core.c of Linux: parts of the PERF_METRICS register. Their codes are also
// in perf's Documentation/topdown.txt and tests/attr/test-stat-detailed-3.
constexpr KernelEvent kLevel1[] = {{"topdown-bad-spec", "event=0x00,umask=0x81"},
                                   {"topdown-be-bound", "event=0x00,umask=0x83"},
                                   {"topdown-fe-bound", "event=0x00,umask=0x82"},
                                   {"topdown-retiring", "event=0x00,umask=0x80"}};
constexpr KernelEvent kLevel2[] = {{"topdown-br-mispredict", "event=0x00,umask=0x85"},
                                   {"topdown-fetch-lat", "event=0x00,umask=0x86"},
                                   {"topdown-heavy-ops", "event=0x00,umask=0x84"},
                                   {"topdown-mem-bound", "event=0x00,umask=0x87"}};

struct KernelEvents {
  std::string_view pmu;
  std::string_view models;  ///< with `|` between them
  std::span<const KernelEvent> events;
};
constexpr std::string_view kServers = "sapphirerapids|emeraldrapids|graniterapids";
constexpr std::string_view kHybrids =
    "alderlake|arrowlake|lunarlake|meteorlake|pantherlake|novalake";
constexpr KernelEvents kKernelEvents[] = {{"cpu", "icelake|icelakex|rocketlake|tigerlake", kLevel1},
                                          {"cpu", kServers, kLevel1},
                                          {"cpu", kServers, kLevel2},
                                          {"cpu_core", kHybrids, kLevel1},
                                          {"cpu_core", kHybrids, kLevel2}};

/// Those that this build knows of, sorted by name.
std::vector<SysfsEvent> kernel_events(std::string_view pmu, std::string_view model) {
  std::vector<SysfsEvent> out;
  for (const KernelEvents& row : kKernelEvents) {
    const auto is_model = [&](std::string_view name) { return name == model; };
    if (row.pmu != pmu || !any_alternative(row.models, is_model)) continue;
    for (const KernelEvent& event : row.events) {
      out.emplace_back().name = event.name;
      out.back().terms = event.terms;
    }
  }
  std::sort(out.begin(), out.end(),
            [](const SysfsEvent& a, const SysfsEvent& b) { return a.name < b.name; });
  return out;
}

constexpr std::string_view kDefaultCore = "default_core";

struct CoreName {
  std::string_view arch;
  std::string_view models;  ///< with `|` between them; empty: any
  std::string_view pmu;
};
/// What the core PMU is called where the tables don't say; the first that holds. Armv8 without
/// 64-bit state has the PMU of Armv8, whose event numbers have 16 bits.
constexpr CoreName kCoreNames[] = {{"arm64", "", "armv8_pmuv3_0"},
                                   {"arm", "cortex-a32|cortex-r52", "armv8_pmuv3_0"},
                                   {"arm", "", "armv7_pmu"},
                                   {"s390", "", "cpum_cf"}};

std::string_view core_name(std::string_view arch, std::string_view model) {
  const auto is_model = [&](std::string_view name) { return name == model; };
  for (const CoreName& row : kCoreNames)
    if (row.arch == arch && any_alternative(row.models, is_model)) return row.pmu;
  return "cpu";
}

std::vector<Format> parse_formats(std::string_view text) {
  std::vector<Format> formats;
  for (const std::string_view field : split(text, ' ')) {
    const auto equals = field.find('=');
    if (equals == std::string_view::npos) continue;
    if (auto format = parse_format(field.substr(0, equals), field.substr(equals + 1)))
      formats.push_back(std::move(*format));
  }
  std::sort(formats.begin(), formats.end(),
            [](const Format& a, const Format& b) { return a.name < b.name; });
  return formats;
}

/// Adds the PMUs that the model's events name, other than "any core PMU", once each.
void add_units(const tables::ModelView& model, std::vector<std::string>& names) {
  if (!model) return;
  for (const tables::PmuEvents& pmu : model.pmus())
    if (std::string name(model.arch().text(pmu.pmu));
        name != kDefaultCore && std::find(names.begin(), names.end(), name) == names.end())
      names.push_back(std::move(name));
}

/// "uncore_cbox_0" beside "uncore_cbox": one PMU without number stands for both.
bool is_instance_of_another(const std::string& name, const std::vector<std::string>& names) {
  return std::any_of(names.begin(), names.end(), [&](const std::string& other) {
    return other != name && matches_ignoring_suffix(name, other);
  });
}

/// "hisi_sccl,ddrc": the kernel puts instance numbers between and after the pieces.
std::string unit_name(std::string_view name, std::string_view model) {
  std::string table_pmu(kernel_name(name, model));
  std::replace(table_pmu.begin(), table_pmu.end(), ',', '_');
  return table_pmu;
}

}  // namespace

const Layout* find_layout(std::string_view pmu, std::string_view arch, std::string_view cpuid,
                          std::string_view model) {
  for (const auto rows : {core_layouts(), device_layouts(), intel_uncore_layouts()})
    for (const Layout& row : rows)
      if (names(row, pmu) && holds_on(row, arch, cpuid, model)) return &row;
  return nullptr;
}

Pmu describe(std::string name, std::string_view arch, std::string_view cpuid,
             std::string_view model) {
  Pmu pmu;
  pmu.name = std::move(name);
  const Layout* row = find_layout(pmu.name, arch, cpuid, model);
  if (row == nullptr) {
    pmu.is_uncore = pmu.name.starts_with("uncore_");
    return pmu;
  }
  pmu.is_core = row->kind == Kind::core;
  pmu.is_uncore = row->kind == Kind::uncore;
  if (row->type >= 0) pmu.type = static_cast<std::uint32_t>(row->type);
  pmu.formats = parse_formats(row->formats);
  pmu.events = kernel_events(pmu.name, model);
  return pmu;
}

std::vector<Pmu> builtin_pmus(std::string_view arch, std::string_view cpuid,
                              const tables::ModelView& model,
                              std::span<const tables::ModelView> more) {
  const std::string sample = cpuid.empty() ? cpu::example_cpuid(model) : std::string(cpuid);
  const std::string_view model_name = model ? model.name() : std::string_view();
  std::vector<std::string> units;
  add_units(model, units);
  for (const tables::ModelView& one : more) add_units(one, units);
  std::vector<Pmu> pmus;
  for (const std::string& name : units)
    if (!is_instance_of_another(name, units))
      pmus.push_back(describe(unit_name(name, model_name), arch, sample, model_name));
  if (std::none_of(pmus.begin(), pmus.end(), [](const Pmu& pmu) { return pmu.is_core; }))
    pmus.push_back(describe(std::string(core_name(arch, model_name)), arch, sample, model_name));
  sort_pmus(pmus);
  return pmus;
}

}  // namespace evname::pmu
