#pragma once
// Members of the set that an extended regular expression describes, one after the other.

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace evname::cpu {

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
std::optional<std::string> expand(std::string_view pattern, Choices& choices);

}  // namespace evname::cpu
