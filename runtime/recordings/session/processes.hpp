#pragma once
// What records tell of processes as a recording goes on: how their threads are called, and the
// paths of their cgroups.

#include <array>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "recordings/format/record.hpp"
#include "recordings/format/recorded_events.hpp"

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

/// The paths of cgroups, of which samples have the ids.
class Cgroups {
 public:
  /// CGROUP; others are ignored. The first path of an id stays. False if the record is too short.
  bool apply(const Record& record, std::endian order);

  /// Lives as long as this object; empty: no record told it.
  std::string_view path(std::uint64_t id) const {
    const auto at = paths_.find(id);
    return at == paths_.end() ? std::string_view{} : at->second;
  }

 private:
  std::unordered_map<std::uint64_t, std::string> paths_;
};

}  // namespace evname::perfdata::session
