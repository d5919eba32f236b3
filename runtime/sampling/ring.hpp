#pragma once
// Reads the buffers that the kernel puts records into. Source: the comments of struct
// perf_event_mmap_page in include/uapi/linux/perf_event.h.

#include <algorithm>
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
  /// Returns the bytes from one place to another, which are no more than size().
  RingContent part(std::size_t from, std::size_t to) const {
    const std::size_t begin = std::min(from, first.size()), stop = std::min(to, first.size());
    return {first.subspan(begin, stop - begin),
            second.subspan(from - begin, (to - stop) - (from - begin)), end - size() + to};
  }
  /// Returns the number at a multiple of 8; the caller has checked that it is there.
  std::uint64_t word(std::size_t at) const {
    const bool is_first = at < first.size();
    return load<std::uint64_t>(is_first ? first.data() + at : second.data() + (at - first.size()),
                               std::endian::native);
  }
};

/// Reads a buffer of `size` bytes, a power of 2, whose places are counts of bytes that may wrap at
/// 2^64. Returns nullopt if they are invalid: the kernel's place is not a multiple of `step`, or is
/// ahead by more than the size.
std::optional<RingContent> ring_content(Bytes buffer, std::uint64_t tail, std::uint64_t head,
                                        std::uint64_t step = 8);

/// A mapped buffer, which the destructor unmaps.
class Ring {
 public:
  /// Maps the buffer of an event. `error` is 0 or an errno.
  static Ring map(int file, std::size_t data_size, int& error);
  /// Reads a buffer that another object owns, and the area for a trace beside it.
  static Ring over(perf_event_mmap_page& page, Bytes data, Bytes trace = {});
  Ring() = default;
  Ring(Ring&& other) noexcept;
  Ring& operator=(Ring&& other) noexcept;
  ~Ring();

  /// Returns the bytes that the kernel has written, or nullopt if the buffer is invalid; it is then
  /// skipped.
  std::optional<RingContent> read();
  /// Gives the bytes up to `end` back to the kernel.
  void release(std::uint64_t end);
  std::size_t size() const { return data_.size(); }

  ///@{
  /// These do the same for the area beside the buffer, where hardware writes a trace (AUX).
  int map_trace(int file, std::size_t size, bool is_overwritten = false);
  std::optional<RingContent> read_trace();
  void release_trace(std::uint64_t end);
  /// Returns the new bytes of an overwritten area, at most `most`, while nothing writes into it.
  /// `written`: bytes of AUX records since the last call.
  std::optional<RingContent> newest_trace(std::uint64_t written, std::size_t most);
  std::size_t trace_size() const { return trace_.size(); }
  ///@}
  /// The page before the buffer; nullptr: there is none.
  const perf_event_mmap_page* page() const { return page_; }

 private:
  perf_event_mmap_page* page_ = nullptr;
  Bytes data_, trace_;
  std::uint64_t trace_head_ = 0;  ///< the count of bytes that newest_trace() has returned
  int mapped_by_ = 0;             ///< the process that mapped it: a child does not get the mapping
};

std::size_t memory_page();

}  // namespace evname::sampling
