#pragma once
// The terms a user wrote for a PMU, with the alias among them spliced in.

#include <optional>
#include <span>
#include <vector>

#include "machine/alias.hpp"

namespace evname::event {

/// A term list ready to be packed. Movable only: `terms` point into `storage`.
struct Expanded {
  std::vector<PackTerm> terms;
  std::vector<Term> storage;
  Alias alias;                 ///< the event among the terms; may be empty
  std::size_t user_terms = 0;  ///< how many of `terms` are not the alias's

  /// cpu/cycles/ on a PMU without such an event: the generic code it stands for.
  struct Generic {
    std::uint32_t type;
    std::uint64_t config;
  };
  std::optional<Generic> generic;

  Expanded() = default;
  Expanded(Expanded&&) = default;
  Expanded& operator=(Expanded&&) = default;
};

/// Errors: not_found for a bare term that is neither a field nor an event of the PMU,
/// invalid_argument for two events in one list.
Result<Expanded> expand(const detail::BoundPmu& bound, std::span<const Term> terms);

}  // namespace evname::event
