#include "recordings/locations/location_cache.hpp"

#include <optional>

namespace evname::recording {

using perfdata::session::SampleView;

LocationCache::LocationCache(const PerfData& file, const Symbols& symbols, bool inlines, bool lines)
    : arch_(file.features().arch),
      symbols_(&symbols),
      table_(std::make_shared<LocationTable>(symbols, inlines, lines)),
      storage_(table_->storage()) {}

const NamedLocation& LocationCache::at(const Sample& sample, Address address) {
  const SampleView& view = detail::state_of(sample).view;
  if (table_->is_full(*storage_)) {
    cache_.clear();
    storage_ = table_->storage();
  }
  return *cache_.of(view, address, [&] {
    const auto range = view.maps.find(address.value, address.kernel);
    return &table_->at(*storage_, view.maps, range, address.value);
  });
}

bool LocationCache::stack(const Sample& sample, std::vector<Address>& stack) {
  const bool known = sample.stack(stack);
  const detail::SampleRef& ref = detail::state_of(sample);
  const perfdata::Attr& attr = ref.view.event.attr;
  const bool has_copy = attr.samples(perfdata::kSampleStackUser) &&
                        attr.samples(perfdata::kSampleRegsUser) && !ref.view.tail.stack.empty() &&
                        !ref.view.tail.regs_user.empty() && !ref.swapped;
  calls_.clear();
  if (!has_copy) return known;
  unwind(ref);
  if (calls_.empty()) return known;
  if (!has_chain(sample)) stack.clear();  // it has the instruction itself
  for (const std::uint64_t call : calls_) stack.push_back({call, false});
  return known;
}

void LocationCache::unwind(const detail::SampleRef& ref) {
  const SampleView& view = ref.view;
  registers_.clear();
  const SampleWords words(view.tail.regs_user, false);
  for (std::size_t i = 0; i < words.size(); ++i) registers_.push_back(words[i]);
  if (!unwinder_) unwinder_ = std::make_shared<symbols::Unwinder>(*symbols_);
  unwinder_->unwind(
      {.pid = view.core.pid,
       .tid = view.core.tid,
       .arch = arch_,
       .is_32_bit = view.tail.regs_user_abi == 1,
       .mask = view.event.attr.regs_user,
       .registers = registers_,
       .stack = view.tail.stack,
       .generation = view.maps.generation()},
      [&](std::uint64_t address) -> std::optional<Mapping> {
        const auto range = view.maps.find(address, false);
        return range.dso ? std::optional(view.maps.mapping(range)) : std::nullopt;
      },
      kMostFrames, calls_);
}

}  // namespace evname::recording

namespace evname {

struct Locations::State {
  recording::LocationCache cache;
};

Locations::Locations(const PerfData& file, const Symbols& symbols)
    : state_(new State{recording::LocationCache(file, symbols, true)}) {}
Locations::Locations(Locations&& other) noexcept = default;
Locations& Locations::operator=(Locations&& other) noexcept = default;
Locations::~Locations() = default;

bool Locations::stack(const Sample& sample, std::vector<Address>& stack) {
  return state_->cache.stack(sample, stack);
}

const NamedLocation& Locations::at(const Sample& sample, Address address) {
  return state_->cache.at(sample, address);
}

}  // namespace evname
