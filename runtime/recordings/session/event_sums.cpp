#include "recordings/session/event_sums.hpp"

#include <algorithm>
#include <atomic>
#include <mutex>

#include "base/parallel.hpp"
#include "perf_format/sample_record.hpp"
#include "recordings/session/processes.hpp"

namespace evname::session {
namespace {

/// The layout that the samples of all events share, if they do.
struct Places {
  perf_format::SampleLayout layout;
  bool usable = false;  ///< also: this machine's byte order, and no variable length
};

Places common_places(const stream::File& file) {
  const std::vector<perf_format::Event>& events = file.events.list();
  if (events.empty() || file.header.order != std::endian::native) return {};
  const perf_format::SampleLayout& layout = events[0].sample;
  const bool same = std::all_of(events.begin(), events.end(), [&](const perf_format::Event& event) {
    return event.sample == layout && !event.has_tail;
  });
  return {layout, same && (events.size() == 1 || layout.id != perf_format::SampleLayout::kAbsent)};
}

std::uint64_t word_at(const std::uint8_t* body, std::int16_t place) {
  return load<std::uint64_t>(body + place, std::endian::native);
}

/// Reads a part of a stream and adds its samples up. Stops at any doubt.
class Adder {
 public:
  Adder(const stream::File& file, const Places& places, Bytes stream)
      : events_(file.events),
        order_(file.header.order),
        places_(places),
        stream_(stream),
        sums_(file.events) {}

  /// Adds up from the record at `begin` to the first at `end` or after. Returns false if in doubt.
  bool run(std::size_t begin, std::size_t end) {
    perf_format::RecordReader reader(stream_.subspan(begin), order_);
    perf_format::Record& record = sample_.record;
    while (begin + reader.offset() < end) {
      if (!reader.next(record)) return false;
      sums_.records.add(record.type);
      const bool added = record.type != perf_format::kRecordSample ? add_other(record)
                         : places_.usable                          ? add_common(record)
                                                                   : add_sample();
      if (!added) return false;
    }
    end_ = begin + reader.offset();
    return true;
  }

  std::size_t end() const { return end_; }
  const Sums& sums() const { return sums_; }

 private:
  bool add_common(const perf_format::Record& record) {
    const perf_format::SampleLayout& layout = places_.layout;
    if (record.bytes.size() != perf_format::kRecordHeader + static_cast<std::size_t>(layout.size))
      return false;
    const std::uint8_t* body = record.bytes.data() + perf_format::kRecordHeader;
    std::size_t index = 0;
    if (events_.size() > 1) index = events_.index_of_id(word_at(body, layout.id));
    if (index >= sums_.events.size()) return false;
    const std::uint64_t period = layout.period == perf_format::SampleLayout::kAbsent
                                     ? events_.list()[index].attr.sample_period
                                     : word_at(body, layout.period);
    if (layout.time == perf_format::SampleLayout::kAbsent ||
        !perf_format::is_time(events_.list()[index], word_at(body, layout.time)))
      sums_.events[index].add(period);
    else
      sums_.events[index].add(period, word_at(body, layout.time));
    return true;
  }

  bool add_sample() {
    const perf_format::Event* event = events_.of_sample(sample_.record, order_);
    if (!event || perf_format::parse_sample(*event, order_, sample_) != nullptr ||
        perf_format::is_too_long(*event, sample_.unread))
      return false;
    SampleSums& sums = sums_.events[events_.index_of(*event)];
    if (perf_format::has_time(sample_))
      sums.add(sample_.period, sample_.time);
    else
      sums.add(sample_.period);
    return true;
  }

  bool add_other(const perf_format::Record& record) {
    if (!perf_format::is_known_type(record.type) || perf_format::is_packed(record.type))
      return false;
    if (perf_format::is_too_long(record, events_, order_)) return false;
    if (record.type >= perf_format::kRecordUserFirst) return true;
    if (!threads_.apply(events_.without_trailer(record, order_), order_)) return false;
    const perf_format::Loss loss = perf_format::loss_of(record, events_, order_);
    sums_.lost.add(loss);
    if (loss.event) sums_.events[events_.index_of(*loss.event)].throttled += loss.throttled;
    return true;
  }

