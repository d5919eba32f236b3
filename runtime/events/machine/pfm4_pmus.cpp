#include "events/machine/pfm4_names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/text.hpp"
#include "events/cpu/find_model.hpp"
#include "events/machine/code_index.hpp"
#include "events/machine/code_lists.hpp"
#include "events/packing/packer.hpp"
#include "events/pfm4/encode_name.hpp"
#include "events/syntax/kernel_names.hpp"

namespace evname::machine {

bool matches_pmu(const BoundPmu& bound, std::string_view name) {
  return name.empty() ? bound.pmu.is_core : pmu::matches_wildcard(name, bound.pmu);
}

std::vector<std::size_t> places_of(const detail::MachineState& state, const pfm4::Pmu& pmu) {
  std::vector<std::size_t> out, cores;
  for (std::size_t i = 0; i < state.pmus.size(); ++i)
    if (state.pmus[i].pmu.is_core) cores.push_back(i);
  for (const std::string_view name : split(pfm4::dictionary().text(pmu.perf), ','))
    for (std::size_t i = 0; i < state.pmus.size(); ++i)
      if (matches_pmu(state.pmus[i], name)) out.push_back(i);
  if (out.empty() && pmu.type == pfm4::PmuType::core && cores.size() == 1) return cores;
  return out;
}

const std::vector<const pfm4::Pmu*>& pfm4_pmus(const detail::MachineState& state) {
  return state.pfm4_pmus.get([&] {
    std::vector<const pfm4::Pmu*> out;
    const pfm4::CpuNumber cpu = pfm4::cpu_number(state.cpu.cpuid);
    for (const pfm4::Pmu& pmu : pfm4::dictionary().pmus)
      if (pmu.type == pfm4::PmuType::generic || pfm4::is_of_cpu(pmu, cpu)) out.push_back(&pmu);
    return out;
  });
}

std::string pfm4_pmu_name(const detail::MachineState& state, const BoundPmu& bound) {
  std::string model;
  for (const ModelInfo& one : models())
    if (one.arch == state.cpu.arch && one.name == state.cpu.model)
      model = one.short_names.empty() ? std::string(last_part(one.name))
                                      : std::string(one.short_names.front());
  std::ranges::replace(model, '-', '_');
  const std::string_view pmu = bound.pmu.name;
  if (model.empty()) return bound.pmu.name;
  if (!bound.pmu.is_core)
    return fmt::format("{}_unc_{}", model, pmu.starts_with("uncore_") ? pmu.substr(7) : pmu);
  return model + (pmu.starts_with("cpu_") ? std::string(pmu.substr(3)) : std::string());
}

namespace {

/// Lists the names of a machine's PMUs.
class Pfm4Lister {
 public:
  explicit Pfm4Lister(const detail::MachineState& state) : state_(state) {}
  std::vector<Pfm4Name> run();

 private:
  void add_pmu(const pfm4::Pmu& pmu);
  void add(const pfm4::Pmu& pmu, const pfm4::Event& event, const pfm4::Mask* mask);
  void add_own(std::size_t pmu);

