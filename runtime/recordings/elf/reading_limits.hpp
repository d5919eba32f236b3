#pragma once
// The limits of reading the debug information of one file.

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <ctime>
#include <string>

#include "recordings/elf/symbol_search.hpp"

namespace evname::elf {

/// Limits the time and the memory for the debug information of one file, by the size of the file
/// and the rest of the budget of all files. Once a limit is spent, this is reported, and nothing
/// more is read. For one thread at a time.
class ReadingLimits {
 public:
  ReadingLimits(const SymbolSearch& search, std::uint64_t size)
      : search_(search),
        size_(size),
        left_(std::min(kTime, search.budget.time_left()) +
              static_cast<std::int64_t>(size / kBytesASecond) * kSecond) {}
  ReadingLimits(const ReadingLimits&) = delete;
  ReadingLimits& operator=(const ReadingLimits&) = delete;

  bool are_spent() const { return are_spent_; }
  /// Returns true if the time is over. It is cheap, since it is called for each DIE. A file that
  /// uses all of its time takes as much from the budget of all files.
  bool time_is_over() {
    if (are_spent_ || now() - begun_ <= left_) return are_spent_;
    are_spent_ = true;
    if (search_.budget.take_time(std::chrono::nanoseconds(kTime), what()))
      search_.budget.refuse(what());
    return true;
  }
  /// Returns false, and stops all reading, if so many bytes exceed the limit of the file.
  bool has_room(std::uint64_t bytes) {
    if (!are_spent_ && bytes > search_.budget.room(size_))
      are_spent_ = !search_.budget.refuse(what());
    return !are_spent_;
  }
  /// Takes bytes that stay in memory from the budget of all files.
  void take(std::uint64_t bytes) {
    are_spent_ = are_spent_ || !search_.budget.take(bytes, size_, what());
  }

  /// Counts the time during the object's lifetime.
  class Reading {
   public:
    explicit Reading(ReadingLimits& limits) : limits_(limits) { limits.begun_ = now(); }
    ~Reading() { limits_.left_ -= now() - limits_.begun_; }
    Reading(const Reading&) = delete;
    Reading& operator=(const Reading&) = delete;

   private:
    ReadingLimits& limits_;
  };

 private:
  // A fast machine reads some 100 MB in a second. Slow or busy machines get ten seconds more.
  static constexpr std::int64_t kSecond = 1'000'000'000, kTime = 10 * kSecond;
  static constexpr std::uint64_t kBytesASecond = 16 << 20;

  /// Returns a time in ns, which is exact to some ms.
  static std::int64_t now() {
    timespec time{};
#ifdef CLOCK_MONOTONIC_COARSE
    ::clock_gettime(CLOCK_MONOTONIC_COARSE, &time);
#else
    ::clock_gettime(CLOCK_MONOTONIC, &time);
#endif
    return static_cast<std::int64_t>(time.tv_sec) * kSecond + time.tv_nsec;
  }
  std::string what() const { return search_.name + ": debug information"; }

  const SymbolSearch& search_;
  std::uint64_t size_;  ///< of the file
  std::int64_t left_;   ///< ns
  std::int64_t begun_ = 0;
  bool are_spent_ = false;
};

}  // namespace evname::elf
