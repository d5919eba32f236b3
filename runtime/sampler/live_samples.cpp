#include "sampler/live_samples.hpp"

#include <unistd.h>

#include <ctime>
#include <utility>

namespace evname::sampler {
namespace {

/// A process that samples itself needs no facts about a recording.
const perf_format::Features& no_features() {
  static const perf_format::Features kNone;
  return kNone;
}

}  // namespace

using perf_format::kRecordSample;

LiveSamples::LiveSamples(const perf_format::Events& events, std::span<sampling::Ring> rings,
                         std::optional<int> clock)
    : RecordContents(events, std::endian::native, no_features(), true, session::recorded_now()),
      rings_(rings),
      merge_(rings, events),
      clock_(clock),
      opened_by_(static_cast<int>(getpid())) {}

void LiveSamples::add_traces(const spe::Trace& described,
                             std::span<const sampling::TraceSource> sources) {
  traces_.emplace(described, rings_, sources, events_,
                  [this](std::int32_t tid) { return pid_of(tid); });
}

void LiveSamples::read_made(std::string_view record) {
  perf_format::read_record(reinterpret_cast<const std::uint8_t*>(record.data()), order_,
                           sample_.record);
  (void)read_other();
}

/// Records up to now are read, so that no CPU's records overtake another's. The mappings and names
/// for a trace have been recorded before it.
bool LiveSamples::begin() {
  if (static_cast<int>(getpid()) != opened_by_) return false;
  std::uint64_t limit = UINT64_MAX;
  if (timespec now{}; clock_ && clock_gettime(*clock_, &now) == 0)
    limit = static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000 +
            static_cast<std::uint64_t>(now.tv_nsec);
  if (traces_) traces_->begin();
  merge_.begin(limit);
  return true;
}

bool LiveSamples::next_sample() {
  is_first_ = false;
  if (!values_.empty() && next_value()) return true;
  is_first_ = true;
  if (!began_ && !(began_ = begin())) return false;
  while (next_record())
    if (take()) return true;
  began_ = false;
  keep_traces();
  return false;
}

bool LiveSamples::next_record() {
  perf_format::Record& record = sample_.record;
  if (!traces_) return merge_.next(record, event_);
  return traces_->samples().next(record, event_, [&]() -> std::uint64_t {
    return merge_.next(record, event_) ? merge_.time() : UINT64_MAX;
  });
}

void LiveSamples::keep_traces() {
  if (traces_ && kept_ != nullptr) traces_->keep_in(*kept_);
}

SampleTally LiveSamples::tally() const {
  SampleTally tally = tally_of(true, {});
  if (!traces_) return tally;
  if (truncated_ > 0)
    tally.notes.emplace_back("trace_pages, an option of the sampler, gives traces more room");
  for (auto& fault : traces_->faults()) tally.warnings.push_back(std::move(fault.text));
  return tally;
}

/// Reads the record at hand. Returns true if it is a sample to hand out.
bool LiveSamples::take() {
  const Bytes bytes = sample_.record.bytes;
  is_sample_ = sample_.record.type == kRecordSample;
  const bool is_made =
      is_sample_ && event_ != nullptr && events_.index_of(*event_) >= events_.recorded();
  if (is_made) return read_sample(false);
  counts_.add(sample_.record.type);
  if (sample_.record.type == perf_format::kRecordAux) {
    count_gaps();
    truncated_ = RecordContents::truncated();
  }
  const bool is_good = is_sample_ ? read_sample(false) : read_other();
  if (kept_ != nullptr && (is_good || !is_sample_))
    kept_->add(bytes, is_sample_ ? std::optional(sample_.time) : std::nullopt);
  return is_sample_ && is_good;
}

}  // namespace evname::sampler
