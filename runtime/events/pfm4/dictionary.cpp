#include "events/pfm4/dictionary.hpp"

#include <algorithm>

namespace evname::pfm4 {
namespace {

char lower_letter(char letter) {
  return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter + ('a' - 'A')) : letter;
}

bool before_name(std::string_view a, std::string_view b) {
  return std::ranges::lexicographical_compare(a, b, {}, lower_letter, lower_letter);
}

}  // namespace

bool same_name(std::string_view a, std::string_view b) {
  return std::ranges::equal(a, b, {}, lower_letter, lower_letter);
}

const Pmu* find_pmu(std::string_view name) {
  const Dictionary& names = dictionary();
  const auto at = std::ranges::find_if(
      names.pmus, [&](const Pmu& pmu) { return same_name(names.text(pmu.name), name); });
  return at == names.pmus.end() ? nullptr : &*at;
}

const Pmu* pmu_with_id(unsigned id) {
  const Dictionary& names = dictionary();
  const auto at = std::ranges::find(names.pmus, id, &Pmu::id);
  return at == names.pmus.end() ? nullptr : &*at;
}

int find_event(const Pmu& pmu, std::string_view name) {
  const Dictionary& names = dictionary();
  if (pmu.count == 0) return -1;
  const EventTable& table = names.tables[pmu.table];
  const auto events = names.events.subspan(table.first, table.count);
  const auto order = names.order.subspan(table.first, table.count);
  const auto name_of = [&](std::uint16_t index) {
    return std::string_view(names.text(events[index].name));
  };
  // Events of one name are in the table's order.
  for (auto at = std::ranges::lower_bound(order, name, before_name, name_of);
       at != order.end() && same_name(name_of(*at), name); ++at)
    if (*at < pmu.count && has(pmu, names.traits_of(events[*at]))) return *at;
  return -1;
}

int next_event(const Pmu& pmu, unsigned from) {
  const Dictionary& names = dictionary();
  const auto events = names.events_of(pmu);
  for (unsigned i = from; i < events.size(); ++i)
    if (has(pmu, names.traits_of(events[i]))) return static_cast<int>(i);
  return -1;
}

}  // namespace evname::pfm4
