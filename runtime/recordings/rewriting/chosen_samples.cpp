#include "recordings/rewriting/copies.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <utility>

#include "recordings/stream/stream.hpp"

namespace evname::rewriting {
namespace {

bool is_inside(const std::uint8_t* at, Bytes bytes) {
  return std::greater_equal<>()(at, bytes.data()) && std::less<>()(at, bytes.data() + bytes.size());
}

/// Joins adjacent pieces, and copies small ones, so that a file is written in few pieces. After an
/// error nothing is written.
class Pieces {
 public:
  Pieces(const stream::Stream& stream, const std::function<Result<void>(Bytes)>& write)
      : stream_(stream), write_(write), copied_(std::make_unique_for_overwrite<Copies>()) {}

  /// Returns false after an error.
  bool add(Bytes bytes) {
    const bool stays = is_inside(bytes.data(), stream_.bytes);
    if (stays && view_.data() + view_.size() == bytes.data()) {
      view_ = Bytes(view_.data(), view_.size() + bytes.size());
      return view_.size() < kPiece || flush();
    }
    if (bytes.empty()) return true;
    if (!leave_view()) return false;
    view_ = bytes;
    return stays || leave_view();
  }

  bool flush() {
    if (done_ && copied_size_ > 0) done_ = write_(Bytes(*copied_).first(copied_size_));
    if (done_ && !view_.empty()) done_ = write_(view_);
    copied_size_ = 0;
    view_ = {};
    return done_.has_value();
  }

  const Result<void>& done() const { return done_; }

 private:
  static constexpr std::size_t kPiece = 1 << 20, kMostCopied = 1 << 16;
  using Copies = std::array<std::uint8_t, kPiece>;

  /// Writes or copies the view, before other bytes follow or it becomes invalid.
  bool leave_view() {
    if (view_.size() > kMostCopied || copied_size_ + view_.size() > kPiece) return flush();
    std::ranges::copy(view_, copied_->begin() + static_cast<std::ptrdiff_t>(copied_size_));
    copied_size_ += std::exchange(view_, {}).size();
    return true;
  }

  const stream::Stream& stream_;
  const std::function<Result<void>(Bytes)>& write_;
  std::unique_ptr<Copies> copied_;  ///< pieces that are small, or only valid for a while
  std::size_t copied_size_ = 0;
  Bytes view_;  ///< what follows them
  Result<void> done_;
};

bool has_packed(const stream::File& file, const stream::Stream& stream) {
  perf_format::RecordReader reader(stream.bytes, file.header.order);
  for (perf_format::Record record; reader.next(record);)
    if (perf_format::is_packed(record.type)) return true;
  return false;
}

}  // namespace

RecordPlace place_of(const perf_format::Record& record, const stream::File& file) {
  const std::uint8_t* const at = record.bytes.data();
  for (std::size_t i = 0; i < file.streams.size(); ++i) {
    const Bytes bytes = file.streams[i].bytes;
    if (is_inside(at, bytes)) return {i, static_cast<std::size_t>(at - bytes.data()) / 8};
  }
  return {file.streams.size(), static_cast<std::size_t>(record.offset / 8)};
}

void ChosenSamples::keep(const perf_format::Record& record) {
  const RecordPlace place = place_of(record, *file_);
  std::vector<bool>& bits = place.stream < plain_.size() ? plain_[place.stream] : unpacked_;
  if (place.word >= bits.size())
    bits.resize(place.stream < plain_.size() ? file_->streams[place.stream].bytes.size() / 8 + 1
                                             : std::max(place.word + 1, bits.size() * 2));
  bits[place.word] = true;
}

bool ChosenSamples::keeps(const perf_format::Record& record) const {
  if (keeps_all_) return true;
  const RecordPlace place = place_of(record, *file_);
  const std::vector<bool>& bits = place.stream < plain_.size() ? plain_[place.stream] : unpacked_;
  return place.word < bits.size() && bits[place.word];
}

Result<void> check_choosable(const stream::File& file) {
  for (const stream::Stream& stream : file.streams) {
    if (stream.more)
      return fail(Errc::unsupported, "samples can be chosen from a file, not from a pipe",
                  file.path, "write the recording to a file first");
    if (file.streams.size() > 1 && has_packed(file, stream))
      return fail(Errc::unsupported, "samples can't be chosen from a compressed directory",
                  file.path, "record without -z, or without --threads");
  }
  return {};
}

Result<ChosenStream> for_chosen(const stream::File& file, const stream::Stream& stream,
                                const ChosenSamples& chosen, const StreamEdits& edits,
                                const std::function<Result<void>(Bytes)>& write) {
  ChosenStream out;
  stream::BlockStore blocks;
  perf_format::RecordCounts counts;
  perf_format::Warnings warnings;
  stream::StreamReader reader(stream, file.header.order, blocks, counts, warnings, chosen.damage());
  Pieces pieces(stream, write);
  const Bytes inserted(reinterpret_cast<const std::uint8_t*>(edits.insert.data()),
                       edits.insert.size());
  bool due = !inserted.empty();
  const auto insert = [&] {
    due = false;
    out.size += inserted.size();
    pieces.add(inserted);
  };
  perf_format::Record record;
  for (std::uint32_t block; reader.next(record, block);) {
    const bool stays = is_inside(record.bytes.data(), stream.bytes);
    if (due && (!stays || record.bytes.data() - stream.bytes.data() >=
                              static_cast<std::ptrdiff_t>(edits.insert_at)))
      insert();
    if (record.type == perf_format::kRecordSample && !chosen.keeps(record)) continue;
    if (edits.drops && edits.drops(record)) continue;
    if (record.type == perf_format::kRecordAuxtrace)
      out.traces.emplace_back(record.offset, out.size);
    const bool is_replaced = record.type == perf_format::kRecordSample && edits.replaces;
    const Bytes replacement = is_replaced ? edits.replaces(record) : Bytes();
    const Bytes bytes = replacement.empty() ? record.bytes : replacement;
    out.size += bytes.size() + record.payload.size();
    if (!pieces.add(bytes) || !pieces.add(record.payload)) break;
  }
  if (due) insert();
  pieces.flush();
  if (!pieces.done()) return fail(pieces.done());
  out.warnings = warnings.take();
  return out;
}

}  // namespace evname::rewriting
