#include "events/pfm4/dictionary.hpp"

#include "events/pfm4/name_letters.hpp"

namespace evname::pfm4 {
namespace {

char lower_letter(char letter) {
  return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter + ('a' - 'A')) : letter;
}

}  // namespace

bool same_name(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i)
    if (a[i] != b[i] && lower_letter(a[i]) != lower_letter(b[i])) return false;
  return true;
}

bool is_name(const char* name, std::string_view text) {
  const char* const other = text.data();
  const std::size_t size = text.size();
  // Most texts have the dictionary's case. Words may be read beyond the end of a name, since the
  // strings have padding.
  const auto is_same = [&](std::size_t at) {
    const auto word = load_bytes<std::uint64_t>(name + at);
    return word == load_bytes<std::uint64_t>(other + at) && zero_bytes(word) == 0;
  };
  std::size_t i = 0;
  while (i + 8 <= size && is_same(i)) i += 8;
  if (i + 8 > size && size >= 8 && is_same(size - 8)) i = size;
  // And the rest letter by letter.
  for (; i < size; ++i)
    if (name[i] == '\0' || (name[i] != other[i] && lower_letter(name[i]) != lower_letter(other[i])))
      return false;
  return name[size] == '\0';
}

const Pmu* find_pmu(std::string_view name) {
  const Dictionary names = dictionary();
  if (names.pmus.empty()) return nullptr;
  const auto last = static_cast<std::uint32_t>(names.pmu_slots.size() - 1);
  for (std::uint32_t slot = name_hash(name) & last; names.pmu_slots[slot] != 0;
       slot = (slot + 1) & last) {
    const Pmu& pmu = names.pmus[names.pmu_slots[slot] - 1u];
    if (is_name(names.text(pmu.name), name)) return &pmu;
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
    if (event.hash == hash >> 16 && index < pmu.count && is_name(names.text(event.name), name) &&
        has(pmu, names.traits_of(event)))
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
