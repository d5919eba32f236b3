#include "base/edit_distance.hpp"

#include <algorithm>
#include <array>
#include <numeric>

namespace evname {

std::size_t edit_distance(std::string_view a, std::string_view b) {
  constexpr std::size_t kLongest = 128;
  a = a.substr(0, kLongest);
  b = b.substr(0, kLongest);
  std::array<std::size_t, kLongest + 1> row{};
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({replaced, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row[b.size()];
}

}  // namespace evname
