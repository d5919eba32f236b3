#pragma once
// What samples add up to.

#include <algorithm>
#include <cstdint>

namespace evname {

/// Sums over samples, and what the kernel told of those that it did not take.
struct SampleSums {
  std::uint64_t samples = 0;  ///< number of samples
  std::uint64_t period = 0;   ///< sum of their periods: an estimate of the event's count
  ///@{
  /// Times of the first and last sample, in ns; first > last if no sample has a time.
  std::uint64_t first = UINT64_MAX, last = 0;
  ///@}
  std::uint64_t lost = 0;       ///< samples that the kernel reported as lost
  std::uint64_t throttled = 0;  ///< how often the kernel throttled the event

  /// Returns true if `first` and `last` are times.
  bool is_timed() const { return first <= last; }
  /// Adds a sample without a time.
  void add(std::uint64_t of_period) {
    ++samples;
    period += of_period;
  }
  /// Adds a sample.
  void add(std::uint64_t of_period, std::uint64_t time) {
    add(of_period);
    first = std::min(first, time);
    last = std::max(last, time);
  }
  /// Adds what other samples add up to.
  SampleSums& operator+=(const SampleSums& other) {
    samples += other.samples;
    period += other.period;
    first = std::min(first, other.first);
    last = std::max(last, other.last);
    lost += other.lost;
    throttled += other.throttled;
    return *this;
  }
};

}  // namespace evname
