#pragma once
#include <optional>
#include <string_view>

namespace evname::pmu {

/// A .scale file: the number it begins with, whatever the locale; nullopt if there is none.
std::optional<double> parse_scale(std::string_view text);

}  // namespace evname::pmu
