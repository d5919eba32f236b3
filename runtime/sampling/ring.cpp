#include "sampling/ring.hpp"

#include <linux/perf_event.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <utility>

namespace evname::sampling {

std::optional<RingContent> ring_content(Bytes buffer, std::uint64_t tail, std::uint64_t head) {
  const std::uint64_t size = head - tail;
  if (size > buffer.size() || head % 8 != 0 || tail % 8 != 0) return std::nullopt;
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

Ring Ring::over(perf_event_mmap_page& page, Bytes data) {
  Ring ring;
  ring.page_ = &page;
  ring.data_ = data;
  return ring;
}

Ring::Ring(Ring&& other) noexcept
    : page_(std::exchange(other.page_, nullptr)),
      data_(other.data_),
      mapped_by_(other.mapped_by_) {}

Ring& Ring::operator=(Ring&& other) noexcept {
  std::swap(page_, other.page_);
  std::swap(data_, other.data_);
  std::swap(mapped_by_, other.mapped_by_);
  return *this;
}

Ring::~Ring() {
  if (page_ != nullptr && mapped_by_ == static_cast<int>(getpid()))
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

}  // namespace evname::sampling
