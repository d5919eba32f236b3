#pragma once
// Format fields name the bits of perf_event_attr for the value of a term. Source:
// Documentation/ABI/testing/sysfs-bus-event_source-devices-format of Linux.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace evname::pmu {

/// A file of format/. The field is the set bits of `mask` in config word `word`.
/// Bit 0 of a value goes to the lowest set bit, bit 1 to the next, whatever the order in the file.
struct Format {
  std::string name;
  std::uint8_t word = 0;  ///< 0 config, 1 config1, 2 config2, 3 config3; above: can't be used
  std::uint64_t mask = 0;

  int width() const;
  /// Returns the value spread over the mask's bits; nullopt if it has more bits than width().
  std::optional<std::uint64_t> pack(std::uint64_t value) const;
  /// Returns the field's value in a config word.
  std::uint64_t extract(std::uint64_t config) const;
};

/// Reads "config1:0-7,32-35" as perf does: it skips characters outside of terms, the last of
/// several terms wins, a range with B < A is empty. Returns nullopt if there is no term, or a bit
/// above 63.
std::optional<Format> parse_format(std::string_view name, std::string_view text);

}  // namespace evname::pmu
