#include <algorithm>
#include <tuple>
#include <unordered_map>

#include "base/sorting.hpp"
#include "recordings/report/grid_collector.hpp"
#include "recordings/report/grid_lists.hpp"

namespace evname::report {
namespace {

using Kind = SampleGrid::Kind;

constexpr std::uint32_t kNone = SampleGrid::kNone;

/// Renumbers in the order of use.
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

/// Returns the nodes of a tree in the order of their paths: each is followed by its descendants.
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

/// Writes the members of a SampleGrid with new numbers.
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
  /// Returns the number of each frame. Frames with most nodes come first, since small numbers are
  /// short.
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

/// Returns the threads of the grid by falling number of samples.
std::vector<std::uint32_t> GridCollector::threads_by_samples() const {
  auto samples = samples_of_threads();
  std::vector<std::uint32_t> threads;
  for (const auto& [thread, count] : samples) threads.push_back(thread);
  sort_stably(threads, [&](auto a, auto b) {
    return std::tuple(samples[b], a) < std::tuple(samples[a], b);
  });
  return threads;
}

/// Adds the tracks that have cells, by event, thread and CPU. Returns the number of each track.
std::vector<std::uint32_t> GridCollector::add_tracks(std::span<const std::uint32_t> threads,
                                                     std::vector<SampleGrid::Track>& out) const {
  std::unordered_map<std::uint32_t, std::uint32_t> thread_number;
  for (const std::uint32_t thread : threads)
    thread_number.emplace(thread, static_cast<std::uint32_t>(thread_number.size()));
  const auto track = [&](std::uint32_t at) {
    const std::uint32_t thread = thread_of(at);
    return SampleGrid::Track{event_of(at),
                             thread < SampleGrid::kOthers ? thread_number[thread] : thread,
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

/// Returns the cells in the order of a SampleGrid, with new numbers of nodes and tracks.
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
  const bool fits = nodes_.size() <= limits.nodes && cells_.size() <= limits.cells &&
                    hidden_.size() <= limits.cells && functions_.size() <= limits.functions &&
                    !stacks_ && (!counts_ || counts_->size() <= limits.counts);
  if (fits) return whole_grid(names);
  GridCollector small = *this;
  small.finish(limits, names.frames);
  return small.whole_grid(names);
}

SampleGrid GridCollector::whole_grid(const GridNames& names) const {
  SampleGrid out;
  out.first = time_.first();
  out.width = out.fine_width = time_.width();
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
  if (counts_) {
    counts_->for_each([&](std::uint32_t bin, const TimeRows::Item& one) {
      out.counts.push_back({tracks[one.number], bin, 0, one.samples, one.period});
    });
    merge_list(out.counts);
    out.fine_width = counts_->time().width();
  }
  if (spots_) {
    spots_->for_each([&](std::uint32_t bin, const TimeRows::Item& one) {
      const auto [spot, track] = spot_tracks_[one.number];
      out.spots.push_back({tracks[track], bin, spot, one.samples, one.period});
    });
    merge_list(out.spots, place_in_grid);
    out.spot_width = spots_->time().width();
  }
  out.function_width = function_width_;
  out.functions = functions_;
  for (Hidden& one : out.functions) {
    one.track = static_cast<std::uint32_t>(
        std::ranges::find(out.tracks, one.track, &SampleGrid::Track::event) - out.tracks.begin());
    one.name = writer.text(one.name);
  }
  merge_list(out.functions);
  merge_list(out.losses);
  writer.add_texts();
  return out;
}

}  // namespace evname::report
