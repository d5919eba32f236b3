// Returns the samples of a recording one at a time, and the contents of its other records.

#include <new>
#include <optional>
#include <set>
#include <utility>

#include "perf_format/features.hpp"
#include "perf_format/scheduler_records.hpp"
#include "recordings/perf_data/perf_data_state.hpp"

namespace evname {

struct SampleRange::State {
  State(const PerfData& data, const PassOptions& options)
      : file(data),
        cursor(std::in_place, detail::state_of(file).file, options),
        contents(*cursor) {}
  State(const PerfData& data, std::shared_ptr<detail::SampleSource> from)
      : file(data), source(std::move(from)), contents(source->contents()) {}
  ~State() {}

  bool move_on() { return cursor ? cursor->next_sample() : source->next_sample(); }
  /// Makes the sample in its place; copying bytes that were just written would stall the CPU.
  const Sample* show() {
    return ::new (&sample) Sample(detail::sample_at(detail::state_of(file), contents));
  }

  PerfData file;
  std::optional<session::RecordCursor> cursor;  ///< over the file, unless there is:
  std::shared_ptr<detail::SampleSource> source;
  const session::RecordContents& contents;  ///< of either
  union {
    Sample sample;  ///< there is none before the first call of show()
  };
  bool is_inside = false;  ///< next() is running, or threw an exception
};

SampleRange::SampleRange(std::unique_ptr<State> state) : state_(std::move(state)) {}
SampleRange::SampleRange(SampleRange&& other) noexcept = default;
SampleRange& SampleRange::operator=(SampleRange&& other) noexcept = default;
SampleRange::~SampleRange() = default;

const Sample* SampleRange::next() {
  State& state = *state_;
  if (std::exchange(state.is_inside, true)) return nullptr;
  const Sample* const sample = state.move_on() ? state.show() : nullptr;
  state.is_inside = false;
  return sample;
}

std::string_view SampleRange::process_comm() const { return state_->contents.process_comm(); }
void SampleRange::stop() {
  if (state_->cursor) state_->cursor->end();
}
SampleTally SampleRange::tally() const {
  return state_->cursor ? state_->cursor->tally() : state_->source->tally();
}

SampleRange PerfData::samples(const PassOptions& options) const {
  return SampleRange(std::make_unique<SampleRange::State>(*this, options));
}

SampleRange SampleRange::over(const PerfData& data, std::shared_ptr<detail::SampleSource> source) {
  return SampleRange(std::make_unique<State>(data, std::move(source)));
}

SampleRange detail::range_over(const PerfData& data, std::shared_ptr<SampleSource> source) {
  return Access::over<SampleRange>(data, std::move(source));
}

RecordSurvey PerfData::survey(const PassOptions& options) const {
  const std::endian order = state_->file.header.order;
  RecordSurvey survey;
  std::set<std::pair<std::string, std::vector<std::uint8_t>>> known;
  const auto add = [&](const perf_format::BuildId& one) {
    if (known.emplace(one.file, one.id).second) survey.build_ids.push_back(one);
  };
  for (const perf_format::BuildId& one : state_->file.features.build_ids) add(one);
  perf_format::SchedulerSums scheduler;
  session::RecordCursor cursor(state_->file, options, {.maps = false});
  while (cursor.next()) {
    if (cursor.is_sample()) continue;
    const perf_format::Record& record = cursor.record();
    if (record.type == perf_format::kRecordBpfMetadata)
      survey.bpf_metadata.push_back(perf_format::read_bpf_metadata(record, order));
    if (const auto found = perf_format::mapped_build_id(record, order)) add(*found);
    if (perf_format::is_of_scheduler(record.type)) scheduler.add(record, order);
  }
  survey.tally = cursor.tally();
  survey.scheduler = scheduler.take();
  return survey;
}

}  // namespace evname
