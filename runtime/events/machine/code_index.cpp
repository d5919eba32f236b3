#include "events/machine/code_index.hpp"

#include <algorithm>
#include <bit>
#include <tuple>

#include "base/sorting.hpp"
#include "base/text.hpp"
#include "events/machine/code_lists.hpp"
#include "events/machine/machine_state.hpp"
#include "events/packing/packer.hpp"

namespace evname::machine {
namespace {

/// Returns true if a fixed counter counts the event.
bool is_fixed(const NamedCode& code) {
  bool fixed = false;
  if (code.event == nullptr) return fixed;
  tables::find_event(*code.model, code.name, [&](const tables::EventHit& hit) {
    if (hit.event == code.event) fixed = hit.counters->fixed != 0;
  });
  return fixed;
}

/// Best first: current before deprecated, table before sysfs, only programmable counters before
/// fixed counters, short before long.
auto rank(const NamedCode& code) {
  return std::tuple(code.deprecated(), code.event == nullptr, is_fixed(code), code.name.size(),
                    code.name);
}

bool before(const NamedCode& a, const NamedCode& b) {
  if (a.config != b.config) return a.config < b.config;
  return rank(a) < rank(b);
}

}  // namespace

// An event that can't be packed (it has a parameter, or a term that this PMU lacks) does not name a
// code.
void CodeIndex::Part::add(const BoundPmu& bound, const tables::ModelView& model,
                          const tables::Event& event) {
  const auto packed = bound.packer().pack(model.arch(), event);
  if (!packed) return;
  codes_.push_back({packed->config, model.arch().text(event.name), &model, &event, nullptr});
}

// A table event of that name takes its place; a name in mixed case can't be used.
void CodeIndex::Part::add_sysfs(const BoundPmu& bound, const pmu::SysfsEvent& event) {
  const Alias alias = find_alias(bound, event.name);
  if (alias.sysfs != &event || alias.event != nullptr) return;
  const auto words = pack(bound, alias);
  if (!words) return;
  std::string_view name = event.name;
  if (std::string lowered = to_lower(name); lowered != name)
    name = lowered_.emplace_back(std::move(lowered));
  codes_.push_back({words->config, name, nullptr, nullptr, &event});
}

// An event of the architecture names a code only if the model and the kernel do not.
void CodeIndex::Part::add_common(const BoundPmu& bound) {
  const std::size_t own = codes_.size();
  for (const OtherEvent& common : bound.common) add(bound, common.model, *common.event);
  std::vector<NamedCode> rest(codes_.begin() + static_cast<std::ptrdiff_t>(own), codes_.end());
  codes_.resize(own);
  std::ranges::sort(codes_, before);
  std::erase_if(rest, [&](const NamedCode& code) { return !find(code.config).empty(); });
  codes_.insert(codes_.end(), rest.begin(), rest.end());
}

CodeIndex::Part::Part(const BoundPmu& bound) {
  for (const OtherEvent& system : bound.system) add(bound, system.model, *system.event);
  bound.for_each_event([&](const tables::ModelView& model, const tables::Event& event) {
    add(bound, model, event);
  });
  for (const pmu::SysfsEvent& event : bound.pmu.events) add_sysfs(bound, event);
  if (!bound.common.empty()) add_common(bound);
  std::ranges::sort(codes_, before);
}

std::span<const NamedCode> CodeIndex::Part::find(const ConfigWords& config) const {
  return std::ranges::equal_range(codes_, config, {}, &NamedCode::config);
}

const CodeIndex::Part& CodeIndex::part(const detail::MachineState& state, std::size_t pmu) const {
  return parts_[pmu].get([&] { return Part(state.pmus[pmu]); });
}

std::span<const NamedCode> CodeIndex::find(const detail::MachineState& state, std::size_t pmu,
                                           const ConfigWords& config) const {
  return part(state, pmu).find(config);
}

std::span<const NamedCode> CodeIndex::all(const detail::MachineState& state,
                                          std::size_t pmu) const {
  return part(state, pmu).all();
}

namespace {

std::size_t differing_bits(const ConfigWords& a, const ConfigWords& b) {
  std::size_t bits = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    bits += static_cast<std::size_t>(std::popcount(a[i] ^ b[i]));
  return bits;
}

}  // namespace

std::vector<NamedCode> codes_of_event(const detail::MachineState& state, std::size_t pmu,
                                      const ConfigWords& wanted) {
  std::vector<NamedCode> found;
  const pmu::Format* const field = state.pmus[pmu].pmu.find_format("event");
  if (field == nullptr || field->word >= wanted.size()) return found;
  const std::uint64_t event = wanted[field->word] & field->mask;
  for (const NamedCode& code : state.index->all(state, pmu))
    if (event != 0 && (code.config[field->word] & field->mask) == event) found.push_back(code);
  sort_stably(found, [&](const auto& a, const auto& b) {
    return std::tuple(a.deprecated(), differing_bits(a.config, wanted), a.name) <
           std::tuple(b.deprecated(), differing_bits(b.config, wanted), b.name);
  });
  return found;
}

std::vector<NearCode> near_codes(const Machine& machine, std::string_view pmu, const Code& code,
                                 std::size_t limit) {
  std::vector<NearCode> out;
  const detail::MachineState& state = detail::state_of(machine);
  const auto at = pmu_of_name(state, pmu);
  if (!at) return out;
  for (const NamedCode& near : codes_of_event(state, *at, words_of(code)))
    if (out.size() < limit)
      out.push_back(
          {std::string(near.name), packing::decode_terms(state.pmus[*at].pmu, near.config)});
  return out;
}

}  // namespace evname::machine
