// Adds the samples of a recording to a report.

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "recordings/locations/by_location.hpp"
#include "recordings/locations/location_cache.hpp"
#include "recordings/locations/recent_callers.hpp"
#include "recordings/locations/recent_locations.hpp"
#include "recordings/perf_data/perf_data_state.hpp"
#include "recordings/perf_data/perf_names.hpp"
#include "recordings/report/data_places.hpp"
#include "recordings/report/report_state.hpp"
#include "recordings/report/sort_keys.hpp"
#include "recordings/session/event_sums.hpp"

namespace evname::report {
namespace {

/// The values of keys for the locations of samples, in one pass.
class LocationKeys {
 public:
  /// `lines` is true if a key, or the grid, has source lines.
  LocationKeys(const PerfData& file, State& state, bool lines)
      : locations_(file, state.symbols(), true, lines),
        texts_(state.texts),
        frame_pool_(state.frames) {}

  locations::LocationCache& locations() { return locations_; }
  /// Returns the place of the sample's own instruction.
  locations::Location place(const Sample& sample) {
    return locations_.place(sample, perf_data::instruction_of(sample));
  }

  /// Returns the keys of the sample's own instruction; kAbsent if it has no address.
  FrameKeys leaf(const Sample& sample);
  /// Returns the addresses of the stack, innermost call first; valid until the next call.
  std::span<const Address> stack(const Sample& sample) {
    locations_.stack(sample, stack_);
    return stack_;
  }
  /// Returns the keys of addresses of the sample's stack; valid until the next call.
  std::span<const FrameKeys> keys_of(const Sample& sample, std::span<const Address> addresses);

 private:
  std::span<const FrameKeys> keys_of(const NamedLocation& location);

  locations::LocationCache locations_;
  locations::ByLocation<FrameKeys> keys_;
  locations::RecentLocations<FrameKeys> leaves_;
  TextPool& texts_;
  FramePool& frame_pool_;
  std::vector<Address> stack_;
  std::vector<FrameKeys> frames_;
};

std::uint32_t text_or_absent(TextPool& texts, std::string_view text) {
  return text.empty() ? kAbsent : texts.id(text);
}

std::uint32_t none_if_absent(std::uint32_t value) {
  return value == kAbsent ? SampleGrid::kNone : value;
}

std::span<const FrameKeys> LocationKeys::keys_of(const NamedLocation& location) {
  return keys_.of(location, [&](std::vector<FrameKeys>& out) {
    for (const Frame& frame : location.frames) {
      std::string label;
      locations::append_label(label, location, frame);
      FrameKeys keys = {
          texts_.id(label),
          text_or_absent(texts_, location.is_mapped ? location.dso : std::string_view()),
          text_or_absent(texts_, frame.source),
          text_or_absent(texts_, locations::source_place(frame))};
      keys.frame = frame_pool_.id({SampleGrid::Kind::function, keys.sym, none_if_absent(keys.dso),
                                   none_if_absent(keys.srcfile)});
      out.push_back(keys);
    }
  });
}

FrameKeys LocationKeys::leaf(const Sample& sample) {
  if (!sample.ip()) return {kAbsent, kAbsent, kAbsent, kAbsent};
  return leaves_.of(place(sample), 0, [&] { return keys_of(locations_.at(sample))[0]; });
}

std::span<const FrameKeys> LocationKeys::keys_of(const Sample& sample,
                                                 std::span<const Address> addresses) {
  frames_.clear();
  for (const Address& address : addresses) {
    const auto keys = keys_of(locations_.at(sample, address));
    frames_.insert(frames_.end(), keys.begin(), keys.end());
  }
  return frames_;
}

/// Adds one recording.
class Pass {
 public:
  Pass(State& state, const PerfData& file)
      : state_(state),
        options_(state.options),
        file_(file),
        attrs_(detail::state_of(file).file.events),
        context_{file, state.texts} {
    for (const std::string& field : options_.fields)
      context_.trace_fields.push_back(find_field(file, field));
    context_.order = detail::state_of(file).file.header.order;
    prepare_keys();
    selection_.emplace(detail::Access::make<Selection>(options_.filter, file,
                                                       frames_ ? &frames_->locations() : nullptr));
    prepare_events();
    state.grid.begin_file();
    state.sharing.begin_file(file);
  }

