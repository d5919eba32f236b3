#include "events/cpu/mapfile_pattern.hpp"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "base/text.hpp"

namespace evname::cpu {
namespace {

// perf compares with strcmp_cpuid_str of tools/perf/util/header.c (generic) and of arch/x86 and
// arch/arm64.

/// Returns the literal start of the pattern. Comparing it avoids most compilations.
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

/// Returns true for three hyphens, also those inside of bracket ranges:
/// VENDOR-family-model-stepping.
bool is_full(std::string_view text) { return std::count(text.begin(), text.end(), '-') == 3; }

bool arm64_matches(std::string_view pattern, std::string_view cpuid) {
  constexpr std::uint64_t kRevision = 0xf, kVariant = 0xf << 20;
  const std::uint64_t row = std::strtoull(std::string(pattern).c_str(), nullptr, 16);
  const std::uint64_t cpu = std::strtoull(std::string(cpuid).c_str(), nullptr, 16);
  if ((row & ~(kRevision | kVariant)) != (cpu & ~(kRevision | kVariant))) return false;
  if ((cpu & kVariant) != (row & kVariant)) return (cpu & kVariant) > (row & kVariant);
  return (cpu & kRevision) >= (row & kRevision);
}

}  // namespace

MapfilePattern::MapfilePattern(std::string_view arch, std::string_view pattern)
    : arch_(arch), pattern_(pattern), literal_(literal_start(pattern)) {}

// Returns the length of the leftmost-longest match of a POSIX extended expression; nullopt if
// there is none.
std::optional<std::size_t> MapfilePattern::match_length(std::string_view text) {
  if (text.find(literal_) == std::string_view::npos) return std::nullopt;
  if (!std::exchange(is_compiled_, true)) expression_ = Regex::compile(pattern_);
  const auto match = expression_ ? expression_->search(text) : std::nullopt;
  return match ? std::optional(match->size) : std::nullopt;
}

bool MapfilePattern::x86_matches(std::string_view cpuid) {
  if (is_full(pattern_) && !is_full(cpuid)) return false;
  const bool ignore_stepping = !is_full(pattern_) && is_full(cpuid);
  return match_length(cpuid) == (ignore_stepping ? cpuid.rfind('-') : cpuid.size());
}

bool MapfilePattern::matches(std::string_view cpuid) {
  if (arch_ == "x86") return x86_matches(cpuid);
  if (arch_ == "arm64" || arch_ == "arm") return arm64_matches(pattern_, cpuid);
  return match_length(cpuid) == cpuid.size();
}

bool pattern_matches(std::string_view arch, std::string_view pattern, std::string_view cpuid) {
  return MapfilePattern(arch, pattern).matches(cpuid);
}

}  // namespace evname::cpu
