#pragma once
// What records tell of processes as a recording goes on: how their threads are called, and which
// part of which file is mapped where.

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "perfdata/format/record.hpp"
#include "perfdata/format/recorded_events.hpp"

namespace evname::perfdata::session {

/// Follows COMM and FORK records as tools/perf/util/machine.c does. Threads are known by tid alone.
class Threads {
 public:
  Threads();

  /// COMM and FORK; others are ignored: what an exited thread was called still holds for
  /// samples that its exit path takes. `record` has no trailer any more.
  /// False if it is too short.
  bool apply(const Record& record, std::endian order);

  /// A sample was taken in this thread: its pid is known from here on.
  /// The name, or ":TID" if no record told it. Lives as long as this object.
  std::string_view comm(std::int32_t pid, std::int32_t tid);

 private:
  struct Thread {
    std::int32_t pid = -1;
    bool named = false;
    std::string_view comm = {};  ///< of names_ or numbers_; not named: empty until asked for
  };

  std::string_view keep(std::string_view name) { return *names_.emplace(name).first; }
  std::string_view unnamed(std::int32_t tid);
  Thread& find(std::int32_t pid, std::int32_t tid);
  void fork(std::int32_t pid, std::int32_t tid, std::int32_t ppid, std::int32_t ptid);

  // There may be millions: a thread takes some 40 bytes, its name aside.
  IndexMap<std::uint32_t> by_tid_;  ///< to threads_
  std::deque<Thread> threads_;
  std::unordered_set<std::string> names_;     ///< each once; they do not move
  std::deque<std::array<char, 12>> numbers_;  ///< ":TID"; likewise
  /// By the lowest bits of the tid.
  struct Recent {
    std::int32_t tid = 0;
    Thread* thread = nullptr;
  };
  std::array<Recent, 16> recent_;
};

/// Follows MMAP, MMAP2 and FORK records as tools/perf/util/machine.c and map.c do.
class AddressMaps {
 public:
  static bool follows(std::uint32_t type) {
    return type == kRecordMmap || type == kRecordMmap2 || type == kRecordFork;
  }
  /// Other records are ignored. `record` has no trailer any more. False if it is too short.
  bool apply(const Record& record, std::endian order);

  /// Where in its file an address of a process' user space is; the address itself where nothing
  /// is known to be mapped, or no file is (heap, stack, anonymous memory).
  std::uint64_t file_offset(std::int32_t pid, std::uint64_t address) const;

 private:
  struct Map {
    std::uint64_t end = 0;
    std::uint64_t shift = 0;  ///< file offset = address + shift
  };
  using Process = std::map<std::uint64_t, Map>;  ///< by first address; they don't overlap

  void add(std::int32_t pid, std::uint64_t start, std::uint64_t end, std::uint64_t shift);
  Process& own(std::int32_t pid);

  std::unordered_map<std::int32_t, std::shared_ptr<Process>> processes_;  ///< shared after a fork
  std::size_t copied_ = 0;
};

}  // namespace evname::perfdata::session
