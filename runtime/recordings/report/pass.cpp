// Adds the samples of a recording to a report.

#include <algorithm>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "evname/decoded.hpp"
#include "perf_format/trace_data.hpp"
#include "recordings/perf_data/perf_names.hpp"
#include "recordings/perf_data/recorded_facts.hpp"
#include "recordings/perf_data/recording_state.hpp"
#include "recordings/report/branch_rows.hpp"
#include "recordings/report/data_places.hpp"
#include "recordings/report/location_keys.hpp"
#include "recordings/report/report_state.hpp"
#include "recordings/report/row_finder.hpp"
#include "recordings/report/sort_keys.hpp"
#include "recordings/session/event_sums.hpp"

namespace evname::report {
namespace {

/// Adds samples to the grid.
class GridFiller {
 public:
  /// All outlive the object.
  GridFiller(State& state, KeyContext& context, LocationKeys& locations)
      : state_(state), context_(context), locations_(locations) {}

  /// Adds a sample of an event of the report.
  void add(std::uint32_t event, const Sample& sample, std::span<const Address> stack,
           std::optional<std::uint32_t> spot) {
    state_.grid.make_room(state_.frames);
    if (std::exchange(cuts_, state_.grid.cuts()) != state_.grid.cuts()) {
      nodes_.clear();
      threads_.clear();
    }
    const std::uint32_t callers = callers_of(sample, stack);
    const Address own = perf_data::instruction_of(sample);
    const bool begins =
        !stack.empty() && stack[0].value == own.value && stack[0].kernel == own.kernel;
    const std::uint32_t node =
        begins ? nodes_.of(locations_.place(sample), callers,
                           [&] { return node_of(sample, stack, callers, true); })
               : node_of(sample, stack, callers, false);
    GridCollector::At at = place_of(event, sample);
    at.spot = spot.value_or(SampleGrid::kNone);
    state_.grid.add(at, node, sample.period());
  }

 private:
  // Some 200,000 stacks of twenty calls.
  static constexpr std::size_t kCallerBytes = std::size_t{48} << 20;

  /// A thread of the grid.
  struct Thread {
    std::uint32_t name = 0;    ///< in State::texts
    std::uint32_t thread = 0;  ///< in State::threads
    std::uint32_t node = 0;    ///< of the name, below which are the outermost callers
  };

  Thread thread_of(const Sample& sample, std::int32_t tid) {
    const auto [at, is_new] = threads_.try_emplace({sample.comm().data(), tid});
    if (is_new) {
      const std::uint32_t name = context_.comm_of(sample);
      const std::uint32_t of_name = state_.threads.child(PairTree::kRoot, name);
      const std::uint32_t frame = state_.frames.id({SampleGrid::Kind::thread, name});
      at.value() = {name, state_.threads.child(of_name, static_cast<std::uint32_t>(tid)),
                    state_.grid.node_of(PairTree::kRoot, std::span(&frame, 1))};
    }
    return at->second;
  }

  GridCollector::At place_of(std::uint32_t event, const Sample& sample) {
    GridCollector::At at = {event};
    if (const auto tid = sample.tid()) {
      at.thread = thread_of(sample, *tid).thread;
      at.pid = sample.pid().value_or(-1);
    }
    if (const auto cpu = sample.cpu()) at.cpu = *cpu;
    if (perf_format::has_time(detail::record_of(sample))) at.time = sample.time();
    return at;
  }

