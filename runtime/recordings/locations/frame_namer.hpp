#pragma once
// Functions of the code that samples were taken in. Addresses come again and again: what was found
// is remembered.

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "evname/perf_data.hpp"
#include "evname/stacks.hpp"
#include "evname/symbols.hpp"
#include "recordings/locations/shared_names.hpp"
#include "recordings/session/address_maps.hpp"
#include "recordings/symbols/unwinder.hpp"

namespace evname::recording {

/// For one thread at a time, and one pass. Copies made before it is used are for other threads of
/// the same pass, and share what they name.
class FrameNamer {
 public:
  /// As SharedNames().
  FrameNamer(const PerfData& file, const Symbols& symbols, bool inlines, bool lines = true);
  /// As SharedNames::set_writer(); for all copies.
  void set_writer(SharedNames::Write write) { names_->set_writer(std::move(write)); }

  /// As Sample::stack(), and where the sample has registers and a copy of its stack (perf record
  /// --call-graph dwarf) the callers in user space, too.
  bool stack(const Sample& sample, std::vector<CodeAddress>& stack);
  /// The last stack has such callers.
  bool has_unwound() const { return !calls_.empty(); }

  /// Valid until the next call.
  const NamedCode& at(const Sample& sample, CodeAddress address);

 private:
  /// Slots are looked at in groups; the table grows to the most there may be.
  static constexpr unsigned kGroup = 4, kFirstBits = 12, kMostBits = 17;

  /// What is at an address. Small, as there are many.
  struct Slot {
    const NamedCode* named = nullptr;  ///< of table_; nullptr: nothing was asked for
    std::uint64_t address = 0;
    std::uint64_t generation = 0;  ///< of the maps it was found by
    std::int32_t pid = 0;          ///< the kernel's: 0
    bool kernel = false;

    bool is_of(std::int32_t process, CodeAddress at) const {
      return named && address == at.address && pid == process && kernel == at.kernel;
    }
  };

  Slot& slot_of(std::int32_t pid, CodeAddress address);
  void grow();
  void forget_names();
  void unwind(const Sample& sample);

  std::string arch_;
  bool is_swapped_;  ///< the recording has the other byte order

  const Symbols* symbols_;
  std::shared_ptr<SharedNames> names_;
  std::shared_ptr<SharedNames::Table> table_;
  std::shared_ptr<symbols::Unwinder> unwinder_;  ///< made when it is needed
  std::vector<std::uint64_t> calls_, registers_;
  unsigned bits_ = kFirstBits;
  std::vector<Slot> slots_;
};

}  // namespace evname::recording

struct evname::StackNamer::State {
  recording::FrameNamer namer;
};