  /// Returns true if only sums by event are requested.
  bool wants_sums() const {
    return plain_ && options_.filter.selects_events_only() && !frames_ && !options_.pass.salvage;
  }

  /// Returns true if the order of samples matters, as it does for names of threads.
  bool wants_order() const {
    return frames_ || data_ || !options_.filter.comms.empty() ||
           std::any_of(keys_.begin(), keys_.end(),
                       [](const KeyRow* key) { return key->needs >= KeyNeeds::order; });
  }
  bool wants_maps() const { return frames_ || data_; }

  void add(const session::Sums& sums) {
    for (std::size_t attr = 0; attr < sums.events.size(); ++attr) {
      if (!selection_->accepts_event(attr)) continue;
      state_.table.rows[row_of_event(attr)].sums += sums.events[attr];
      state_.events[events_[attr]] += sums.events[attr];
      state_.samples += sums.events[attr].samples;
    }
  }

  void add(const Sample& sample) {
    if (!selection_->accepts(sample)) return;
    const std::size_t attr = sample.event().attr;
    ++state_.samples;
    RowTable::Row& of_keys = state_.table.rows[plain_      ? row_of_event(attr)
                                               : by_place_ ? row_of_place(attr, sample)
                                                           : row_of_sample(attr, &sample)];
    SampleSums& row = of_keys.sums;
    SampleSums& event = state_.events[events_[attr]];
    const perf_format::SampleRecord& record = detail::record_of(sample);
    if (record.event->attr.samples(perf_format::kSampleTime)) {
      row.add(record.period, record.time);
      event.add(record.period, record.time);
    } else {
      row.add(record.period);
      event.add(record.period);
    }
    if (options_.memory) {
      of_keys.weights.add(record.weight);
      state_.memory.add(sample, frames_->leaf(sample), *data_);
    }
    if (options_.grid || options_.children) add_callers(attr, sample);
    if (shares_[attr])
      state_.sharing.add(sample, events_[attr], frames_->leaf(sample), context_.comm_of(sample),
                         data_->place(sample), options_.grid ? &state_.grid.time() : nullptr);
  }

  void add(const perf_format::Loss& loss) {
    if (!loss.event || loss.lost + loss.throttled + loss.switches == 0) return;
    const std::size_t attr = attrs_.index_of(*loss.event);
    if (!selection_->accepts_event(attr)) return;
    SampleSums& event = state_.events[events_[attr]];
    SampleSums* const row = plain_ ? &state_.table.rows[row_of_event(attr)].sums : nullptr;
    for (SampleSums* sums : {&event, row}) {
      if (!sums) continue;
      sums->lost += loss.lost;
      sums->throttled += loss.throttled;
    }
    if (options_.grid && loss.time)
      state_.grid.add_loss(*loss.time,
                           {events_[attr], 0, loss.lost, loss.throttled, loss.switches});
  }

