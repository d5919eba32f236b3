#include "pmu/scale.hpp"

#include <charconv>

namespace evname::pmu {

std::optional<double> parse_scale(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{}) return std::nullopt;
  return value;
}

}  // namespace evname::pmu
