#include <algorithm>
#include <map>
#include <unordered_map>
#include <utility>

#include "base/sorting.hpp"
#include "evname/sampler.hpp"
#include "recordings/locations/location_cache.hpp"

namespace evname {

struct SampleScope::State {
  State(Sampler& of, std::unique_ptr<const Symbols> own, const Symbols& symbols)
      : sampler(of), own_symbols(std::move(own)), locations(of.recording(), symbols) {}

  void add(const Sample& sample);

  using Key = std::pair<std::string, std::string>;  ///< function and file
  Sampler& sampler;
  std::unique_ptr<const Symbols> own_symbols;  ///< nullptr: the caller's are used
  Locations locations;
  std::map<std::pair<std::size_t, Key>, SampledFunction> functions;  ///< by event, too
  std::unordered_map<std::uint64_t, SampledFunction*> by_location;   ///< and event
};

void SampleScope::State::add(const Sample& sample) {
  const NamedLocation& location = locations.at(sample, perf_data::instruction_of(sample));
  const std::size_t event = sample.event().attr;
  SampledFunction*& row = by_location[std::uint64_t{event} << 32 | location.id];
  if (row == nullptr) {
    std::string name;
    locations::append_label(name, location, location.frames.front());
    const std::string dso(location.dso);
    row = &functions.try_emplace({event, {name, dso}}, SampledFunction{name, dso}).first->second;
  }
  ++row->samples;
  row->period += sample.period();
}

SampleScope::SampleScope(Sampler& sampler) {
  auto own = std::make_unique<const Symbols>();
  const Symbols& symbols = *own;
  state_ = std::make_unique<State>(sampler, std::move(own), symbols);
}
SampleScope::SampleScope(Sampler& sampler, const Symbols& symbols)
    : state_(std::make_unique<State>(sampler, nullptr, symbols)) {}
SampleScope::SampleScope(SampleScope&&) noexcept = default;
SampleScope& SampleScope::operator=(SampleScope&&) noexcept = default;
SampleScope::~SampleScope() = default;

Result<void> SampleScope::start() {
  if (auto good = state_->sampler.check_readable(); !good) return good;
  while (state_->sampler.samples().next() != nullptr) {
  }
  return state_->sampler.enable();
}

Result<void> SampleScope::stop() {
  if (auto good = state_->sampler.check_readable(); !good) return good;
  auto done = state_->sampler.disable();
  while (const Sample* const sample = state_->sampler.samples().next()) state_->add(*sample);
  return done;
}

std::vector<SampledFunction> SampleScope::functions(std::size_t event) const {
  std::vector<SampledFunction> out;
  for (const auto& [key, function] : state_->functions)
    if (key.first == event) out.push_back(function);
  sort_stably(
      out, [](const SampledFunction& a, const SampledFunction& b) { return a.period > b.period; });
  return out;
}

}  // namespace evname
