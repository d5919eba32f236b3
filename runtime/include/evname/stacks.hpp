#pragma once
// The functions that samples were taken in, and their callers.

#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "evname/export.h"
#include "evname/perf_data.hpp"
#include "evname/symbols.hpp"

namespace evname {

/// What is known of an address of a sample. The texts are valid as long as the StackNamer and its
/// Symbols.
struct NamedAddress {
  std::string_view file = "[unknown]";  ///< as code_file_name() has it
  bool is_mapped = false;               ///< `file` is known
  std::string_view build_id = {};       ///< of the file, hexadecimal; empty: unknown
  std::uint64_t offset = 0;             ///< in the file; where there is none, the address itself
  std::span<const Frame> frames = {};   ///< innermost first; at least one
};

/// Names the stacks of samples, and remembers what it named: much faster than Symbols for each
/// address. For one thread at a time, and for one pass, which needs PassOptions::maps.
class EVNAME_API StackNamer {
 public:
  /// Both outlive the object.
  StackNamer(const PerfData& file, const Symbols& symbols);
  ///@{
  /// A moved-from object may only be assigned to or destroyed.
  StackNamer(StackNamer&& other) noexcept;
  StackNamer& operator=(StackNamer&& other) noexcept;
  ///@}
  ~StackNamer();

  /// As Sample::stack(), and where the sample has registers and a copy of its stack (perf record
  /// --call-graph dwarf) with its callers in user space, too.
  bool stack(const Sample& sample, std::vector<CodeAddress>& stack);
  /// What is at an address of the sample's stack. Valid until the next call.
  const NamedAddress& at(const Sample& sample, CodeAddress address);

 private:
  friend class Selection;
  struct EVNAME_HIDDEN State;
  std::unique_ptr<State> state_;
};

}  // namespace evname
