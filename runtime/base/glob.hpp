#pragma once
// Globs as fnmatch(3) takes them without flags, in the locale "C": `*`, `?`, `\x` and sets such as
// `[!a-f[:digit:]]`. Matching takes no longer for a long glob than for a short one.

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace evname {
inline namespace base {

/// A glob that is matched with many texts.
class Glob {
 public:
  /// An element stands for one letter, or for any number of letters.
  struct Element {
    enum class Kind : std::uint8_t { star, any, letter, set, none };
    Kind kind = Kind::none;  ///< none: nothing matches
    char letter = 0;
    std::size_t next = 0;  ///< where the next element begins
    std::array<std::uint64_t, 4> set{};

    bool fits(char text) const;
  };

  explicit Glob(std::string_view pattern);
  bool matches(std::string_view text) const;

 private:
  std::vector<Element> elements_;
};

/// Returns true if the glob, which is used once, matches the text.
bool glob_match(std::string_view pattern, std::string_view text);

}  // namespace base
}  // namespace evname
