#include "recordings/report/instruction_collector.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "recordings/perf_data/recording_state.hpp"
#include "recordings/symbols/code_history.hpp"

namespace evname::report {

std::vector<InstructionCollector::Count> InstructionCollector::counts(
    std::uint32_t function) const {
  std::vector<Count> found = functions_[function].counts;
  std::ranges::sort(found, [](const Count& a, const Count& b) {
    return std::pair(a.offset, a.event) < std::pair(b.offset, b.event);
  });
  return found;
}

std::uint32_t InstructionCollector::function_of(const symbols::FunctionPlace& place,
                                                std::string_view name,
                                                const Locations::Named& location) {
  const auto next = static_cast<std::uint32_t>(functions_.size());
  std::uint32_t known = next;
  if (place.file) {
    known = by_place_.try_emplace(place, next).first->second;
  } else {
    std::string identity(name);
    for (const std::string_view part : {location.dso, location.build_id})
      (identity += '\0') += part;
    known = by_name_.try_emplace(std::move(identity), next).first->second;
  }
  if (known != next) return known;
  std::string shown(name);
  if (name.empty())
    shown = location.is_mapped ? std::string(last_part(location.dso)) + " (no name)"
                               : "unmapped (no name)";
  functions_.push_back(
      {place, std::move(shown), std::string(location.dso), std::string(location.build_id)});
  return next;
}

std::uint32_t InstructionCollector::spot_of(const Spot& spot) {
  const auto next = static_cast<std::uint32_t>(spots_.size());
  const auto [at, is_new] = spot_numbers_.try_emplace(spot, next);
  if (is_new) spots_.push_back(spot);
  return at->second;
}

void InstructionCollector::add(std::uint32_t spot, std::uint32_t event) {
  const Spot& at = spots_[spot];
  Function& function = functions_[at.function];
  const auto next = static_cast<std::uint32_t>(function.counts.size());
  const auto [count, is_new] = counts_.try_emplace(std::pair(spot, event), next);
  if (is_new) function.counts.push_back({at.offset, event, 0});
  ++function.counts[count->second].samples;
  if (function.samples.size() <= event) function.samples.resize(event + 1);
  ++function.samples[event];
}

std::optional<std::uint32_t> InstructionFiller::add(std::uint32_t event, const Sample& sample) {
  if (!sample.ip()) return {};
  const std::uint32_t spot = spot_at(sample, perf_data::instruction_of(sample));
  out_.add(spot, event);
  add_blocks(sample);
  return spot;
}

std::uint32_t InstructionFiller::spot_at(const Sample& sample, Address address) {
  return spots_.of(locations_.place(sample, address), [&] { return find_spot(sample, address); });
}

/// Adds the code between the branches of a stack, whose oldest branch comes last.
void InstructionFiller::add_blocks(const Sample& sample) {
  const SampleWords words = sample.branches();
  const auto end_at = [&](std::uint64_t address) {
    return out_.spots()[spot_at(sample, locations_.branch_address(sample, address))];
  };
  std::optional<InstructionCollector::Spot> start;
  for (std::size_t i = words.size() / 3; i-- > 0;) {
    const Branch branch(words, i);
    const auto from = end_at(branch.from);
    const bool is_known = start && start->function == from.function && start->offset <= from.offset;
    if (out_.functions()[from.function].place.file)
      out_.add(
          {from.function, from.offset, is_known ? start->offset : BlockCollector::Block::kUnknown},
          branch);
    start = end_at(branch.to);
  }
}

std::uint32_t InstructionFiller::find_spot(const Sample& sample, Address own) {
  const Locations::Named& named = locations_.at(sample, own);
  const auto& range = locations_.range(sample, own);
  Frame function = named.frames.back();
  symbols::FunctionPlace place;
  if (range.dso && !function.function.empty()) {
    const Mapping mapping = detail::maps_of(sample).mapping(range, detail::time_of(sample));
    function = symbols_.function(own.value, mapping);
    place = detail::SymbolsAccess::function_place(symbols_, own.value, mapping);
  }
  return out_.spot_of({out_.function_of(place, function.function, named),
                       place.file ? function.offset : function.address});
}

}  // namespace evname::report
