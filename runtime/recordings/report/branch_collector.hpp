#pragma once
// Adds up the branches of branch stacks by their two ends, and how often loops go round.

#include <cstddef>
#include <cstdint>
#include <span>
#include <tuple>
#include <vector>

#include "base/hash_map.hpp"
#include "base/text_pool.hpp"
#include "evname/report.hpp"
#include "recordings/report/detailed_report.hpp"
#include "recordings/report/sort_keys.hpp"

namespace evname::report {

class LocationKeys;

/// Adds up branches.
class BranchCollector {
 public:
  /// Adds the branches of a sample of an event.
  void add(const Sample& sample, std::uint32_t event, LocationKeys& locations);

  /// See DetailedReport::branches().
  std::vector<TakenBranch> branches(const TextPool& texts) const;

 private:
  /// The texts of an end.
  struct End {
    std::uint32_t dso = kAbsent, address = kAbsent, srcline = kAbsent;
    bool operator==(const End&) const = default;
    auto key() const { return std::tuple(dso, address, srcline); }
  };
  /// The event, and the numbers of the ends.
  struct Ends {
    std::uint32_t event = 0, from = 0, to = 0;
    bool operator==(const Ends&) const = default;
    auto key() const { return std::tuple(event, from, to); }
  };
  /// What branches with the same ends add up to.
  struct Sums {
    std::uint64_t count = 0;
    Report::Branches branches = {};
    Turns turns = {};
  };
  /// The file and the name of a function.
  using Function = std::pair<std::uint32_t, std::uint32_t>;
  /// A branch of the stack at hand.
  struct Entry {
    Branch branch;
    std::uint32_t number = 0;  ///< of its ends
    Function from, to;
  };

  /// Adds what followed the branch at `at` in the stack, whose newest branch comes first.
  static void add_turn(Turns& turns, std::span<const Entry> stack, std::size_t at);

  Numbers<End> ends_;
  Numbers<Ends> branches_;
  std::vector<Sums> sums_;    ///< by number of branch
  std::vector<Entry> stack_;  ///< of the sample at hand
};

}  // namespace evname::report
