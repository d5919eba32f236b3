#pragma once
// Limits the growth of small files.

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <string>

namespace evname::elf {

/// Limits the bytes and the time of unpacking, demangling and listing for all files together.
/// Growth up to 20 times the size is free, since little honest data grows more; beyond that all
/// share one budget. Any number of threads may use an object.
class Budget {
 public:
  static constexpr std::uint64_t kFreeGrowth = 20;
  static constexpr std::uint64_t kBytes = std::uint64_t{512} << 20;
  static constexpr std::uint64_t kMostOfOne = std::uint64_t{4} << 30;  ///< that is unpacked
  static constexpr std::chrono::seconds kTime{60};                     ///< of unpacking and reading

  /// `report` receives a message when something is left out.
  explicit Budget(std::function<void(std::string)> report = {}) : report_(std::move(report)) {}
  Budget(const Budget&) = delete;
  Budget& operator=(const Budget&) = delete;

  /// Takes the cost of `size` bytes of `what` that grew to `grown`. Returns false, and reports it,
  /// if not enough is left.
  bool take(std::uint64_t grown, std::uint64_t size, const std::string& what) {
    const std::uint64_t free = size > kMostOfOne ? kMostOfOne : size * kFreeGrowth;
    const std::uint64_t cost = grown > free ? grown - free : 0;
    std::uint64_t left = bytes_left_;
    while (cost <= left && grown <= kMostOfOne)
      if (bytes_left_.compare_exchange_weak(left, left - cost)) return true;
    bytes_left_ = 0;  // otherwise it would be tried again at each place
    return refuse(what);
  }
  /// Returns how much `size` bytes of `what` may become now, at most.
  std::uint64_t room(std::uint64_t size) const {
    return std::min(kMostOfOne, std::min(size, kMostOfOne) * kFreeGrowth + bytes_left_);
  }
  /// Takes a time. Returns false, and reports it, if not enough is left.
  bool take_time(std::chrono::steady_clock::duration taken, const std::string& what) {
    return (time_taken_ += taken.count()) <= kMostTicks || refuse(what);
  }
  /// Returns the time that is left, in ns; not less than 0.
  std::int64_t time_left() const {
    const Ticks::rep left = kMostTicks - time_taken_;
    return left > 0 ? std::chrono::nanoseconds(Ticks(left)).count() : 0;
  }
  /// Reports that something is left out. Returns false.
  bool refuse(const std::string& what) {
    if (report_)
      report_(what + " becomes too large, or takes too long, to be read: it is left out");
    return false;
  }

 private:
  using Ticks = std::chrono::steady_clock::duration;
  static constexpr Ticks::rep kMostTicks = std::chrono::duration_cast<Ticks>(kTime).count();

  std::function<void(std::string)> report_;
  std::atomic<std::uint64_t> bytes_left_ = kBytes;
  std::atomic<Ticks::rep> time_taken_ = 0;
};

}  // namespace evname::elf
