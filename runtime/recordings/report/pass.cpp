// One file on its way into a report.

#include <algorithm>
#include <bit>
#include <optional>
#include <utility>

#include "recordings/perf_data/perf_data_state.hpp"
#include "recordings/report/frames.hpp"
#include "recordings/report/report_state.hpp"
#include "recordings/report/sort_keys.hpp"
#include "recordings/session/event_sums.hpp"

namespace evname::report {
namespace {

class Pass final : public perfdata::session::SampleSink {
 public:
  Pass(State& state, const PerfData& file)
      : state_(state),
        options_(state.options),
        file_(file),
        attrs_(detail::state_of(file).file.events),
        swapped_(detail::state_of(file).file.header.order != std::endian::native),
        context_{file, state.texts} {
    for (const SortKey key : options_.keys) {
      keys_.push_back(&row_of(key));
      plain_ &= keys_.back()->needs == KeyNeeds::event;
      by_code_ |= keys_.back()->needs == KeyNeeds::code;
    }
    if (by_code_ || options_.stacks > 0 || options_.filter.needs_symbols())
      frames_.emplace(file, state.symbols(), state.texts);
    selection_.emplace(detail::Access::make<Selection>(options_.filter, file,
                                                       frames_ ? &frames_->namer() : nullptr));
    for (const RecordedEvent& event : file.events()) {
      events_.push_back(event_index(event));
      if (selection_->accepts_event(event.attr)) state.wanted[events_.back()] = true;
    }
    row_of_attr_.assign(events_.size(), RowTable::kNone);
    if (plain_)  // an event without samples has a row, too
      for (std::size_t attr = 0; attr < events_.size(); ++attr)
        if (selection_->accepts_event(attr)) row_of_event(attr);
    state.timeline.begin_file();
  }

  /// Is what all samples of an event add up to all that is asked for?
  bool wants_sums() const {
    return plain_ && options_.filter.selects_events_only() && !frames_ && !options_.timeline &&
           !options_.pass.salvage;
  }

  /// Is it asked for what depends on the order of samples: how threads are called, how time goes
  /// by?
  bool wants_order() const {
    return options_.timeline || frames_ || !options_.filter.comms.empty() ||
           std::any_of(keys_.begin(), keys_.end(),
                       [](const KeyRow* key) { return key->needs >= KeyNeeds::order; });
  }
  bool wants_maps() const { return frames_.has_value(); }

  void add(const perfdata::session::Sums& sums) {
    for (std::size_t attr = 0; attr < sums.events.size(); ++attr) {
      if (!selection_->accepts_event(attr)) continue;
      state_.table.rows[row_of_event(attr)].sums += sums.events[attr];
      state_.events[events_[attr]] += sums.events[attr];
      state_.samples += sums.events[attr].samples;
    }
  }

  bool sample(const perfdata::session::SampleView& view) override {
    const std::size_t attr = attrs_.index_of(view.event);
    const detail::SampleRef ref{file_.events()[attr], view, swapped_};
    const Sample sample = detail::sample_of(ref);
    if (!selection_->accepts(sample)) return true;
    ++state_.samples;
    SampleSums& row =
        state_.table.rows[plain_ ? row_of_event(attr) : row_of_sample(attr, &sample)].sums;
    SampleSums& event = state_.events[events_[attr]];
    const std::uint64_t period = view.core.period;
    if (view.event.attr.samples(perfdata::kSampleTime)) {
      row.add(period, view.core.time);
      event.add(period, view.core.time);
      if (options_.timeline) add_to_timeline(events_[attr], sample, view.core);
    } else {
      row.add(period);
      event.add(period);
    }
    if (options_.stacks > 0 || options_.children) add_callers(attr, sample);
    return true;
  }

  void lost(const perfdata::Event* event, std::uint64_t count,
            std::optional<std::uint64_t> time) override {
    if (SampleSums* sums = sums_of(event)) sums->lost += count;
    if (!event || !accepts(*event)) return;
    const std::uint32_t index = events_[attrs_.index_of(*event)];
    state_.events[index].lost += count;
    if (options_.timeline && time) state_.timeline.add_lost(index, *time, count);
  }
  void throttled(const perfdata::Event* event) override {
    if (SampleSums* sums = sums_of(event)) ++sums->throttled;
    if (event && accepts(*event)) ++state_.events[events_[attrs_.index_of(*event)]].throttled;
  }

