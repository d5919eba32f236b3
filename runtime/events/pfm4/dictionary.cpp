#include "events/pfm4/dictionary.hpp"

#include "base/letters.hpp"

namespace evname::pfm4 {
const Pmu* find_pmu(std::string_view name) {
  const Dictionary names = dictionary();
  if (names.pmus.empty()) return nullptr;
  const auto last = static_cast<std::uint32_t>(names.pmu_slots.size() - 1);
  for (std::uint32_t slot = name_hash(name) & last; names.pmu_slots[slot] != 0;
       slot = (slot + 1) & last) {
    const Pmu& pmu = names.pmus[names.pmu_slots[slot] - 1u];
    if (equal_ignoring_case(names.text(pmu.name), name)) return &pmu;
  }
  return nullptr;
}

int find_event(const Pmu& pmu, std::string_view name, std::uint32_t hash) {
  if (pmu.count == 0) return -1;
  const Dictionary names = dictionary();
  const EventTable& table = names.tables[pmu.table];
  const Event* events = &names.events[table.first];
  const std::uint16_t* slots = &names.slots[table.first_slot];
  for (std::uint32_t slot = hash & table.last_slot; slots[slot] != 0;
       slot = (slot + 1) & table.last_slot) {
    const std::uint32_t index = slots[slot] - 1u;
    const Event& event = events[index];
    if (event.hash == hash >> 16 && index < pmu.count &&
        equal_ignoring_case(names.text(event.name), name) && has(pmu, names.traits_of(event)))
      return static_cast<int>(index);
  }
  return -1;
}

int next_event(const Pmu& pmu, unsigned from) {
  const Dictionary names = dictionary();
  const auto events = names.events_of(pmu);
  for (unsigned i = from; i < events.size(); ++i)
    if (has(pmu, names.traits_of(events[i]))) return static_cast<int>(i);
  return -1;
}

}  // namespace evname::pfm4
