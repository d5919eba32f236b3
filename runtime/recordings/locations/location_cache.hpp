#pragma once
// Finds the locations of samples' addresses: a table that all threads of a pass share, and a cache
// for each of them.

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <memory_resource>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/hash_map.hpp"
#include "evname/recording.hpp"
#include "evname/symbols.hpp"
#include "recordings/elf/machine_code.hpp"
#include "recordings/locations/by_location.hpp"
#include "recordings/perf_data/recording_state.hpp"
#include "recordings/symbols/code_history.hpp"
#include "recordings/symbols/function_place.hpp"
#include "recordings/unwinding/unwinder.hpp"

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
  /// Returns an empty table with the same options.
  std::shared_ptr<LocationTable> empty() const {
    return std::make_shared<LocationTable>(*symbols_, inlines_, lines_, most_);
  }
  bool is_full(const Storage& storage) const;

  /// Returns the location of an address, valid as long as the storage; `range` has the address, and
  /// the code of that number is there at that time.
  const Locations::Named& at(Storage& storage, const session::ProcessMaps& maps,
                             const session::MappedRange& range, std::uint64_t address,
                             const session::SampleTime& when = {}, std::uint64_t code = 0);

 private:
  /// Names a location, except for its id; `frames` holds its frames.
  Locations::Named name(const session::ProcessMaps& maps, const session::MappedRange& range,
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
    std::pmr::unordered_map<Location, Locations::Named, Hash> named{&bytes};

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

/// Finds the ranges of addresses. Most addresses are in the range of an earlier sample.
class RecentRanges {
 public:
  /// A range, and what its users keep for it.
  struct Range : session::MappedRange {
    static constexpr std::uint32_t kNone = UINT32_MAX;
    std::uint32_t number = kNone;
    std::optional<symbols::KnownCode> code = {};
    std::optional<const symbols::InnerFile*> inner = {};
  };

  /// Returns the range of an address of a sample, valid until the next call.
  Range& of(const Sample& sample, Address address) {
    const session::ProcessMaps& maps = detail::maps_of(sample);
    const std::uint64_t generation = maps.generation(address.kernel) << 1 | address.kernel;
    if (slots_.empty()) slots_.resize(kSlots);
    Slot& slot = slots_[hash_(std::pair(address.value >> kPartBits, generation)) % kSlots];
    Range& range = slot.range;
    if (slot.generation != generation || address.value - range.start >= range.end - range.start)
      slot = {{maps.find(address.value, address.kernel)}, generation};
    return range;
  }

 private:
  /// Addresses of a process that are in the same 256 KiB share a slot.
  static constexpr std::size_t kPartBits = 18, kSlots = 1 << 12;

  struct Slot {
    Range range = {};
    std::uint64_t generation = 0;  ///< of the maps that it was found in
  };

  std::vector<Slot> slots_;
  Hash hash_;
};

/// Finds the locations of samples' addresses, for one thread at a time and one pass. Copies that
/// are made before it is used serve other threads of the same pass, and share the table.
class LocationCache {
 public:
  /// `inlines` and `lines`: see LocationTable.
  LocationCache(const Recording& file, const Symbols& symbols, bool inlines, bool lines = true);

  /// Forgets everything if the sample is of another pass than the last one.
  void follow(const Sample& sample);

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
  /// Returns an end of a branch of the sample. Its mode may differ from the sample's:
  /// thread__find_map_fb of tools/perf/util/event.c.
  Address branch_address(const Sample& sample, std::uint64_t value) {
    const std::uint32_t mode = sample.misc() & perf_format::kCpuMode;
    const bool kernel = mode == perf_format::kCpuModeKernel, is_high = value >> 63 != 0;
    const Address address{value, kernel};
    return kernel == is_high || range(sample, address).dso ? address : Address{value, is_high};
  }
  /// Returns the file inside another one that a range is of; nullptr if it is none.
  const symbols::InnerFile* inner_file(const Sample& sample, RecentRanges::Range& range) {
    if (!range.dso || range.dso->kernel) return nullptr;
    if (!range.inner)
      range.inner =
          detail::SymbolsAccess::inner_file(*symbols_, detail::maps_of(sample).mapping(range));
    return *range.inner;
  }
  /// Returns the path of the file that has the code at an address; "" if none is found here.
  std::string file_path(const Sample& sample, Address address);
  /// Returns up to `size` bytes of that code.
  elf::CodePiece code(const Sample& sample, Address address, std::uint64_t size);
  /// Returns the function at an address, by the symbols of its file.
  symbols::FunctionPlace function_place(const Sample& sample, Address address);
  /// Returns what names callers beside their addresses: the process, its mappings, and the code
  /// that its JIT compilers had made by then. `also` is the caller's own.
  Whose whose(const Sample& sample, std::uint64_t also) {
    const session::ProcessMaps& maps = detail::maps_of(sample);
    const auto pid = static_cast<std::uint32_t>(detail::record_of(sample).pid);
    return {pid, maps.generation(), maps.has_jit_compilers() ? code_epoch(sample) : 0, also};
  }
  /// Returns the location of an address of the sample's stack, valid until the next call.
  const Locations::Named& at(const Sample& sample, Address address);
  /// Returns the location of the sample's own instruction.
  const Locations::Named& at(const Sample& sample) {
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
  LocationCache(std::string arch, bool is_swapped, const Symbols& symbols,
                std::shared_ptr<LocationTable> table);
  unwinding::StackCopy thread_of(const Sample& sample) const;
  unwinding::Unwinder& unwinder();
  void unwind(const Sample& sample);
  void add_leaf_caller(const Sample& sample, std::vector<Address>& stack);
  bool returns_by_link(const Sample& sample, Address leaf, std::uint64_t link);
  std::uint64_t code_number(const Sample& sample, RecentRanges::Range& in, std::uint64_t address);
  std::uint64_t code_epoch(const Sample& sample) const;
  RecentRanges::Range& beyond_image(const Sample& sample, std::uint64_t address,
                                    RecentRanges::Range& unknown);

  std::shared_ptr<const void> pass_;  ///< of the last sample that it followed
  std::string arch_;
  bool is_swapped_;  ///< copies of stacks have the other byte order
  const Symbols* symbols_;
  std::shared_ptr<LocationTable> table_;
  std::shared_ptr<LocationTable::Storage> storage_;
  RecentRanges ranges_;
  RecentRanges::Range beyond_image_;
  ByLocation<bool> named_beyond_;                  ///< the kernel's symbols have the address
  ByLocation<const Locations::Named*> cache_;      ///< of storage_
  std::shared_ptr<unwinding::Unwinder> unwinder_;  ///< made when it is needed
  std::vector<std::uint64_t> calls_, registers_;
  std::size_t in_calls_ = 0, leaf_caller_ = 0;
  ByLocation<std::optional<bool>> links_;  ///< see unwinding::Unwinder::returns_by_link()
};

/// Returns a place in a file in words: "libc.so.6+0x1234". There is one for each address, so that a
/// name of more bytes than a file's name has (NAME_MAX) is cut.
std::string place_text(std::string_view file, std::uint64_t offset);

/// Returns a function and an offset in it: "main+0x12"; if it is unknown, or has a very long name,
/// the place in the file, or the address if there is no file.
std::string address_text(const Locations::Named& location, const Frame& frame);

/// Appends the function's name. If it is unknown, appends the place in the file, or the address if
/// there is no file.
void append_label(std::string& text, const Locations::Named& location, const Frame& frame);

/// Returns "/src/a.cpp:12"; empty if the source is unknown.
std::string source_place(const Frame& frame);

}  // namespace evname::locations

struct evname::Locations::State {
  locations::LocationCache cache;
};
