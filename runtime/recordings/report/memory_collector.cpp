#include "recordings/report/memory_collector.hpp"

#include <algorithm>
#include <bit>
#include <map>
#include <string>
#include <utility>

namespace evname::report {

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
              [](const MemoryRow& a, const MemoryRow& b) {
                return a.weights.cost != b.weights.cost ? a.weights.cost > b.weights.cost
                                                        : a.value < b.value;
              });
  }
  std::vector<MemoryRow> take() { return std::move(rows_); }

 private:
  std::vector<MemoryRow> rows_;
  std::size_t begin_ = 0;
};

std::vector<MemoryRow> MemoryCollector::rows(const TextPool& texts, const LinePool& lines) const {
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
