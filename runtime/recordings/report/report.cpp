#include "evname/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <tuple>
#include <unordered_map>

#include "base/sorting.hpp"
#include "recordings/report/report_state.hpp"
#include "recordings/report/sort_keys.hpp"

namespace evname {
namespace {

using report::State;

bool has_key(const State& state, SortKey key) {
  const auto& keys = state.options.keys;
  return std::find(keys.begin(), keys.end(), key) != keys.end();
}

std::string text_of(const State& state, SortKey key, std::uint32_t value) {
  return key == SortKey::event ? state.events[value].name
                               : report::text_of(report::row_of(key), state.texts, value);
}

std::vector<Report::Row> rows_of(const State& state) {
  std::vector<Report::Row> rows;
  const auto& keys = state.options.keys;
  rows.reserve(state.table.rows.size());
  for (const report::RowTable::Row& from : state.table.rows) {
    Report::Row& row = rows.emplace_back();
    static_cast<SampleSums&>(row) = from.sums;
    row.event = from.event;
    row.children = from.children;
    row.children_period = from.children_period;
    row.weights = from.weights;
    row.branches = from.branches;
    row.keys.resize(keys.size());
    std::uint32_t node = from.node;
    for (std::size_t i = keys.size(); i-- > 0; node = state.table.keys[node].parent)
      row.keys[i] = text_of(state, keys[i], state.table.keys[node].value);
  }
  return rows;
}

/// Adds a row for each event without one. Its other keys are unknown, since there is no sample.
void add_empty_events(const State& state, std::vector<Report::Row>& rows) {
  std::vector<bool> has_row(state.events.size());
  for (const Report::Row& row : rows) has_row[row.event] = true;
  for (std::size_t i = 0; i < state.events.size(); ++i) {
    if (has_row[i] || !state.wanted[i]) continue;
    Report::Row& row = rows.emplace_back();
    row.event = i;
    for (const SortKey key : state.options.keys)
      row.keys.push_back(key == SortKey::event ? state.events[i].name
                         : key == SortKey::pmu ? state.events[i].event.pmu
                                               : "-");
  }
}

/// The number that sorts rows, and that shares are parts of: samples, or the time of waits.
using Weight = std::uint64_t SampleSums::*;

Weight weight_of(const State& state) {
  return state.options.pass.waits ? &SampleSums::period : &SampleSums::samples;
}

/// The place of each event by falling weight.
std::vector<std::size_t> ranks_of(const std::vector<Report::Event>& events, Weight weight) {
  std::vector<std::size_t> order(events.size()), ranks(events.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  sort_stably(order, [&](std::size_t a, std::size_t b) {
    const std::uint64_t one = events[a].*weight, other = events[b].*weight;
    return one != other ? one > other : events[a].name < events[b].name;
  });
  for (std::size_t i = 0; i < order.size(); ++i) ranks[order[i]] = i;
  return ranks;
}

/// Sorts by the rank of events (empty: all the same), weight and keys. Rows are big, so their
/// indexes are sorted, and each row moves once.
std::vector<Report::Row> in_order(std::vector<Report::Row> rows,
                                  const std::vector<std::size_t>& ranks, Weight weight) {
  struct Place {
    std::size_t rank, row;
    std::uint64_t weight;
  };
  std::vector<Place> places(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i)
    places[i] = {ranks.empty() ? 0 : ranks[rows[i].event], i, rows[i].*weight};
  std::stable_sort(places.begin(), places.end(), [&](const Place& a, const Place& b) {
    if (a.rank != b.rank) return a.rank < b.rank;
    return a.weight != b.weight ? a.weight > b.weight : rows[a.row].keys < rows[b.row].keys;
  });
  std::vector<Report::Row> sorted;
  sorted.reserve(rows.size());
  for (const Place& place : places) sorted.push_back(std::move(rows[place.row]));
  return sorted;
}

}  // namespace

Report::Report(ReportOptions options) : state_(std::make_unique<State>(std::move(options))) {}
Report::Report(const Report& other) : state_(std::make_unique<State>(*other.state_)) {}
Report::Report(Report&& other) noexcept = default;
Report& Report::operator=(Report other) noexcept {
  state_.swap(other.state_);
  return *this;
}
Report::~Report() = default;

Result<SampleTally> Report::add(const Recording& file) {
  const std::uint64_t before = state_->samples;
  auto kept = state_->options.pass.progress ? std::make_unique<State>(*state_) : nullptr;
  auto tally = report::add(*state_, file);
  if (tally) tally->selected = state_->samples - before;
  if (!tally && kept) state_ = std::move(kept);
  return tally;
}

std::vector<Report::Row> Report::rows() const {
  const State& state = *state_;
  std::vector<Report::Row> rows = rows_of(state);
  const bool by_event = has_key(state, SortKey::event);
  const bool of_event = by_event && state.options.keys.size() > 1;
  if (by_event) add_empty_events(state, rows);
  const Weight weight = weight_of(state);
  std::uint64_t all = 0;
  for (const Report::Event& event : state.events) all += event.*weight;
  for (Report::Row& row : rows) {
    row.of = of_event ? state.events[row.event].*weight : all;
    row.share = row.of > 0 ? static_cast<double>(row.*weight) / static_cast<double>(row.of) : 0;
  }
  return in_order(std::move(rows),
                  of_event ? ranks_of(state.events, weight) : std::vector<std::size_t>(), weight);
}

const std::vector<Report::Event>& Report::events() const { return state_->events; }
std::uint64_t Report::samples() const { return state_->samples; }
bool Report::is_number(SortKey key) const {
  const SortKeyInfo& info = sort_keys()[static_cast<std::size_t>(key)];
  if (info.of != SortKeyInfo::Of::tracepoints) return info.is_number;
  constexpr auto kFirst = static_cast<std::size_t>(SortKey::field0);
  return !state_->text_fields.contains(static_cast<std::size_t>(key) - kFirst);
}

std::vector<Report::MemoryRow> Report::memory() const {
  return state_->options.memory ? state_->memory.rows(state_->texts, state_->lines)
                                : std::vector<Report::MemoryRow>();
}

namespace report {

DetailedReport::DetailedReport(ReportOptions options, Details details)
    : InstructionReport(std::move(options)) {
  state_->details = details;
}

void DetailedReport::finish_grid(const GridLimits& limits) {
  state_->grid.finish(limits, state_->frames);
}

SampleGrid DetailedReport::grid(const GridLimits& limits) const {
  if (!state_->details.grid) return {};
  SampleGrid grid = state_->grid.grid({state_->texts, state_->frames, state_->threads}, limits);
  if (state_->details.sharing)
    state_->sharing.add_to(grid, {state_->texts, state_->lines}, limits.accesses);
  return grid;
}

std::vector<TakenBranch> DetailedReport::branches() const {
  return state_->branches.branches(state_->texts);
}

std::vector<std::uint64_t> DetailedReport::branching_samples() const {
  std::vector<std::uint64_t> out = state_->branching;
  out.resize(state_->events.size());
  return out;
}

RowChains DetailedReport::chains() const {
  const ChainCollector& chains = state_->chains;
  RowChains out;
  out.is_pruned = chains.is_pruned();
  for (Row& row : rows_of(*state_)) out.rows.push_back(std::move(row.keys));
  std::vector<std::uint32_t> places;  // in `names`, by frame
  for (std::uint32_t node = 1; node < chains.tree().size(); ++node) {
    const auto [parent, value] = chains.tree()[node];
    const auto [samples, period] = chains.sums(node);
    if (parent == PairTree::kRoot) {
      out.nodes.push_back({value, RowChains::kRow, samples, period});
      continue;
    }
    if (value >= places.size()) places.resize(value + 1, RowChains::kRow);
    if (places[value] == RowChains::kRow) {
      const ChainCollector::Frame& frame = chains.first(value);
      places[value] = static_cast<std::uint32_t>(out.names.size());
      out.names.push_back(frame.has_name ? std::string(state_->texts[state_->frames[value].name])
                          : frame.address == 0 ? "0"
                                               : fmt::format("{:#x}", frame.address));
    }
    out.nodes.push_back({parent - 1, places[value], samples, period});
  }
  return out;
}

std::vector<Spot> DetailedReport::spots() const {
  std::vector<Spot> spots;
  for (const InstructionCollector::Spot& spot : state_->instructions.spots())
    spots.push_back({spot.function, spot.offset});
  return spots;
}

std::vector<UnnamedFile> DetailedReport::unnamed() const {
  const State& state = *state_;
  std::vector<UnnamedFile> files;
  const auto text = [&](std::uint32_t id) {
    return id == kAbsent ? std::string() : std::string(state.texts[id]);
  };
  for (std::size_t i = 0; i < state.unnamed.size(); ++i) {
    const auto& [name, build_id] = state.unnamed_files.keys()[i];
    if (state.unnamed[i] > 0) files.push_back({text(name), text(build_id), state.unnamed[i]});
  }
  std::ranges::sort(files, [](const UnnamedFile& a, const UnnamedFile& b) {
    return std::tie(b.samples, a.name, a.build_id) < std::tie(a.samples, b.name, b.build_id);
  });
  return files;
}

Sharing DetailedReport::sharing(std::optional<Contention> by) const {
  return state_->details.sharing ? state_->sharing.sharing({state_->texts, state_->lines}, by)
                                 : Sharing();
}

}  // namespace report
}  // namespace evname
