#include "recordings/report/access_collectors.hpp"

#include <algorithm>
#include <bit>
#include <map>
#include <string>
#include <tuple>
#include <utility>

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

void MemoryCollector::add(const Sample& sample, const FrameKeys& leaf, DataPlaces& data) {
  const auto sampled_weight = sample.weight();
  const std::uint64_t weight = sampled_weight.value_or(0);
  const auto source = sample.data_src();
  (source ? sources_[*source] : without_source_).add(weight);
  (sampled_weight ? latencies_[static_cast<std::size_t>(std::bit_width(weight))] : without_weight_)
      .add(weight);
  functions_[leaf.sym].add(weight);
  places_[leaf.srcline].add(weight);
  symbols_[data.symbol_text(sample)].add(weight);
  const std::uint32_t line = data.place(sample).line;
  if (line == LinePool::kNone) return without_address_.add(weight);
  if (line >= lines_.size()) lines_.resize(line + 1);
  lines_[line].add(weight);
}

/// The rows while they are made.
class MemoryCollector::RowList {
 public:
  void add(SortKey key, std::string value, const Sums& sums) {
    if (sums.samples > 0) rows_.push_back({key, std::move(value), sums.samples, sums.weights});
  }
  void begin() { begin_ = rows_.size(); }
  /// Puts the rows since begin() in order.
  void end() {
    std::sort(rows_.begin() + static_cast<std::ptrdiff_t>(begin_), rows_.end(),
              [](const Report::MemoryRow& a, const Report::MemoryRow& b) {
                return a.weights.cost != b.weights.cost ? a.weights.cost > b.weights.cost
                                                        : a.value < b.value;
              });
  }
  std::vector<Report::MemoryRow> take() { return std::move(rows_); }

 private:
  std::vector<Report::MemoryRow> rows_;
  std::size_t begin_ = 0;
};

std::vector<Report::MemoryRow> MemoryCollector::rows(const TextPool& texts,
                                                     const LinePool& lines) const {
  RowList rows;
  using enum SortKey;
  for (const SortKey key : {op, mem, snoop, tlb, locked, blocked}) {
    std::map<std::string, Sums> by_text;
    for (const auto& [source, sums] : sources_.rows) by_text[source_text(key, source)] += sums;
    rows.begin();
    for (const auto& [text, sums] : by_text) rows.add(key, text, sums);
    rows.add(key, "-", without_source_);
    rows.end();
  }
  for (unsigned bits = 0; bits < latencies_.size(); ++bits)
    rows.add(latency, latency_text(bits), latencies_[bits]);
  rows.add(latency, "-", without_weight_);
  const std::pair<SortKey, const Table*> by_text[] = {
      {sym, &functions_}, {srcline, &places_}, {data_sym, &symbols_}};
  for (const auto& [key, table] : by_text) {
    rows.begin();
    for (const auto& [id, sums] : table->rows)
      rows.add(key, text_of(row_of(key), texts, static_cast<std::uint32_t>(id)), sums);
    rows.end();
  }
  rows.begin();
  for (std::uint32_t line = 0; line < lines_.size(); ++line)
    if (lines_[line].samples > 0)
      rows.add(dcacheline, DataPlaces::text_of(lines, line), lines_[line]);
  rows.add(dcacheline, "-", without_address_);
  rows.end();
  return rows.take();
}

}  // namespace evname::report
