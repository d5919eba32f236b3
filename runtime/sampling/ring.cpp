// A buffer that the kernel and a reader share.
//
//     page_             data_: a power of 2 of bytes
//     +--------------+  +-----------------+------------------------+-------------------+
//     | data_head    |  | ... record 4    |  read: the kernel may  | record 1, 2, 3 ...|
//     | data_tail    |  |                 |  write here            |                   |
//     +--------------+  +-----------------+------------------------+-------------------+
//                                         ^ data_head              ^ data_tail
//                        RingContent::second                         RingContent::first
//
// data_head and data_tail count all bytes that were ever written and read, so that their places are
// the remainders by the size. The kernel moves data_head after it has written a record, and the
// reader moves data_tail after it has read one: each loads the other's with acquire order and
// stores its own with release order. A record may wrap at the end of the buffer.

#include "sampling/ring.hpp"

#include <linux/perf_event.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <functional>
#include <utility>

namespace evname::sampling {

std::optional<RingContent> ring_content(Bytes buffer, std::uint64_t tail, std::uint64_t head,
                                        std::uint64_t step) {
  const std::uint64_t size = head - tail;
  if (size > buffer.size() || head % step != 0 || tail % step != 0) return std::nullopt;
  const std::uint64_t from = tail & (buffer.size() - 1);
  const std::uint64_t first = std::min<std::uint64_t>(size, buffer.size() - from);
  return RingContent{buffer.subspan(from, first), buffer.first(size - first), head};
}

std::size_t memory_page() {
  static const auto kSize = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  return kSize;
}

Ring Ring::map(int file, std::size_t data_size, int& error) {
  Ring ring;
  void* const at =
      mmap(nullptr, data_size + memory_page(), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  error = at == MAP_FAILED ? errno : 0;
  if (at == MAP_FAILED) return ring;
  ring.page_ = static_cast<perf_event_mmap_page*>(at);
  ring.data_ = {static_cast<const std::uint8_t*>(at) + memory_page(), data_size};
  ring.mapped_by_ = static_cast<int>(getpid());
  return ring;
}

Ring Ring::over(perf_event_mmap_page& page, Bytes data, Bytes trace) {
  Ring ring;
  ring.page_ = &page;
  ring.data_ = data;
  ring.trace_ = trace;
  return ring;
}

Ring::Ring(Ring&& other) noexcept
    : page_(std::exchange(other.page_, nullptr)),
      data_(other.data_),
      trace_(other.trace_),
      trace_head_(other.trace_head_),
      mapped_by_(other.mapped_by_) {}

Ring& Ring::operator=(Ring&& other) noexcept {
  std::swap(page_, other.page_);
  std::swap(data_, other.data_);
  std::swap(trace_, other.trace_);
  std::swap(trace_head_, other.trace_head_);
  std::swap(mapped_by_, other.mapped_by_);
  return *this;
}

Ring::~Ring() {
  if (page_ == nullptr || mapped_by_ != static_cast<int>(getpid())) return;
  if (!trace_.empty()) munmap(const_cast<std::uint8_t*>(trace_.data()), trace_.size());
  munmap(page_, memory_page() + data_.size());
}

std::optional<RingContent> Ring::read() {
  if (page_ == nullptr) return RingContent{};
  const std::uint64_t head = std::atomic_ref(page_->data_head).load(std::memory_order_acquire);
  auto content = ring_content(data_, page_->data_tail, head);
  if (!content) release(head);
  return content;
}

void Ring::release(std::uint64_t end) {
  if (page_ != nullptr) std::atomic_ref(page_->data_tail).store(end, std::memory_order_release);
}

/// The page tells the kernel the place and size of the area.
int Ring::map_trace(int file, std::size_t size, bool is_overwritten) {
  const std::size_t place = memory_page() + data_.size();
  page_->aux_offset = place;
  page_->aux_size = size;
  // The kernel overwrites an area whose reader can't give bytes back.
  const int access = is_overwritten ? PROT_READ : PROT_READ | PROT_WRITE;
  void* const at = mmap(nullptr, size, access, MAP_SHARED, file, static_cast<off_t>(place));
  if (at == MAP_FAILED) return errno;
  trace_ = {static_cast<const std::uint8_t*>(at), size};
  return 0;
}

std::optional<RingContent> Ring::read_trace() {
  if (trace_.empty()) return RingContent{};
  const std::uint64_t head = std::atomic_ref(page_->aux_head).load(std::memory_order_acquire);
  auto content = ring_content(trace_, page_->aux_tail, head, 1);
  if (!content) release_trace(head);
  return content;
}

/// The kernel's place is an offset in the area or a count of bytes, depending on the hardware. Some
/// drivers always report the size of the area; then the area has wrapped if there are bytes after
/// its place.
std::optional<RingContent> Ring::newest_trace(std::uint64_t written, std::size_t most) {
  if (trace_.empty()) return RingContent{};
  const std::size_t size = trace_.size();
  const std::uint64_t head = std::atomic_ref(page_->aux_head).load(std::memory_order_acquire);
  const std::uint64_t ahead = (head - trace_head_) % size;
  const Bytes after = trace_.subspan(head % size);
  const bool is_whole =
      written > ahead && (written % size != 0 || std::ranges::any_of(after, std::identity()));
  const std::uint64_t fresh = is_whole ? size : ahead;
  trace_head_ += is_whole ? size + ahead : ahead;
  return ring_content(trace_, trace_head_ - std::min<std::uint64_t>(fresh, most), trace_head_, 1);
}

void Ring::release_trace(std::uint64_t end) {
  std::atomic_ref(page_->aux_tail).store(end, std::memory_order_release);
}

}  // namespace evname::sampling
