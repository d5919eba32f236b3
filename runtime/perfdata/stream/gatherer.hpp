#pragma once
// Records of bytes that arrive piece by piece: from a pipe, or unpacked from COMPRESSED records.

#include <cstdint>
#include <optional>
#include <span>

#include "perfdata/stream/block_store.hpp"
#include "perfdata/format/record.hpp"

namespace evname::perfdata {

/// Gathers bytes in blocks of a store, so that records of a block can be kept for later; a record
/// that continues in the next block is moved there. Fill room(), tell with add(), take next().
class Gatherer {
 public:
  Gatherer(BlockStore& blocks, std::endian order) : blocks_(blocks), order_(order) {}
  ~Gatherer();
  Gatherer(const Gatherer&) = delete;

  /// The offset of the first byte, for messages; 0 if not told.
  void start_at(std::uint64_t offset) { offset_ = offset; }
  /// The next `size` bytes to come are no records.
  void skip(std::uint64_t size) { skip_ = size; }
  /// Where to put the bytes to come; empty only after a record longer than any can be.
  std::span<std::uint8_t> room();
  void add(std::size_t size);

  /// False: more bytes are needed, or fault() says what can't be delimited.
  bool next(Record& record, std::uint32_t& block) {
    if (!block_ || !reader_.next(record)) return false;
    block = *block_;
    if (reader_.missing() > 0) skip_ = reader_.missing();
    return true;
  }
  /// Bytes that can't be a record, whatever may follow; nullptr: none.
  const char* fault() const { return reader_.cut_off() ? nullptr : reader_.fault(); }
  /// After a fault: goes on at the next place that looks like records, or drops what is there.
  void resync();
  /// Forgets the bytes of a record that isn't complete.
  void drop();

  std::uint64_t offset() const { return reader_.offset(); }
  /// Bytes of a record that isn't complete.
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
  RecordReader reader_;
};

}  // namespace evname::perfdata
