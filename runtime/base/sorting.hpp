#pragma once
// Sorts by code that is compiled once for all types, at the cost of a call for each comparison. Use
// it for lists that are short or sorted once. The standard library's algorithm is 4 to 6 KB of code
// for each type that it sorts.

#include <cstddef>
#include <functional>
#include <utility>
#include <vector>

namespace evname {
inline namespace base {

/// Returns the numbers below `count` in the order of less(context, i, j); equal numbers keep their
/// order.
std::vector<std::size_t> stable_order(std::size_t count,
                                      bool (*less)(const void*, std::size_t, std::size_t),
                                      const void* context);

/// Sorts by less(a, b) and keeps the order of equal elements, as std::stable_sort does.
template <class T, class Less = std::less<>>
void sort_stably(std::vector<T>& values, const Less& less = {}) {
  const auto compare = [&](std::size_t i, std::size_t j) { return less(values[i], values[j]); };
  const auto call = [](const void* context, std::size_t i, std::size_t j) -> bool {
    return (*static_cast<decltype(compare)*>(context))(i, j);
  };
  std::vector<T> sorted;
  sorted.reserve(values.size());
  for (const std::size_t i : stable_order(values.size(), call, &compare))
    sorted.push_back(std::move(values[i]));
  values = std::move(sorted);
}

/// Sorts by key(element) or a member, the lowest first.
template <class T, class Key>
void sort_stably_by(std::vector<T>& values, const Key& key) {
  sort_stably(values,
              [&](const T& a, const T& b) { return std::invoke(key, a) < std::invoke(key, b); });
}

}  // namespace base
}  // namespace evname
