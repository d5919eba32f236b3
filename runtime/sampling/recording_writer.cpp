#include "sampling/recording_writer.hpp"

#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <optional>
#include <utility>
#include <vector>

#if HAVE_ZSTD
#include <zstd.h>

#include "perf_format/file_header.hpp"
#include "perf_format/record.hpp"
#endif

namespace evname::sampling {
namespace {

using namespace perf_format;

constexpr std::uint64_t kLastFeature = 35;

std::string record(std::uint32_t type, std::string_view body) {
  return make_record(std::endian::native, type, 0, body);
}

/// A feature of a stream; "" if it is longer than a record. Nothing is added to it, as perf takes
/// what follows the cores of CPUs for their dies.
std::string feature_record(Feature feature, std::string_view bytes) {
  ByteWriter body(std::endian::native);
  body.u64(static_cast<std::uint64_t>(feature));
  body.raw(bytes);
  return body.size() + kRecordHeader <= UINT16_MAX ? record(kRecordFeature, body.bytes())
                                                   : std::string();
}

/// The formats of tracepoints follow their record, which has their size.
std::string formats_record(std::string_view bytes) {
  const std::size_t padded = (bytes.size() + 7) / 8 * 8;
  ByteWriter size(std::endian::native), out(std::endian::native);
  size.u32(static_cast<std::uint32_t>(padded));
  out.raw(record(kRecordTracingData, size.bytes()));
  out.raw(bytes);
  out.zeros(padded - bytes.size());
  return out.bytes();
}

/// Returns the end of the record at a place; nullopt: it is after `limit`, or the size is invalid.
std::optional<std::uint64_t> end_of_record(const RingContent& content, std::uint64_t at,
                                           std::uint64_t limit) {
  if (limit - at < kRecordHeader) return std::nullopt;
  const std::uint64_t head = content.word(at);
  const std::size_t size =
      load<std::uint16_t>(reinterpret_cast<const std::uint8_t*>(&head) + 6, std::endian::native);
  if (size < kRecordHeader || size % 8 != 0 || size > limit - at) return std::nullopt;
  return at + size;
}

/// Returns the end of the whole records from a place on, at most `limit`.
std::uint64_t end_of_records(const RingContent& content, std::uint64_t at, std::uint64_t limit) {
  while (const auto end = end_of_record(content, at, limit)) at = *end;
  return at;
}

Result<void> io_failure(int error) { return fail(Errc::io, std::strerror(error)); }

/// Returns the beginning of a stream: records of the events and of the features.
std::string stream_head(std::span<const RecordedEvent> events, const FeatureSections& features) {
  ByteWriter out(std::endian::native);
  out.u64(kMagicNumber);
  out.u64(kPipeHeader);
  for (const RecordedEvent& event : events) {
    ByteWriter body(std::endian::native);
    body.raw(event.attr);
    for (const std::uint64_t id : event.ids) body.u64(id);
    out.raw(record(kRecordAttr, body.bytes()));
    out.raw(make_name_update(std::endian::native, event.ids.front(), event.name));
  }
  for (const auto& [feature, bytes] : features)
    if (feature != Feature::tracing_data) out.raw(feature_record(feature, bytes));
  ByteWriter last(std::endian::native);
  last.u64(kLastFeature);
  out.raw(record(kRecordFeature, last.bytes()));
  if (const auto formats = features.find(Feature::tracing_data); formats != features.end())
    out.raw(formats_record(formats->second));
  return out.bytes();
}

}  // namespace

#if HAVE_ZSTD

/// One stream of zstd over all records, flushed after each piece.
class RecordingWriter::Compressor {
 public:
  explicit Compressor(int level)
      : context_(ZSTD_createCCtx()), room_(ZSTD_compressBound(kLargestPiece) + 64) {
    if (context_ != nullptr) ZSTD_CCtx_setParameter(context_, ZSTD_c_compressionLevel, level);
  }
  ~Compressor() { ZSTD_freeCCtx(context_); }
  Compressor(const Compressor&) = delete;
  Compressor& operator=(const Compressor&) = delete;

