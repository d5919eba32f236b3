#include "recordings/session/record_contents.hpp"

#include <fmt/format.h>

#include "base/text.hpp"

namespace evname::session {

bool RecordContents::read_sample(bool threads_only) {
  const perf_format::Record& record = sample_.record;
  if (!event_) {
    if (unknown_ids_.count++ == 0) warnings_.add(record.offset, "sample of an unknown event id");
    return false;
  }
  const perf_format::Event& event = *event_;
  const char* fault = nullptr;
  const bool is_made = events_.index_of(event) >= events_.recorded();
  if (!threads_only || (event.has_tail && !is_made))
    fault = perf_format::parse_sample(event, order_, sample_);
  else if (!perf_format::parse_thread(event, order_, sample_))
    fault = "fixed part";
  if (fault) {
    if (malformed_.count++ == 0)
      warnings_.add(record.offset, fmt::format("sample is too short for its {}", fault));
    return false;
  }
  ++samples_;
  if (!is_made && sample_.unread > 0 && is_too_long(event, sample_.unread)) count_too_long();
  if (event.attr.has(perf_format::kDeferCallchain)) deferred_.complete(order_, sample_);
  comm_ = threads_.comm(sample_.pid, sample_.tid);
  follow_process(event);
  cgroup_path_ =
      event.attr.samples(perf_format::kSampleCgroup) ? cgroups_.path(sample_.cgroup) : "";
  if (!event.attr.samples(perf_format::kSampleRead)) return true;
  values_.begin(sample_, order_);
  return next_value();
}

// The addresses of a deferred user part refer to the mappings at its own time.
void RecordContents::follow_process(const perf_format::Event& event) {
  if (sample_.pid != maps_pid_ || is_ahead_) sample_maps_ = &maps_.of(sample_.pid);
  maps_pid_ = sample_.pid;
  is_ahead_ = false;
  if (!follows_maps_ || !event.attr.has(perf_format::kDeferCallchain)) return;
  const std::span<const perf_format::Record> later = deferred_.maps_between(order_);
  if (later.empty()) return;
  sample_maps_ = &maps_.ahead(sample_.pid, later, order_);
  is_ahead_ = true;
}

bool RecordContents::next_value() {
  while (values_.next(sample_.id, sample_.period)) {
    sample_.event = events_.of_id(sample_.id);
    if (sample_.event) return true;
    if (unknown_values_.count++ == 0)
      warnings_.add(sample_.record.offset, "counter value of an unknown event id");
  }
  return false;
}

bool RecordContents::read_other() {
  perf_format::Record& record = sample_.record;
  loss_ = {};
  trailer_ = {};
  if (!perf_format::is_known_type(record.type) && unknown_records_.count++ == 0)
    warnings_.add(record.offset, fmt::format("unknown record type {}", record.type));
  if (record.type == perf_format::kRecordTimeConv) follow(record);
  if (record.type >= perf_format::kRecordUserFirst) return false;
  const perf_format::Record bare = events_.without_trailer(record, order_);
  if (!follow(bare) && malformed_others_.count++ == 0)
    warnings_.add(record.offset, fmt::format("record of type {} is too short", record.type));
  if (perf_format::is_too_long(record, events_, order_)) count_too_long();
  loss_ = perf_format::loss_of(record, events_, order_);
  lost_ += loss_.lost;
  trailer_ = record.bytes.subspan(bare.bytes.size());
  record = bare;
  return true;
}

/// Returns false if the record is too short.
bool RecordContents::follow(const perf_format::Record& record) {
  if (!perf_format::is_known_type(record.type)) return true;
  bool is_whole = true;
  if (follows_maps_ && AddressMaps::follows(record.type)) {
    is_whole = maps_.apply(record, order_);
    sample_maps_ = &maps_.of(maps_pid_);
  }
  return threads_.apply(record, order_) && cgroups_.apply(record, order_) && is_whole;
}

void RecordContents::count_too_long() {
  const perf_format::Record& record = sample_.record;
  if (too_long_.count++ == 0)
    warnings_.add(record.offset,
                  fmt::format("record of type {} is longer than what is in it", record.type));
}

namespace {

/// The meanings of the flags of an AUX record.
struct Gap {
  std::uint64_t flag;
  const char *one, *many;
};
constexpr Gap kGapsInTraces[] = {
    {perf_format::kAuxTruncated,
     "AUX record says that trace data were lost, as the buffer was full",
     "AUX records say that trace data were lost, as the buffer was full"},
    {perf_format::kAuxOverwritten, "AUX record says that older trace data were overwritten",
     "AUX records say that older trace data were overwritten"},
    {perf_format::kAuxPartial, "AUX record says that trace data have gaps",
     "AUX records say that trace data have gaps"},
    {perf_format::kAuxCollision,
     "AUX record says that samples were lost, as they met others in the hardware",
     "AUX records say that samples were lost, as they met others in the hardware"}};

}  // namespace

void RecordContents::count_gaps() {
  Cursor in(sample_.record.body(), order_);
  in.skip(16);
  const std::uint64_t flags = in.u64();
  static_assert(std::size(kGapsInTraces) == kGaps);
  for (std::size_t i = 0; i < kGaps; ++i) gaps_[i] += (flags & kGapsInTraces[i].flag) != 0;
}

SampleTally RecordContents::tally_of(bool complete, const std::vector<Problem>& more) const {
  SampleTally tally;
  tally.samples = samples_;
  tally.unknown_ids = unknown_ids_.count;
  tally.malformed = malformed_.count;
  tally.lost = lost_;
  tally.records = counts_.list();
  for (std::size_t i = 0; i < kGaps; ++i)
    if (gaps_[i] > 0)
      tally.notes.push_back(counted(gaps_[i], kGapsInTraces[i].one, kGapsInTraces[i].many));
  if (!complete) return tally;
  perf_format::Warnings warnings = warnings_;
  const Problem missing{deferred_.missing(),
                        "sample lacks the user part of its callchain, which was never recorded",
                        "samples lack the user part of their callchain, which was never recorded"};
  const Problem emptied{maps_.emptied(),
                        "process lost what it had mapped before it was forked: there is too much",
                        "processes lost what they had mapped before they were forked: there is too "
                        "much"};
  std::vector<Problem> problems{unknown_ids_,     malformed_, malformed_others_, unknown_values_,
                                unknown_records_, too_long_,  missing,           emptied};
  problems.insert(problems.end(), more.begin(), more.end());
  for (const Problem& problem : problems)
    if (problem.count > 0) warnings.add(counted(problem.count, problem.one, problem.many));
  tally.warnings = warnings.take();
  return tally;
}

void GroupValues::begin(const perf_format::SampleRecord& sample, std::endian order) {
  format_ = sample.event->attr.read_format;
  own_ = {sample.id, sample.event->attr.has(perf_format::kInherit) ? sample.tid : -1};
  in_ = Cursor(sample.read, order);
  left_ = 1;
  if (format_ & perf_format::kReadGroup)
    left_ = in_.u64();
  else
    value_ = in_.u64();
  if (format_ & perf_format::kReadTimeEnabled) in_.skip(8);
  if (format_ & perf_format::kReadTimeRunning) in_.skip(8);
}

bool GroupValues::next(std::uint64_t& id, std::uint64_t& period) {
  while (left_ > 0 && in_.ok()) {
    --left_;
    if (format_ & perf_format::kReadGroup) value_ = in_.u64();
    const std::uint64_t of = format_ & perf_format::kReadId ? in_.u64() : own_.id;
    if (format_ & perf_format::kReadLost) in_.skip(8);
    if (!in_.ok()) break;
    std::uint64_t& last = last_[{of, own_.tid}];
    const std::uint64_t since = value_ - std::exchange(last, value_);
    if (since == 0) continue;
    id = of;
    period = since;
    return true;
  }
  return false;
}

}  // namespace evname::session
