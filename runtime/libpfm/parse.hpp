#pragma once
// Texts in libpfm4's syntax: [PMU::]EVENT[:MASK][:MODIFIER[=VALUE]]…, with "." as good as ":".

#include <span>
#include <string_view>

#include "libpfm/unit.hpp"

namespace evname::libpfm {

/// A unit, and whether its events can be named now.
struct ListedUnit {
  const Unit* unit = nullptr;
  bool is_active = false;  ///< false: only with the name of the PMU before the event
};

/// Finds the event in the units, in their order, and the attributes that are asked for. `os` and `levels` of the
/// request are set by the caller.
Status parse(std::string_view text, std::span<const ListedUnit> units, Request& request);

}  // namespace evname::libpfm
