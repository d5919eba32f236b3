#pragma once
// A search for the symbols of one mapped file: which file it is, who hears of it, and how much it
// may read, so that small files do not grow without limit.

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <ctime>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/read_file.hpp"
#include "evname/symbols.hpp"

namespace evname::elf {

/// Limits the bytes and the time of unpacking, demangling, listing and waiting for all files
/// together. Growth up to 20 times the size is free, since little honest data grows more; beyond
/// that all share one budget. Any number of threads may use an object.
class Budget {
 public:
  static constexpr std::uint64_t kFreeGrowth = 20;
  static constexpr std::uint64_t kBytes = std::uint64_t{512} << 20;
  static constexpr std::uint64_t kMostOfOne = std::uint64_t{4} << 30;  ///< that is unpacked
  static constexpr std::chrono::seconds kTime{60};                     ///< of unpacking and reading

  /// Returns a time in ns. It is asked for each DIE.
  using Clock = std::int64_t (*)();

  /// `report` receives a message when something is left out. `clock` measures reading.
  explicit Budget(std::function<void(std::string)> report = {}, Clock clock = coarse_time)
      : report_(std::move(report)), clock_(clock) {}
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
  std::int64_t now() const { return clock_(); }
  /// Reports that something is left out. Returns false.
  bool refuse(const std::string& what) {
    if (report_)
      report_(what + " becomes too large, or takes too long, to be read: it is left out");
    return false;
  }
  /// Servers of debuginfod did not answer in time. None is asked again: each file would wait as
  /// long.
  std::atomic<bool> servers_are_silent = false;

 private:
  using Ticks = std::chrono::steady_clock::duration;
  static constexpr Ticks::rep kMostTicks = std::chrono::duration_cast<Ticks>(kTime).count();

  /// It is cheap, and exact to some ms.
  static std::int64_t coarse_time() {
    timespec time{};
#ifdef CLOCK_MONOTONIC_COARSE
    ::clock_gettime(CLOCK_MONOTONIC_COARSE, &time);
#else
    ::clock_gettime(CLOCK_MONOTONIC, &time);
#endif
    return static_cast<std::int64_t>(time.tv_sec) * 1'000'000'000 + time.tv_nsec;
  }

  std::function<void(std::string)> report_;
  Clock clock_;
  std::atomic<std::uint64_t> bytes_left_ = kBytes;
  std::atomic<Ticks::rep> time_taken_ = 0;
};

/// The kind of a mapped file decides where its symbols are.
enum class FileKind : std::uint8_t {
  user,      ///< of processes
  kernel,    ///< of vmlinux, else of kallsyms
  listed,    ///< of a kernel's modules, as kallsyms lists them
  module,    ///< of one module, by its own file
  function,  ///< none: it is one function, which the kernel made
};

/// A mapped file whose symbols are looked for, and who hears of it.
struct SymbolSearch {
  const SymbolOptions& options;
  Budget& budget;
  FileKind kind = FileKind::user;
  std::string name = {};  ///< of the mapping
  std::vector<std::uint8_t> build_id = {};
  std::string kernel_release = {};  ///< of a kernel; empty: unknown
  std::int32_t pid = -1;
  std::string root = {};        ///< goes before paths: --symfs, or the root of a process that lives
  std::int32_t inner_pid = -1;  ///< of a process that lives, in its own PID namespace
  bool is_denied = false;       ///< its files may not be looked at
  bool was_here = false;        ///< recorded on this machine since it started
  ///@{
  /// See Mapping.
  std::uint16_t machine = 0;
  bool big_endian = false;
  Inode inode = {};
  std::uint64_t here_until = 0;
  ///@}
  bool own_kernel = false;                        ///< the vdso may be the running kernel's
  std::function<void(std::string)> tell = {};     ///< takes messages about what was done
  std::function<void(std::string)> problem = {};  ///< takes messages that a user should see
  std::function<void(std::string)> warning = {};  ///< takes messages of Symbols::warnings()
  std::function<void(std::string)> used = {};     ///< takes paths of Symbols::plain_files()
  std::function<void(std::string)> by_path = {};  ///< takes names for Symbols::files_by_path()
  /// The content of a file that is inside another one; `name` is then the inner file's.
  std::shared_ptr<const Descriptor> inner = {};
};

/// The details that are asked for beside the function at an address.
struct FrameDetails {
  bool inlines = false, lines = false;
};

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
    explicit Reading(ReadingLimits& limits) : limits_(limits) { limits.begun_ = limits.now(); }
    ~Reading() { limits_.left_ -= limits_.now() - limits_.begun_; }
    Reading(const Reading&) = delete;
    Reading& operator=(const Reading&) = delete;

   private:
    ReadingLimits& limits_;
  };

 private:
  // A fast machine reads some 100 MB in a second. Slow or busy machines get ten seconds more.
  static constexpr std::int64_t kSecond = 1'000'000'000, kTime = 10 * kSecond;
  static constexpr std::uint64_t kBytesASecond = 16 << 20;

  std::int64_t now() const { return search_.budget.now(); }
  std::string what() const { return search_.name + ": debug information"; }

  const SymbolSearch& search_;
  std::uint64_t size_;  ///< of the file
  std::int64_t left_;   ///< ns
  std::int64_t begun_ = 0;
  bool are_spent_ = false;
};

}  // namespace evname::elf
