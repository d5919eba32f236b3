#pragma once
// The table of named locations, which all threads of a pass share.

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <memory_resource>
#include <mutex>
#include <span>
#include <unordered_map>
#include <vector>

#include "evname/perf_data.hpp"
#include "evname/symbols.hpp"
#include "recordings/locations/by_location.hpp"

namespace evname::locations {

/// Names locations, each once. Any number of threads may use an object at the same time.
class LocationTable {
 public:
  /// `inlines` adds inlined calls, and `lines` adds sources and lines. Keeps about `most` bytes.
  LocationTable(const Symbols& symbols, bool inlines, bool lines,
                std::size_t most = std::size_t{48} << 20)
      : symbols_(&symbols), inlines_(inlines), lines_(lines), most_(most) {}

  /// The locations of a part of a pass. A full storage is replaced by another one, and freed after
  /// its last use.
  class Storage;
  std::shared_ptr<Storage> storage();
  bool is_full(const Storage& storage) const;

  /// Returns the location of an address, valid as long as the storage; `range` has the address, and
  /// the code of that number is there at that time.
  const NamedLocation& at(Storage& storage, const session::ProcessMaps& maps,
                          const session::MappedRange& range, std::uint64_t address,
                          const session::SampleTime& when = {}, std::uint64_t code = 0);

 private:
  /// Names a location, except for its id; `frames` holds its frames.
  NamedLocation name(const session::ProcessMaps& maps, const session::MappedRange& range,
                     std::uint64_t address, const session::SampleTime& when,
                     std::vector<Frame>& frames) const;

  const Symbols* symbols_;
  bool inlines_, lines_;
  std::size_t most_;
  std::atomic<std::uint32_t> last_id_ = 0;
  std::mutex mutex_;  ///< of storage_
  std::shared_ptr<Storage> storage_;
};

class LocationTable::Storage {
 private:
  friend LocationTable;

  /// One of many parts of the table, so that threads seldom wait for each other. None of its
  /// members has a destructor that does anything.
  struct Part {
    std::mutex mutex;
    std::pmr::monotonic_buffer_resource bytes;
    std::pmr::unordered_map<Location, NamedLocation, Hash> named{&bytes};

    std::span<const Frame> keep(std::span<const Frame> frames);
  };

  static constexpr unsigned kPartBits = 6;
  Hash hash_;  ///< its upper bits choose the part
  std::array<Part, 1 << kPartBits> parts_;
  std::atomic<std::size_t> bytes_ = 0;  ///< about
};

inline bool LocationTable::is_full(const Storage& storage) const {
  return storage.bytes_.load(std::memory_order_relaxed) > most_;
}

}  // namespace evname::locations
