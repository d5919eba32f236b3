#pragma once
// The counts of events that metrics and trees are computed from.

#include <algorithm>
#include <limits>
#include <string>
#include <unordered_map>
#include <vector>

#include "handles.hpp"

namespace evname_python {

using Counts = std::unordered_map<std::string, double>;

inline std::string lower_case(std::string text) {
  std::ranges::transform(text, text.begin(),
                         [](char c) { return 'A' <= c && c <= 'Z' ? c | 32 : c; });
  return text;
}

/// Returns the counts of the events that `at(index, &event)` gets, by their texts, ignoring case.
/// An event that is not among `given` was not counted. Raises KeyError for a given event that is
/// not needed.
template <class At>
std::vector<evname_event_count> counts_of(const Counts& given, At&& at) {
  std::unordered_map<std::string, std::pair<double, const std::string*>> unused;
  for (const auto& [event, count] : given) unused.insert({lower_case(event), {count, &event}});
  std::vector<evname_event_count> counts;
  evname_metric_event event;
  for (std::size_t i = 0; at(i, &event) == EVNAME_OK; ++i) {
    const auto found = unused.extract(lower_case(event.text));
    counts.push_back(
        {found ? found.mapped().first : std::numeric_limits<double>::quiet_NaN(), 0, 0});
  }
  if (unused.empty()) return counts;
  throw py::key_error("'" + *unused.begin()->second.second +
                      "' is none of the events that are needed: see events");
}

/// Returns the text that `write(buffer, size, &needed, &error)` writes.
template <class Write>
std::string explanation(Write&& write) {
  std::size_t needed = 0;
  evname_error error;
  check(write(nullptr, 0, &needed, &error), error);
  std::string text(needed + 1, '\0');
  check(write(text.data(), text.size(), &needed, &error), error);
  text.pop_back();
  return text;
}

}  // namespace evname_python
