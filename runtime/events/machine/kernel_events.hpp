#pragma once
// Events of every machine: of the kernel, of perf itself, and tracepoints.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/lazy.hpp"
#include "events/machine/machine_state.hpp"
#include "events/pmu/pmu.hpp"
#include "events/syntax/kernel_names.hpp"

namespace evname::machine {

/// Adds the PMUs that perf has on every machine, and their events, unless they are listed already:
/// "software", "tracepoint", "breakpoint" and "tool", whose events perf counts itself.
void add_implied_pmus(std::string_view arch, std::vector<pmu::Pmu>& pmus);

/// Returns the description of an event of the kernel or perf; "" if unknown.
std::string_view kernel_description(std::string_view name);
/// Returns the description of an event that a PMU's driver names.
std::string_view kernel_description(const detail::MachineState& state, std::string_view pmu,
                                    std::string_view name);
std::string kernel_description(const syntax::GenericEvent& event);

struct Tracepoint {
  std::string name;  ///< "sched:sched_switch"
  std::uint64_t id;  ///< attr.config
};

/// Returns the tracepoints whose system and event match these globs, sorted by name. Errors:
/// not_found if there is none, unsupported if the machine has no tracepoints at all; the message
/// says what is missing.
Result<std::vector<Tracepoint>> find_tracepoints(const detail::MachineState& state,
                                                 const std::string& system,
                                                 const std::string& event);

/// Finds names of tracepoints by their numbers, which are read once. Thread-safe.
class TracepointIndex {
 public:
  /// Returns the names of that number, sorted; none if the machine knows none.
  std::vector<std::string> names(const detail::MachineState& state, std::uint64_t id) const;

 private:
  Lazy<std::vector<Tracepoint>> by_id_;
};

}  // namespace evname::machine
