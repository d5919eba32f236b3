#pragma once
// Lists of numbers as options: "0,2-3".

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "screen/tell.hpp"
#include "text.hpp"

namespace evname::tools {

/// Appends the numbers of words like "7" and "2-5"; false: it told what is wrong. A range is cut
/// off where it has more numbers than there can be CPUs.
template <class T>
bool read_numbers(const char* option, const std::vector<std::string>& words,
                  std::vector<T>& numbers) {
  constexpr std::uint64_t kMost = 1 << 16;
  for (const std::string& word : words) {
    const auto dash = word.find('-');
    const auto first = parse_number(std::string_view(word).substr(0, dash));
    const auto last =
        dash == word.npos ? first : parse_number(std::string_view(word).substr(dash + 1));
    if (!first || !last || *last < *first || *last - *first > kMost ||
        *last > static_cast<std::uint64_t>(std::numeric_limits<T>::max())) {
      tell_error("{}: '{}' is no number or range", option, word);
      return false;
    }
    for (std::uint64_t value = *first; value <= *last; ++value)
      numbers.push_back(static_cast<T>(value));
  }
  return true;
}

}  // namespace evname::tools
