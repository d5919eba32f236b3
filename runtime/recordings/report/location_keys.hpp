#pragma once
// The values of keys for locations in the code.

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "recordings/locations/by_location.hpp"
#include "recordings/locations/location_cache.hpp"
#include "recordings/report/report_state.hpp"
#include "recordings/report/sort_keys.hpp"

namespace evname::report {

/// The values of keys for the locations of samples, in one pass.
class LocationKeys {
 public:
  /// `lines` is true if a key, or the grid, has source lines.
  LocationKeys(const Recording& file, State& state, bool lines)
      : locations_(file, state.symbols(), true, lines),
        texts_(state.texts),
        frame_pool_(state.frames),
        unnamed_(state.unnamed_files),
        nameless_by_file_(state.details.nameless_by_file),
        inlined_apart_(state.details.inlined_apart),
        most_frames_(state.details.most_frames) {}

  locations::LocationCache& locations() { return locations_; }
  /// Returns the place of the sample's own instruction.
  locations::Location place(const Sample& sample) {
    return locations_.place(sample, perf_data::instruction_of(sample));
  }

  /// Returns the keys of the sample's own instruction; kAbsent if it has no address.
  FrameKeys leaf(const Sample& sample);
  /// Returns the keys of an end of a branch. As in perf, `sym` is the function, not an inlined one.
  BranchEnd end_of(const Sample& sample, std::uint64_t address);
  /// Returns the addresses of the stack, innermost call first; valid until the next call.
  std::span<const Address> stack(const Sample& sample) {
    locations_.stack(sample, stack_);
    stack_.resize(std::min(stack_.size(), most_frames_));
    return stack_;
  }
  /// Returns the keys of the frames at an address; valid until the next call.
  std::span<const FrameKeys> keys_of(const Sample& sample, Address address) {
    return keys_.of(locations_.place(sample, address),
                    [&] { return make_keys(locations_.at(sample, address)); });
  }
  /// Returns the keys of addresses of the sample's stack; valid until the next call.
  std::span<const FrameKeys> keys_of(const Sample& sample, std::span<const Address> addresses);

 private:
  std::vector<FrameKeys> make_keys(const Locations::Named& location);
  /// Returns the keys of the function that has the code, with the source line.
  static FrameKeys function_of(std::span<const FrameKeys> frames);

  locations::LocationCache locations_;
  locations::ItemsByLocation<FrameKeys> keys_;
  locations::ByLocation<BranchEnd> ends_;
  TextPool& texts_;
  FramePool& frame_pool_;
  Numbers<std::pair<std::uint32_t, std::uint32_t>>& unnamed_;
  const bool nameless_by_file_;
  const bool inlined_apart_;
  const std::size_t most_frames_;
  std::vector<Address> stack_;
  std::vector<FrameKeys> frames_;
};

}  // namespace evname::report
