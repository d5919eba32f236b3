#pragma once
// Counts the samples of each place in a function.

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/hash_map.hpp"
#include "evname/recording.hpp"
#include "recordings/locations/by_location.hpp"
#include "recordings/locations/location_cache.hpp"
#include "recordings/report/block_collector.hpp"
#include "recordings/symbols/function_place.hpp"

namespace evname::report {

/// The samples of functions by event and offset.
class InstructionCollector {
 public:
  /// The samples of an event at a place.
  struct Count {
    std::uint64_t offset = 0;
    std::uint32_t event = 0;
    std::uint64_t samples = 0;
  };
  /// A function; all places of a file without a symbol are one.
  struct Function {
    symbols::FunctionPlace place = {};
    std::string name = {}, dso = {}, build_id = {};
    std::vector<std::uint64_t> samples = {};  ///< by event; it may be shorter than the events
    std::vector<Count> counts = {};           ///< the same by place, as places were found
  };
  /// A place with samples. The offset counts from the function's start; in a function without a
  /// place, it is the address that the file has.
  struct Spot {
    std::uint32_t function = 0;
    std::uint64_t offset = 0;
    auto key() const { return std::pair(function, offset); }
    bool operator==(const Spot& other) const { return key() == other.key(); }
  };

  const std::vector<Function>& functions() const { return functions_; }
  const std::vector<Spot>& spots() const { return spots_; }
  /// Returns the samples of a function by offset and event.
  std::vector<Count> counts(std::uint32_t function) const;
  const BlockCollector& blocks() const { return blocks_; }

  std::uint32_t function_of(const symbols::FunctionPlace& place, std::string_view name,
                            const Locations::Named& location);
  std::uint32_t spot_of(const Spot& spot);
  void add(std::uint32_t spot, std::uint32_t event);
  void add(const BlockCollector::Block& block, const Branch& branch) { blocks_.add(block, branch); }

 private:
  std::vector<Function> functions_;
  HashMap<symbols::FunctionPlace, std::uint32_t> by_place_;
  HashMap<std::string, std::uint32_t> by_name_;  ///< those without a place
  std::vector<Spot> spots_;
  HashMap<Spot, std::uint32_t> spot_numbers_;
  /// The index of a count in its function, by spot and event.
  HashMap<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> counts_;
  BlockCollector blocks_;
};

/// Adds the samples of one recording to a collector.
class InstructionFiller {
 public:
  /// All outlive the object.
  InstructionFiller(InstructionCollector& out, const Symbols& symbols,
                    locations::LocationCache& locations)
      : out_(out), symbols_(symbols), locations_(locations) {}

  /// Adds a sample of an event of the report, and returns its place; nullopt if it has no address,
  /// so that it is in no function.
  std::optional<std::uint32_t> add(std::uint32_t event, const Sample& sample);

 private:
  std::uint32_t find_spot(const Sample& sample, Address own);
  std::uint32_t spot_at(const Sample& sample, Address address);
  void add_blocks(const Sample& sample);

  InstructionCollector& out_;
  const Symbols& symbols_;
  locations::LocationCache& locations_;
  locations::ByLocation<std::uint32_t> spots_;
};

}  // namespace evname::report
