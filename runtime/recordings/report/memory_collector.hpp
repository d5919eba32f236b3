#pragma once
// Adds memory accesses up by each of their keys.

#include <array>
#include <cstdint>
#include <vector>

#include "evname/report.hpp"
#include "recordings/report/data_places.hpp"
#include "recordings/report/sort_keys.hpp"

namespace evname::report {

class MemoryCollector {
 public:
  /// Adds a sample; `leaf` is of its instruction.
  void add(const Sample& sample, const FrameKeys& leaf, DataPlaces& data);

  /// See Report::memory().
  std::vector<MemoryRow> rows(const TextPool& texts, const LinePool& lines) const;

 private:
  struct Sums {
    std::uint64_t samples = 0;
    WeightSums weights = {};

    void add(std::uint64_t weight) {
      ++samples;
      weights.add(weight);
    }
    Sums& operator+=(const Sums& other) {
      samples += other.samples;
      weights += other.weights;
      return *this;
    }
  };
  /// Sums by a number.
  class Table {
   public:
    Sums& operator[](std::uint64_t number) {
      const auto [row, is_new] = numbers_.add(number);
      if (is_new) rows.push_back({number, {}});
      return rows[row].second;
    }
    std::vector<std::pair<std::uint64_t, Sums>> rows;

   private:
    Numbers<std::uint64_t> numbers_;
  };
  class RowList;

  Table sources_;                   ///< by data source
  Sums without_source_;             ///< samples without one
  std::array<Sums, 65> latencies_;  ///< by the bits of the weight
  Sums without_weight_;
  Table functions_, places_, symbols_;  ///< by text; kAbsent: unknown
  std::vector<Sums> lines_;             ///< by line
  Sums without_address_;
};

}  // namespace evname::report
