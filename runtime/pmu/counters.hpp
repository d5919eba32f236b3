#pragma once
// How many counters a PMU has, where the tables don't say.

#include <cstdint>
#include <optional>
#include <string_view>

namespace evname::pmu {

struct CounterNumbers {
  unsigned generic = 0;
  unsigned fixed = 0;
  bool each_its_own = false;  ///< every event has a counter to itself, or needs none
};

/// nullopt: nothing is known.
std::optional<CounterNumbers> builtin_counters(std::string_view pmu, std::string_view arch,
                                               std::string_view cpuid);

/// Generic counters of a core of this model if its hyper-threads are off; nullopt: as many as if
/// they are on.
std::optional<unsigned> counters_without_smt(std::string_view arch, std::string_view model);

}  // namespace evname::pmu
