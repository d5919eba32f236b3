#include "base/regex.hpp"

#include <algorithm>

namespace evname {
inline namespace base {
namespace {

constexpr std::size_t kLongestPattern = 1024;
constexpr std::size_t kLongestText = 256;  // HEADER_CPUID holds 63 characters
constexpr std::size_t kMostCopies = 4096;  // of a part, at worst

/// The larger number of "{n,m}" at the front.
std::size_t upper_bound_of(std::string_view interval) {
  std::size_t most = 1;
  for (std::size_t i = 1; i < interval.size() && interval[i] != '}';) {
    std::size_t value = 0, digits = 0;
    for (;
         i + digits < interval.size() && interval[i + digits] >= '0' && interval[i + digits] <= '9';
         ++digits)
      value = std::min<std::size_t>(
          value * 10 + static_cast<std::size_t>(interval[i + digits] - '0'), kMostCopies + 1);
    most = std::max(most, value);
    i += std::max<std::size_t>(digits, 1);
  }
  return most;
}

/// The copies of nested repetitions multiply; this counts all as nested. References to groups, as
/// in "(a*)\1", make matching exponential in their number.
bool is_modest(std::string_view pattern) {
  if (pattern.size() > kLongestPattern) return false;
  std::size_t copies = 1;
  for (std::size_t i = 0; i < pattern.size() && copies <= kMostCopies; ++i) {
    if (pattern[i] == '\\' && i + 1 < pattern.size()) {
      const char escaped = pattern[++i];
      if (escaped >= '1' && escaped <= '9') return false;
      continue;
    }
    if (pattern[i] == '+') copies *= 2;
    if (pattern[i] == '{') copies *= upper_bound_of(pattern.substr(i)) + 1;
  }
  return copies <= kMostCopies;
}

}  // namespace

void Regex::Free::operator()(regex_t* compiled) const {
  regfree(compiled);
  delete compiled;
}

std::optional<Regex> Regex::compile(std::string_view pattern) {
  if (!is_modest(pattern)) return std::nullopt;
  auto compiled = std::make_unique<regex_t>();
  if (regcomp(compiled.get(), std::string(pattern).c_str(), REG_EXTENDED) != 0) return std::nullopt;
  Regex regex;
  regex.compiled_.reset(compiled.release());
  return regex;
}

std::optional<Regex::Match> Regex::search(std::string_view text) const {
  regmatch_t whole[1];
  if (text.size() > kLongestText ||
      regexec(compiled_.get(), std::string(text).c_str(), 1, whole, 0) != 0)
    return std::nullopt;
  return Match{static_cast<std::size_t>(whole[0].rm_so),
               static_cast<std::size_t>(whole[0].rm_eo - whole[0].rm_so)};
}

}  // namespace base
}  // namespace evname
