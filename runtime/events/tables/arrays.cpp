#include "events/tables/arrays.hpp"

#include <bit>

#include "base/letters.hpp"

namespace evname::tables {

TableArrays::TableArrays() : event_traits(1), counters(1), latencies(1), programs(1) {}

ArchTables TableArrays::view() const {
  ArchTables out;
  out.arch = arch;
  out.strings = strings;
  out.directory = directory;
#define ARRAY(Element, name) out.name = {name.data(), name.size()};  // cheaper to compile
  EVNAME_TABLE_ARRAYS(ARRAY)
#undef ARRAY
  return out;
}

void add_slots(TableArrays& arrays, std::uint32_t first_entry, Model& model) {
  const auto count = static_cast<std::uint32_t>(arrays.entries.size()) - first_entry;
  model.first_slot = static_cast<std::uint32_t>(arrays.slots.size());
  if (count == 0) return;
  model.slot_count = std::bit_ceil(count + count / 2 + 1);
  arrays.slots.resize(arrays.slots.size() + model.slot_count, 0);
  arrays.slot_tags.resize(arrays.slots.size(), 0);
  const std::uint32_t mask = model.slot_count - 1;
  for (std::uint32_t entry = 0; entry < count; ++entry) {
    const Event& event = arrays.events[event_of(arrays.entries[first_entry + entry])];
    const std::uint32_t hash = name_hash(arrays.strings.data() + event.name);
    std::uint32_t i = hash & mask;
    while (arrays.slots[model.first_slot + i] != 0) i = (i + 1) & mask;
    arrays.slots[model.first_slot + i] = static_cast<std::uint16_t>(entry + 1);
    arrays.slot_tags[model.first_slot + i] = slot_tag(hash);
  }
}

}  // namespace evname::tables
