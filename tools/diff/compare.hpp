#pragma once
// Compares the events of two CPUs. Knows names, PMUs and codes; no tables, no machine.

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "evname/code.h"

namespace evname::tools {

/// One event on one PMU.
struct CodedEvent {
  std::string_view pmu, name;
  /// nullopt: no code until a value is filled in. It does not include the sample period.
  std::optional<ConfigWords> code;
  bool is_core = false;
  bool deprecated = false;
  std::string_view desc;
};

enum class Change : std::uint8_t {
  only_a,  ///< B has neither the name nor the code
  only_b,
  code,  ///< the name has another code in B
  name,  ///< the code has another name in B
};

/// One row; `a` is nullptr for only_b, `b` for only_a.
struct Difference {
  Change change;
  const CodedEvent* a;
  const CodedEvent* b;
  bool kept;  ///< B has the name of `a` (for only_b: of `b`)
};

/// Sorted by change, then by PMU and name. A PMU is compared with the PMU of the same name. Core
/// PMUs without one (`cpu` and `cpu_core`) are compared with all such PMUs of the other side. If a
/// code has several names, the best is shown: a current one, then the shortest; but each name that
/// one side lacks is in some row.
std::vector<Difference> compare_events(std::span<const CodedEvent> a,
                                       std::span<const CodedEvent> b);

}  // namespace evname::tools
