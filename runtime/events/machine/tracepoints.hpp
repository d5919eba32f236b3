#pragma once
// Which number a kernel gave each tracepoint. Only that kernel's tracefs or a recording tells.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/lazy.hpp"
#include "events/machine/state.hpp"

namespace evname::machine {

struct Tracepoint {
  std::string name;  ///< "sched:sched_switch"
  std::uint64_t id;  ///< attr.config
};

/// The tracepoints whose system and event match these globs, sorted by name. Errors: not_found if
/// there is none, unsupported if the machine knows no tracepoints at all; they say what is missing.
Result<std::vector<Tracepoint>> find_tracepoints(const detail::MachineState& state,
                                                 const std::string& system,
                                                 const std::string& event);

/// From numbers to names: what the machine tells when first asked. Thread-safe.
class TracepointIndex {
 public:
  /// Names of that number, sorted; empty if the machine does not tell.
  std::vector<std::string> names(const detail::MachineState& state, std::uint64_t id) const;

 private:
  Lazy<std::vector<Tracepoint>> by_id_;
};

}  // namespace evname::machine
