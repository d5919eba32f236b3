#pragma once
// What each thread is called at a point of the recording.

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "perfdata/format/record.hpp"

namespace evname::perfdata {

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
    std::string_view comm;  ///< of names_
  };

  std::string_view keep(std::string_view name) { return *names_.emplace(name).first; }
  std::string_view unnamed(std::int32_t tid);
  Thread& find(std::int32_t pid, std::int32_t tid);
  void fork(std::int32_t pid, std::int32_t tid, std::int32_t ppid, std::int32_t ptid);

  std::unordered_set<std::string> names_;  ///< each once; they do not move
  std::unordered_map<std::int32_t, Thread> by_tid_;
  /// By the lowest bits of the tid; nodes of the map don't move.
  struct Recent {
    std::int32_t tid = 0;
    Thread* thread = nullptr;
  };
  std::array<Recent, 16> recent_;
};

}  // namespace evname::perfdata
