#pragma once
// Who owns the bytes of queued records: the mapped file, or blocks of unpacked data.

#include <cstdint>
#include <memory>
#include <vector>

#include "base/bytes.hpp"

namespace evname::perfdata {

/// Blocks are numbered; owned ones go away when the last record in them has been released.
class BlockStore {
 public:
  /// A block that outlives the store. `offset` is for messages.
  std::uint32_t add_view(Bytes bytes, std::uint64_t offset) {
    return place(Block{bytes, nullptr, offset, 1});
  }
  /// A writable block; it lives until done() and the release of all its records.
  std::uint32_t add_owned(std::size_t size, std::uint64_t offset) {
    auto owned = take_spare(size);
    const Bytes bytes(owned.get(), size);
    owned_bytes_ += size;
    return place(Block{bytes, std::move(owned), offset, 1});
  }
  std::uint8_t* writable(std::uint32_t block) { return blocks_[block].owned.get(); }
  Bytes bytes(std::uint32_t block) const { return blocks_[block].bytes; }
  std::uint64_t offset_of(std::uint32_t block, const std::uint8_t* data) const {
    return blocks_[block].offset + static_cast<std::uint64_t>(data - blocks_[block].bytes.data());
  }

  void hold(std::uint32_t block) { ++blocks_[block].uses; }
  void release(std::uint32_t block) {
    if (--blocks_[block].uses > 0) return;
    if (blocks_[block].owned) {
      owned_bytes_ -= blocks_[block].bytes.size();
      spare_size_ = blocks_[block].bytes.size();
      spare_ = std::move(blocks_[block].owned);
    }
    blocks_[block] = {};
    free_.push_back(block);
  }
  void done(std::uint32_t block) { release(block); }

  std::size_t owned_bytes() const { return owned_bytes_; }

 private:
  struct Block {
    Bytes bytes;
    std::unique_ptr<std::uint8_t[]> owned;
    std::uint64_t offset = 0;
    std::uint64_t uses = 0;
  };

  // One block that was released is kept: mostly blocks come and go one at a time.
  std::unique_ptr<std::uint8_t[]> take_spare(std::size_t size) {
    if (spare_ && spare_size_ == size) return std::move(spare_);
    return std::make_unique_for_overwrite<std::uint8_t[]>(size);
  }

  std::uint32_t place(Block block) {
    if (free_.empty()) {
      blocks_.push_back(std::move(block));
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

}  // namespace evname::perfdata
