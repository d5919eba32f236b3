#include "recordings/locations/location_table.hpp"

#include <limits>
#include <memory>
#include <type_traits>

#include "recordings/symbols/code_history.hpp"

namespace evname::locations {

using session::MappedRange;
using session::ProcessMaps;
using session::SampleTime;

std::span<const Frame> LocationTable::Storage::Part::keep(std::span<const Frame> frames) {
  static_assert(std::is_trivially_destructible_v<Frame>);
  Frame* const kept = static_cast<Frame*>(bytes.allocate(frames.size_bytes(), alignof(Frame)));
  std::uninitialized_copy(frames.begin(), frames.end(), kept);
  return {kept, frames.size()};
}

std::shared_ptr<LocationTable::Storage> LocationTable::storage() {
  const std::lock_guard lock(mutex_);
  if (!storage_ || is_full(*storage_)) storage_ = std::make_shared<Storage>();
  return storage_;
}

const NamedLocation& LocationTable::at(Storage& storage, const ProcessMaps& maps,
                                       const MappedRange& range, std::uint64_t address,
                                       const SampleTime& when, std::uint64_t code) {
  constexpr std::size_t kNode = 2 * sizeof(void*) + sizeof(Location) + sizeof(NamedLocation);
  const Location location{range.dso, range.offset_of(address), code};
  constexpr unsigned kShift = std::numeric_limits<std::size_t>::digits - Storage::kPartBits;
  Storage::Part& part = storage.parts_[storage.hash_(location) >> kShift];
  {
    const std::lock_guard lock(part.mutex);
    if (const auto at = part.named.find(location); at != part.named.end()) return at->second;
  }
  std::vector<Frame> frames;
  const NamedLocation named = name(maps, range, address, when, frames);  // which may take long
  const std::lock_guard lock(part.mutex);
  const auto [at, is_new] = part.named.try_emplace(location, named);
  if (is_new) {
    at->second.id = ++last_id_;
    at->second.frames = part.keep(frames);
    storage.bytes_ += kNode + at->second.frames.size_bytes();
  }
  return at->second;
}

NamedLocation LocationTable::name(const ProcessMaps& maps, const MappedRange& range,
                                  std::uint64_t address, const SampleTime& when,
                                  std::vector<Frame>& frames) const {
  NamedLocation named{.offset = range.offset_of(address)};
  frames.assign(1, {.address = address});
  if (!range.dso) return named;
  named.dso = range.dso->shown_name;
  named.is_mapped = true;
  named.build_id = range.dso->build_id_text;
  const Mapping mapping = maps.mapping(range, when);
  if (const auto* const inner = detail::SymbolsAccess::inner_file(*symbols_, mapping)) {
    named.dso = inner->name;
    named.build_id = inner->build_id_text;
    named.offset -= inner->origin;
  }
  if (!inlines_)
    frames[0] = symbols_->function(address, mapping);
  else if (lines_)
    symbols_->frames(address, mapping, frames);
  else
    symbols_->calls(address, mapping, frames);
  return named;
}

}  // namespace evname::locations
