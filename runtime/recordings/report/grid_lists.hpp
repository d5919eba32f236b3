#pragma once
// Sorts the lists of a SampleGrid by place, with one item for each place.

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

#include "recordings/report/detailed_report.hpp"

namespace evname::report {

/// Numbers that compare as the list is ordered.
struct GridPlace {
  std::uint64_t first;
  std::uint32_t last;

  bool operator==(const GridPlace&) const = default;
  bool operator<(const GridPlace& other) const {
    return first != other.first ? first < other.first : last < other.last;
  }
};
inline GridPlace place_of(const SampleGrid::Cell& one) {
  return {std::uint64_t{one.track} << 32 | one.bin, one.node};
}
/// As a SampleGrid has its cells.
inline GridPlace place_in_grid(const SampleGrid::Cell& one) {
  return {std::uint64_t{one.track} << 32 | one.node, one.bin};
}
inline GridPlace place_of(const SampleGrid::Hidden& one) {
  return {std::uint64_t{one.track} << 32 | one.bin, one.name};
}
inline GridPlace place_of(const SampleGrid::Loss& one) { return {one.event, one.bin}; }

inline void add_to(SampleGrid::Cell& to, const SampleGrid::Cell& from) {
  to.samples += from.samples;
  to.period += from.period;
}
inline void add_to(SampleGrid::Hidden& to, const SampleGrid::Hidden& from) {
  to.samples += from.samples;
  to.period += from.period;
  to.all_samples += from.all_samples;
  to.all_period += from.all_period;
}
inline void add_to(SampleGrid::Loss& to, const SampleGrid::Loss& from) {
  to.lost += from.lost;
  to.throttled += from.throttled;
  to.switches += from.switches;
}

inline std::uint32_t track_of(const GridPlace& place) {
  return static_cast<std::uint32_t>(place.first >> 32);
}
inline std::uint32_t bin_of(const GridPlace& place) {
  return static_cast<std::uint32_t>(place.first);
}

/// Copies a list in the order of a number; items with the same number keep their order.
template <class From, class Number, class To>
void gather(const From& from, Number&& number, To& to) {
  std::vector<std::size_t> starts;
  for (const auto& item : from) {
    const std::size_t of = number(item);
    if (of >= starts.size()) starts.resize(of + 1);
    ++starts[of];
  }
  std::exclusive_scan(starts.begin(), starts.end(), starts.begin(), std::size_t{0});
  for (const auto& item : from) to[starts[number(item)]++] = item;
}

/// Sorts a list by track; items of a track keep their order.
template <class List>
void gather_tracks(List& list) {
  List gathered(list.size());
  gather(
      list, [](const auto& item) { return track_of(place_of(item)); }, gathered);
  list.swap(gathered);
}

/// Sorts a list by place. Samples come in order of time, and wider bins keep that order, so mostly
/// the few items of a bin are left to sort.
template <class List, class PlaceOf>
void sort_by_place(List& list, PlaceOf&& place) {
  using Item = typename List::value_type;
  const auto first = [&](const Item& item) { return place(item).first; };
  const auto last = [&](const Item& item) { return place(item).last; };
  if (!std::ranges::is_sorted(list, {}, first)) gather_tracks(list);
  if (!std::ranges::is_sorted(list, {}, first)) std::ranges::stable_sort(list, {}, first);
  for (auto begin = list.begin(); begin != list.end();) {
    const auto end = std::find_if(
        begin, list.end(), [&, of = first(*begin)](const Item& item) { return first(item) != of; });
    if (const std::ranges::subrange bin(begin, end); !std::ranges::is_sorted(bin, {}, last))
      std::ranges::sort(bin, {}, last);
    begin = end;
  }
}

/// Sorts a list and merges items of the same place.
template <class List, class PlaceOf>
void merge_list(List& list, PlaceOf&& place) {
  sort_by_place(list, place);
  std::size_t kept = 0;
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (kept > 0 && place(list[kept - 1]) == place(list[i]))
      add_to(list[kept - 1], list[i]);
    else
      list[kept++] = list[i];
  }
  list.resize(kept);
}

template <class List>
void merge_list(List& list) {
  merge_list(list, [](const auto& item) { return place_of(item); });
}

}  // namespace evname::report
