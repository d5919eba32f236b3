#pragma once
// Gives the library access to the private state of its public classes.

#include <utility>

namespace evname::detail {

struct Access {
  template <class T>
  static const auto& state(const T& value) {
    return *value.state_;
  }
  template <class Sample>
  static const auto& record(const Sample& sample) {
    return *sample.record_;
  }
  template <class Sample>
  static const auto& maps(const Sample& sample) {
    return *sample.maps_;
  }
  template <class Range, class Data, class Source>
  static Range over(const Data& data, Source&& source) {
    return Range::over(data, std::forward<Source>(source));
  }
  template <class T, class... Parts>
  static T make(Parts&&... parts) {
    return T(std::forward<Parts>(parts)...);
  }
};

/// Returns the state of a Machine or a Recording.
template <class T>
const auto& state_of(const T& value) {
  return Access::state(value);
}

}  // namespace evname::detail
