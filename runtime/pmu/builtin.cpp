#include "pmu/builtin.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "cpu/match.hpp"
#include "pmu/kernel_events.hpp"
#include "pmu/layouts.hpp"
#include "pmu/sources.hpp"

namespace evname::pmu {
namespace {

constexpr std::string_view kDefaultCore = "default_core";

struct CoreName {
  std::string_view arch, pmu;
};
/// What the core PMU is called where the tables don't say.
constexpr CoreName kCoreNames[] = {
    {"arm64", "armv8_pmuv3_0"}, {"arm", "armv7_pmu"}, {"s390", "cpum_cf"}};

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

/// The PMUs that the model's events name, other than "any core PMU".
std::vector<std::string> named_units(const tables::ModelView& model) {
  std::vector<std::string> names;
  if (!model) return names;
  for (const tables::PmuEvents& pmu : model.pmus())
    if (model.arch().text(pmu.pmu) != kDefaultCore) names.emplace_back(model.arch().text(pmu.pmu));
  return names;
}

/// "uncore_cbox_0" beside "uncore_cbox": one PMU without number stands for both.
bool is_instance_of_another(const std::string& name, const std::vector<std::string>& names) {
  return std::any_of(names.begin(), names.end(), [&](const std::string& other) {
    return other != name && matches_ignoring_suffix(name, other);
  });
}

/// "hisi_sccl,ddrc": the kernel puts instance numbers between and behind the pieces.
std::string unit_name(std::string table_pmu) {
  std::replace(table_pmu.begin(), table_pmu.end(), ',', '_');
  return table_pmu;
}

}  // namespace

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
                              const tables::ModelView& model) {
  const std::string sample = cpuid.empty() ? cpu::sample_cpuid(model) : std::string(cpuid);
  const std::string_view model_name = model ? model.name() : std::string_view();
  const auto units = named_units(model);
  std::vector<Pmu> pmus;
  for (const std::string& name : units)
    if (!is_instance_of_another(name, units))
      pmus.push_back(describe(unit_name(name), arch, sample, model_name));
  if (std::none_of(pmus.begin(), pmus.end(), [](const Pmu& pmu) { return pmu.is_core; })) {
    std::string_view core = "cpu";
    for (const CoreName& row : kCoreNames)
      if (row.arch == arch) core = row.pmu;
    pmus.push_back(describe(std::string(core), arch, sample, model_name));
  }
  sort_pmus(pmus);
  return pmus;
}

}  // namespace evname::pmu
