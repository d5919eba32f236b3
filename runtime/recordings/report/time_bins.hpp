#pragma once
// Bins of time that get wider as a recording gets longer.

#include <algorithm>
#include <cstdint>
#include <optional>

namespace evname::report {

/// Bins are numbered from 1; bin 0 is for samples without a time. Times of each file count from its
/// first one.
class TimeBins {
 public:
  void begin_file() { start_.reset(); }
  /// Counts from the same times as other bins, unless it has counted before.
  void begin_like(const TimeBins& other) {
    if (!start_) start_ = other.start_;
    if (!first_) first_ = other.first_;
  }
  /// Returns how often bins must be made twice as wide before they have a time.
  unsigned doublings(std::uint64_t time) {
    if (!start_) start_ = time;
    if (!first_) first_ = time;
    unsigned times = 0;
    while (bins_until(time, width_bits_ + times) >= kMost) ++times;
    return times;
  }
  /// Returns the bin of a time, which must exist. Times before the start are in the first one.
  std::uint32_t of(std::uint64_t time) {
    const auto bin = static_cast<std::uint32_t>(bins_until(time, width_bits_)) + 1;
    last_ = std::max(last_, bin);
    return bin;
  }
  void widen(unsigned times) {
    width_bits_ += times;
    last_ = wider(last_, times);
  }
  /// Returns the new number of a bin.
  static std::uint32_t wider(std::uint32_t bin, unsigned times) {
    return bin == 0 ? 0 : static_cast<std::uint32_t>(std::uint64_t{bin - 1} >> times) + 1;
  }

  std::uint64_t first() const { return first_.value_or(0); }  ///< time at which bin 1 begins
  std::uint64_t width() const {
    return width_bits_ < 64 ? std::uint64_t{1} << width_bits_ : UINT64_MAX;
  }
  unsigned width_bits() const { return width_bits_; }
  std::uint32_t last() const { return last_; }  ///< the last bin that is used

 private:
  static constexpr std::uint32_t kMost = 1 << 16;

  /// Returns the index of a time's bin, if their width is a power of two.
  std::uint64_t bins_until(std::uint64_t time, unsigned width_bits) const {
    return time > *start_ && width_bits < 64 ? (time - *start_) >> width_bits : 0;
  }

  std::optional<std::uint64_t> start_;  ///< of the file; nullopt: no time yet
  std::optional<std::uint64_t> first_;  ///< of all files
  unsigned width_bits_ = 0;             ///< of a width of 2^0 ns, 2^1 ns, …
  std::uint32_t last_ = 0;
};

}  // namespace evname::report
