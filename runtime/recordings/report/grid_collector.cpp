#include "recordings/report/grid_collector.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <numeric>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "base/sorting.hpp"

namespace evname::report {
namespace {

using Kind = SampleGrid::Kind;

constexpr std::uint32_t kNone = SampleGrid::kNone, kOthers = SampleGrid::kOthers;

/// Numbers that compare as the list is ordered.
struct Place {
  std::uint64_t first;
  std::uint32_t last;

  bool operator==(const Place&) const = default;
  bool operator<(const Place& other) const {
    return first != other.first ? first < other.first : last < other.last;
  }
};
Place place_of(const SampleGrid::Cell& one) {
  return {std::uint64_t{one.track} << 32 | one.bin, one.node};
}
/// As a SampleGrid has its cells.
Place place_in_grid(const SampleGrid::Cell& one) {
  return {std::uint64_t{one.track} << 32 | one.node, one.bin};
}
Place place_of(const SampleGrid::Hidden& one) {
  return {std::uint64_t{one.track} << 32 | one.bin, one.name};
}
Place place_of(const SampleGrid::Loss& one) { return {one.event, one.bin}; }

void add_to(SampleGrid::Cell& to, const SampleGrid::Cell& from) {
  to.samples += from.samples;
  to.period += from.period;
}
void add_to(SampleGrid::Hidden& to, const SampleGrid::Hidden& from) {
  to.samples += from.samples;
  to.period += from.period;
  to.all_samples += from.all_samples;
  to.all_period += from.all_period;
}
void add_to(SampleGrid::Loss& to, const SampleGrid::Loss& from) {
  to.lost += from.lost;
  to.throttled += from.throttled;
  to.switches += from.switches;
}

std::uint32_t track_of(const Place& place) { return static_cast<std::uint32_t>(place.first >> 32); }
std::uint32_t bin_of(const Place& place) { return static_cast<std::uint32_t>(place.first); }

/// Copies a list in the order of a number; items with the same number remain in theirs.
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

/// Puts a list in the order of its tracks; those of a track remain in theirs.
template <class List>
void gather_tracks(List& list) {
  List gathered(list.size());
  gather(
      list, [](const auto& item) { return track_of(place_of(item)); }, gathered);
  list.swap(gathered);
}

/// Sorts a list by place. Samples come in order of time, and bins that were in order still are when
/// they are made wider, so that mostly the few items of a bin are left to sort.
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

/// Sorts a list and makes those of the same place one.
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

/// Returns how many items a merged list will have when its bins are twice as wide, four times, and
/// so on; the first number is that of now.
template <class List>
std::array<std::size_t, 33> sizes_when_wider(const List& list) {
  std::array<std::size_t, 33> sizes{};
  std::vector<std::uint64_t> met;  // by node or name: the track and bin of the last item
  for (const auto& item : list) {
    const Place place = place_of(item);
    if (place.last >= met.size()) met.resize(std::size_t{place.last} + 1);
    const Place before{std::exchange(met[place.last], place.first), place.last};
    const bool may_meet = track_of(before) == track_of(place) && bin_of(before) > 0;
    if (may_meet) --sizes[std::bit_width((bin_of(before) - 1) ^ (bin_of(place) - 1))];
  }
  sizes[0] = list.size();
  std::partial_sum(sizes.begin(), sizes.end(), sizes.begin());
  return sizes;
}

/// Numbers that replace others, in the order in which they are asked for.
class Renumbering {
 public:
  std::uint32_t operator()(std::uint32_t old) {
    if (old == kNone) return kNone;
    if (old >= numbers_.size()) numbers_.resize(std::size_t{old} + 1, kNone);
    if (numbers_[old] == kNone) {
      numbers_[old] = static_cast<std::uint32_t>(order.size());
      order.push_back(old);
    }
    return numbers_[old];
  }
  std::vector<std::uint32_t> order;  ///< the replaced ones

 private:
  std::vector<std::uint32_t> numbers_;
};

/// Returns the nodes of a tree so that each is followed by those below it.
std::vector<std::uint32_t> depth_first(const PairTree& tree) {
  const std::uint32_t size = tree.size();
  std::vector<std::uint32_t> next(size, kNone), first(size, kNone), order, open = {0};
  for (std::uint32_t node = size; --node > 0;) {
    next[node] = first[tree[node].parent];
    first[tree[node].parent] = node;
  }
  order.reserve(size);
  while (!open.empty()) {
    const std::uint32_t node = open.back();
    open.pop_back();
    order.push_back(node);
    if (node != 0 && next[node] != kNone) open.push_back(next[node]);
    if (first[node] != kNone) open.push_back(first[node]);
  }
  return order;
}

/// Writes the members of a SampleGrid, with numbers of their own.
class GridWriter {
 public:
  GridWriter(SampleGrid& out, const GridNames& names) : out_(out), names_(names) {}

