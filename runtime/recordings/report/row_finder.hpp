#pragma once
// Finds the rows of samples in a report, and what its keys need to be known.

#include <algorithm>
#include <cstdint>
#include <vector>

#include "recordings/report/location_keys.hpp"
#include "recordings/report/report_state.hpp"
#include "recordings/report/sort_keys.hpp"

namespace evname::report {

/// The facts that the samples of a row share.
enum class RowsBy : std::uint8_t {
  event,   ///< the event
  place,   ///< event and location
  sample,  ///< anything else
};

/// What the keys and the other options of a report ask of a pass.
struct Needs {
  Needs(const ReportOptions& options, const Details& details) {
    data = options.memory || details.sharing;
    lines = details.grid || data || details.branches;
    for (const SortKey key : options.keys) {
      const KeyNeeds needs = keys.emplace_back(&row_of(key))->needs;
      if (needs == KeyNeeds::location) {
        by_location = true;
        rows = std::max(rows, RowsBy::place);
      } else if (needs != KeyNeeds::event)
        rows = RowsBy::sample;
      data |= needs == KeyNeeds::data;
      ibs |= needs == KeyNeeds::ibs;
      branches |= needs == KeyNeeds::branch || needs == KeyNeeds::branch_end;
      branch_ends |= needs == KeyNeeds::branch_end || needs == KeyNeeds::location;
      branch_facts |= needs == KeyNeeds::branch;
      order |= needs >= KeyNeeds::order;
      lines |= key == SortKey::srcfile || key == SortKey::srcline || key == SortKey::srcline_from ||
               key == SortKey::srcline_to;
    }
    branches |= options.branches;
    branch_ends &= branches;
    locations = by_location || details.grid || details.branches || details.instructions || data ||
                details.chains || branch_ends || options.filter.needs_symbols();
    order |= locations || !options.filter.comms.empty();
  }

  std::vector<const KeyRow*> keys;
  RowsBy rows = RowsBy::event;
  bool by_location = false;  ///< a key asks for functions
  bool locations = false;    ///< functions or files
  bool lines = false;        ///< of sources
  bool data = false;         ///< what is known about data
  bool ibs = false;
  bool branches = false;      ///< count in place of samples
  bool branch_ends = false;   ///< their functions or files
  bool branch_facts = false;  ///< what else is known of each
  bool order = false;         ///< of the samples, as names of threads do
};

/// Finds the rows of samples by the values of their keys.
class RowFinder {
 public:
  /// All outlive the object; `locations` may be nullptr if no key needs it.
  RowFinder(State& state, const Needs& needs, KeyContext& context, LocationKeys* locations)
      : table_(state.table), needs_(needs), context_(context), locations_(locations) {}

  /// Adds the next event, and its number in the report.
  void add_event(const RecordedEvent& event, std::uint32_t number) {
    Event& added = events_.emplace_back();
    added.number = number;
    for (const KeyRow* key : needs_.keys)
      added.values.push_back(key->key == SortKey::event      ? number
                             : key->needs == KeyNeeds::event ? key->of(context_, event, nullptr)
                                                             : 0);
  }
  /// Returns the row of an event; its samples have the same.
  std::uint32_t of_event(std::size_t attr) {
    std::uint32_t& row = events_[attr].row;
    if (row == RowTable::kNone) row = table_.find(events_[attr].values, events_[attr].number);
    return row;
  }
  /// A row, and the frame's FrameKeys::unnamed.
  struct Found {
    std::uint32_t row = 0, unnamed = kAbsent;
  };

  /// Returns the row of a sample.
  Found of(std::size_t attr, const Sample& sample) {
    if (locations_ && sample.ip())
      return own_rows_.of(locations_->place(sample), kind_of(attr, sample), [&] {
        const FrameKeys leaf = locations_->leaf(sample);
        return Found{of_frame(attr, sample, leaf), leaf.unnamed};
      });
    return {needs_.rows == RowsBy::event ? of_event(attr) : of_frame(attr, sample, {})};
  }
  /// Returns the rows of the frames at an address of the sample's stack, innermost first; valid
  /// until the next call. `kind` is the sample's.
  std::span<const std::uint32_t> of(std::size_t attr, const Sample& sample, std::uint32_t kind,
                                    Address address) {
    return rows_.of(locations_->locations().place(sample, address), kind, [&] {
      std::vector<std::uint32_t> rows;
      for (const FrameKeys& frame : locations_->keys_of(sample, std::span(&address, 1)))
        rows.push_back(of_frame(attr, sample, frame));
      return rows;
    });
  }
  /// Returns a number for the event and all values of keys that no location decides.
  std::uint32_t kind_of(std::size_t attr, const Sample& sample) {
    std::uint32_t kind = kinds_.child(PairTree::kRoot, static_cast<std::uint32_t>(attr));
    if (needs_.rows != RowsBy::sample) return kind;
    for (const KeyRow* key : needs_.keys)
      if (!key->member && is_of_sample(key->needs))
        kind = kinds_.child(kind, key->of(context_, context_.file.events()[attr], &sample));
    return kind;
  }
  /// Returns the row of a frame of the sample.
  std::uint32_t of_frame(std::size_t attr, const Sample& sample, const FrameKeys& frame) {
    values_ = events_[attr].values;
    for (std::size_t i = 0; i < values_.size(); ++i)
      if (const KeyRow& key = *needs_.keys[i]; key.member)
        values_[i] = frame.*key.member;
      else if (key.needs != KeyNeeds::event)
        values_[i] = key.of(context_, context_.file.events()[attr], &sample);
    return table_.find(values_, events_[attr].number);
  }

 private:
  struct Event {
    std::uint32_t number = 0;           ///< in the report
    std::vector<std::uint32_t> values;  ///< of keys; 0: of samples
    std::uint32_t row = RowTable::kNone;
  };

  static bool is_of_sample(KeyNeeds needs) {
    return needs != KeyNeeds::event && needs != KeyNeeds::branch && needs != KeyNeeds::branch_end;
  }

  RowTable& table_;
  const Needs& needs_;
  KeyContext& context_;
  LocationKeys* locations_;
  std::vector<Event> events_;                       ///< by attr
  PairTree kinds_;                                  ///< attrs, then values
  locations::ByLocation<Found> own_rows_;           ///< of samples, by kind, too
  locations::ItemsByLocation<std::uint32_t> rows_;  ///< of frames, the same
  std::vector<std::uint32_t> values_;               ///< of the sample at hand
};

}  // namespace evname::report
