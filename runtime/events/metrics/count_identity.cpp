#include "events/metrics/count_identity.hpp"

#include <algorithm>
#include <limits>
#include <optional>

#include "events/machine/lookup.hpp"
#include "events/scheduling/counters.hpp"
#include "events/scheduling/demand.hpp"

namespace evname::metrics {
namespace {

constexpr std::uint32_t kOwnCode = ~std::uint32_t{0};

/// A generic event with each core PMU's code.
void add_generic(const detail::MachineState& state, const Encoding& e, const Code& generic,
                 std::set<CodeKey>& out) {
  const bool any = scheduling::is_on_any_core(e);
  for (std::size_t i = 0; i < state.pmus.size(); ++i) {
    const pmu::Pmu& pmu = state.pmus[i].pmu;
    if (!pmu.is_core || (!any && pmu.name != e.pmu)) continue;
    const auto own = is_type(generic, kTypeHardware)
                         ? machine::core_code(state, i, generic.config[0])
                         : std::nullopt;
    if (own)
      out.emplace(pmu.name, kOwnCode, ConfigWords{*own}, "");
    else
      out.emplace(pmu.name, generic.type, words_of(generic), "");
  }
}

/// Returns the PMU of that name, or the PMU that stands for all boxes of its kind; nullptr: none.
const pmu::Pmu* pmu_of(const detail::MachineState& state, std::string_view name) {
  const auto find = [&](const auto& fits) -> const pmu::Pmu* {
    for (const auto* pmus : {&state.pmus, &state.possible_pmus()})
      for (const machine::BoundPmu& bound : *pmus)
        if (fits(bound.pmu)) return &bound.pmu;
    return nullptr;
  };
  if (const auto* own = find([&](const pmu::Pmu& pmu) { return pmu.name == name; })) return own;
  return find([&](const pmu::Pmu& pmu) {
    return pmu.origin == pmu::Origin::builtin && pmu::matches_wildcard(name, pmu);
  });
}

std::string_view without_uncore(std::string_view name) {
  constexpr std::string_view kPrefix = "uncore_";
  return name.starts_with(kPrefix) ? name.substr(kPrefix.size()) : name;
}

/// Returns the box of a PMU that a name of a PMU means; "" if it means the PMU itself.
std::string box_of(std::string_view name, const pmu::Pmu& pmu) {
  const bool is_own = pmu.origin != pmu::Origin::builtin || !pmu.is_uncore;
  if (is_own || name.find_first_of("*?[") != name.npos) return {};
  const std::string_view box = without_uncore(name);
  return box == without_uncore(pmu.name) ? std::string() : std::string(box);
}

/// Adds the unit of an event's counts, and the units in other versions of perf.
void add_units(const detail::MachineState& state, const Encoding& e,
               std::map<std::string, double, std::less<>>& out) {
  if (!e.unit.empty() && e.scale != 0) out.try_emplace(std::string(e.unit), e.scale);
  const tables::FactQuery query{state.cpu.arch, e.pmu, state.cpu.cpuid, state.cpu.model};
  for (const tables::CpuFacts& facts : state.facts)
    for (const tables::FormerScale& row : facts.former_scales)
      if (tables::holds(facts, row.scope, query) &&
          tables::matches_any(facts.text(row.events), e.name))
        out.try_emplace(std::string(facts.text(row.unit)), row.scale);
}

/// The codes of encodings with a PMU's own name; "" for any PMU.
CountedCodes codes_of(const Machine& machine, std::span<const Encoding> encodings,
                      std::string_view pmu_name) {
  const detail::MachineState& state = detail::state_of(machine);
  CountedCodes out;
  for (const Encoding& e : encodings) {
    const std::size_t before = out.keys.size();
    if (const auto generic = scheduling::generic_code(e)) add_generic(state, e, *generic, out.keys);
    add_units(state, e, out.units);
    if (out.keys.size() != before) continue;
    const pmu::Pmu* pmu = pmu_of(state, e.pmu);
    out.keys.emplace(pmu != nullptr ? pmu->name : std::string(e.pmu), kOwnCode, words_of(e.code),
                     e.has_config() ? "" : e.terms());
    if (pmu != nullptr) out.box = box_of(pmu_name.empty() ? e.pmu : pmu_name, *pmu);
  }
  if (!encodings.empty()) out.modifiers = encodings.front().modifiers;
  return out;
}

/// Returns "uncore_imc_0" of "uncore_imc_0/cas_count_read/".
std::string_view pmu_in(std::string_view text) {
  const std::size_t slash = text.find('/');
  return slash == text.npos ? std::string_view() : text.substr(0, slash);
}

/// Leaves only the codes of the PMUs with a name.
void keep_pmu(const detail::MachineState& state, std::string_view name, CountedCodes& codes) {
  std::erase_if(codes.keys, [&](const CodeKey& key) {
    const pmu::Pmu* pmu = pmu_of(state, std::get<0>(key));
    return pmu == nullptr || (pmu->name != name && !pmu::matches_wildcard(name, *pmu));
  });
}

constexpr double kNotItsUnit = std::numeric_limits<double>::quiet_NaN();

/// Units of time in perf's counts. A count without a unit has the first.
constexpr std::pair<std::string_view, double> kParts[] = {{"", 1e9},     {"ns", 1e9}, {"us", 1e6},
                                                          {"usec", 1e6}, {"ms", 1e3}, {"msec", 1e3},
                                                          {"s", 1},      {"sec", 1}};

double parts_of_second(std::string_view unit) {
  const auto at = std::ranges::find(kParts, unit, &std::pair<std::string_view, double>::first);
  return at == std::end(kParts) ? kNotItsUnit : at->second;
}

/// Returns true for cpu-clock and task-clock, which count ns and are shown in ms.
bool is_clock(const MetricEvent& event) {
  constexpr std::uint64_t kTaskClock = 1;
  return std::ranges::any_of(event.encodings, [](const Encoding& e) {
    return is_type(e.code, kTypeSoftware) && e.code.has_type && e.code.config[0] <= kTaskClock;
  });
}

std::optional<double> scale_in(const Encoding& e, std::string_view unit) {
  return e.unit == unit && e.scale != 0 ? std::optional(e.scale) : std::nullopt;
}

}  // namespace

bool CountedCodes::holds(const CountedCodes& other) const {
  return !other.keys.empty() && (box.empty() || box == other.box) &&
         std::ranges::includes(keys, other.keys);
}

CountedCodes codes_of(const Machine& machine, const MetricEvent& event) {
  return codes_of(machine, event.encodings, pmu_in(event.text));
}

CountedCodes codes_of(const Machine& machine, const CountedEvent& row) {
  const std::string_view pmu = row.pmu.empty() ? pmu_in(row.event) : row.pmu;
  CountedCodes out;
  if (const auto encodings = machine.resolve(row.event)) out = codes_of(machine, *encodings, pmu);
  if (!row.pmu.empty()) keep_pmu(detail::state_of(machine), row.pmu, out);
  if (out.keys.empty()) out.box = pmu;
  return out;
}

double divisor_of(const CountedEvent& row, const CountedCodes& codes, const MetricEvent& event) {
  if (event.tool_time() != ToolTime::none) return parts_of_second(row.unit);
  if (row.unit.empty()) return 1;
  if (const auto at = codes.units.find(row.unit); at != codes.units.end()) return at->second;
  for (const Encoding& e : event.encodings)
    if (const auto scale = scale_in(e, row.unit)) return *scale;
  if (is_clock(event)) return parts_of_second(row.unit) / 1e9;
  return kNotItsUnit;
}

}  // namespace evname::metrics