 private:
  /// Looks the keys up, and opens their data.
  void prepare_keys() {
    bool by_data = options_.memory || options_.sharing;
    bool lines = options_.grid || by_data;
    for (const SortKey key : options_.keys) {
      keys_.push_back(&row_of(key));
      const KeyNeeds needs = keys_.back()->needs;
      plain_ &= needs == KeyNeeds::event;
      by_location_ |= needs == KeyNeeds::location;
      by_place_ &= needs == KeyNeeds::event || needs == KeyNeeds::location;
      by_data |= needs == KeyNeeds::data;
      lines |= key == SortKey::srcfile || key == SortKey::srcline;
      if (needs == KeyNeeds::ibs && !context_.ibs) context_.ibs = perf_data::IbsReader::of(file_);
    }
    if (by_location_ || options_.grid || by_data || options_.filter.needs_symbols())
      frames_.emplace(file_, state_, lines);
    if (!by_data) return;
    data_.emplace(file_, state_.symbols(), state_.lines, state_.texts);
    context_.data = &*data_;
  }
  /// Gives each event its number, its values of keys, and its row without samples.
  void prepare_events() {
    for (const RecordedEvent& event : file_.events()) {
      events_.push_back(event_index(state_, event));
      shares_.push_back(options_.sharing && (!options_.grid || has_accesses(event)));
      if (has_row(event.attr)) state_.wanted[events_.back()] = true;
      std::vector<std::uint32_t>& values = event_values_.emplace_back();
      for (const KeyRow* key : keys_)
        values.push_back(key->key == SortKey::event      ? events_.back()
                         : key->needs == KeyNeeds::event ? key->of(context_, event, nullptr)
                                                         : 0);
    }
    row_of_attr_.assign(events_.size(), RowTable::kNone);
    if (plain_)
      for (std::size_t attr = 0; attr < events_.size(); ++attr)
        if (has_row(attr)) row_of_event(attr);
  }
  /// Returns true if an event has a row even without samples, because the file has the event.
  bool has_row(std::size_t attr) const {
    return attr < attrs_.recorded() && selection_->accepts_event(attr);
  }
  /// Returns true if a grid has the accesses of an event, which need a data source or a weight. An
  /// access in trace data is a sample of several events; only one counts.
  bool has_accesses(const RecordedEvent& event) const {
    constexpr std::uint64_t kAny =
        perf_format::kSampleDataSrc | perf_format::kSampleWeight | perf_format::kSampleWeightStruct;
    return (attrs_.list()[event.attr].attr.sample_type & kAny) != 0 &&
           (event.attr < attrs_.recorded() || event.name == "memory");
  }
  /// Returns the row of a frame of the sample; nullptr: of its own instruction.
  std::uint32_t row_of_sample(std::size_t attr, const Sample* sample,
                              const FrameKeys* frame = nullptr) {
    FrameKeys leaf;
    if (by_location_ && !frame) leaf = frames_->leaf(*sample), frame = &leaf;
    values_ = event_values_[attr];
    for (std::size_t i = 0; i < keys_.size(); ++i)
      if (const KeyRow& key = *keys_[i]; key.member)
        values_[i] = frame->*key.member;
      else if (key.needs != KeyNeeds::event)
        values_[i] = key.of(context_, file_.events()[attr], sample);
    return state_.table.find(values_, events_[attr]);
  }
  std::uint32_t row_of_place(std::size_t attr, const Sample& sample) {
    if (!sample.ip()) return row_of_sample(attr, &sample);
    return rows_.of(frames_->place(sample), static_cast<std::uint32_t>(attr),
                    [&] { return row_of_sample(attr, &sample); });
  }
  std::uint32_t row_of_event(std::size_t attr) {
    std::uint32_t& row = row_of_attr_[attr];
    if (row == RowTable::kNone) row = row_of_sample(attr, nullptr);
    return row;
  }
  /// A thread in the grid.
  struct GridThread {
    const char* comm = nullptr;
    std::int32_t tid = 0;
    bool is_known = false;
    std::uint32_t name = 0;    ///< in State::texts
    std::uint32_t thread = 0;  ///< in State::threads
    std::uint32_t node = 0;    ///< of the name, the parent of the outermost callers
  };

  /// Returns the thread of a sample; valid until the next call.
  const GridThread& thread_of(const Sample& sample, std::int32_t tid) {
    const char* const comm = sample.comm().data();
    GridThread& thread = threads_[static_cast<std::uint32_t>(tid) % threads_.size()];
    if (thread.is_known && thread.comm == comm && thread.tid == tid) return thread;
    const std::uint32_t name = context_.comm_of(sample);
    const std::uint32_t of_name = state_.threads.child(PairTree::kRoot, name);
    const std::uint32_t id = state_.threads.child(of_name, static_cast<std::uint32_t>(tid));
    const std::uint32_t frame = state_.frames.id({SampleGrid::Kind::thread, name});
    const std::uint32_t node = state_.grid.node_of(PairTree::kRoot, std::span(&frame, 1));
    return thread = {comm, tid, true, name, id, node};
  }

