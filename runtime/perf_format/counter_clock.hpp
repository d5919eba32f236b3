#pragma once
// Conversion between counts of the hardware's counter and times of the kernel's clock.

#include <bit>
#include <cstdint>

#include "base/bytes.hpp"

namespace evname::perf_format {

/// Converts counts of the hardware's counter to ns of the kernel's clock and back. Source:
/// perf_event_mmap_page of include/uapi/linux/perf_event.h, and TIME_CONV.
class CounterClock {
 public:
  CounterClock() = default;
  /// Reads a TIME_CONV record, which early versions of perf wrote without its last fields.
  CounterClock(Bytes body, std::endian order);

  /// Returns true if there is no conversion, so that counts are times.
  bool is_missing() const { return is_missing_; }
  std::uint64_t time_of(std::uint64_t count) const;
  std::uint64_t count_of(std::uint64_t time) const;
  /// Returns the last count whose time is not after a time.
  std::uint64_t last_count_of(std::uint64_t time) const;

 private:
  std::uint64_t shift_ = 0, factor_ = 1, zero_ = 0, base_ = 0, mask_ = UINT64_MAX;
  bool is_missing_ = true;
};

}  // namespace evname::perf_format
