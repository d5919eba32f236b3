#pragma once
// The functions that samples were taken in, and their callers.

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "evname/export.h"
#include "evname/perf_data.hpp"
#include "evname/symbols.hpp"

namespace evname {

/// A location, which is a place in a mapped file, and the functions there. The texts are valid as
/// long as the Locations and its Symbols.
struct NamedLocation {
  std::uint32_t id = 0;  ///< its number, which no other location of the pass has; not 0
  std::string_view dso = "[unknown]";  ///< the file, as dso_name() returns it
  bool is_mapped = false;              ///< false: nothing is known to be mapped there
  std::string_view build_id = {};      ///< of the file, hexadecimal; empty: unknown
  std::uint64_t offset = 0;            ///< in the file; the address itself if there is no file
  std::span<const Frame> frames = {};  ///< innermost first; at least one
};

/// Names the addresses of samples, and remembers what it named: much faster than Symbols for each
/// address. For one thread at a time, and for one pass, which needs PassOptions::maps.
class EVNAME_API Locations {
 public:
  /// Both outlive the object.
  Locations(const PerfData& file, const Symbols& symbols);
  ///@{
  /// A moved-from object may only be assigned to or destroyed.
  Locations(Locations&& other) noexcept;
  Locations& operator=(Locations&& other) noexcept;
  ///@}
  ~Locations();

  /// Does the same as Sample::stack(), and adds the callers in user space if the sample has
  /// registers and a copy of its stack (perf record --call-graph dwarf).
  bool stack(const Sample& sample, std::vector<Address>& stack);
  /// Returns the location of an address of the sample's stack, valid until the next call.
  const NamedLocation& at(const Sample& sample, Address address);

 private:
  friend class Selection;
  struct EVNAME_HIDDEN State;
  std::unique_ptr<State> state_;
};

}  // namespace evname
