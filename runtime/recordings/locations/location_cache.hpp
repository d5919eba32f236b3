#pragma once
// Finds the locations of samples' addresses for one thread.

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "evname/perf_data.hpp"
#include "recordings/locations/location_table.hpp"
#include "recordings/locations/recent_callers.hpp"
#include "recordings/locations/recent_locations.hpp"
#include "recordings/perf_data/perf_data_state.hpp"
#include "recordings/symbols/unwinder.hpp"

namespace evname::locations {

/// Finds the locations of samples' addresses, for one thread at a time and one pass. Copies made
/// before its first use serve other threads of the same pass, and share the table.
class LocationCache {
 public:
  /// `inlines` and `lines`: see LocationTable.
  LocationCache(const PerfData& file, const Symbols& symbols, bool inlines, bool lines = true);

  /// Returns the range that contains an address of the sample's stack, valid until the next call.
  /// The range of the kernel's image also contains symbols beyond its recorded end.
  RecentRanges::Range& range(const Sample& sample, Address address) {
    RecentRanges::Range& found = ranges_.of(sample, address);
    return found.dso || !address.kernel ? found : beyond_image(sample, address.value, found);
  }
  Location place(const Sample& sample, Address address) {
    RecentRanges::Range& in = range(sample, address);
    return {in.dso, in.offset_of(address.value),
            !address.kernel && detail::maps_of(sample).has_jit_compilers()
                ? code_number(sample, in, address.value)
                : 0};
  }
  /// Returns a key that, with the addresses, determines the names of callers: the process, its
  /// mappings, and the code of its JIT compilers so far. `also` is an extra part of the key.
  RecentCallers<>::Whose whose(const Sample& sample, std::uint64_t also) {
    const session::ProcessMaps& maps = detail::maps_of(sample);
    const auto pid = static_cast<std::uint32_t>(detail::record_of(sample).pid);
    return {pid, maps.generation(), maps.has_jit_compilers() ? code_epoch(sample) : 0, also};
  }
  /// Returns the location of an address of the sample's stack, valid until the next call.
  const NamedLocation& at(const Sample& sample, Address address);
  /// Returns the location of the sample's own instruction.
  const NamedLocation& at(const Sample& sample) {
    return at(sample, perf_data::instruction_of(sample));
  }

  /// Does the same as Locations::stack().
  bool stack(const Sample& sample, std::vector<Address>& stack);
  /// Returns how many addresses at the end of the last stack are inside calls, because they were
  /// unwound or recorded by the CPU. The others are return addresses.
  std::size_t in_calls() const { return in_calls_; }
  /// Returns the index in the last stack of the caller of a leaf function, whose address is inside
  /// the call, too; 0 if the callchain had all callers.
  std::size_t leaf_caller() const { return leaf_caller_; }
  /// Returns true if callers in the last stack come from a copy of the sample's stack.
  bool has_unwound() const { return !calls_.empty(); }

 private:
  symbols::StackCopy thread_of(const Sample& sample) const;
  symbols::Unwinder& unwinder();
  void unwind(const Sample& sample);
  void add_leaf_caller(const Sample& sample, std::vector<Address>& stack);
  bool returns_by_link(const Sample& sample, Address leaf);
  std::uint64_t code_number(const Sample& sample, RecentRanges::Range& in, std::uint64_t address);
  std::uint64_t code_epoch(const Sample& sample) const;
  RecentRanges::Range& beyond_image(const Sample& sample, std::uint64_t address,
                                    RecentRanges::Range& unknown);

  std::string arch_;
  bool is_swapped_;  ///< copies of stacks have the other byte order
  const Symbols* symbols_;
  std::shared_ptr<LocationTable> table_;
  std::shared_ptr<LocationTable::Storage> storage_;
  RecentRanges ranges_;
  RecentRanges::Range beyond_image_;
  RecentLocations<bool> named_beyond_;           ///< the kernel's symbols have the address
  RecentLocations<const NamedLocation*> cache_;  ///< of storage_
  std::shared_ptr<symbols::Unwinder> unwinder_;  ///< made when it is needed
  std::vector<std::uint64_t> calls_, registers_;
  std::size_t in_calls_ = 0, leaf_caller_ = 0;
  RecentLocations<bool> links_;  ///< see symbols::Unwinder::returns_by_link()
};

/// Appends the function's name. If it is unknown, appends "libc.so.6+0x1234", or the address if
/// there is no file.
void append_label(std::string& text, const NamedLocation& location, const Frame& frame);

/// Returns "/src/a.cpp:12"; empty if the source is unknown.
std::string source_place(const Frame& frame);

}  // namespace evname::locations

struct evname::Locations::State {
  locations::LocationCache cache;
};
