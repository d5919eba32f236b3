#include "recordings/report/access_timeline.hpp"

#include <algorithm>
#include <tuple>

#include "recordings/report/data_places.hpp"

namespace evname::report {
namespace {

auto access_place(const SampleGrid::Access& one) {
  return std::tuple(one.event, one.bin, one.line, one.source, one.latency);
}

}  // namespace

void AccessTimeline::add(Cell cell, std::optional<std::uint64_t> time, const TimeBins& like) {
  if (cells_.size() >= next_reduce_) {
    reduce(kKept);
    next_reduce_ = 2 * std::max(kKept, cells_.size());
  }
  time_.begin_like(like);
  if (time) {
    if (const unsigned times = time_.doublings(*time); times > 0) widen(times);
    cell.bin = time_.of(*time);
  }
  cells_.push_back(cell);
}

void AccessTimeline::widen(unsigned times) {
  time_.widen(times);
  for (Cell& cell : cells_) cell.bin = TimeBins::wider(cell.bin, times);
}

void AccessTimeline::merge() {
  std::sort(cells_.begin(), cells_.end(),
            [](const Cell& a, const Cell& b) { return access_place(a) < access_place(b); });
  std::size_t kept = 0;
  for (std::size_t i = 0; i < cells_.size(); ++i) {
    if (kept == 0 || access_place(cells_[kept - 1]) != access_place(cells_[i])) {
      cells_[kept++] = cells_[i];
      continue;
    }
    cells_[kept - 1].samples += cells_[i].samples;
    cells_[kept - 1].weight += cells_[i].weight;
  }
  cells_.resize(kept);
}

bool AccessTimeline::drop_rare_lines(std::uint64_t least) {
  std::vector<std::uint64_t> accesses;
  for (const Cell& cell : cells_) {
    if (cell.line == LinePool::kNone) continue;
    if (cell.line >= accesses.size()) accesses.resize(std::size_t{cell.line} + 1);
    accesses[cell.line] += cell.samples;
  }
  bool is_changed = false;
  for (Cell& cell : cells_)
    if (cell.line != LinePool::kNone && accesses[cell.line] < least) {
      cell.line = LinePool::kNone;
      is_changed = true;
    }
  if (is_changed) merge();
  return std::ranges::any_of(accesses, [&](std::uint64_t count) { return count >= least; });
}

void AccessTimeline::widen_to(std::uint32_t bins, std::size_t most) {
  while (cells_.size() > most && time_.last() > bins) widen(1), merge();
}

void AccessTimeline::reduce(std::size_t most) {
  constexpr std::uint32_t kFineBins = 1024, kFewBins = 64;
  merge();
  widen_to(kFineBins, most);
  bool has_lines = cells_.size() > most && drop_rare_lines(2);
  widen_to(kFewBins, most);
  for (std::uint64_t least = 4; has_lines && cells_.size() > most; least *= 2)
    has_lines = drop_rare_lines(least);
  widen_to(1, most);
}

AccessTimeline AccessTimeline::reduced(std::span<const std::uint32_t> number,
                                       std::size_t most) const {
  AccessTimeline out = *this;
  for (Cell& cell : out.cells_)
    if (cell.line != LinePool::kNone) cell.line = number[cell.line];
  out.reduce(most);
  return out;
}

}  // namespace evname::report
