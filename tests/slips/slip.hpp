#pragma once
// Slips: small faults that are compiled in and stay off until one is chosen (slips.py).

#include <type_traits>

namespace slips {

/// Returns true if this slip is the one of the environment variable EVNAME_SLIP, and remembers that
/// the place was reached.
bool is_chosen(int slip) noexcept;

/// Does the same where the program runs. Expressions that the compiler evaluates have no slips, and
/// no symbol that marks them in the object.
template <int slip>
constexpr bool on() noexcept {
  return !std::is_constant_evaluated() && is_chosen(slip);
}

}  // namespace slips
