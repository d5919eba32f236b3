#include "perfdata/order.hpp"

#include <algorithm>

namespace evname::perfdata {
namespace {

bool earlier(const OrderQueue::Entry& a, const OrderQueue::Entry& b) { return a.time < b.time; }

}  // namespace

void OrderQueue::push(const Entry& entry) {
  if (entry.time < last_time_) ++late_;
  max_time_ = std::max(max_time_, entry.time);
  fresh_.push_back(entry);
}

void OrderQueue::sort() {
  if (fresh_.empty()) return;
  if (!std::is_sorted(fresh_.begin(), fresh_.end(), earlier))
    std::stable_sort(fresh_.begin(), fresh_.end(), earlier);
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