  const perf_format::Events& events_;
  std::endian order_;
  const Places& places_;
  Bytes stream_;
  Sums sums_;
  Threads threads_;  ///< only to check that its records are whole
  perf_format::SampleRecord sample_;
  std::size_t end_ = 0;
};

/// A part as one thread read it, from the first place that looked like a record on.
struct Part {
  std::size_t begin = 0, end = 0;
  bool clean = false;
  std::optional<Sums> sums = {};
};

void merge(const Sums& from, Sums& into) {
  into.lost += from.lost;
  for (std::size_t i = 0; i < from.records.by_type.size(); ++i)
    into.records.by_type[i] += from.records.by_type[i];
  for (std::size_t i = 0; i < from.events.size(); ++i) into.events[i] += from.events[i];
}

class StreamAdder {
 public:
  StreamAdder(const stream::File& file, Bytes stream, const PassOptions& options, std::size_t part)
      : file_(file),
        stream_(stream),
        options_(options),
        places_(common_places(file)),
        part_(part_size(file.events.size(), part)),
        parts_((stream.size() + part_ - 1) / part_) {}

  bool run(Sums& sums) {
    std::mutex telling;
    std::atomic<bool> cancelled = options_.progress && !options_.progress(0, stream_.size());
    std::uint64_t done = 0;
    parallel_for(parts_.size(), options_.jobs, [&](std::size_t i) {
      if (cancelled) return;
      parts_[i] = read(i == 0 ? 0 : record_near(i * part_), limit(i));
      if (!options_.progress) return;
      const std::lock_guard lock(telling);
      done += std::min<std::uint64_t>(part_, stream_.size() - done);  // the last may be shorter
      if (!cancelled) cancelled = !options_.progress(done, stream_.size());
    });
    sums.cancelled = cancelled;
    return cancelled || join(sums);
  }

 private:
  /// The sums of a part take little memory compared with it, even with thousands of events.
  static std::size_t part_size(std::size_t events, std::size_t part) {
    constexpr std::size_t kMany = 1024, kBytesPerEvent = 32 * sizeof(SampleSums);
    return events < kMany ? part : std::max(part, events * kBytesPerEvent);
  }
  std::size_t limit(std::size_t part) const { return std::min((part + 1) * part_, stream_.size()); }

  // Searched in one part only: there may be none in gigabytes of AUXTRACE data.
  std::size_t record_near(std::size_t at) const {
    constexpr std::size_t kAhead = 1 << 18;  // for the records that confirm a start
    const std::size_t size = std::min(part_ + kAhead, stream_.size() - (at - 8));
    perf_format::RecordReader reader(stream_.subspan(at - 8, size), file_.header.order);
    return reader.resync() ? at - 8 + reader.offset() : stream_.size();
  }

  Part read(std::size_t begin, std::size_t end) const {
    Adder adder(file_, places_, stream_);
    const bool clean = begin >= end || adder.run(begin, end);
    return {begin, begin < end ? adder.end() : begin, clean, adder.sums()};
  }

  // The beginning of a part is certain only if the part before ends there.
  bool join(Sums& sums) {
    std::size_t at = 0;
    for (std::size_t i = 0; i < parts_.size(); ++i) {
      if (at >= limit(i)) continue;  // one record with its data covers that whole part
      if (parts_[i].begin != at || !parts_[i].clean) parts_[i] = read(at, limit(i));
      if (!parts_[i].clean) return false;
      merge(*parts_[i].sums, sums);
      at = parts_[i].end;
    }
    return at == stream_.size();
  }

  const stream::File& file_;
  Bytes stream_;
  const PassOptions& options_;
  Places places_;
  std::size_t part_;  ///< bytes
  std::vector<Part> parts_;
};

}  // namespace

SampleTally Sums::tally() const {
  SampleTally tally;
  for (const SampleSums& event : events) tally.samples += event.samples;
  tally.lost = lost.all();
  tally.records = records.list();
  tally.cancelled = cancelled;
  return tally;
}

std::optional<Sums> sum_up(const stream::File& file, const PassOptions& options, std::size_t part) {
  if (file.trace) return std::nullopt;
  for (const perf_format::Event& event : file.events.list())
    if (event.attr.samples(perf_format::kSampleRead)) return std::nullopt;
  Sums sums(file.events);
  for (const stream::Stream& stream : file.streams)
    if (sums.cancelled)
      break;
    else if (stream.more || !StreamAdder(file, stream.bytes, options, part).run(sums))
      return std::nullopt;
  for (std::size_t i = 0; i < sums.events.size(); ++i) sums.events[i].lost = sums.lost.of_event(i);
  return sums;
}

}  // namespace evname::session
