#include "recordings/session/deferred_chains.hpp"

#include <algorithm>
#include <tuple>

#include <fmt/format.h>

#include "base/read_file.hpp"
#include "base/sorting.hpp"
#include "recordings/session/record_order.hpp"
#include "recordings/stream/stream_reader.hpp"

namespace evname::perfdata::session {
namespace {

constexpr std::uint64_t kContextUserDeferred = -640;
constexpr std::size_t kWord = 8;
constexpr std::size_t kCopiesBuffer = 1 << 20;  // bytes of copies that are written at a time

}  // namespace

/// Notes each CALLCHAIN_DEFERRED. A chain in a mapping stays there; blocks of unpacked records go
/// away, so their chains are copied to a file.
class DeferredChains::Collector {
 public:
  Collector(const stream::File& file, DeferredChains& out) : file_(file), out_(out) {}

  Result<void> walk(const stream::Stream& stream, Damage damage) {
    const std::endian order = file_.header.order;
    stream::BlockStore blocks;
    RecordCounts counts;
    Warnings ignored;  // the cursor has the same
    stream::StreamReader reader(stream, order, blocks, counts, ignored, damage);
    Record record;
    for (std::uint32_t block; reader.next(record, block);) {
      if (record.type != kRecordCallchainDeferred) continue;
      if (auto noted = note(record, blocks.is_owned(block)); !noted) return noted;
    }
    return {};
  }

  Result<void> end() {
    if (auto written = write(); !written) return written;
    if (copies_) {
      auto map = copies_->map();
      if (!map) return fail(map);
      for (Part& part : out_.parts_)
        if (part.is_copied)
          part.chain = map->bytes().data() + reinterpret_cast<std::uintptr_t>(part.chain);
      out_.copies_.emplace(std::move(*map));
    }
    sort_stably(out_.parts_, [](const Part& a, const Part& b) {
      return std::tie(a.tid, a.cookie, a.time) < std::tie(b.tid, b.cookie, b.time);
    });
    return {};
  }

 private:
  Result<void> note(const Record& record, bool copies) {
    const std::endian order = file_.header.order;
    const Event* event = file_.events.of_other(record, order);
    if (!event) return {};
    Cursor in(file_.events.without_trailer(record, order).body(), order);
    Part part;
    part.cookie = in.u64();
    const std::size_t start = kRecordHeader + in.position();
    const Bytes chain = in.array(in.u64(), kWord);
    if (!in.ok()) return {};
    part.time = record_time(record, file_.events, order);
    part.tid = thread_of(record, *event);
    part.chain = record.bytes.data() + start;
    part.is_copied = copies;
    if (copies) {
      part.chain = reinterpret_cast<const std::uint8_t*>(written_ + buffer_.size());
      const Bytes bytes = record.bytes.subspan(start, kWord + chain.size());
      buffer_.insert(buffer_.end(), bytes.begin(), bytes.end());
    }
    out_.parts_.push_back(part);
    return buffer_.size() < kCopiesBuffer ? Result<void>{} : write();
  }

  std::int32_t thread_of(const Record& record, const Event& event) const {
    const std::int16_t place = event.trailer.tid;
    const Bytes body = record.body();
    if (place == SampleLayout::kAbsent || body.size() < static_cast<std::size_t>(place)) return -1;
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

void DeferredChains::collect(const stream::File& file, Damage damage, Warnings& warnings) {
  if (!file.events.defer_callchains()) return;
  Collector collector(file, *this);
  Result<void> done;
  for (const stream::Stream& stream : file.streams)
    if (done && !stream.more) done = collector.walk(stream, damage);
  if (done) done = collector.end();
  if (done) return;
  parts_.clear();
  warnings.add(fmt::format("callchains lack the parts that came later: {}", done.error().text()));
}

// A cookie may come again once its counter has wrapped: the part that follows the sample is meant.
Bytes DeferredChains::find(std::uint64_t cookie, const SampleRecord& sample,
                           std::endian order) const {
  const std::uint64_t time = sample.time == UINT64_MAX ? 0 : sample.time;
  const auto part =
      std::lower_bound(parts_.begin(), parts_.end(), std::tie(sample.tid, cookie, time),
                       [](const Part& one, const auto& key) {
                         return std::tie(one.tid, one.cookie, one.time) < key;
                       });
  if (part == parts_.end() || part->tid != sample.tid || part->cookie != cookie) return {};
  const auto words = load<std::uint64_t>(part->chain, order);
  return {part->chain + kWord, static_cast<std::size_t>(words) * kWord};
}

void DeferredChains::complete(std::endian order, SampleRecord& sample) {
  const std::size_t size = sample.callchain.size();
  if (size < 2 * kWord) return;
  const std::uint8_t* end = sample.callchain.data() + size;
  if (load<std::uint64_t>(end - 2 * kWord, order) != kContextUserDeferred) return;
  const Bytes later = find(load<std::uint64_t>(end - kWord, order), sample, order);
  sample.callchain = sample.callchain.first(size - kWord);
  if (later.empty()) {
    ++missing_;
    return;
  }
  whole_.assign(sample.callchain.begin(), sample.callchain.end());
  whole_.insert(whole_.end(), later.begin(), later.end());
  sample.callchain = whole_;
}

}  // namespace evname::perfdata::session
