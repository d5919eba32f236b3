#include "recordings/report/timeline_collector.hpp"

#include <algorithm>
#include <tuple>

namespace evname::report {
namespace {

using Cells = std::vector<Timeline::Cell>;

void add_to(Timeline::Cell& to, const Timeline::Cell& from) {
  to.samples += from.samples;
  to.period += from.period;
  to.lost += from.lost;
}

/// Cells in any order become one for each bin.
void put_in_order(Cells& cells) {
  std::stable_sort(cells.begin(), cells.end(),
                   [](const auto& a, const auto& b) { return a.bin < b.bin; });
  std::size_t kept = 0;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const Timeline::Cell cell = cells[i];
    if (kept > 0 && cells[kept - 1].bin == cell.bin)
      add_to(cells[kept - 1], cell);
    else
      cells[kept++] = cell;
  }
  cells.resize(kept);
}

}  // namespace

std::uint32_t TimelineCollector::lane_at(std::uint32_t event, Timeline::Of of,
                                         std::uint32_t value) {
  const std::uint32_t node =
      keys_.child(keys_.child(PairTree::kRoot, event * 4 + static_cast<std::uint32_t>(of)), value);
  if (node >= lane_of_node_.size()) lane_of_node_.resize(node + 1, kNone);
  if (lane_of_node_[node] != kNone) return lane_of_node_[node];
  if (free_.empty()) {
    free_.push_back(static_cast<std::uint32_t>(lanes_.size()));
    lanes_.emplace_back();
  }
  const std::uint32_t index = free_.back();
  free_.pop_back();
  lanes_[index] = {event, value, node, of, 0, {}, {}};
  return lane_of_node_[node] = index;
}

void TimelineCollector::widen() {
  width_ *= 2;
  cells_ = 0;
  for (Lane& lane : lanes_) {
    for (Timeline::Cell& cell : lane.cells) cell.bin /= 2;
    put_in_order(lane.cells);
    cells_ += lane.cells.size();
  }
}

/// Returns the bin of a time. Times before the start are in the first bin.
std::uint32_t TimelineCollector::bin_of(std::uint64_t time) {
  if (!start_) start_ = time;
  if (!first_) first_ = time;
  const std::uint64_t since = time > *start_ ? time - *start_ : 0;
  while (since / width_ >= Timeline::kBins) widen();
  return static_cast<std::uint32_t>(since / width_);
}

Timeline::Cell& TimelineCollector::cell(Lane& lane, std::uint64_t time) {
  const std::uint32_t bin = bin_of(time);
  Cells& cells = lane.cells;
  if (!cells.empty() && cells.back().bin == bin) return cells.back();
  auto at = cells.end();
  if (!cells.empty() && cells.back().bin > bin)
    at = std::lower_bound(cells.begin(), cells.end(), bin,
                          [](const Timeline::Cell& one, std::uint32_t b) { return one.bin < b; });
  if (at != cells.end() && at->bin == bin) return *at;
  ++cells_;
  return *cells.insert(at, {bin, 0, 0, 0});
}

/// The half of the threads and CPUs that have fewer samples becomes one lane of each event.
void TimelineCollector::fold() {
  const auto can_fold = [](const Lane& lane) {
    return lane.of != Timeline::Of::event && lane.value != kOthers && lane.sums.samples > 0;
  };
  std::vector<std::uint64_t> sizes;
  for (const Lane& lane : lanes_)
    if (can_fold(lane)) sizes.push_back(lane.sums.samples);
  if (sizes.empty()) return;
  const auto middle = sizes.begin() + static_cast<std::ptrdiff_t>(sizes.size() / 2);
  std::nth_element(sizes.begin(), middle, sizes.end());
  for (std::uint32_t i = 0, end = static_cast<std::uint32_t>(lanes_.size()); i < end; ++i)
    if (can_fold(lanes_[i]) && lanes_[i].sums.samples <= *middle) fold(i);
  cells_ = 0;
  for (Lane& lane : lanes_) {
    if (lane.value == kOthers) put_in_order(lane.cells);
    cells_ += lane.cells.size();
  }
}

/// Its cells are not in order then.
void TimelineCollector::fold(std::uint32_t index) {
  const std::uint32_t into = lane_at(lanes_[index].event, lanes_[index].of, kOthers);
  Lane& others = lanes_[into];
  Lane& from = lanes_[index];
  others.cells.insert(others.cells.end(), from.cells.begin(), from.cells.end());
  others.sums += from.sums;
  ++others.folded;
  lane_of_node_[from.node] = into;
  from = {};
  free_.push_back(index);
}

void TimelineCollector::add(std::uint32_t event, Timeline::Of of, std::uint32_t value,
                            std::uint64_t time, std::uint64_t period) {
  const bool too_many = cells_ > kMostCells || lanes_.size() - free_.size() > kMostLanes;
  if (of != Timeline::Of::event && too_many) fold();
  Lane& to = lanes_[lane_at(event, of, value)];
  to.sums.add(period, time);
  Timeline::Cell& at = cell(to, time);
  ++at.samples;
  at.period += period;
}

void TimelineCollector::add_lost(std::uint32_t event, std::uint64_t time, std::uint64_t count) {
  Lane& to = lanes_[lane_at(event, Timeline::Of::event, 0)];
  to.sums.lost += count;
  cell(to, time).lost += count;
}

Timeline TimelineCollector::timeline(
    const std::function<std::string(Timeline::Of, std::uint32_t value)>& name_of) const {
  Timeline out{first_.value_or(0), width_, {}};
  for (const Lane& lane : lanes_) {
    if (lane.cells.empty()) continue;
    const bool named = lane.of != Timeline::Of::event && lane.value != kOthers;
    out.lanes.push_back({lane.event, lane.of, named ? name_of(lane.of, lane.value) : "",
                         lane.folded, lane.sums, lane.cells});
  }
  std::sort(out.lanes.begin(), out.lanes.end(), [](const auto& a, const auto& b) {
    return std::tuple(a.event, a.of, b.sums.samples, a.name) <
           std::tuple(b.event, b.of, a.sums.samples, b.name);
  });
  return out;
}

}  // namespace evname::report
