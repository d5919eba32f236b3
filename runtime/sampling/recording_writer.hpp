#pragma once
// Writes a perf.data file, whose header is completed at the end, or a stream for a pipe.
// Source of the layouts: tools/perf/Documentation/perf.data-file-format.txt.

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "base/bytes.hpp"
#include "evname/error.hpp"
#include "sampling/machine_features.hpp"
#include "sampling/ring.hpp"

namespace evname::sampling {

class RecordingWriter {
 public:
  /// The maximum number of bytes of records that are compressed together.
  static constexpr std::size_t kLargestPiece = std::size_t{56} << 10;

  /// Writes a stream if `as_stream` or if the file can't be sought. Compresses records if
  /// `compression` is not 0. Errors: unsupported in a build without zstd.
  static Result<RecordingWriter> create(int fd, int compression, bool as_stream = false);
  RecordingWriter(RecordingWriter&&) noexcept;
  RecordingWriter& operator=(RecordingWriter&&) noexcept;
  ~RecordingWriter();

  bool is_stream() const { return is_stream_; }
  std::uint64_t size() const { return place_; }
  /// Returns true if something could not be written.
  bool has_failed() const { return has_failed_; }

  /// Writes the header and the events. A stream has the features here, a file at the end.
  Result<void> begin(std::span<const RecordedEvent> events, const FeatureSections& features);
  /// Writes whole records that evname made.
  Result<void> write_records(std::string_view records);
  /// Writes whole records of a buffer.
  Result<void> write(const RingContent& content);
  /// Returns how many bytes of the content that write() could not write are in the file, or 0.
  std::size_t kept() const { return kept_; }
  /// Writes whole records that evname made, which are never compressed.
  Result<void> write_plain(std::string_view records) { return put(records); }
  /// Writes a record and the bytes of the trace that follow it, padded to a multiple of 8.
  Result<void> write_trace(std::string_view record, const RingContent& trace);
  /// Writes a mark: all records before the second last mark are complete.
  Result<void> end_round();
  /// Writes the features, and the header again. After a failure, the file ends with the last whole
  /// record, and has the features if there is room for them.
  Result<void> finish(const FeatureSections& features);

 private:
  class Compressor;

  RecordingWriter(int fd, bool is_stream, std::unique_ptr<Compressor> compressor);
  Result<void> put(std::string_view bytes);
  Result<void> put_both(std::string_view first, std::string_view second);
  Result<void> compress(Bytes bytes);
  Result<void> compress_whole(const RingContent& records);
  bool cut();
  std::string header(const FeatureSections& features, std::uint64_t data_end) const;
  std::string file_head(std::span<const RecordedEvent> events);

  int fd_;
  bool is_stream_;
  std::unique_ptr<Compressor> compressor_;  ///< nullptr: records are written as they are
  std::uint64_t place_ = 0;                 ///< bytes that were written
  std::uint64_t whole_ = 0;                 ///< bytes of whole records
  std::size_t kept_ = 0;                    ///< bytes of the last content
  bool has_failed_ = false;
  std::uint64_t attrs_at_ = 0, attrs_size_ = 0, attr_size_ = 0, data_at_ = 0;
};

}  // namespace evname::sampling
