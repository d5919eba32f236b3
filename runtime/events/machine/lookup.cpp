#include "events/machine/lookup.hpp"

#include <algorithm>

#include "events/syntax/kernel_names.hpp"
#include "evname/attr.hpp"

namespace evname::machine {

bool EventLookup::Found::add(const Hit& hit) {
  if (size_ == hits_.size()) return false;
  std::size_t at = size_++;
  for (; at > 0 && hits_[at - 1].pmu >= hit.pmu; --at) {
    if (hits_[at - 1].pmu == hit.pmu) return false;
    hits_[at] = hits_[at - 1];
  }
  hits_[at] = hit;
  return true;
}

const BoundPmu& EventLookup::Found::pmu(std::size_t i) const {
  return general_.empty() ? state_.pmus[hits_[i].pmu] : *general_[i].first;
}

Alias EventLookup::Found::alias(std::size_t i) const {
  return general_.empty() ? Alias{hits_[i].served->model, hits_[i].event, nullptr}
                          : general_[i].second;
}

EventLookup::EventLookup(const detail::MachineState& state) : state_(state) {
  for (const BoundPmu& bound : state.pmus) {
    for (const auto* list : {&bound.system, &bound.common})
      for (const OtherEvent& other : *list) add_other(other.model.arch().text(other.event->name));
    for (const pmu::SysfsEvent& event : bound.pmu.events) add_other(event.name);
  }
  std::sort(others_.begin(), others_.end());
  add_tables();
}

void EventLookup::add_tables() {
  for (std::size_t i = 0; i < state_.pmus.size(); ++i) {
    const BoundPmu& bound = state_.pmus[i];
    if (bound.tables.empty()) continue;
    auto at = std::find_if(served_.begin(), served_.end(), [&](const Served& served) {
      return served.model.model == bound.model.model;
    });
    if (at == served_.end())
      at = served_.insert(
          at, {bound.model, std::vector<std::vector<std::uint16_t>>(bound.model.pmus().size())});
    for (const tables::PmuEvents* list : bound.tables)
      at->pmus[static_cast<std::size_t>(list - bound.model.pmus().data())].push_back(
          static_cast<std::uint16_t>(i));
  }
}

void EventLookup::add_other(std::string_view name) {
  others_.push_back(tables::name_hash(name));
  other_bits_.set(others_.back() % kHashBits);
}

bool EventLookup::is_other(std::uint32_t hash) const {
  return other_bits_[hash % kHashBits] && std::binary_search(others_.begin(), others_.end(), hash);
}

/// False: the PMUs have to be asked one by one.
bool EventLookup::find_in_tables(std::string_view name, std::uint32_t hash, Found& found) const {
  if (is_other(hash)) return false;
  bool simple = true;
  for (const Served& served : served_)
    tables::find_event(served.model, name, hash, [&](const tables::EventHit& hit) {
      const auto list = static_cast<std::size_t>(hit.pmu - served.model.pmus().data());
      for (const std::uint16_t pmu : served.pmus[list])
        simple = simple && found.add({pmu, &served, hit.event});
    });
  return simple;
}

EventLookup::Found EventLookup::find(std::string_view name, std::uint32_t hash) const {
  Found found(state_);
  const std::uint32_t known = hash != 0 ? hash : tables::name_hash(name);
  if ((hash != 0 || !syntax::is_kernel_name(name, known)) && find_in_tables(name, known, found))
    return found;
  found.size_ = 0;
  for (const BoundPmu& bound : state_.pmus)
    if (const Alias alias = find_alias(bound, name)) found.general_.emplace_back(&bound, alias);
  return found;
}

std::optional<std::size_t> pmu_of_type(const detail::MachineState& state, std::uint32_t type) {
  for (std::size_t i = 0; i < state.pmus.size(); ++i)
    if (state.pmus[i].pmu.type == type && (type != kTypeRaw || state.pmus[i].pmu.is_core)) return i;
  if (type != kTypeRaw) return std::nullopt;
  for (std::size_t i = 0; i < state.pmus.size(); ++i)
    if (state.pmus[i].pmu.is_core) return i;
  return std::nullopt;
}

}  // namespace evname::machine
