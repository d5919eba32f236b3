#pragma once
// The buffers into which the kernel puts records.
// Source: the comments of struct perf_event_mmap_page in include/uapi/linux/perf_event.h.

#include <cstddef>
#include <cstdint>
#include <optional>

#include "base/bytes.hpp"

struct perf_event_mmap_page;

namespace evname::sampling {

/// The bytes between the reader's and the kernel's place in a buffer: two pieces if they wrap.
struct RingContent {
  Bytes first, second;
  std::uint64_t end = 0;  ///< the kernel's place

  std::size_t size() const { return first.size() + second.size(); }
  /// Returns the number at a multiple of 8; the caller has checked that it is there.
  std::uint64_t word(std::size_t at) const {
    const bool is_first = at < first.size();
    return load<std::uint64_t>(is_first ? first.data() + at : second.data() + (at - first.size()),
                               std::endian::native);
  }
};

/// Reads a buffer of `size` bytes, a power of 2, whose places are counts of bytes that may wrap at
/// 2^64. Returns nullopt if they make no sense: the kernel's place is not a multiple of 8, or more
/// than the buffer ahead.
std::optional<RingContent> ring_content(Bytes buffer, std::uint64_t tail, std::uint64_t head);

/// A mapped buffer, which the destructor unmaps.
class Ring {
 public:
  /// Maps the buffer of an event. `error` is 0 or an errno.
  static Ring map(int file, std::size_t data_size, int& error);
  /// Reads a buffer that somebody else owns.
  static Ring over(perf_event_mmap_page& page, Bytes data);
  Ring() = default;
  Ring(Ring&& other) noexcept;
  Ring& operator=(Ring&& other) noexcept;
  ~Ring();

  /// Returns what the kernel has written, or nullopt if the buffer makes no sense; it is skipped.
  std::optional<RingContent> read();
  /// Gives the bytes up to `end` back to the kernel.
  void release(std::uint64_t end);
  std::size_t size() const { return data_.size(); }

 private:
  perf_event_mmap_page* page_ = nullptr;
  Bytes data_;
  int mapped_by_ = 0;  ///< the process that has it: the kernel maps none into a child
};

std::size_t memory_page();

}  // namespace evname::sampling