  /// Returns the number of each node.
  std::vector<std::uint32_t> add_nodes(const PairTree& nodes) {
    const std::vector<std::uint32_t> order = depth_first(nodes);
    const std::vector<std::uint32_t> frames = by_use(nodes);
    std::vector<std::uint32_t> number(nodes.size());
    out_.nodes.reserve(order.size());
    for (const std::uint32_t old : order) {
      number[old] = static_cast<std::uint32_t>(out_.nodes.size());
      out_.nodes.push_back(
          old == 0 ? SampleGrid::Node{0, kNone}
                   : SampleGrid::Node{number[nodes[old].parent], frames[nodes[old].value]});
    }
    out_.nodes[0].frame = static_cast<std::uint32_t>(out_.frames.size());
    out_.frames.push_back({Kind::thread});
    return number;
  }
  /// Returns the number of a text.
  std::uint32_t text(std::uint32_t old) { return texts_(old); }

  void add_texts() {
    for (const std::uint32_t old : texts_.order) out_.texts.push_back(names_.texts[old]);
  }
  void add_thread(std::uint32_t thread, std::int32_t pid) {
    const PairTree::Node& node = names_.threads[thread];
    out_.threads.push_back({names_.texts[names_.threads[node.parent].value], pid,
                            static_cast<std::int32_t>(node.value)});
  }

 private:
  /// Returns the number of each frame: those of most nodes come first, as small numbers are short.
  std::vector<std::uint32_t> by_use(const PairTree& nodes) {
    std::vector<std::uint32_t> uses, order, number;
    for (std::uint32_t node = 1; node < nodes.size(); ++node) {
      const std::uint32_t frame = nodes[node].value;
      if (frame >= uses.size()) uses.resize(std::size_t{frame} + 1);
      if (uses[frame]++ == 0) order.push_back(frame);
    }
    std::ranges::stable_sort(order, [&](auto a, auto b) { return uses[a] > uses[b]; });
    number.resize(uses.size());
    for (const std::uint32_t old : order) {
      number[old] = static_cast<std::uint32_t>(out_.frames.size());
      const SampleGrid::Frame& frame = names_.frames[old];
      out_.frames.push_back(
          {frame.kind, texts_(frame.name), texts_(frame.dso), texts_(frame.source)});
    }
    return number;
  }

