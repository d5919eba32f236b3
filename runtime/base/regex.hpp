#pragma once
// POSIX extended regular expressions, as perf uses them for CPUIDs and Compat.

#include <regex.h>

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace evname {
inline namespace base {

class Regex {
 public:
  struct Match {
    std::size_t offset = 0, size = 0;
  };

  /// Returns nullopt if the text is no expression, or would take too much memory: the C library
  /// copies an operand for each repetition, so that "a++++…" doubles with every plus.
  static std::optional<Regex> compile(std::string_view pattern);

  /// Returns the leftmost-longest match. A text longer than any CPUID matches nothing.
  std::optional<Match> search(std::string_view text) const;

 private:
  struct Free {
    void operator()(regex_t* compiled) const;
  };
  std::unique_ptr<regex_t, Free> compiled_;
};

}  // namespace base
}  // namespace evname
