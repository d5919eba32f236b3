#include "input/number_list.hpp"

#include <set>

#include "base/text.hpp"

namespace evname::tools {

std::optional<std::vector<std::uint64_t>> numbers_of(std::string_view list, std::uint64_t most) {
  constexpr std::uint64_t kMostOfRange = 1 << 16;
  std::set<std::uint64_t> numbers;
  for (const std::string_view word : split(list, ',')) {
    const auto dash = word.find('-');
    const auto first = parse_decimal(word.substr(0, dash));
    const auto last = dash == word.npos ? first : parse_decimal(word.substr(dash + 1));
    if (!first || !last || *last < *first || *last - *first > kMostOfRange || *last > most)
      return std::nullopt;
    for (std::uint64_t number = *first; number <= *last; ++number) numbers.insert(number);
  }
  return std::vector<std::uint64_t>(numbers.begin(), numbers.end());
}

std::string count_problem(const std::string& number) {
  const auto value = parse_decimal(number);
  return value && *value > 0 ? std::string() : "'" + number + "' is not a number above 0";
}

}  // namespace evname::tools