  SampleGrid& out_;
  const GridNames& names_;
  Renumbering texts_;
};

}  // namespace

// Adding.

std::uint32_t GridCollector::track_of(const At& at) {
  if (at.thread < kOthers) {
    if (at.thread >= pids_.size()) pids_.resize(std::size_t{at.thread} + 1, -1);
    pids_[at.thread] = at.pid;
  }
  Recent& recent = recent_[(at.thread * 7 + at.cpu * 3 + at.event) % recent_.size()];
  if (recent.track == PairTree::kRoot || recent.event != at.event || recent.thread != at.thread ||
      recent.cpu != at.cpu)
    recent = {at.event, at.thread, at.cpu, find_track(at)};
  return recent.track;
}

std::uint32_t GridCollector::find_track(const At& at) {
  const bool is_folded = at.thread < folded_.size() && folded_[at.thread];
  const std::uint32_t thread = is_folded ? kOthers : at.thread;
  const std::uint32_t of_thread = tracks_.child(tracks_.child(PairTree::kRoot, at.event), thread);
  return tracks_.child(of_thread, cpus_are_folded_ ? kOthers : at.cpu);
}

std::uint32_t GridCollector::bin_of(std::uint64_t time) {
  if (const unsigned times = time_.doublings(time); times > 0) widen(times);
  return time_.of(time);
}

void GridCollector::add(const At& at, std::uint32_t node, std::uint64_t period) {
  const std::uint32_t bin = at.time ? bin_of(*at.time) : 0;
  const Cell cell = {track_of(at), bin, node, 1, period};
  if (!cells_.empty() && place_of(cells_.back()) == place_of(cell))
    add_to(cells_.back(), cell);
  else
    cells_.push_back(cell);
}

void GridCollector::add_loss(std::uint64_t time, SampleGrid::Loss loss) {
  constexpr std::size_t kMany = 1 << 18;
  if (losses_.size() > std::max(2 * merged_losses_, kMany)) {
    merge_list(losses_);
    merged_losses_ = losses_.size();
  }
  loss.bin = bin_of(time);
  losses_.push_back(loss);
}

// Becoming smaller.

void GridCollector::merge() {
  merge_list(cells_);
  merge_list(hidden_);
  merge_list(losses_);
  merged_hidden_ = hidden_.size();
}

void GridCollector::widen(unsigned times) {
  time_.widen(times);
  const auto wider = [&](std::uint32_t& bin) { bin = TimeBins::wider(bin, times); };
  for (Cell& one : cells_) wider(one.bin);
  for (Hidden& one : hidden_) wider(one.bin);
  for (SampleGrid::Loss& one : losses_) wider(one.bin);
}

/// Returns the samples of each thread that is none of the others.
std::unordered_map<std::uint32_t, std::uint64_t> GridCollector::samples_of_threads() const {
  std::vector<std::uint64_t> of_track(tracks_.size());
  for (const Cell& one : cells_) of_track[one.track] += one.samples;
  std::unordered_map<std::uint32_t, std::uint64_t> samples;
  for (std::uint32_t track = 0; track < of_track.size(); ++track)
    if (of_track[track] > 0 && thread_of(track) < kOthers)
      samples[thread_of(track)] += of_track[track];
  return samples;
}

/// Makes the threads with fewest samples one, all but `kept`; and the CPUs, if `kept` is 0.
void GridCollector::fold(std::size_t kept) {
  std::vector<std::pair<std::uint64_t, std::uint32_t>> order;
  for (const auto& [thread, samples] : samples_of_threads()) order.emplace_back(samples, thread);
  sort_stably(order, std::greater<>());
  for (std::size_t i = kept; i < order.size(); ++i) {
    if (order[i].second >= folded_.size()) folded_.resize(std::size_t{order[i].second} + 1);
    folded_[order[i].second] = true;
  }
  recent_.fill({});
  const auto folded = [&](std::uint32_t& track) {
    const std::uint32_t thread = thread_of(track), cpu = tracks_[track].value;
    track = track_of({event_of(track), thread, thread < pids_.size() ? pids_[thread] : -1, cpu});
  };
  for (Cell& one : cells_) folded(one.track);
  for (Hidden& one : hidden_) folded(one.track);
}

/// Returns for each node the one of `kept` that it becomes. Those are kept that most of their
/// event's samples are in or below; a parent has at least what its children have, so they are a
/// tree.
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
  // Half of them, as each may get a child that has what is cut off below it.
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
    else  // of a line, the function remains
      moved[node] = frames[frame].kind == Kind::line ? parent : kept.child(parent, kCut);
  }
  return moved;
}

/// Counts a sample whose stack is cut for the functions that it loses.
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
    if (is_leaf) one.samples = cell.samples, one.period = cell.period;
    if (is_new(frame.name)) one.all_samples = cell.samples, one.all_period = cell.period;
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

/// Makes the next thing coarser, as there are more than `most` cells. Returns false if nothing is
/// left to make coarser.
bool GridCollector::coarsen(std::size_t most, const FramePool& frames) {
  const bool may_cut = cells_.size() > most;
  constexpr std::uint32_t kFineBins = 512, kFewBins = 64, kFewestBins = 8, kFewNodes = 1 << 12;
  constexpr std::size_t kFewThreads = 64, kFewestThreads = 8;
  if (time_.last() > kFineBins) return widen_to(kFineBins, most), true;
  if (may_cut && nodes_.size() > kFewNodes) return cut(nodes_.size() / 2, frames), true;
  if (time_.last() > kFewBins) return widen_to(kFewBins, most), true;
  std::size_t threads = 0;
  std::vector<bool> met;
  for (const Cell& one : cells_) {
    const std::uint32_t thread = thread_of(one.track);
    if (thread >= kOthers) continue;
    if (thread >= met.size()) met.resize(std::size_t{thread} + 1);
    if (!met[thread]) met[thread] = true, ++threads;
  }
  if (threads > kFewThreads) return fold(threads / 2), true;
  if (!std::exchange(cpus_are_folded_, true)) return fold(threads), true;
  if (threads > kFewestThreads) return fold(threads / 2), true;
  if (time_.last() > kFewestBins) return widen_to(kFewestBins, most), true;
  if (threads > 0) return fold(threads / 2), true;
  if (time_.last() > 1) return widen_to(1, most), true;
  if (may_cut && nodes_.size() > 2) return cut(nodes_.size() / 2, frames), true;
  return false;
}

