#pragma once
// The arrays of tables in memory: the compiler fills them, the generator writes them out, and event
// files read at run time are looked up in them.

#include <bit>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "events/tables/name_hash.hpp"
#include "events/tables/tables.hpp"

namespace evname::tables {

struct TableArrays {
  std::string arch;
  std::string strings = std::string(1, '\0');
  std::string directory;
#define ARRAY(Element, name) std::vector<Element> name;
  EVNAME_TABLE_ARRAYS(ARRAY)
#undef ARRAY

  TableArrays() : counters(1), latencies(1), programs(1) {}

  /// Returns views that are valid while this object is neither changed nor moved.
  ArchTables view() const {
    ArchTables out;
    out.arch = arch;
    out.strings = strings;
    out.directory = directory;
#define ARRAY(Element, name) out.name = name;
    EVNAME_TABLE_ARRAYS(ARRAY)
#undef ARRAY
    return out;
  }
};

/// Enters the names of a model whose entries are the last of the arrays. See tables.hpp.
inline void add_slots(TableArrays& arrays, std::uint32_t first_entry, Model& model) {
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

/// Finished arrays with the views that a ModelView points to.
class OwnedTables {
 public:
  explicit OwnedTables(TableArrays arrays) : arrays_(std::move(arrays)), view_(arrays_.view()) {}
  OwnedTables(const OwnedTables&) = delete;
  OwnedTables& operator=(const OwnedTables&) = delete;

  const ArchTables& view() const { return view_; }

 private:
  const TableArrays arrays_;
  const ArchTables view_;
};

}  // namespace evname::tables
