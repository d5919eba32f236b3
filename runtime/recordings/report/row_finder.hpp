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
      branch_ends_decide &=
          needs == KeyNeeds::event || needs == KeyNeeds::location || needs == KeyNeeds::branch_end;
      order |= needs >= KeyNeeds::order;
      lines |= key == SortKey::srcfile || key == SortKey::srcline || key == SortKey::srcline_from ||
               key == SortKey::srcline_to;
    }
    branches |= options.branches;
    branch_ends &= branches;
    locations = by_location || details.grid || details.branches || details.instructions || data ||
                branch_ends || options.filter.needs_symbols();
    order |= locations || !options.filter.comms.empty();
  }

  std::vector<const KeyRow*> keys;
  RowsBy rows = RowsBy::event;
  bool by_location = false;  ///< a key asks for functions
  bool locations = false;    ///< functions or files
  bool lines = false;        ///< of sources
  bool data = false;         ///< what is known about data
  bool ibs = false;
  bool branches = false;           ///< count in place of samples
  bool branch_ends = false;        ///< their functions or files
  bool branch_facts = false;       ///< what else is known of each
  bool branch_ends_decide = true;  ///< no key depends on more than the event and the ends
  bool order = false;              ///< of the samples, as names of threads do
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
  std::uint32_t of(std::size_t attr, const Sample& sample) {
    if (needs_.rows == RowsBy::event) return of_event(attr);
    if (needs_.rows == RowsBy::sample || !sample.ip()) return of_values(attr, sample);
    return rows_.of(locations_->place(sample), static_cast<std::uint32_t>(attr),
                    [&] { return of_values(attr, sample); });
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

  std::uint32_t of_values(std::size_t attr, const Sample& sample) {
    return of_frame(attr, sample, needs_.by_location ? locations_->leaf(sample) : FrameKeys{});
  }

  RowTable& table_;
  const Needs& needs_;
  KeyContext& context_;
  LocationKeys* locations_;
  std::vector<Event> events_;                  ///< by attr
  locations::ByLocation<std::uint32_t> rows_;  ///< by attr, too
  std::vector<std::uint32_t> values_;          ///< of the sample at hand
};

}  // namespace evname::report