  /// Returns the node of a stack. With precise events, the sample's instruction is not always where
  /// its stack `begins`.
  std::uint32_t node_of(const Sample& sample, std::span<const Address> stack, std::uint32_t callers,
                        bool begins) {
    using enum SampleGrid::Kind;
    FramePool& pool = state_.frames;
    const auto frames =
        locations_.keys_of(sample, stack.first(std::min<std::size_t>(1, stack.size())));
    stack_.clear();
    for (auto frame = frames.rbegin(); frame != frames.rend(); ++frame)
      stack_.push_back(frame->frame);
    FrameKeys leaf;
    if (begins) {
      leaf = frames[0];
    } else if (leaf = locations_.leaf(sample); leaf.sym == kAbsent) {
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
    const std::uint64_t also = std::uint64_t{state_.grid.cuts()} << 32 | comm;
    if (const auto* known = callers_.find(locations_.locations().whose(sample, also), callers))
      return *known;
    stack_.assign(1, state_.frames.id({SampleGrid::Kind::thread, comm}));
    const auto frames = locations_.keys_of(sample, callers);
    for (auto frame = frames.rbegin(); frame != frames.rend(); ++frame)
      stack_.push_back(frame->frame);
    const std::uint32_t node = state_.grid.node_of(PairTree::kRoot, stack_);
    callers_.set(node);
    return node;
  }

  State& state_;
  KeyContext& context_;
  LocationKeys& locations_;
  std::vector<std::uint32_t> stack_;                               ///< of the sample at hand
  locations::ByCallers<std::uint32_t> callers_{kCallerBytes};      ///< their nodes
  locations::ByLocation<std::uint32_t> nodes_;                     ///< by the callers' node, too
  HashMap<std::pair<const char*, std::int32_t>, Thread> threads_;  ///< by the address of the name
  std::uint32_t cuts_ = 0;  ///< GridCollector::cuts() of `nodes_` and `threads_`
};

/// Adds one recording.
class Pass {
 public:
  Pass(State& state, const Recording& file, const Needs& needs)
      : state_(state),
        options_(state.options),
        attrs_(detail::state_of(file).file.events),
        needs_(needs),
        context_{file, state.texts},
        lost_(attrs_) {
    for (std::size_t i = 0; i < options_.fields.size(); ++i) {
      context_.trace_fields.push_back(find_field(file, options_.fields[i]));
      for (const auto* const one : context_.trace_fields.back())
        if (one && !perf_format::is_decimal(*one)) state.text_fields.insert(i);
    }
    context_.order = detail::state_of(file).file.header.order;
    context_.arch = perf_data::features_of(file).arch;
    if (needs_.ibs) context_.ibs = perf_data::IbsReader::of(file);
    if (needs_.locations) locations_.emplace(file, state, needs_.lines);
    if (needs_.data) {
      data_.emplace(file, state.symbols(), state.lines, state.texts);
      context_.data = &*data_;
    }
    LocationKeys* const locations = locations_ ? &*locations_ : nullptr;
    selection_.emplace(detail::Access::make<Selection>(
        options_.filter, file, locations ? &locations->locations() : nullptr));
    rows_.emplace(state, needs_, context_, locations);
    branch_rows_.emplace(needs_, context_, locations, *rows_);
    if (state_.details.grid) grid_.emplace(state, context_, *locations);
    if (state_.details.instructions)
      instructions_.emplace(state.instructions, state.symbols(), locations->locations());
    add_events(file);
    state.grid.begin_file();
    state.sharing.begin_file(file);
  }

  /// Returns true if only sums of all samples of events are asked for.
  bool wants_sums() const {
    return needs_.rows == RowsBy::event && options_.filter.selects_events_only() && !locations_ &&
           !options_.pass.salvage && !options_.pass.waits && !needs_.branches;
  }
  bool wants_order() const { return needs_.order; }
  bool wants_maps() const { return needs_.locations; }

  void add(const session::Sums& sums) {
    for (std::size_t attr = 0; attr < sums.events.size(); ++attr) {
      if (!selection_->accepts_event(attr)) continue;
      state_.table.rows[rows_->of_event(attr)].sums += sums.events[attr];
      state_.events[events_[attr]] += sums.events[attr];
      state_.samples += sums.events[attr].samples;
    }
  }

  void add(const Sample& sample) {
    if (!selection_->accepts(sample)) return;
    if (needs_.branches) return add_branches(sample);
    const std::size_t attr = sample.event().attr;
    const std::uint32_t event = events_[attr];
    ++state_.samples;
    const RowFinder::Found of = rows_->of(attr, sample);
    RowTable::Row& row = state_.table.rows[of.row];
    const perf_format::SampleRecord& record = detail::record_of(sample);
    add_sums(row, event, record, record.period);
    count_unnamed(of.unnamed);
    std::optional<std::uint32_t> spot;
    if (instructions_) spot = instructions_->add(event, sample);
    if (options_.memory) {
      row.weights.add(record.weight);
      state_.memory.add(sample, locations_->leaf(sample), *data_);
    }
    if (state_.details.grid || state_.details.chains || options_.children)
      add_stack(attr, sample, of.row, spot);
    if (state_.details.branches) state_.branches.add(sample, event, *locations_);
    if (shares_[attr])
      state_.sharing.add(sample, event, locations_->leaf(sample), context_.comm_of(sample),
                         data_->place(sample), state_.details.grid ? &state_.grid.time() : nullptr);
  }

  void add(const perf_format::Loss& loss) {
    if (!loss.event || loss.lost + loss.throttled + loss.switches == 0) return;
    const std::size_t attr = attrs_.index_of(*loss.event);
    if (!selection_->accepts_event(attr) || !selection_->accepts_time(loss.time)) return;
    lost_.add(loss);
    add_missing(attr, 0, loss.throttled);
    if (state_.details.grid && loss.time)
      state_.grid.add_loss(*loss.time,
                           {events_[attr], 0, loss.lost, loss.throttled, loss.switches});
  }

