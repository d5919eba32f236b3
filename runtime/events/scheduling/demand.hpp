#pragma once
// Collects the events of each PMU, each once, and the ones that must stay together.

#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "events/machine/machine_state.hpp"
#include "events/scheduling/partition.hpp"

namespace evname::scheduling {

/// Returns true for a generic event without a PMU: `cycles` if PMU types are not known.
bool is_on_any_core(const Encoding& encoding);

/// Returns the code that a generic event stands for, without the PMU's type in it; nullopt if it is
/// not generic. The terms determine it even if the PMU's type, and so the whole code, is unknown.
std::optional<Code> generic_code(const Encoding& encoding);

/// Returns the index of the PMU that counts the encoding; nullopt for the kernel or perf itself, or
/// a PMU that the machine does not have.
std::optional<std::size_t> pmu_of(const detail::MachineState& state, const Encoding& encoding);

/// Events with the same key count the same.
using EventKey = std::tuple<std::string_view, std::optional<std::uint32_t>, ConfigWords,
                            std::uint32_t, unsigned, std::string>;
EventKey key_of(const Encoding& encoding);

/// The events of one PMU or box, as indexes into all events, and the ones that were written
/// together.
struct PmuEvents {
  std::optional<std::size_t> pmu;  ///< of the machine; nullopt: the kernel or perf itself counts
  std::string name;                ///< of the PMU or the box
  std::vector<std::size_t> events;
  std::vector<Bundle> bundles;  ///< of indexes into `events`
};

/// PmuEvents::name if no PMU counts.
inline constexpr std::string_view kNoPmu = "software";

/// Returns the PMUs in the order of their first event. Members of a group are adjacent (regroup());
/// software events join the first other event of their group. An event that is both alone and in a
/// group stays in the group. If an event is for all boxes of a PMU, events for single boxes are
/// listed with it, since they compete.
std::vector<PmuEvents> collect(const detail::MachineState& state, std::span<const Encoding> events);

/// A generic event whose PMU only the machine knows is counted by every core PMU.
std::vector<Encoding> for_each_core(const detail::MachineState& state,
                                    std::span<const Encoding> events);

}  // namespace evname::scheduling
