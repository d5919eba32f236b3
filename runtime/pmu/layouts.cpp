#include "pmu/layouts.hpp"

#include "base/text.hpp"
#include "pmu/pmu.hpp"

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

}  // namespace

const Layout* find_layout(std::string_view pmu, std::string_view arch, std::string_view cpuid,
                          std::string_view model) {
  for (const auto rows :
       {core_layouts(), device_layouts(), intel_uncore_layouts(), other_uncore_layouts()})
    for (const Layout& row : rows)
      if (names(row, pmu) && holds_on(row, arch, cpuid, model)) return &row;
  return nullptr;
}

}  // namespace evname::pmu