  const detail::MachineState& state_;
  std::vector<std::uint16_t> here_;
  const BoundPmu* bound_ = nullptr;  ///< of the PMU that is listed
  std::vector<Pfm4Name> out_;
};

void Pfm4Lister::add(const pfm4::Pmu& pmu, const pfm4::Event& event, const pfm4::Mask* mask) {
  const pfm4::Dictionary& names = pfm4::dictionary();
  Pfm4Name name;
  name.name =
      fmt::format("{}::{}{}{}", names.text(pmu.name), names.text(event.name),
                  mask != nullptr ? ":" : "", mask != nullptr ? names.text(mask->name) : "");
  name.is_alias = *names.text(names.traits_of(event).alias) != '\0' ||
                  (mask != nullptr && *names.text(names.traits_of(*mask).alias) != '\0');
  const pfm4::Scope scope{here_, false};
  constexpr std::uint8_t kAll = pfm4::kUser | pfm4::kKernel | pfm4::kHypervisor;
  pfm4::Encoded found;
  const auto os = pfm4::Os::perf_event_ext;
  if (pfm4::encode(scope, name.name, kAll, os, found) != pfm4::Error::none)
    return;  // needs modifiers
  name.pmu = bound_ != nullptr ? bound_->pmu.name
                               : std::string(syntax::generic_type_name(found.attr.type));
  name.code =
      make_code(found.attr.type, {found.attr.config, found.attr.config1, found.attr.config2});
  if (bound_ != nullptr) {
    name.code.has_type = bound_->pmu.type.has_value();
    name.code.type = bound_->pmu.type.value_or(0);
  }
  out_.push_back(std::move(name));
}

void Pfm4Lister::add_pmu(const pfm4::Pmu& pmu) {
  const pfm4::Dictionary& names = pfm4::dictionary();
  const auto events = names.events_of(pmu);
  for (int i = pfm4::next_event(pmu, 0); i >= 0;
       i = pfm4::next_event(pmu, static_cast<unsigned>(i) + 1)) {
    const pfm4::Event& event = events[static_cast<std::size_t>(i)];
    bool has_masks = false;
    for (const pfm4::Mask& mask : names.masks_of(event)) {
      if (!pfm4::has(pmu, names.traits_of(mask))) continue;
      has_masks = true;
      add(pmu, event, &mask);
    }
    if (!has_masks) add(pmu, event, nullptr);
  }
}

/// Adds the names of a PMU's tables: EVENT.MASK as EVENT:MASK.
void Pfm4Lister::add_own(std::size_t pmu) {
  const BoundPmu& bound = state_.pmus[pmu];
  const std::string own_name = pfm4_pmu_name(state_, bound);
  for (const NamedCode& one : state_.index->all(state_, pmu)) {
    if (one.event == nullptr) continue;
    std::string text = to_upper(one.name);
    if (const std::size_t dot = text.find('.'); dot != text.npos) text[dot] = ':';
    Pfm4Name name{fmt::format("{}::{}", own_name, text), bound.pmu.name, {}, false};
    name.code =
        make_code(bound.pmu.type.value_or(0), {one.config[0], one.config[1], one.config[2]});
    name.code.has_type = bound.pmu.type.has_value();
    out_.push_back(std::move(name));
  }
}

std::vector<Pfm4Name> Pfm4Lister::run() {
  const pfm4::Dictionary& names = pfm4::dictionary();
  if (names.pmus.empty()) return {};
  const auto& pmus = pfm4_pmus(state_);
  for (const pfm4::Pmu* pmu : pmus)
    here_.push_back(static_cast<std::uint16_t>(pmu - names.pmus.data()));
  std::vector<bool> is_known(state_.pmus.size());
  std::vector<std::uint16_t> tables;
  for (const pfm4::Pmu* pmu : pmus) {
    bound_ = nullptr;
    const bool is_generic = pmu->type == pfm4::PmuType::generic;
    if (!is_generic && (pmu->flags & pfm4::kLive) != 0)
      continue;  // the core's tables have its events
    const auto places = is_generic ? std::vector<std::size_t>() : places_of(state_, *pmu);
    for (const std::size_t i : places) is_known[i] = true;
    if (!places.empty()) bound_ = &state_.pmus[places.front()];
    if ((bound_ == nullptr && !is_generic) || (pmu->flags & pfm4::kDeprecated) != 0) continue;
    if (std::ranges::count(tables, pmu->table) != 0 && pmu->type == pfm4::PmuType::uncore)
      continue;  // a further box
    tables.push_back(pmu->table);
    add_pmu(*pmu);
  }
  for (std::size_t i = 0; i < state_.pmus.size(); ++i)
    if (!is_known[i]) add_own(i);
  return std::move(out_);
}

}  // namespace

std::vector<Pfm4Name> pfm4_names(const Machine& machine) {
  return Pfm4Lister(detail::state_of(machine)).run();
}

}  // namespace evname::machine