  /// Adds what is known at the end.
  void finish() {
    for (std::size_t attr = 0; attr < events_.size(); ++attr)
      if (const std::uint64_t lost = lost_.of_event(attr); lost > 0) add_missing(attr, lost, 0);
  }

 private:
  void add_sums(RowTable::Row& row, std::uint32_t event, const perf_format::SampleRecord& record,
                std::uint64_t period) {
    for (SampleSums* const sums : {&row.sums, static_cast<SampleSums*>(&state_.events[event])})
      if (perf_format::has_time(record))
        sums->add(period, record.time);
      else
        sums->add(period);
  }
  /// Counts each branch of a sample with a period of 1, as perf report -b does. The keys of
  /// locations are the target's.
  void add_branches(const Sample& sample) {
    const std::size_t attr = sample.event().attr;
    const SampleWords words = sample.branches();
    branch_rows_->begin(attr, sample);
    state_.branching.resize(state_.events.size());
    if (!words.empty()) ++state_.branching[events_[attr]];
    for (std::size_t i = 0; 3 * i + 2 < words.size(); ++i) {
      const Branch branch(words, i);
      const RowFinder::Found of = branch_rows_->of(attr, sample, branch);
      count_unnamed(of.unnamed);
      RowTable::Row& row = state_.table.rows[of.row];
      add_sums(row, events_[attr], detail::record_of(sample), 1);
      add_branch(row.branches, branch);
      ++state_.samples;
    }
  }
  void count_unnamed(std::uint32_t file) {
    if (file == kAbsent) return;
    if (state_.unnamed.size() <= file) state_.unnamed.resize(state_.unnamed_files.size());
    ++state_.unnamed[file];
  }
  void add_missing(std::size_t attr, std::uint64_t lost, std::uint64_t throttled) {
    const auto add_to = [&](SampleSums& sums) {
      sums.lost += lost;
      sums.throttled += throttled;
    };
    add_to(state_.events[events_[attr]]);
    if (needs_.rows == RowsBy::event) add_to(state_.table.rows[rows_->of_event(attr)].sums);
  }

  /// Gives each event its number, what the keys have of it, and the row that it has without
  /// samples.
  void add_events(const Recording& file) {
    for (const RecordedEvent& event : file.events()) {
      events_.push_back(event_index(state_, event));
      shares_.push_back(state_.details.sharing && (!state_.details.grid || has_accesses(event)));
      if (has_row(event.attr)) state_.wanted[events_.back()] = true;
      rows_->add_event(event, events_.back());
    }
    if (needs_.rows == RowsBy::event)
      for (std::size_t attr = 0; attr < events_.size(); ++attr)
        if (has_row(attr)) rows_->of_event(attr);
  }
  /// Returns true if an event has a row even without samples: if the file has the event.
  bool has_row(std::size_t attr) const {
    return attr < attrs_.recorded() && selection_->accepts_event(attr);
  }
  /// Returns true if a grid has the accesses of an event: if they have a data source or a weight.
  /// Trace data make an access a sample of several events; one of them counts.
  bool has_accesses(const RecordedEvent& event) const {
    constexpr std::uint64_t kAny =
        perf_format::kSampleDataSrc | perf_format::kSampleWeight | perf_format::kSampleWeightStruct;
    return (attrs_.list()[event.attr].attr.sample_type & kAny) != 0 &&
           (event.attr < attrs_.recorded() || event.name == "memory");
  }

  void add_stack(std::size_t attr, const Sample& sample, std::uint32_t own_row,
                 std::optional<std::uint32_t> spot) {
    const std::span<const Address> stack = locations_->stack(sample);
    if (options_.children && needs_.by_location) add_children(attr, sample, own_row, stack);
    if (grid_) grid_->add(events_[attr], sample, stack, spot);
    if (state_.details.chains) add_chains(attr, sample, own_row, stack);
  }

  /// Counts the sample once in each row, however often the row's function is in the stack. The
  /// sample's own row counts even if the stack is unknown.
  void add_children(std::size_t attr, const Sample& sample, std::uint32_t own_row,
                    std::span<const Address> stack) {
    const auto add = [&](std::uint32_t index) {
      RowTable::Row& row = state_.table.rows[index];
      if (std::exchange(row.counted, state_.samples) == state_.samples) return;
      ++row.children;
      row.children_period += sample.period();
    };
    add(own_row);
    const std::uint32_t kind = rows_->kind_of(attr, sample);
    for (const Address& address : stack)
      for (const std::uint32_t row : rows_->of(attr, sample, kind, address)) add(row);
  }

