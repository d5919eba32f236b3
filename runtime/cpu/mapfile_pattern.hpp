#pragma once
// Patterns of mapfiles, which are extended regular expressions: which CPUID strings they stand for,
// and examples of those.

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tables/model_view.hpp"

namespace evname::cpu {

/// perf's rule (strcmp_cpuid_str of the architecture): does a mapfile pattern stand for this CPUID?
bool pattern_matches(std::string_view arch, std::string_view pattern, std::string_view cpuid);

/// Hands out one combination of choices after the other, the last choice varying fastest.
class Choices {
 public:
  std::size_t choose(std::size_t count) {
    if (next_ == digits_.size()) digits_.push_back({0, count});
    return digits_[next_++].value;
  }
  /// Moves on to the next combination; false after the last.
  bool advance() {
    next_ = 0;
    while (!digits_.empty() && ++digits_.back().value >= digits_.back().count) digits_.pop_back();
    return !digits_.empty();
  }

 private:
  struct Digit {
    std::size_t value, count;
  };
  std::vector<Digit> digits_;
  std::size_t next_ = 0;
};

/// The member that the choices lead to; nullopt if the expression has a construct that mapfiles
/// don't use. What comes out is likely, not sure, to match: ask pattern_matches.
std::optional<std::string> expand_pattern(std::string_view pattern, Choices& choices);

/// One CPUID string that the mapfile maps to this model (patterns are expanded to a member),
/// for machines that are only named; "" if no row does.
std::string example_cpuid(const tables::ModelView& model);

}  // namespace evname::cpu
