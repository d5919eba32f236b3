#include "event/name_index.hpp"

#include <algorithm>
#include <set>
#include <tuple>

namespace evname::event {
namespace {

/// Best first: current before deprecated, table before sysfs, short before long.
auto rank(const NamedCode& code) {
  const std::string_view name = code.name();
  return std::tuple(code.deprecated(), code.alias.source(), name.size(), name);
}

void add(const pmu::Pmu& pmu, const Alias& alias, std::vector<NamedCode>* codes) {
  // What can't be packed (a parameter to fill in, a term this PMU lacks) is no name of a code.
  if (const auto words = pack(pmu, alias)) codes->push_back({words->config, alias});
}

std::vector<NamedCode> build(const detail::BoundPmu& bound) {
  std::vector<NamedCode> codes;
  for (const detail::OtherEvent& system : bound.system)
    add(bound.pmu, Alias{system.model, system.event, nullptr}, &codes);
  for (const tables::PmuEvents* list : bound.tables)
    for (std::size_t i = 0; i < list->count; ++i)
      add(bound.pmu, Alias{bound.model, &bound.model.event(*list, i), nullptr}, &codes);
  for (const pmu::SysfsEvent& event : bound.pmu.events) {
    // A table event of that name takes its place; a name in mixed case can't be used.
    const Alias alias = find_alias(bound, event.name);
    if (alias.sysfs == &event && alias.event == nullptr) add(bound.pmu, alias, &codes);
  }
  // What the architecture defines names a code only where the model and the kernel do not.
  std::set<ConfigWords> known;
  for (const NamedCode& code : codes) known.insert(code.config);
  for (const detail::OtherEvent& common : bound.common) {
    const Alias alias{common.model, common.event, nullptr};
    const auto words = pack(bound.pmu, alias);
    if (words && !known.contains(words->config)) codes.push_back({words->config, alias});
  }
  std::sort(codes.begin(), codes.end(), [](const NamedCode& a, const NamedCode& b) {
    if (a.config != b.config) return a.config < b.config;
    return rank(a) < rank(b);
  });
  return codes;
}

}  // namespace

std::string_view NamedCode::name() const {
  return alias.event != nullptr ? alias.model.arch.text(alias.event->name)
                                : std::string_view(alias.sysfs->name);
}

bool NamedCode::deprecated() const {
  return alias.event != nullptr && (alias.event->flags & tables::kDeprecated) != 0;
}

std::span<const NamedCode> NameIndex::find(const detail::MachineState& state, std::size_t pmu,
                                           const ConfigWords& config) const {
  Part& part = parts_[pmu];
  std::call_once(part.built, [&] { part.codes = build(state.pmus[pmu]); });
  struct ByConfig {
    bool operator()(const NamedCode& a, const ConfigWords& b) const { return a.config < b; }
    bool operator()(const ConfigWords& a, const NamedCode& b) const { return a < b.config; }
  };
  const auto [first, last] =
      std::equal_range(part.codes.begin(), part.codes.end(), config, ByConfig{});
  return {first, last};
}

}  // namespace evname::event
