#include "recordings/session/record_contents.hpp"

#include <algorithm>
#include <tuple>

#include <fmt/format.h>

#include "base/read_file.hpp"
#include "base/sorting.hpp"
#include "base/text.hpp"
#include "perf_format/typed_records.hpp"
#include "recordings/session/record_order.hpp"
#include "recordings/stream/stream.hpp"

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
  if (!settles_) return true;
  settle();
  if (!event.attr.samples(perf_format::kSampleRead)) return true;
  values_.begin(sample_, order_);
  return next_value();
}

void RecordContents::settle() {
  const perf_format::Attr& attr = event_->attr;
  if (attr.has(perf_format::kDeferCallchain)) deferred_.complete(order_, sample_);
  comm_ = threads_.comm(sample_.pid, sample_.tid);
  follow_process(*event_);
  cgroup_path_ = attr.samples(perf_format::kSampleCgroup) ? cgroups_.path(sample_.cgroup) : "";
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
  event_ = nullptr;
  if (!perf_format::is_known_type(record.type) && unknown_records_.count++ == 0)
    warnings_.add(record.offset, fmt::format("unknown record type {}", record.type));
  if (record.type == perf_format::kRecordTimeConv) follow(record);
  if (record.type >= perf_format::kRecordUserFirst) return false;
  event_ = events_.of_other(record, order_);
  const perf_format::Record bare = perf_format::without_trailer(record, event_);
  if (!follow(bare) && malformed_others_.count++ == 0)
    warnings_.add(record.offset,
                  fmt::format("{} record is too short", perf_format::numbered_name(record.type)));
  if (perf_format::is_early_mmap2(record)) ++early_maps_;
  if (perf_format::is_too_long(record, events_, order_)) count_too_long();
  if (perf_format::has_long_name(bare) && long_names_.count++ == 0)
    warnings_.add(record.offset, fmt::format("{} record has a name of more than {} bytes",
                                             perf_format::numbered_name(record.type),
                                             perf_format::longest_name(record.type)));
  loss_ = perf_format::loss_of(record, events_, order_);
  lost_.add(loss_);
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
    warnings_.add(record.offset, fmt::format("{} record is longer than what is in it",
                                             perf_format::numbered_name(record.type)));
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
  const auto aux = perf_format::read_as<Record::Aux>(sample_.record, order_);
  const std::uint64_t flags = aux ? aux->flags : 0;
  static_assert(std::size(kGapsInTraces) == kGaps);
  for (std::size_t i = 0; i < kGaps; ++i) gaps_[i] += (flags & kGapsInTraces[i].flag) != 0;
}

