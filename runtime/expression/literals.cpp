#include "expression/literals.hpp"

#include <algorithm>

#include "base/text.hpp"

namespace evname::metric {

std::optional<std::string_view> find_literal(std::string_view written) {
  const auto exact = std::ranges::find(kLiterals, written);
  if (exact != std::end(kLiterals)) return *exact;
  for (const std::string_view any_case : {"#smt_on", "#system_tsc_freq"})
    if (to_lower(written) == any_case) return any_case;
  return std::nullopt;
}

}  // namespace evname::metric
