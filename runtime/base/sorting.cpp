#include "base/sorting.hpp"

#include <algorithm>
#include <numeric>

namespace evname {
inline namespace base {

std::vector<std::size_t> stable_order(std::size_t count,
                                      bool (*less)(const void*, std::size_t, std::size_t),
                                      const void* context) {
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t i, std::size_t j) { return less(context, i, j); });
  return order;
}

}  // namespace base
}  // namespace evname
