#pragma once
// The codes that a core PMU counts the kernel's generic hardware events with.

#include <cstdint>
#include <optional>

#include "events/machine/machine_state.hpp"

namespace evname::machine {

/// What PERF_COUNT_HW_… number `hardware` is on that core PMU of the machine, as the config of its
/// own event; nullopt: not known here.
std::optional<std::uint64_t> core_code(const detail::MachineState& state, std::size_t pmu,
                                       std::uint64_t hardware);

}  // namespace evname::machine