SampleTally RecordContents::tally_of(bool complete, const std::vector<Problem>& more) const {
  SampleTally tally;
  tally.samples = samples_;
  tally.unknown_ids = unknown_ids_.count;
  tally.malformed = malformed_.count;
  tally.lost = lost_.all();
  tally.records = counts_.list();
  for (std::size_t i = 0; i < kGaps; ++i)
    if (gaps_[i] > 0)
      tally.gaps.push_back(counted(gaps_[i], kGapsInTraces[i].one, kGapsInTraces[i].many));
  if (early_maps_ > 0)
    tally.gaps.push_back(counted(early_maps_, "MMAP2 record lacks", "MMAP2 records lack") +
                         " protection and flags, as kernels of RHEL 7.0 write them");
  if (!complete) return tally;
  perf_format::Warnings warnings = warnings_;
  const Problem missing{deferred_.missing(),
                        "sample lacks the user part of its callchain, which was never recorded",
                        "samples lack the user part of their callchain, which was never recorded"};
  const Problem emptied{maps_.emptied(),
                        "process lost what it had mapped before it was forked: there is too much",
                        "processes lost what they had mapped before they were forked: there is too "
                        "much"};
  std::vector<Problem> problems{unknown_ids_,    malformed_,       malformed_others_,
                                unknown_values_, unknown_records_, too_long_,
                                long_names_,     missing,          emptied};
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

namespace {

constexpr std::uint64_t kContextUserDeferred = -640;
constexpr std::size_t kWord = 8;
/// A second part follows its sample as soon as the thread returns to user space. More mappings
/// between them are an error of the file, and are ignored.
constexpr std::size_t kMostMapsBetween = 256;
constexpr std::size_t kCopiesBuffer = 1 << 20;  // bytes of copies that are written at a time

}  // namespace

/// Notes each CALLCHAIN_DEFERRED and each mapping. A chain in a mapped file stays there; unpacked
/// blocks are temporary, so their chains are copied to a file.
class DeferredChains::Collector {
 public:
  Collector(const stream::File& file, DeferredChains& out) : file_(file), out_(out) {}

  Result<void> walk(const stream::Stream& stream, perf_format::Damage damage) {
    const std::endian order = file_.header.order;
    stream::BlockStore blocks;
    perf_format::RecordCounts counts;
    perf_format::Warnings ignored;  // the cursor has the same
    stream::StreamReader reader(stream, order, blocks, counts, ignored, damage);
    perf_format::Record record;
    for (std::uint32_t block; reader.next(record, block);) {
      const bool copies = blocks.is_owned(block);
      if (record.type == perf_format::kRecordCallchainDeferred) note(record, copies);
      if (record.type == perf_format::kRecordMmap || record.type == perf_format::kRecordMmap2)
        note_map(record, copies);
      if (buffer_.size() < kCopiesBuffer) continue;
      if (auto written = write(); !written) return written;
    }
    return {};
  }

  Result<void> end() {
    if (auto written = write(); !written) return written;
    if (copies_) {
      auto map = copies_->map();
      if (!map) return fail(map);
      const auto place = [&](bool is_copied, const std::uint8_t*& bytes) {
        if (is_copied) bytes = map->bytes().data() + reinterpret_cast<std::uintptr_t>(bytes);
      };
      for (Part& part : out_.parts_) place(part.is_copied, part.chain);
      for (Map& one : out_.maps_) place(one.is_copied, one.bytes);
      out_.copies_.emplace(std::move(*map));
    }
    sort_stably(out_.parts_, [](const Part& a, const Part& b) {
      return std::tie(a.tid, a.cookie, a.time) < std::tie(b.tid, b.cookie, b.time);
    });
    sort_stably(out_.maps_, [](const Map& a, const Map& b) {
      return std::tie(a.pid, a.time) < std::tie(b.pid, b.time);
    });
    return {};
  }

 private:
  void note(const perf_format::Record& record, bool copies) {
    const std::endian order = file_.header.order;
    const perf_format::Event* event = file_.events.of_other(record, order);
    if (!event) return;
    Cursor in(file_.events.without_trailer(record, order).body(), order);
    Part part;
    part.cookie = in.u64();
    const std::size_t start = perf_format::kRecordHeader + in.position();
    const Bytes chain = in.array(in.u64(), kWord);
    if (!in.ok()) return;
    part.time = record_time(record, file_.events, order);
    part.tid = thread_of(record, *event);
    part.chain = kept(record.bytes.subspan(start, kWord + chain.size()), copies);
    part.is_copied = copies;
    out_.parts_.push_back(part);
  }

  void note_map(const perf_format::Record& record, bool copies) {
    const std::endian order = file_.header.order;
    const std::uint64_t time = record_time(record, file_.events, order);
    if (!has_place_in_time(time)) return;
    const perf_format::Record bare = file_.events.without_trailer(record, order);
    Cursor in(bare.body(), order);
    const auto pid = static_cast<std::int32_t>(in.u32());
    if (in.ok())
      out_.maps_.push_back({time, record.offset, kept(bare.bytes, copies),
                            static_cast<std::uint32_t>(bare.bytes.size()), pid, copies});
  }

  /// Returns the place of bytes or, if they are copied, their future place in the copies.
  const std::uint8_t* kept(Bytes bytes, bool copies) {
    if (!copies) return bytes.data();
    const std::uint64_t at = written_ + buffer_.size();
    buffer_.insert(buffer_.end(), bytes.begin(), bytes.end());
    return reinterpret_cast<const std::uint8_t*>(at);
  }

  std::int32_t thread_of(const perf_format::Record& record, const perf_format::Event& event) const {
    const std::int16_t place = event.trailer.tid;
    const Bytes body = record.body();
    if (place == perf_format::SampleLayout::kAbsent ||
        body.size() < static_cast<std::size_t>(place))
      return -1;
    const std::uint8_t* pid = body.data() + body.size() - place;
    return static_cast<std::int32_t>(load<std::uint32_t>(pid + 4, file_.header.order));
  }

  Result<void> write() {
    if (buffer_.empty()) return {};
    if (!copies_) {
      auto created = TemporaryFile::create();
      if (!created) return fail(created);
      copies_.emplace(std::move(*created));
    }
    if (auto done = copies_->append(buffer_); !done) return done;
    written_ += buffer_.size();
    buffer_.clear();
    return {};
  }

  const stream::File& file_;
  DeferredChains& out_;
  std::optional<TemporaryFile> copies_;
  std::vector<std::uint8_t> buffer_;
  std::uint64_t written_ = 0;
};

void DeferredChains::collect(const stream::File& file, perf_format::Damage damage,
                             perf_format::Warnings& warnings) {
  if (!file.events.defer_callchains()) return;
  Collector collector(file, *this);
  Result<void> done;
  for (const stream::Stream& stream : file.streams)
    if (done && !stream.more) done = collector.walk(stream, damage);
  if (done) done = collector.end();
  if (done) return;
  parts_.clear();
  maps_.clear();
  warnings.add(fmt::format("callchains lack the parts that came later: {}", done.error().text()));
}

// A cookie may repeat once its counter has wrapped; the first part after the sample counts.
const DeferredChains::Part* DeferredChains::find(std::uint64_t cookie,
                                                 const perf_format::SampleRecord& sample) const {
  const std::uint64_t time = sample.time == UINT64_MAX ? 0 : sample.time;
  const auto part =
      std::lower_bound(parts_.begin(), parts_.end(), std::tie(sample.tid, cookie, time),
                       [](const Part& one, const auto& key) {
                         return std::tie(one.tid, one.cookie, one.time) < key;
                       });
  const bool is_found = part != parts_.end() && part->tid == sample.tid && part->cookie == cookie;
  return is_found ? &*part : nullptr;
}

void DeferredChains::complete(std::endian order, perf_format::SampleRecord& sample) {
  between_ = {};
  const std::size_t size = sample.callchain.size();
  if (size < 2 * kWord) return;
  const std::uint8_t* end = sample.callchain.data() + size;
  if (load<std::uint64_t>(end - 2 * kWord, order) != kContextUserDeferred) return;
  const Part* const part = find(load<std::uint64_t>(end - kWord, order), sample);
  sample.callchain = sample.callchain.first(size - kWord);
  const std::uint64_t words = part ? load<std::uint64_t>(part->chain, order) : 0;
  if (words == 0) {
    ++missing_;
    return;
  }
  between_ = {sample.pid, sample.time, part->time};
  const Bytes later{part->chain + kWord, static_cast<std::size_t>(words) * kWord};
  whole_.assign(sample.callchain.begin(), sample.callchain.end());
  whole_.insert(whole_.end(), later.begin(), later.end());
  sample.callchain = whole_;
}

std::span<const perf_format::Record> DeferredChains::maps_between(std::endian order) {
  found_maps_.clear();
  const auto& [pid, after, until] = between_;
  if (until == UINT64_MAX || after >= until) return {};
  auto map = std::upper_bound(
      maps_.begin(), maps_.end(), std::tie(pid, after),
      [](const auto& key, const Map& one) { return key < std::tie(one.pid, one.time); });
  for (; map != maps_.end() && map->pid == pid && map->time <= until; ++map) {
    if (found_maps_.size() == kMostMapsBetween) return {};
    found_maps_.push_back({.type = load<std::uint32_t>(map->bytes, order),
                           .misc = load<std::uint16_t>(map->bytes + 4, order),
                           .bytes = {map->bytes, map->size},
                           .offset = map->offset});
  }
  return found_maps_;
}

}  // namespace evname::session
