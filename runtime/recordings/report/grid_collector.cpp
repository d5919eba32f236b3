#include "recordings/report/grid_collector.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <numeric>
#include <unordered_map>
#include <utility>

#include "base/sorting.hpp"
#include "recordings/report/grid_lists.hpp"

namespace evname::report {
namespace {

using Kind = SampleGrid::Kind;

constexpr std::uint32_t kOthers = SampleGrid::kOthers;
constexpr std::uint32_t kFineBins = 4096;  // with fewer, samples also have rows by time
constexpr std::size_t kStackItems = 5 << 20;
constexpr std::uint32_t kSpotBins = 1 << 16;
constexpr std::size_t kSpotItems = 2 << 20;

/// Returns how many items a merged list has with its bins, with bins twice as wide, four times as
/// wide, and so on.
template <class List>
std::array<std::size_t, 33> sizes_when_wider(const List& list) {
  std::array<std::size_t, 33> sizes{};
  std::vector<std::uint64_t> met;  // by node or name: the track and bin of the last item
  for (const auto& item : list) {
    const GridPlace place = place_of(item);
    if (place.last >= met.size()) met.resize(std::size_t{place.last} + 1);
    const GridPlace before{std::exchange(met[place.last], place.first), place.last};
    const bool may_meet = track_of(before) == track_of(place) && bin_of(before) > 0;
    if (may_meet) --sizes[std::bit_width((bin_of(before) - 1) ^ (bin_of(place) - 1))];
  }
  sizes[0] = list.size();
  std::partial_sum(sizes.begin(), sizes.end(), sizes.begin());
  return sizes;
}

}  // namespace

// Adding.

std::uint32_t GridCollector::track_of(const At& at) {
  const bool is_folded = at.thread < folded_.size() && folded_[at.thread];
  const std::uint32_t thread = is_folded ? kOthers : at.thread;
  const std::uint32_t of_thread = tracks_.child(tracks_.child(PairTree::kRoot, at.event), thread);
  return tracks_.child(of_thread, cpus_are_folded_ ? kOthers : at.cpu);
}

/// Returns track_of() of a sample, without a search if the thread had it before.
std::uint32_t GridCollector::known_track_of(const At& at) {
  if (at.thread >= kOthers) return track_of(at);
  if (at.thread >= known_tracks_.size())
    known_tracks_.resize(std::size_t{at.thread} + 1, {SampleGrid::kNone, 0, 0});
  if (at.thread >= pids_.size()) pids_.resize(std::size_t{at.thread} + 1, -1);
  pids_[at.thread] = at.pid;
  const std::uint32_t cpu = cpus_are_folded_ ? kOthers : at.cpu;
  KnownTrack& known = known_tracks_[at.thread];
  if (known.event != at.event || known.cpu != cpu) known = {at.event, cpu, track_of(at)};
  return known.track;
}

std::uint32_t GridCollector::bin_of(std::uint64_t time) {
  if (const unsigned times = time_.doublings(time); times > 0) widen(times);
  return time_.of(time);
}

void GridCollector::add(const At& at, std::uint32_t node, std::uint64_t period) {
  const std::uint32_t bin = at.time ? bin_of(*at.time) : 0;
  const Cell cell = {known_track_of(at), bin, node, 1, period};
  if (!cells_.empty() && place_of(cells_.back()) == place_of(cell))
    add_to(cells_.back(), cell);
  else
    cells_.push_back(cell);
  if (counts_) add_to_rows(cell, at.time);
  if (at.spot != SampleGrid::kNone) add_spot(at, cell);
}

void GridCollector::add_spot(const At& at, const Cell& cell) {
  if (!spots_) spots_.emplace(time_, kSpotBins, kSpotItems);
  spots_->add(at.time ? spots_->bin_of(*at.time) : 0, spot_tracks_.child(at.spot, cell.track),
              cell.samples, cell.period);
}

void GridCollector::add_loss(std::uint64_t time, SampleGrid::Loss loss) {
  constexpr std::size_t kMany = 1 << 18;
  if (losses_.size() > std::max(2 * merged_losses_, kMany)) {
    merge_list(losses_);
    merged_losses_ = losses_.size();
  }
  loss.bin = counts_ ? narrow_bin_of(time) : bin_of(time);
  losses_.push_back(loss);
}

// Becoming smaller.

void GridCollector::merge() {
  merge_list(cells_);
  merge_list(hidden_);
  merge_list(losses_);
  merged_cells_ = cells_.size();
  merged_hidden_ = hidden_.size();
}

void GridCollector::widen(unsigned times) {
  time_.widen(times);
  const auto wider = [&](std::uint32_t& bin) { bin = TimeBins::wider(bin, times); };
  for (Cell& one : cells_) wider(one.bin);
  for (Hidden& one : hidden_) wider(one.bin);
  if (counts_) return;  // losses have their bins
  for (SampleGrid::Loss& one : losses_) wider(one.bin);
}

/// Returns the samples of each thread that is not among the others.
std::unordered_map<std::uint32_t, std::uint64_t> GridCollector::samples_of_threads() const {
  std::vector<std::uint64_t> of_track(tracks_.size());
  for (const Cell& one : cells_) of_track[one.track] += one.samples;
  std::unordered_map<std::uint32_t, std::uint64_t> samples;
  for (std::uint32_t track = 0; track < of_track.size(); ++track)
    if (of_track[track] > 0 && thread_of(track) < kOthers)
      samples[thread_of(track)] += of_track[track];
  return samples;
}

/// Merges all threads except the `kept` ones with most samples; if `kept` is 0, also the CPUs.
void GridCollector::fold(std::size_t kept) {
  std::vector<std::pair<std::uint64_t, std::uint32_t>> order;
  for (const auto& [thread, samples] : samples_of_threads()) order.emplace_back(samples, thread);
  sort_stably(order, std::greater<>());
  for (std::size_t i = kept; i < order.size(); ++i) {
    if (order[i].second >= folded_.size()) folded_.resize(std::size_t{order[i].second} + 1);
    folded_[order[i].second] = true;
  }
  fold_again();
}

/// Moves cells to the tracks that they have since threads or CPUs were folded.
void GridCollector::fold_again() {
  known_tracks_.clear();
  const auto folded = [&](std::uint32_t& track) {
    const std::uint32_t thread = thread_of(track), cpu = tracks_[track].value;
    track = track_of({event_of(track), thread, -1, cpu});
  };
  for (Cell& one : cells_) folded(one.track);
  for (Hidden& one : hidden_) folded(one.track);
  if (counts_) counts_->renumber([&](std::uint32_t track) { return folded(track), track; });
  if (!spots_) return;
  spots_->renumber([&](std::uint32_t number) {
    auto [spot, track] = spot_tracks_[number];
    folded(track);
    return spot_tracks_.child(spot, track);
  });
}

/// Maps each node to one of the `kept` nodes: the nodes with most of their event's samples in or
/// below them. A parent has at least the samples of its children, so they form a tree.
std::vector<std::uint32_t> GridCollector::kept_nodes(std::size_t most, const FramePool& frames,
                                                     PairTree& kept) const {
  std::unordered_map<std::uint32_t, std::uint64_t> totals;
  for (const Cell& one : cells_) totals[event_of(one.track)] += one.samples;
  std::vector<double> weights(nodes_.size());
  for (const Cell& one : cells_)
    weights[one.node] +=
        static_cast<double>(one.samples) / static_cast<double>(totals[event_of(one.track)]);
  for (std::uint32_t node = nodes_.size() - 1; node > 0; --node)
    weights[nodes_[node].parent] += weights[node];
  std::vector<double> sorted = weights;
  // Half of them, since each may get a child for the stacks cut below it.
  const auto last = sorted.begin() + static_cast<std::ptrdiff_t>(most / 2);
  std::nth_element(sorted.begin(), last, sorted.end(), std::greater<>());
  const double least = *last;

  std::vector<std::uint32_t> moved(nodes_.size());
  for (std::uint32_t node = 1; node < nodes_.size(); ++node) {
    const std::uint32_t parent = moved[nodes_[node].parent], frame = nodes_[node].value;
    if (parent != PairTree::kRoot && kept[parent].value == kCut)
      moved[node] = parent;
    else if (weights[node] > least || frame == kCut)
      moved[node] = kept.child(parent, frame);
    else  // a cut line keeps its function
      moved[node] = frames[frame].kind == Kind::line ? parent : kept.child(parent, kCut);
  }
  return moved;
}

/// Counts a sample with a cut stack for the functions that were cut off.
void GridCollector::hide(const Cell& cell, const std::vector<std::uint32_t>& moved,
                         const PairTree& kept, const FramePool& frames) {
  ++round_;
  const auto is_new = [&](std::uint32_t name) {
    if (name >= seen_.size()) seen_.resize(std::max<std::size_t>(name + 1, seen_.size() * 2));
    return std::exchange(seen_[name], round_) != round_;
  };
  std::uint32_t node = moved[cell.node];
  for (node = kept[node].parent; node != PairTree::kRoot; node = kept[node].parent)
    if (frames[kept[node].value].kind == Kind::function) is_new(frames[kept[node].value].name);
  bool is_leaf = nodes_[cell.node].value != kCut;
  for (node = cell.node; node != PairTree::kRoot && kept[moved[node]].value == kCut;
       node = nodes_[node].parent) {
    const FramePool::Frame& frame = frames[nodes_[node].value];
    if (frame.kind != Kind::function) continue;
    Hidden one = {cell.track, cell.bin, frame.name, 0, 0, 0, 0};
    if (is_leaf) {
      one.samples = cell.samples;
      one.period = cell.period;
    }
    if (is_new(frame.name)) {
      one.all_samples = cell.samples;
      one.all_period = cell.period;
    }
    if (is_leaf || one.all_samples > 0) hidden_.push_back(one);
    is_leaf = false;
    if (hidden_.size() > std::max<std::size_t>(2 * merged_hidden_, kKept.cells)) {
      merge_list(hidden_);
      merged_hidden_ = hidden_.size();
    }
  }
}

void GridCollector::cut(std::size_t most, const FramePool& frames) {
  if (nodes_.size() <= most) return;
  end_stacks(frames);
  PairTree kept;
  const std::vector<std::uint32_t> moved = kept_nodes(most, frames, kept);
  for (Cell& one : cells_) {
    const std::uint32_t to = moved[one.node];
    if (to != PairTree::kRoot && kept[to].value == kCut) {
      hide(one, moved, kept, frames);
      if (nodes_[one.node].value != kCut) cut_ += one.samples;
    }
    one.node = to;
  }
  nodes_ = std::move(kept);
  ++cuts_;
}

/// Makes bins twice as wide until there are at most `bins`, or `most` cells.
void GridCollector::widen_to(std::uint32_t bins, std::size_t most) {
  const auto cells = sizes_when_wider(cells_), hidden = sizes_when_wider(hidden_);
  unsigned times = 1;
  while (std::max(cells[times], hidden[times]) > most && (time_.last() - 1) >> times >= bins)
    ++times;
  widen(times);
}

std::size_t GridCollector::threads_with_cells() const {
  std::vector<bool> met;
  for (const Cell& one : cells_) {
    const std::uint32_t thread = thread_of(one.track);
    if (thread >= kOthers) continue;
    if (thread >= met.size()) met.resize(std::size_t{thread} + 1);
    met[thread] = true;
  }
  return static_cast<std::size_t>(std::ranges::count(met, true));
}

/// Makes the next thing coarser, as there are more than `most` cells. Returns false if nothing is
/// left to make coarser.
bool GridCollector::coarsen(Sums sums, std::size_t most, const FramePool& frames) {
  enum class Thing : std::uint8_t { bins, nodes, cpus, threads };
  struct Step {
    Thing thing;
    std::uint32_t until;
  };
  // Times and threads are what readers select; many threads are of more use than many times.
  static constexpr Step kSteps[] = {
      {Thing::bins, kFineBins}, {Thing::bins, 64},   {Thing::cpus, 0},        {Thing::bins, 8},
      {Thing::threads, 128},    {Thing::bins, 1},    {Thing::nodes, 1 << 12}, {Thing::threads, 8},
      {Thing::nodes, 1 << 8},   {Thing::threads, 0}, {Thing::nodes, 2}};
  static constexpr Step kStepsOfCounts[] = {
      {Thing::bins, kFineBins}, {Thing::threads, 512}, {Thing::cpus, 0},
      {Thing::threads, 128},    {Thing::bins, 1024},   {Thing::threads, 8},
      {Thing::bins, 64},        {Thing::threads, 0},   {Thing::bins, 1}};
  const bool of_cells = sums == Sums::cells, may_cut = cells_.size() > most;
  const std::size_t threads = threads_with_cells();
  const std::uint32_t bins = of_cells ? time_.last() : counts_->time().last();
  for (const auto& [thing, until] :
       of_cells ? std::span<const Step>(kSteps) : std::span<const Step>(kStepsOfCounts)) {
    if (thing == Thing::bins && bins > until && !of_cells)
      widen_counts();
    else if (thing == Thing::bins && bins > until)
      widen_to(until, most);
    else if (thing == Thing::nodes && may_cut && nodes_.size() > until)
      cut(nodes_.size() / 2, frames);
    else if (thing == Thing::cpus && !std::exchange(cpus_are_folded_, true))
      fold(threads);
    else if (thing == Thing::threads && threads > until)
      fold(until > 0 ? std::max<std::size_t>(threads / 2, until) : threads / 2);
    else
      continue;
    return true;
  }
  return false;
}

/// Begins to count samples by thread alone and by stack alone, in bins that stay narrower.
void GridCollector::begin_rows() {
  counts_.emplace(time_, kFineBins, SIZE_MAX);  // see make_room()
  stacks_.emplace(time_, kFineBins, kStackItems);
  std::vector<Cell, BigPages<Cell>> by_time(cells_.size());
  gather(
      cells_, [](const Cell& one) { return one.bin; }, by_time);
  for (const Cell& one : by_time) {
    counts_->add(one.bin, one.track, one.samples, one.period);
    stacks_->add(one.bin, timed_number(one), one.samples, one.period);
  }
}

/// Returns the number of a stack and its event, without a search if the stack's last sample was of
/// the same event.
std::uint32_t GridCollector::timed_number(const Cell& cell) {
  if (cell.node >= last_timed_.size())
    last_timed_.resize(std::max(cell.node + std::size_t{1}, last_timed_.size() * 2));
  std::uint32_t& number = last_timed_[cell.node];
  const std::uint32_t event = event_of(cell.track);
  if (number == 0 || timed_[number].value != event) number = timed_.child(cell.node, event);
  return number;
}

/// Returns the bin of a time in the counts, which losses have, too.
std::uint32_t GridCollector::narrow_bin_of(std::uint64_t time) {
  const unsigned before = counts_->time().width_bits();
  const std::uint32_t bin = counts_->bin_of(time);
  if (const unsigned times = counts_->time().width_bits() - before; times > 0)
    for (SampleGrid::Loss& one : losses_) one.bin = TimeBins::wider(one.bin, times);
  return bin;
}

void GridCollector::add_to_rows(const Cell& cell, std::optional<std::uint64_t> time) {
  counts_->add(time ? narrow_bin_of(*time) : 0, cell.track, cell.samples, cell.period);
  if (stacks_)
    stacks_->add(time ? stacks_->bin_of(*time) : 0, timed_number(cell), cell.samples, cell.period);
}

void GridCollector::widen_counts() {
  counts_->widen(1);
  for (SampleGrid::Loss& one : losses_) one.bin = TimeBins::wider(one.bin, 1);
}

void GridCollector::reduce_counts(std::size_t most, const FramePool& frames) {
  while (counts_->size() > most && coarsen(Sums::counts, most, frames)) merge();
}

void GridCollector::reduce(const GridLimits& limits, const FramePool& frames) {
  merge();
  if (nodes_.size() > limits.nodes) {
    cut(limits.nodes, frames);
    merge();
  }
  while (std::max(cells_.size(), hidden_.size()) > limits.cells) {
    if (!counts_ && time_.last() > 1 && time_.last() <= kFineBins) begin_rows();
    if (!coarsen(Sums::cells, limits.cells, frames)) break;
    merge();
  }
}

}  // namespace evname::report
