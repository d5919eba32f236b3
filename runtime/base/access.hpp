#pragma once
// The library's own way into its public classes, which keep what they hold to themselves.

#include <utility>

namespace evname::detail {

struct Access {
  template <class T>
  static const auto& state(const T& value) {
    return *value.state_;
  }
  template <class T, class... Parts>
  static T make(Parts&&... parts) {
    return T(std::forward<Parts>(parts)...);
  }
};

/// What a Machine, a PerfData or a Sample holds.
template <class T>
const auto& state_of(const T& value) {
  return Access::state(value);
}

}  // namespace evname::detail
