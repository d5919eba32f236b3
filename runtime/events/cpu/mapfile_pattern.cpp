#include "events/cpu/mapfile_pattern.hpp"

#include <algorithm>
#include <cstdlib>
#include <optional>

#include "base/regex.hpp"
#include "base/text.hpp"

namespace evname::cpu {
namespace {

// perf compares with strcmp_cpuid_str of tools/perf/util/header.c (generic) and of arch/x86 and
// arch/arm64.

/// Returns the literal start of the pattern, which any match contains. It spares most compilations.
std::string_view literal_start(std::string_view pattern) {
  if (pattern.starts_with('^')) pattern.remove_prefix(1);
  int depth = 0;
  bool in_bracket = false;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    const char c = pattern[i];
    if (c == '\\') ++i;
    if (in_bracket || c == '[') {
      in_bracket = c != ']';
    } else if (c == '|' && depth == 0) {
      return {};  // another alternative starts otherwise
    } else {
      depth += c == '(' ? 1 : c == ')' ? -1 : 0;
    }
  }
  const auto end = pattern.find_first_of("[](){}.*+?|\\^$");
  if (end == std::string_view::npos) return pattern;
  const bool repeated = std::string_view("*?{").find(pattern[end]) != std::string_view::npos;
  return pattern.substr(0, repeated && end > 0 ? end - 1 : end);
}

/// Returns the length of the leftmost-longest match of a POSIX extended expression; nullopt if
/// there is none.
std::optional<std::size_t> match_length(std::string_view pattern, std::string_view text) {
  if (text.find(literal_start(pattern)) == std::string_view::npos) return std::nullopt;
  const auto expression = Regex::compile(pattern);
  const auto match = expression ? expression->search(text) : std::nullopt;
  return match ? std::optional(match->size) : std::nullopt;
}

/// Returns true for three hyphens, also those inside of bracket ranges:
/// VENDOR-family-model-stepping.
bool is_full(std::string_view text) { return std::count(text.begin(), text.end(), '-') == 3; }

bool x86_matches(std::string_view pattern, std::string_view cpuid) {
  if (is_full(pattern) && !is_full(cpuid)) return false;
  const bool ignore_stepping = !is_full(pattern) && is_full(cpuid);
  return match_length(pattern, cpuid) == (ignore_stepping ? cpuid.rfind('-') : cpuid.size());
}

bool arm64_matches(std::string_view pattern, std::string_view cpuid) {
  constexpr std::uint64_t kRevision = 0xf, kVariant = 0xf << 20;
  const std::uint64_t row = std::strtoull(std::string(pattern).c_str(), nullptr, 16);
  const std::uint64_t cpu = std::strtoull(std::string(cpuid).c_str(), nullptr, 16);
  if ((row & ~(kRevision | kVariant)) != (cpu & ~(kRevision | kVariant))) return false;
  if ((cpu & kVariant) != (row & kVariant)) return (cpu & kVariant) > (row & kVariant);
  return (cpu & kRevision) >= (row & kRevision);
}

}  // namespace

bool pattern_matches(std::string_view arch, std::string_view pattern, std::string_view cpuid) {
  if (arch == "x86") return x86_matches(pattern, cpuid);
  if (arch == "arm64" || arch == "arm") return arm64_matches(pattern, cpuid);
  return match_length(pattern, cpuid) == cpuid.size();
}

}  // namespace evname::cpu