  /// Reads the frames of the sample's stack and their rows, innermost first, or outermost first if
  /// that is asked for. Its own instruction alone is no callchain.
  void read_frames(std::size_t attr, const Sample& sample, std::span<const Address> stack) {
    chain_.clear();
    chain_rows_.clear();
    if (!perf_data::has_chain(sample) && !locations_->locations().has_unwound()) return;
    const bool has_rows = options_.children && needs_.by_location;
    const std::uint32_t kind = has_rows ? rows_->kind_of(attr, sample) : 0;
    for (const Address& address : stack) {
      const std::span<const FrameKeys> frames = locations_->keys_of(sample, address);
      for (const FrameKeys& frame : frames) {
        const bool has_name = frame.unnamed == kAbsent && frame.dso != kAbsent;
        chain_.push_back({frame.frame, address.value, has_name});
      }
      if (!has_rows) continue;
      const auto rows = rows_->of(attr, sample, kind, address);
      chain_rows_.insert(chain_rows_.end(), rows.begin(), rows.end());
    }
    if (!state_.details.callers_first) return;
    std::ranges::reverse(chain_);
    std::ranges::reverse(chain_rows_);
  }

  /// As in perf: the sample's own row has the whole callchain. With callees, each other function
  /// has what follows it in the callchain (hist_iter_cumulative of tools/perf/util/hist.c).
  void add_chains(std::size_t attr, const Sample& sample, std::uint32_t own_row,
                  std::span<const Address> stack) {
    read_frames(attr, sample, stack);
    counted_ = {own_row};
    state_.chains.add(own_row, chain_, sample.period());
    for (std::size_t i = 0; i < chain_rows_.size(); ++i) {
      const std::uint32_t row = chain_rows_[i];
      if (std::ranges::find(counted_, row) != counted_.end()) continue;
      counted_.push_back(row);
      state_.chains.add(row, std::span(chain_).subspan(i), sample.period());
    }
  }

  State& state_;
  const ReportOptions& options_;
  const perf_format::Events& attrs_;
  const Needs needs_;
  KeyContext context_;
  std::optional<LocationKeys> locations_;  ///< these three if they are needed
  std::optional<DataPlaces> data_;
  std::optional<GridFiller> grid_;
  std::optional<InstructionFiller> instructions_;
  std::optional<Selection> selection_;
  std::optional<RowFinder> rows_;
  std::vector<std::uint32_t> events_;  ///< of the report, by attr
  std::vector<bool> shares_;           ///< by attr: what caches share is asked for
  perf_format::LostSamples lost_;      ///< of selected events and times
  std::optional<BranchRows> branch_rows_;
  std::vector<ChainCollector::Frame> chain_;  ///< of the sample at hand, as the next two
  std::vector<std::uint32_t> chain_rows_;     ///< of its frames, if callers have rows
  std::vector<std::uint32_t> counted_;        ///< rows that have its callchain
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

Result<SampleTally> add(State& state, const Recording& file) {
  const auto good = state.options.filter.check(file).and_then(
      [&] { return perf_data::check_waits(file, state.options.pass); });
  if (!good) return fail(good);
  if (std::ranges::any_of(state.options.keys, [](SortKey key) {
        return static_cast<std::size_t>(key) >= sort_keys().size();
      }))
    return fail(Errc::invalid_argument, "there is no such sort key");
  for (const std::string& field : state.options.fields)
    if (std::ranges::none_of(find_field(file, field), [](const auto* found) { return found; }))
      return fail(no_key(field));
  const Needs needs(state.options, state.details);
  PassOptions how = state.options.pass;
  if (needs.branches &&
      (state.options.children || state.options.memory || how.waits || state.details.grid))
    return fail(Errc::invalid_argument,
                "branches have no callees, accesses of memory, waits and flame graphs");
  how.jobs = perf_data::jobs_of(how);
  Pass pass(state, file, needs);
  const detail::RecordingState& data = detail::state_of(file);
  if (pass.wants_sums())
    if (const auto sums = session::sum_up(data.file, how)) {
      if (!sums->cancelled) pass.add(*sums);
      return perf_data::unless_cancelled(sums->tally());
    }
  how.file_order |= !pass.wants_order();
  session::RecordCursor cursor(data.file, how, {.maps = pass.wants_maps()});
  while (cursor.next()) {
    if (cursor.is_sample())
      pass.add(detail::sample_at(data, cursor));
    else
      pass.add(cursor.loss());
  }
  pass.finish();
  return perf_data::unless_cancelled(cursor.tally());
}

}  // namespace evname::report
