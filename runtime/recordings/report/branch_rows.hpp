#pragma once
// Finds the rows of branches in a report.

#include <cstddef>
#include <cstdint>
#include <tuple>

#include "base/hash_map.hpp"
#include "recordings/locations/by_location.hpp"
#include "recordings/report/location_keys.hpp"
#include "recordings/report/row_finder.hpp"
#include "recordings/report/sort_keys.hpp"

namespace evname::report {

/// Finds the rows of the branches of samples. Programs take the same branches again and again, so
/// it keeps the rows of their ends. The same ends are another place in another process.
class BranchRows {
 public:
  /// All outlive the object; `locations` may be nullptr if no key needs it.
  BranchRows(const Needs& needs, KeyContext& context, LocationKeys* locations, RowFinder& rows)
      : needs_(needs), context_(context), locations_(locations), rows_(rows) {}

  /// Begins with the branches of a sample.
  void begin(std::size_t attr, const Sample& sample) {
    if (known_.size() >= kMost) {
      known_.clear();
      places_ = {};
    }
    const std::uint64_t also =
        std::uint64_t{rows_.kind_of(attr, sample)} << 16 | (sample.misc() & perf_format::kCpuMode);
    place_ = places_
                 .add(locations_ ? locations_->locations().whose(sample, also)
                                 : locations::Whose{0, 0, 0, also})
                 .first;
  }

  /// Returns the row of a branch of the sample; the frame is the target.
  RowFinder::Found of(std::size_t attr, const Sample& sample, const Branch& branch) {
    if (needs_.branch_facts) return find(attr, sample, branch);
    const auto [at, is_new] = known_.try_emplace({branch.from, branch.to, place_});
    if (is_new) at.value() = find(attr, sample, branch);
    return at->second;
  }

 private:
  static constexpr std::size_t kMost = 1 << 18;

  RowFinder::Found find(std::size_t attr, const Sample& sample, const Branch& branch) {
    BranchKeys keys{branch};
    if (needs_.branch_ends) {
      keys.from = locations_->end_of(sample, branch.from);
      keys.to = locations_->end_of(sample, branch.to);
    }
    context_.branch = &keys;
    return {rows_.of_frame(attr, sample, keys.to.keys), keys.to.keys.unnamed};
  }

  const Needs& needs_;
  KeyContext& context_;
  LocationKeys* locations_;
  RowFinder& rows_;
  Numbers<locations::Whose> places_;
  std::uint32_t place_ = 0;  ///< of the sample at hand; its kind is part of it
  HashMap<std::tuple<std::uint64_t, std::uint64_t, std::uint32_t>, RowFinder::Found> known_;
};

}  // namespace evname::report