  GridCollector::At place_of(std::size_t attr, const Sample& sample) {
    GridCollector::At at = {events_[attr]};
    if (const auto tid = sample.tid()) {
      at.thread = thread_of(sample, *tid).thread;
      at.pid = sample.pid().value_or(-1);
    }
    if (const auto cpu = sample.cpu()) at.cpu = *cpu;
    const perf_format::SampleRecord& record = detail::record_of(sample);
    if (record.event->attr.samples(perf_format::kSampleTime)) at.time = record.time;
    return at;
  }

  void add_callers(std::size_t attr, const Sample& sample) {
    const std::span<const Address> stack = frames_->stack(sample);
    if (options_.children && by_location_)
      add_children(attr, sample, frames_->keys_of(sample, stack));
    if (options_.grid) add_to_grid(attr, sample, stack);
  }

  void add_to_grid(std::size_t attr, const Sample& sample, std::span<const Address> stack) {
    state_.grid.make_room(state_.frames);
    if (std::exchange(nodes_of_cut_, state_.grid.cuts()) != state_.grid.cuts()) {
      nodes_.clear();
      threads_.fill({});
    }
    const std::uint32_t callers = callers_of(sample, stack);
    const Address own = perf_data::instruction_of(sample);
    const bool begins =
        !stack.empty() && stack[0].value == own.value && stack[0].kernel == own.kernel;
    const std::uint32_t node =
        begins ? nodes_.of(frames_->place(sample), callers,
                           [&] { return node_of(sample, stack, callers, true); })
               : node_of(sample, stack, callers, false);
    state_.grid.add(place_of(attr, sample), node, sample.period());
  }

  /// Returns the node of a stack. With precise events, the sample's instruction is not always where
  /// its stack `begins`.
  std::uint32_t node_of(const Sample& sample, std::span<const Address> stack, std::uint32_t callers,
                        bool begins) {
    using enum SampleGrid::Kind;
    FramePool& pool = state_.frames;
    const auto frames =
        frames_->keys_of(sample, stack.first(std::min<std::size_t>(1, stack.size())));
    stack_.clear();
    for (auto frame = frames.rbegin(); frame != frames.rend(); ++frame)
      stack_.push_back(frame->frame);
    FrameKeys leaf;
    if (begins) {
      leaf = frames[0];
    } else if (leaf = frames_->leaf(sample); leaf.sym == kAbsent) {
      stack_.push_back(pool.id({function, context_.texts.id("-")}));
    } else if (frames.empty() || frames[0].sym != leaf.sym) {
      stack_.push_back(leaf.frame);
    }
    if (leaf.srcline != kAbsent) stack_.push_back(pool.id({line, leaf.srcline}));
    return state_.grid.node_of(callers, stack_);
  }

  /// Returns the node of a thread's name and the stack without its first address.
  std::uint32_t callers_of(const Sample& sample, std::span<const Address> stack) {
    const auto callers = stack.subspan(std::min<std::size_t>(1, stack.size()));
    const auto tid = sample.tid();
    if (callers.empty() && tid) return thread_of(sample, *tid).node;
    const std::uint32_t comm = tid ? thread_of(sample, *tid).name : context_.texts.id("-");
    stack_.assign(1, state_.frames.id({SampleGrid::Kind::thread, comm}));
    if (callers.empty()) return state_.grid.node_of(PairTree::kRoot, stack_);
    const std::uint64_t also = std::uint64_t{state_.grid.cuts()} << 32 | comm;
    std::uint32_t node = PairTree::kRoot;
    if (const auto known = callers_.find(frames_->locations().whose(sample, also), callers)) {
      std::memcpy(&node, known->data(), sizeof node);
      return node;
    }
    const auto frames = frames_->keys_of(sample, callers);
    for (auto frame = frames.rbegin(); frame != frames.rend(); ++frame)
      stack_.push_back(frame->frame);
    node = state_.grid.node_of(PairTree::kRoot, stack_);
    callers_.set({reinterpret_cast<const char*>(&node), sizeof node});
    return node;
  }

