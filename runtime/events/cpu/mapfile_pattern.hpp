#pragma once
// Compares CPUIDs with patterns of mapfiles: extended regular expressions, or MIDR numbers on Arm.

#include <optional>
#include <string_view>

#include "base/regex.hpp"

namespace evname::cpu {

/// A pattern that is compiled once, to be compared with many CPUIDs.
class MapfilePattern {
 public:
  /// The texts must outlive the pattern.
  MapfilePattern(std::string_view arch, std::string_view pattern);

  /// Returns true if the pattern matches this CPUID.
  bool matches(std::string_view cpuid);

 private:
  bool x86_matches(std::string_view cpuid);
  std::optional<std::size_t> match_length(std::string_view text);

  std::string_view arch_, pattern_, literal_;
  bool is_compiled_ = false;
  std::optional<Regex> expression_;
};

/// Returns true if a mapfile pattern matches this CPUID, by perf's strcmp_cpuid_str for the
/// architecture.
bool pattern_matches(std::string_view arch, std::string_view pattern, std::string_view cpuid);

}  // namespace evname::cpu