  /// Returns at most kLargestPiece bytes compressed, or nothing if that fails.
  std::string_view compress(Bytes piece) {
    if (context_ == nullptr) return {};
    ZSTD_inBuffer in{piece.data(), piece.size(), 0};
    ZSTD_outBuffer out{room_.data(), room_.size(), 0};
    const std::size_t left = ZSTD_compressStream2(context_, &out, &in, ZSTD_e_flush);
    return left == 0 ? std::string_view(room_.data(), out.pos) : std::string_view();
  }

 private:
  ZSTD_CCtx* context_;
  std::vector<char> room_;
};

#else

class RecordingWriter::Compressor {
 public:
  std::string_view compress(Bytes) { return {}; }
};

#endif

RecordingWriter::RecordingWriter(int fd, bool is_stream, std::unique_ptr<Compressor> compressor)
    : fd_(fd), is_stream_(is_stream), compressor_(std::move(compressor)) {}
RecordingWriter::RecordingWriter(RecordingWriter&&) noexcept = default;
RecordingWriter& RecordingWriter::operator=(RecordingWriter&&) noexcept = default;
RecordingWriter::~RecordingWriter() = default;

Result<RecordingWriter> RecordingWriter::create(int fd, int compression, bool as_stream) {
  std::unique_ptr<Compressor> compressor;
  if (compression != 0) {
#if HAVE_ZSTD
    compressor = std::make_unique<Compressor>(compression);
#else
    return fail(Errc::unsupported, "this build of evname can't compress: it has no zstd");
#endif
  }
  return RecordingWriter(fd, as_stream || lseek(fd, 0, SEEK_CUR) < 0, std::move(compressor));
}

Result<void> RecordingWriter::put(std::string_view bytes) { return put_both(bytes, {}); }

Result<void> RecordingWriter::put_both(std::string_view first, std::string_view second) {
  while (!first.empty() || !second.empty()) {
    const std::array<iovec, 2> pieces{{{const_cast<char*>(first.data()), first.size()},
                                       {const_cast<char*>(second.data()), second.size()}}};
    const ssize_t got = writev(fd_, pieces.data(), pieces.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) {
      has_failed_ = true;
      return io_failure(errno);
    }
    place_ += static_cast<std::uint64_t>(got);
    const auto of_first = std::min(first.size(), static_cast<std::size_t>(got));
    first.remove_prefix(of_first);
    second.remove_prefix(static_cast<std::size_t>(got) - of_first);
  }
  whole_ = place_;
  return {};
}

std::string RecordingWriter::header(const FeatureSections& features, std::uint64_t data_end) const {
  ByteWriter out(std::endian::native);
  out.u64(kMagicNumber);
  out.u64(kFileHeader);
  out.u64(attr_size_ + kSectionBytes);
  for (const std::uint64_t word :
       {attrs_at_, attrs_size_, data_at_, data_end - data_at_, std::uint64_t{0}, std::uint64_t{0}})
    out.u64(word);
  std::array<std::uint64_t, 4> bits{};
  for (const auto& [feature, bytes] : features) {
    const auto number = static_cast<std::uint64_t>(feature);
    bits[number / 64] |= std::uint64_t{1} << number % 64;
  }
  for (const std::uint64_t word : bits) out.u64(word);
  return out.bytes();
}

/// Returns the beginning of a file: the header, as far as it is known, and the events.
std::string RecordingWriter::file_head(std::span<const RecordedEvent> events) {
  ByteWriter out(std::endian::native);
  attr_size_ = events.front().attr.size();
  std::uint64_t ids_at = kFileHeader;
  for (const RecordedEvent& event : events) attrs_at_ += event.ids.size() * sizeof(std::uint64_t);
  attrs_at_ += ids_at;
  attrs_size_ = events.size() * (attr_size_ + kSectionBytes);
  data_at_ = attrs_at_ + attrs_size_;
  out.raw(header({}, data_at_));
  for (const RecordedEvent& event : events)
    for (const std::uint64_t id : event.ids) out.u64(id);
  for (const RecordedEvent& event : events) {
    const std::uint64_t size = event.ids.size() * sizeof(std::uint64_t);
    out.raw(event.attr);
    out.u64(ids_at);
    out.u64(size);
    ids_at += size;
  }
  return out.bytes();
}

Result<void> RecordingWriter::begin(std::span<const RecordedEvent> events,
                                    const FeatureSections& features) {
  return put(is_stream_ ? stream_head(events, features) : file_head(events));
}

Result<void> RecordingWriter::write_records(std::string_view records) {
  if (compressor_ == nullptr) return put(records);
  return compress_whole(
      {{reinterpret_cast<const std::uint8_t*>(records.data()), records.size()}, {}, 0});
}

Result<void> RecordingWriter::write(const RingContent& content) {
  kept_ = 0;
  if (compressor_ == nullptr) {
    const std::uint64_t begin = place_;
    auto done = put_both(text_of(content.first), text_of(content.second));
    if (done) return done;
    kept_ = end_of_records(content, 0, place_ - begin);
    whole_ = begin + kept_;
    return done;
  }
  while (kept_ < content.size()) {
    const std::uint64_t limit = std::min<std::uint64_t>(kept_ + kLargestPiece, content.size());
    std::uint64_t end = end_of_records(content, kept_, limit);
    if (end == kept_) end = end_of_record(content, kept_, content.size()).value_or(content.size());
    if (auto done = compress_whole(content.part(kept_, end)); !done) return done;
    kept_ = end;
  }
  return {};
}

/// Compresses whole records. If they can't all be written, the file ends before them.
Result<void> RecordingWriter::compress_whole(const RingContent& records) {
  const std::uint64_t begin = whole_;
  auto done = compress(records.first);
  if (done) done = compress(records.second);
  if (!done) whole_ = begin;
  return done;
}

Result<void> RecordingWriter::write_trace(std::string_view record, const RingContent& trace) {
  constexpr std::string_view kPadding("\0\0\0\0\0\0\0", 7);
  const std::uint64_t begin = whole_;
  auto done = put(record);
  if (done) done = put_both(text_of(trace.first), text_of(trace.second));
  if (done) done = put(kPadding.substr(0, (8 - trace.size() % 8) % 8));
  if (!done) whole_ = begin;
  return done;
}

Result<void> RecordingWriter::compress(Bytes bytes) {
  while (!bytes.empty()) {
    const Bytes piece = bytes.first(std::min(bytes.size(), kLargestPiece));
    const std::string_view packed = compressor_->compress(piece);
    if (packed.empty()) return fail(Errc::io, "zstd could not compress the records");
    // A record of this type may have any size; readers use its size field.
    if (auto done = put(record(kRecordCompressed, packed)); !done) return done;
    bytes = bytes.subspan(piece.size());
  }
  return {};
}

Result<void> RecordingWriter::end_round() { return put(record(kRecordFinishedRound, {})); }

/// Removes an incomplete record from the end. Returns false if the output is not a regular file.
bool RecordingWriter::cut() {
  if (::ftruncate(fd_, static_cast<off_t>(whole_)) != 0 ||
      lseek(fd_, static_cast<off_t>(whole_), SEEK_SET) < 0)
    return false;
  place_ = whole_;
  return true;
}

Result<void> RecordingWriter::finish(const FeatureSections& features) {
  if (is_stream_) return {};
  if (has_failed_ && !cut()) return {};
  // Readers, perf too, take a file without a record for one whose recorder did not end.
  if (place_ == data_at_)
    if (auto done = end_round(); !done && !cut()) return done;
  const std::uint64_t data_end = place_;
  ByteWriter table(std::endian::native);
  std::uint64_t at = place_ + features.size() * kSectionBytes;
  for (const auto& [number, bytes] : features) {
    table.u64(at);
    table.u64(bytes.size());
    at += bytes.size();
  }
  for (const auto& [number, bytes] : features) table.raw(bytes);
  auto written = put(table.bytes());
  if (!written) {
    whole_ = data_end;
    (void)cut();
  }
  const std::string complete = header(written ? features : FeatureSections(), data_end);
  std::string_view rest = complete;
  for (off_t to = 0; !rest.empty();) {
    const ssize_t got = pwrite(fd_, rest.data(), rest.size(), to);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return io_failure(errno);
    rest.remove_prefix(static_cast<std::size_t>(got));
    to += got;
  }
  return written;
}

}  // namespace evname::sampling