void GridCollector::reduce(const GridLimits& limits, const FramePool& frames) {
  merge();
  if (nodes_.size() > limits.nodes) {
    cut(limits.nodes, frames);
    merge();
  }
  while (std::max(cells_.size(), hidden_.size()) > limits.cells && coarsen(limits.cells, frames))
    merge();
}

/// Returns the threads of the grid, those of most samples first.
std::vector<std::uint32_t> GridCollector::threads_by_samples() const {
  auto samples = samples_of_threads();
  std::vector<std::uint32_t> threads;
  for (const auto& [thread, count] : samples) threads.push_back(thread);
  sort_stably(threads, [&](auto a, auto b) {
    return std::tuple(samples[b], a) < std::tuple(samples[a], b);
  });
  return threads;
}

/// Adds the tracks that have cells, by event, thread and CPU. `threads` are those of the grid.
/// Returns the number of each track.
std::vector<std::uint32_t> GridCollector::add_tracks(std::span<const std::uint32_t> threads,
                                                     std::vector<SampleGrid::Track>& out) const {
  std::unordered_map<std::uint32_t, std::uint32_t> thread_number;
  for (const std::uint32_t thread : threads)
    thread_number.emplace(thread, static_cast<std::uint32_t>(thread_number.size()));
  const auto track = [&](std::uint32_t at) {
    const std::uint32_t thread = thread_of(at);
    return SampleGrid::Track{event_of(at), thread < kOthers ? thread_number[thread] : thread,
                             tracks_[at].value};
  };
  std::vector<bool> used(tracks_.size());
  for (const Cell& one : cells_) used[one.track] = true;
  std::vector<std::uint32_t> tracks;
  for (std::uint32_t at = 0; at < used.size(); ++at)
    if (used[at]) tracks.push_back(at);
  sort_stably_by(tracks, [&](std::uint32_t at) {
    const SampleGrid::Track one = track(at);
    return std::tuple(one.event, one.thread, one.cpu);
  });
  std::vector<std::uint32_t> number(tracks_.size());
  for (const std::uint32_t at : tracks) {
    number[at] = static_cast<std::uint32_t>(out.size());
    out.push_back(track(at));
  }
  return number;
}

/// Returns the cells in the order that a SampleGrid has them in, with other numbers of nodes and
/// tracks.
std::vector<SampleGrid::Cell> GridCollector::cells_with(
    std::span<const std::uint32_t> nodes, std::span<const std::uint32_t> tracks) const {
  std::vector<Cell, BigPages<Cell>> by_node(cells_.size());
  gather(
      cells_, [&](const Cell& one) { return nodes[one.node]; }, by_node);
  std::vector<Cell> out;
  out.reserve(by_node.size());
  use_big_pages(out.data(), by_node.size() * sizeof(Cell));
  out.resize(by_node.size());
  gather(
      by_node, [&](const Cell& one) { return tracks[one.track]; }, out);
  for (Cell& one : out) one.node = nodes[one.node], one.track = tracks[one.track];
  merge_list(out, place_in_grid);
  return out;
}

SampleGrid GridCollector::grid(const GridNames& names, const GridLimits& limits) const {
  if (nodes_.size() > limits.nodes || std::max(cells_.size(), hidden_.size()) > limits.cells) {
    GridCollector small = *this;
    small.reduce(limits, names.frames);
    return small.whole_grid(names);
  }
  return whole_grid(names);
}

SampleGrid GridCollector::whole_grid(const GridNames& names) const {
  SampleGrid out;
  out.first = time_.first();
  out.width = time_.width();
  out.cut = cut_;
  out.folded_threads = static_cast<std::uint32_t>(std::ranges::count(folded_, true));
  GridWriter writer(out, names);
  const std::vector<std::uint32_t> nodes = writer.add_nodes(nodes_);
  const std::vector<std::uint32_t> threads = threads_by_samples();
  for (const std::uint32_t thread : threads) writer.add_thread(thread, pids_[thread]);
  const std::vector<std::uint32_t> tracks = add_tracks(threads, out.tracks);
  out.cells = cells_with(nodes, tracks);
  out.hidden = hidden_;
  for (Hidden& one : out.hidden) one.track = tracks[one.track], one.name = writer.text(one.name);
  merge_list(out.hidden);
  out.losses = losses_;
  merge_list(out.losses);
  writer.add_texts();
  return out;
}

}  // namespace evname::report