 private:
  bool accepts(const perfdata::Event& event) const {
    return selection_->accepts_event(attrs_.index_of(event));
  }
  std::uint32_t event_index(const RecordedEvent& event) {
    const auto [at, is_new] = state_.event_index.try_emplace(
        event.full_name() + '\0' + event.pmu, static_cast<std::uint32_t>(state_.events.size()));
    if (is_new) {
      state_.events.push_back({{}, event});
      state_.wanted.push_back(false);
    }
    return at->second;
  }

  /// `frame`: where it was; nullptr: where the sample itself was.
  std::uint32_t row_of_sample(std::size_t attr, const Sample* sample,
                              const FrameKeys* frame = nullptr) {
    FrameKeys leaf;
    if (by_code_ && !frame) leaf = frames_->leaf(*sample), frame = &leaf;
    values_.clear();
    for (const KeyRow* key : keys_)
      values_.push_back(key->member ? frame->*key->member
                                    : key->of(context_, file_.events()[attr], sample));
    return state_.table.find(values_, events_[attr]);
  }
  std::uint32_t row_of_event(std::size_t attr) {
    std::uint32_t& row = row_of_attr_[attr];
    if (row == RowTable::kNone) row = row_of_sample(attr, nullptr);
    return row;
  }
  /// Of the row that all samples of the event are in.
  SampleSums* sums_of(const perfdata::Event* event) {
    if (!plain_ || !event || !accepts(*event)) return nullptr;
    return &state_.table.rows[row_of_event(attrs_.index_of(*event))].sums;
  }

  void add_to_timeline(std::uint32_t event, const Sample& sample,
                       const perfdata::SampleCore& core) {
    TimelineCollector& timeline = state_.timeline;
    timeline.add(event, Timeline::Of::event, 0, core.time, core.period);
    if (sample.tid())
      timeline.add(
          event, Timeline::Of::thread,
          state_.threads.child(state_.threads.child(PairTree::kRoot, context_.comm_of(sample)),
                               static_cast<std::uint32_t>(core.tid)),
          core.time, core.period);
    if (sample.cpu()) timeline.add(event, Timeline::Of::cpu, core.cpu, core.time, core.period);
  }

  void add_callers(std::size_t attr, const Sample& sample) {
    const auto frames = frames_->stack(sample);
    if (options_.children && by_code_) add_children(attr, sample, frames);
    if (options_.stacks == 0) return;
    stack_.clear();
    stack_.push_back(sample.tid() ? context_.comm_of(sample) : context_.texts.id("-"));
    for (auto frame = frames.rbegin(); frame != frames.rend(); ++frame)
      stack_.push_back(frame->sym);
    state_.stacks.add(events_[attr], stack_, sample.period());
  }

  /// Once for each row, however often its function is in the stack. The sample itself counts where
  /// its stack is not known, too.
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
  const perfdata::Events& attrs_;
  bool swapped_;
  bool plain_ = true;  ///< an event has one row
  KeyContext context_;
  bool by_code_ = false;                     ///< a key asks for functions
  std::optional<FrameKeysOfSample> frames_;  ///< where functions or files are asked for
  std::optional<Selection> selection_;
  std::vector<const KeyRow*> keys_;
  std::vector<std::uint32_t> events_;  ///< of the report, by attr
  std::vector<std::uint32_t> row_of_attr_;
  std::vector<std::uint32_t> values_, stack_;  ///< of the sample at hand
};

}  // namespace

Result<SampleTally> add(State& state, const PerfData& file) {
  if (auto good = state.options.filter.check(file); !good) return tl::unexpected(good.error());
  Pass pass(state, file);
  const ReportOptions& options = state.options;
  if (pass.wants_sums())
    if (const auto sums = perfdata::session::sum_up(
            detail::state_of(file).file,
            {.jobs = recording::jobs_of(options.pass), .progress = options.pass.progress})) {
      pass.add(*sums);
      return recording::tally_of(*sums);
    }
  auto how = recording::session_options(options.pass);
  if (!pass.wants_order()) how.order = perfdata::session::Order::file;
  how.maps |= pass.wants_maps();
  return recording::tally_of(
      perfdata::session::Session(detail::state_of(file).file, pass, how).run());
}

}  // namespace evname::report
