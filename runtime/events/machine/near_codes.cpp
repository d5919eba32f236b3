// Names of codes that are nearly the one that was asked about.

#include <algorithm>
#include <bit>
#include <tuple>

#include "events/machine/code_index.hpp"
#include "events/machine/state.hpp"
#include "events/packing/decode.hpp"

namespace evname {
namespace {

std::size_t differing_bits(const ConfigWords& a, const ConfigWords& b) {
  std::size_t bits = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    bits += static_cast<std::size_t>(std::popcount(a[i] ^ b[i]));
  return bits;
}

std::vector<machine::NamedCode> codes_of_event(const detail::MachineState& state, std::size_t pmu,
                                               const pmu::Format& field,
                                               const ConfigWords& wanted) {
  std::vector<machine::NamedCode> found;
  const std::uint64_t event = wanted[field.word] & field.mask;
  for (const machine::NamedCode& code : state.index->all(state, pmu))
    if (event != 0 && (code.config[field.word] & field.mask) == event) found.push_back(code);
  std::ranges::stable_sort(found, [&](const auto& a, const auto& b) {
    return std::tuple(a.deprecated(), differing_bits(a.config, wanted), a.name) <
           std::tuple(b.deprecated(), differing_bits(b.config, wanted), b.name);
  });
  return found;
}

}  // namespace

std::vector<NearCode> Machine::near_codes(std::string_view pmu, const Code& code,
                                          std::size_t limit) const {
  std::vector<NearCode> out;
  const ConfigWords wanted = words_of(code);
  for (std::size_t i = 0; i < state_->pmus.size(); ++i) {
    const pmu::Pmu& here = state_->pmus[i].pmu;
    const pmu::Format* field = here.find_format("event");
    if (here.name != pmu || field == nullptr || field->word >= wanted.size()) continue;
    for (const machine::NamedCode& near : codes_of_event(*state_, i, *field, wanted))
      if (out.size() < limit)
        out.push_back({std::string(near.name), packing::decode_terms(here, near.config)});
  }
  return out;
}

}  // namespace evname
