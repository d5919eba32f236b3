#include "perfdata/order.hpp"

#include <algorithm>

namespace evname::perfdata {
namespace {

bool earlier(const OrderQueue::Entry& a, const OrderQueue::Entry& b) { return a.time < b.time; }

}  // namespace

// perf drains one CPU's buffer after the other, so a round is a few runs that are in order.
void OrderQueue::merge_runs() {
  const auto at = [](std::vector<Entry>& entries, std::size_t i) {
    return entries.begin() + static_cast<std::ptrdiff_t>(i);
  };
  while (!runs_.empty()) {
    scratch_.resize(fresh_.size());
    std::vector<std::size_t> merged;
    std::size_t begin = 0;
    for (std::size_t i = 0; i < runs_.size() || begin < fresh_.size(); i += 2) {
      const std::size_t middle = i < runs_.size() ? runs_[i] : fresh_.size();
      const std::size_t end = i + 1 < runs_.size() ? runs_[i + 1] : fresh_.size();
      std::merge(at(fresh_, begin), at(fresh_, middle), at(fresh_, middle), at(fresh_, end),
                 at(scratch_, begin), earlier);
      begin = end;
      if (begin < fresh_.size()) merged.push_back(begin);
    }
    fresh_.swap(scratch_);
    runs_ = std::move(merged);
  }
}

void OrderQueue::sort() {
  if (fresh_.empty()) return;
  merge_runs();
  sorted_.erase(sorted_.begin(), sorted_.begin() + static_cast<std::ptrdiff_t>(head_));
  head_ = 0;
  const auto middle = static_cast<std::ptrdiff_t>(sorted_.size());
  sorted_.insert(sorted_.end(), fresh_.begin(), fresh_.end());
  // Only what is later than the first fresh entry has to move.
  const auto from = std::upper_bound(sorted_.begin(), sorted_.begin() + middle, fresh_[0], earlier);
  std::inplace_merge(from, sorted_.begin() + middle, sorted_.end(), earlier);
  fresh_.clear();
}

}  // namespace evname::perfdata
