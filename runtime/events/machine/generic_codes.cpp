#include "events/machine/generic_codes.hpp"

#include <algorithm>

#include "events/machine/code_index.hpp"
#include "events/tables/cpu_facts.hpp"

namespace evname::machine {

std::optional<std::uint64_t> core_code(const detail::MachineState& state, std::size_t pmu,
                                       std::uint64_t hardware) {
  const BoundPmu& bound = state.pmus[pmu];
  if (!bound.pmu.is_core) return std::nullopt;
  const std::string_view model = bound.model ? bound.model.name() : std::string_view();
  const auto found = tables::first_row(tables::built_in_facts(), &tables::CpuFacts::generic_facts,
                                       {state.cpu.arch, bound.pmu.name, state.cpu.cpuid, model});
  if (!found) return std::nullopt;
  const auto codes =
      found.facts->generic_codes.subspan(found.row->first_code, found.row->code_count);
  const auto of_event = std::ranges::equal_range(codes, hardware, {}, &tables::GenericCode::event);
  if (of_event.empty()) return std::nullopt;
  if (of_event.size() > 1)
    for (const tables::GenericCode& row : of_event)
      if (!state.index->find(state, pmu, {row.code}).empty()) return row.code;
  return of_event.front().code;
}

}  // namespace evname::machine
