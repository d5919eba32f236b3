#include <algorithm>

#include "base/edit_distance.hpp"
#include "evname/suggest.hpp"

namespace evname {

std::optional<std::string> nearest_name(std::string_view word,
                                        std::span<const std::string> names) {
  const auto distance = [&](const std::string& name) { return edit_distance(word, name); };
  const auto best = std::ranges::min_element(names, {}, distance);
  if (best == names.end() || distance(*best) > std::clamp<std::size_t>(word.size() / 3, 1, 3))
    return std::nullopt;
  return *best;
}

}  // namespace evname
