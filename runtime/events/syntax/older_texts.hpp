#pragma once
// Converts events in the form of older versions of perf.

#include <optional>
#include <string>
#include <string_view>

namespace evname::syntax {

/// Moves the modifiers of each event behind its slashes: "cpu_core/cycles/u" for
/// "cpu_core/cycles:u/", which perf before 7 prints on hybrid CPUs but no perf reads. nullopt if no
/// event has them inside.
std::optional<std::string> with_modifiers_outside(std::string_view events);

}  // namespace evname::syntax