  /// Counts the sample once in each row, even if the row's function is in the stack several times.
  /// The sample's own row counts even if the stack is unknown.
  void add_children(std::size_t attr, const Sample& sample, std::span<const FrameKeys> frames) {
    const auto add = [&](std::uint32_t index) {
      RowTable::Row& row = state_.table.rows[index];
      if (std::exchange(row.counted, state_.samples) == state_.samples) return;
      ++row.children;
      row.children_period += sample.period();
    };
    add(row_of_sample(attr, &sample));
    for (const FrameKeys& frame : frames) add(row_of_sample(attr, &sample, &frame));
  }

  State& state_;
  const ReportOptions& options_;
  const PerfData& file_;
  const perf_format::Events& attrs_;
  bool plain_ = true;  ///< an event has one row
  KeyContext context_;
  bool by_location_ = false;            ///< a key asks for functions
  bool by_place_ = true;                ///< samples of an event at one location have one row
  std::optional<LocationKeys> frames_;  ///< if functions or files are requested
  std::optional<DataPlaces> data_;      ///< if facts about data are requested
  std::optional<Selection> selection_;
  std::vector<const KeyRow*> keys_;
  std::vector<std::uint32_t> events_;  ///< of the report, by attr
  std::vector<bool> shares_;           ///< by attr: shared cache lines are requested
  std::vector<std::uint32_t> row_of_attr_;
  locations::RecentLocations<std::uint32_t> rows_;        ///< by attr, too; if by_place_
  std::vector<std::vector<std::uint32_t>> event_values_;  ///< of keys, by attr; 0: of samples
  std::vector<std::uint32_t> values_, stack_;             ///< of the sample at hand
  locations::RecentCallers<> callers_;                    ///< their nodes
  locations::RecentLocations<std::uint32_t> nodes_;       ///< by the callers' node, too
  std::array<GridThread, 256> threads_;                   ///< by some bits of their number
  std::uint32_t nodes_of_cut_ = 0;  ///< GridCollector::cuts() of `nodes_` and `threads_`
};

}  // namespace

std::uint32_t event_index(State& state, const RecordedEvent& event) {
  const std::string name = event.full_name();
  const auto next = static_cast<std::uint32_t>(state.events.size());
  const auto [at, is_new] = state.event_index.try_emplace(name + '\0' + event.pmu, next);
  if (!is_new) return at->second;
  state.events.push_back({{}, event, name});
  state.wanted.push_back(false);
  if (const auto [first, is_first] = state.first_of_name.try_emplace(name, next); !is_first)
    for (const std::uint32_t same : {first->second, next})
      state.events[same].name = perf_data::name_with_pmu(state.events[same].event);
  return next;
}

Result<SampleTally> add(State& state, const PerfData& file) {
  if (auto good = state.options.filter.check(file); !good) return fail(good);
  for (const std::string& field : state.options.fields)
    if (std::ranges::none_of(find_field(file, field), [](const auto* found) { return found; }))
      return fail(no_key(field));
  Pass pass(state, file);
  const detail::PerfDataState& data = detail::state_of(file);
  PassOptions how = state.options.pass;
  how.jobs = perf_data::jobs_of(how);
  if (pass.wants_sums())
    if (const auto sums = session::sum_up(data.file, how)) {
      pass.add(*sums);
      return sums->tally();
    }
  how.file_order |= !pass.wants_order();
  session::RecordCursor cursor(data.file, how, {.maps = pass.wants_maps()});
  while (cursor.next()) {
    if (cursor.is_sample())
      pass.add(detail::sample_at(data, cursor));
    else
      pass.add(cursor.loss());
  }
  return cursor.tally();
}

}  // namespace evname::report
