#pragma once
// Reads the records of one stream, including those inside COMPRESSED records.

#include <cstdint>
#include <memory>
#include <string_view>

#include "perf_format/record.hpp"
#include "recordings/stream/stream.hpp"

namespace evname::stream {

/// Unpacks COMPRESSED records, which are a zstd stream of records. Source:
/// tools/perf/util/zstd.c and perf_session__process_compressed_event.
/// One decoder lives as long as its stream: later records continue the frame of the first.
class Unpacker {
 public:
  Unpacker();
  ~Unpacker();
  Unpacker(Unpacker&&) noexcept;
  Unpacker& operator=(Unpacker&&) noexcept;

  /// False in a build without zstd.
  static bool available();

  /// Unpacks from the front of `input`, which shrinks, to `output`; returns the bytes written.
  /// Call until it returns less than `size`.
  Result<std::size_t> unpack(Bytes& input, std::uint8_t* output, std::size_t size);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Reads records in the order of the file.
class StreamReader {
 public:
  StreamReader(const Stream& stream, std::endian order, BlockStore& blocks,
               perf_format::RecordCounts& counts, perf_format::Warnings& warnings,
               perf_format::Damage damage);

  /// Reads the next record; returns false at the end. The record is in `block` of the store, which
  /// is alive until the next call; hold it to keep the record. Records that only contain others are
  /// not returned.
  bool next(perf_format::Record& record, std::uint32_t& block) {
    if (piping_ || unpacking_ || !bytes_.next(record)) return next_unusual(record, block);
    note(record);
    if (perf_format::is_packed(record.type)) return next_of_packed(record, block);
    block = bytes_block_;
    counts_.add(record.type);
    return true;
  }
  /// Returns the number of bytes read from the stream, before unpacking.
  std::uint64_t position() const { return position_; }

 private:
  bool next_unusual(perf_format::Record& record, std::uint32_t& block);
  bool next_of_packed(perf_format::Record& record, std::uint32_t& block);
  void note(const perf_format::Record& record) {
    position_ = record.offset - stream_.offset + record.bytes.size() + record.payload.size();
    if (position_ >= release_at_) release();
  }
  void release();
  bool next_outer(perf_format::Record& record, std::uint32_t& block);
  bool next_of_bytes(perf_format::Record& record);
  bool next_of_pipe(perf_format::Record& record, std::uint32_t& block);
  void begin_pipe();
  bool read_more();
  bool unpack_more();
  void mend_unpacked();
  void begin_packed(const perf_format::Record& record);
  void warn(std::uint64_t offset, std::string_view what);

  const Stream& stream_;
  std::endian order_;
  perf_format::RecordCounts& counts_;
  perf_format::Warnings& warnings_;
  perf_format::Damage damage_;

  perf_format::RecordReader bytes_;
  std::uint32_t bytes_block_;
  bool ended_ = false;   ///< nothing after a fault is read
  bool piping_ = false;  ///< the stream's bytes are done, its pipe is read
  Gatherer piped_;

  bool unpacking_ = false;  ///< a COMPRESSED record has been met
  Unpacker unpacker_;
  Gatherer unpacked_;
  Bytes packed_;                    ///< of the current COMPRESSED record, not unpacked yet
  std::uint64_t packed_at_ = 0;     ///< that record's offset
  std::uint64_t budget_ = 1 << 20;  ///< bytes that may still be unpacked
  bool unpacker_full_ = false;      ///< it has more output than there was room for
  bool broken_ = false;             ///< packed records can't be unpacked any more
  std::uint64_t position_ = 0;
  std::uint64_t release_at_;  ///< the position where memory is given back next
};

}  // namespace evname::stream
