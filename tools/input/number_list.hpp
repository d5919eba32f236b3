#pragma once
// Parses numbers of options, and lists of CPUs, processes and threads: "0-3,8".

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace evname::tools {

/// Returns the numbers of a list, each once, in ascending order; nullopt if a word is neither a
/// number up to `most` nor a range with at most as many numbers as CPUs are possible.
std::optional<std::vector<std::uint64_t>> numbers_of(std::string_view list, std::uint64_t most);

/// Returns the fault of a list of such numbers; "" if there is none. For Option::checked_by().
template <class T>
std::string list_problem(const std::string& list) {
  return numbers_of(list, std::numeric_limits<T>::max())
             ? std::string()
             : "'" + list + "' is not a list of numbers and ranges, such as 0-3,8";
}

/// The same for a number that can't be 0.
std::string count_problem(const std::string& number);

/// Appends the numbers of a list that has no problem.
template <class T>
void append_numbers(std::string_view list, std::vector<T>& numbers) {
  for (const std::uint64_t number :
       numbers_of(list, std::numeric_limits<T>::max()).value_or(std::vector<std::uint64_t>()))
    numbers.push_back(static_cast<T>(number));
}

}  // namespace evname::tools
