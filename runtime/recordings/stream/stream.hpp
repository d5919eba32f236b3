#pragma once
// The bytes of records: in a mapping of the file, or in blocks that are gathered from a pipe or
// unpacked; and the records in them.

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.hpp"
#include "evname/error.hpp"
#include "perf_format/record.hpp"

struct ZSTD_DCtx_s;

namespace evname::stream {

/// A descriptor that can be read only once: a pipe.
class OneWay {
 public:
  OneWay(int fd, bool owned);
  ~OneWay();
  OneWay(const OneWay&) = delete;

  /// Returns true to the first caller only, who may read.
  bool take() { return !taken_.exchange(true); }
  int fd() const { return fd_; }
  /// Reads like read(2), but is never interrupted; returns 0 at the end.
  Result<std::size_t> read(std::uint8_t* to, std::size_t size);

 private:
  int fd_;
  bool owned_;
  std::atomic<bool> taken_ = false;
};

/// A part of a recording with records.
struct Stream {
  Bytes bytes;                             ///< of a mapping or a buffer of the file
  std::uint64_t offset = 0;                ///< of the bytes, in their file
  std::string name;                        ///< of its file, for messages; empty: the main one
  std::shared_ptr<OneWay> more = nullptr;  ///< the source after `bytes`; nullptr: none
  bool mapped = false;                     ///< `bytes` are of a mapped file
};

/// Numbered blocks. An owned block is freed when the last record in it has been released.
class BlockStore {
 public:
  /// Adds a block that outlives the store. `offset` is for messages.
  std::uint32_t add_view(Bytes bytes, std::uint64_t offset) {
    return place(Block{bytes, nullptr, offset, 1});
  }
  /// Adds a writable block. It lives until its own release() and the release of all
  /// its records.
  std::uint32_t add_owned(std::size_t size, std::uint64_t offset) {
    auto owned = take_spare(size);
    const Bytes bytes(owned.get(), size);
    const std::uint32_t number = place(Block{bytes, std::move(owned), offset, 1});
    owned_bytes_ += size;
    return number;
  }
  bool is_owned(std::uint32_t block) const { return blocks_[block].owned != nullptr; }
  std::uint8_t* writable(std::uint32_t block) { return blocks_[block].owned.get(); }
  Bytes bytes(std::uint32_t block) const { return blocks_[block].bytes; }
  std::uint64_t offset_of(std::uint32_t block, const std::uint8_t* data) const {
    return blocks_[block].offset + static_cast<std::uint64_t>(data - blocks_[block].bytes.data());
  }

  void hold(std::uint32_t block) { ++blocks_[block].uses; }
  void release(std::uint32_t block) noexcept {
    if (--blocks_[block].uses > 0) return;
    if (blocks_[block].owned) {
      owned_bytes_ -= blocks_[block].bytes.size();
      spare_size_ = blocks_[block].bytes.size();
      spare_ = std::move(blocks_[block].owned);
    }
    blocks_[block] = {};
    free_.push_back(block);  // place() has made room
  }

  std::size_t owned_bytes() const { return owned_bytes_; }

 private:
  /// In its own cache lines, because `uses` changes with each record while other threads read
  /// nearby memory.
  struct alignas(128) Block {
    Bytes bytes;
    std::unique_ptr<std::uint8_t[]> owned;
    std::uint64_t offset = 0;
    std::uint64_t uses = 0;
  };

  // Keeps one released block for reuse.
  std::unique_ptr<std::uint8_t[]> take_spare(std::size_t size) {
    if (spare_ && spare_size_ == size) return std::move(spare_);
    return std::make_unique_for_overwrite<std::uint8_t[]>(size);
  }

  std::uint32_t place(Block block) {
    if (free_.empty()) {
      blocks_.push_back(std::move(block));
      free_.reserve(blocks_.capacity());
      return static_cast<std::uint32_t>(blocks_.size() - 1);
    }
    const std::uint32_t number = free_.back();
    free_.pop_back();
    blocks_[number] = std::move(block);
    return number;
  }

  std::vector<Block> blocks_;
  std::vector<std::uint32_t> free_;
  std::size_t owned_bytes_ = 0;
  std::unique_ptr<std::uint8_t[]> spare_;
  std::size_t spare_size_ = 0;
};

/// Gathers bytes in blocks of a store, so that records of a block can be kept for later; a record
/// that continues in the next block is moved there. Fill room(), call add(), then next().
class Gatherer {
 public:
  Gatherer(BlockStore& blocks, std::endian order) : blocks_(blocks), order_(order) {}
  ~Gatherer();
  Gatherer(const Gatherer&) = delete;

  /// Sets the offset of the first byte, for messages; otherwise it is 0.
  void start_at(std::uint64_t offset) { offset_ = offset; }
  /// Skips the next `size` bytes, which are not records.
  void skip(std::uint64_t size) { skip_ = size; }
  /// Returns room for more bytes; none only after a record that is longer than possible.
  std::span<std::uint8_t> room();
  void add(std::size_t size);

  /// Reads the next record. Returns false if more bytes are needed, or if there is a fault().
  bool next(perf_format::Record& record, std::uint32_t& block) {
    if (!block_ || !reader_.next(record)) return false;
    block = *block_;
    if (reader_.missing() > 0) skip_ = reader_.missing();
    return true;
  }
  /// Describes bytes that can't begin a record; nullptr if there are none.
  const char* fault() const { return reader_.cut_off() ? nullptr : reader_.fault(); }
  /// After a fault: continues at the next place that looks like records, or drops the data.
  void resync();
  /// Forgets the bytes of a record that isn't complete.
  void drop();

  std::uint64_t offset() const { return reader_.offset(); }
  /// Returns the number of bytes of a record that isn't complete.
  std::size_t pending() const { return block_ ? reader_.rest().size() : 0; }

 private:
  void next_block();
  void keep(std::size_t size);

  BlockStore& blocks_;
  std::endian order_;
  std::uint64_t offset_ = 0;  ///< of the block
  std::uint64_t skip_ = 0;    ///< bytes to come that follow a record outside its size
  std::optional<std::uint32_t> block_;
  std::size_t size_ = 0;  ///< of the block
  std::size_t used_ = 0;
  perf_format::RecordReader reader_;
};

/// Returns false in a build without zstd, which can't read COMPRESSED records.
bool can_unpack();

/// Reads the records of one stream in the order of the file, also records inside COMPRESSED
/// records: these are a zstd stream of records, which one decoder reads, since later records
/// continue the frame of the first. Source: tools/perf/util/zstd.c and
/// perf_session__process_compressed_event.
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
  Result<std::size_t> unpack(std::span<std::uint8_t> room);
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
  std::shared_ptr<ZSTD_DCtx_s> unpacker_;
  Gatherer unpacked_;
  Bytes packed_;                    ///< the rest of the current COMPRESSED record
  std::uint64_t packed_at_ = 0;     ///< that record's offset
  std::uint64_t budget_ = 1 << 20;  ///< bytes that may still be unpacked
  bool unpacker_full_ = false;      ///< it has more output than there was room for
  bool broken_ = false;             ///< packed records can't be unpacked any more
  std::uint64_t position_ = 0;
  std::uint64_t release_at_;  ///< the position where memory is given back next
};

}  // namespace evname::stream
