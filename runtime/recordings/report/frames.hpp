#pragma once
// The functions of a sample's stack, as values of the keys of a report.

#include <span>
#include <vector>

#include "recordings/locations/by_location.hpp"
#include "recordings/locations/location_cache.hpp"
#include "recordings/report/sort_keys.hpp"

namespace evname::report {

/// For one pass, as LocationCache.
class FrameKeysOfSample {
 public:
  FrameKeysOfSample(const PerfData& file, const Symbols& symbols, TextPool& texts)
      : locations_(file, symbols, true), texts_(texts) {}

  recording::LocationCache& locations() { return locations_; }

  /// Returns the keys of the sample's own instruction; kAbsent if it has no address.
  FrameKeys leaf(const Sample& sample);
  /// Returns those of the stack, innermost call first; valid until the next call.
  std::span<const FrameKeys> stack(const Sample& sample);

 private:
  std::span<const FrameKeys> keys_of(const NamedLocation& location);

  recording::LocationCache locations_;
  recording::ByLocation<FrameKeys> keys_;
  TextPool& texts_;
  std::vector<Address> stack_;
  std::vector<FrameKeys> frames_;
};

}  // namespace evname::report
