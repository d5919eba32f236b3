#include "events/pfm4/dictionary.hpp"

#include <algorithm>
#include <optional>

#include "base/text.hpp"

namespace evname::pfm4 {
namespace {

char lower_letter(char letter) {
  return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter + ('a' - 'A')) : letter;
}

bool before_name(std::string_view a, std::string_view b) {
  return std::ranges::lexicographical_compare(a, b, {}, lower_letter, lower_letter);
}

/// Returns true if a hexadecimal number is in a list of numbers and ranges: "0..3,a".
bool is_in_list(std::string_view list, std::uint64_t number) {
  for (const std::string_view item : split(list, ',')) {
    const std::size_t dots = item.find("..");
    const auto first = parse_hex(item.substr(0, dots));
    const auto last = dots == item.npos ? first : parse_hex(item.substr(dots + 2));
    if (first && last && number >= *first && number <= *last) return true;
  }
  return false;
}

/// VENDOR-FAMILY-MODEL-STEPPING: a pattern may end early, and has lists for the last two.
bool matches_x86(std::string_view pattern, std::string_view cpuid) {
  // Most are of another vendor or family.
  const std::size_t family_end = pattern.find('-', pattern.find('-') + 1);
  if (!cpuid.starts_with(pattern.substr(0, family_end))) return false;
  const auto wanted = split(pattern, '-'), parts = split(cpuid, '-');
  if (parts.size() < 3 || wanted.size() < 2 || wanted[0] != parts[0] || wanted[1] != parts[1])
    return false;
  for (std::size_t i = 2; i < wanted.size(); ++i) {
    const auto number = i < parts.size() ? parse_hex(parts[i]) : std::optional<std::uint64_t>(0);
    if (!number || !is_in_list(wanted[i], *number)) return false;
  }
  return true;
}

bool matches_cpu(std::string_view pattern, std::string_view cpuid) {
  const std::size_t dash = pattern.find('-');
  const std::string_view kind = pattern.substr(0, dash),
                         rest = dash == pattern.npos ? "" : pattern.substr(dash + 1);
  if (kind != "Arm" && kind != "PVR") return matches_x86(pattern, cpuid);
  if (!cpuid.starts_with("0x")) return false;
  const auto number = parse_hex(cpuid.substr(2));
  if (!number) return false;
  if (kind == "PVR") return parse_hex(rest) == *number >> 16;
  const std::size_t middle = rest.find('-');
  return middle != rest.npos && parse_hex(rest.substr(0, middle)) == (*number >> 24 & 0xff) &&
         parse_hex(rest.substr(middle + 1)) == (*number >> 4 & 0xfff);
}

}  // namespace

bool is_of_cpu(const Pmu& pmu, std::string_view cpuid) {
  const std::string_view cpus = dictionary().text(pmu.cpu);
  return std::ranges::any_of(split(cpus, ' '),
                             [&](std::string_view pattern) { return matches_cpu(pattern, cpuid); });
}

const Preset* find_preset(std::string_view name) {
  const Dictionary& names = dictionary();
  const auto at = std::ranges::find_if(names.presets, [&](const Preset& preset) {
    return same_name(names.text(preset.name), name);
  });
  return at == names.presets.end() ? nullptr : &*at;
}

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
