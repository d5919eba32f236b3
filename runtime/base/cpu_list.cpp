#include "base/cpu_list.hpp"

#include <cstdint>
#include <limits>

#include "base/text.hpp"

namespace evname {

std::vector<unsigned> parse_cpu_list(std::string_view text, std::size_t limit) {
  std::vector<unsigned> cpus;
  for (const std::string_view piece : split(trim(text), ',')) {
    const auto dash = piece.find('-');
    const auto first = parse_decimal(piece.substr(0, dash));
    const auto last =
        dash == std::string_view::npos ? first : parse_decimal(piece.substr(dash + 1));
    if (!first || !last || *last > std::numeric_limits<unsigned>::max()) break;
    for (std::uint64_t cpu = *first; cpu <= *last; ++cpu) {
      if (cpus.size() >= limit) return cpus;
      cpus.push_back(static_cast<unsigned>(cpu));
    }
  }
  return cpus;
}

}  // namespace evname
