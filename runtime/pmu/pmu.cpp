#include "pmu/pmu.hpp"

#include <algorithm>
#include <tuple>

#include "base/text.hpp"
#include "pmu/suffix.hpp"
#include "tables/model_view.hpp"

namespace evname::pmu {
namespace {

/// What perf sorts a name by: the part before `_NUMBER`, then the number read as hexadecimal.
struct SortKey {
  bool other;
  std::string_view stem;
  std::uint64_t number;
  std::string_view name;

  explicit SortKey(const Pmu& pmu)
      : other(!pmu.is_core), stem(sort_stem(pmu.name)), number(0), name(pmu.name) {
    if (stem.size() < name.size())
      number = parse_hex(name.substr(stem.size() + 1)).value_or(~std::uint64_t{0});
  }
  bool operator<(const SortKey& b) const {
    return std::tie(other, stem, number, name) < std::tie(b.other, b.stem, b.number, b.name);
  }
};

}  // namespace

const Format* Pmu::find_format(std::string_view format_name) const {
  const auto at = std::find_if(formats.begin(), formats.end(),
                               [&](const Format& f) { return f.name == format_name; });
  return at == formats.end() ? nullptr : &*at;
}

const SysfsEvent* Pmu::find_event(std::string_view event_name) const {
  const auto at = std::find_if(events.begin(), events.end(), [&](const SysfsEvent& e) {
    return tables::equal_ignoring_case(e.name, event_name);
  });
  return at == events.end() ? nullptr : &*at;
}

void sort_pmus(std::vector<Pmu>& pmus) {
  std::stable_sort(pmus.begin(), pmus.end(),
                   [](const Pmu& a, const Pmu& b) { return SortKey(a) < SortKey(b); });
}

}  // namespace evname::pmu
