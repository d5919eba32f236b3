#pragma once
// The open files of counters: a set for each group and place.

#include <linux/perf_event.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "counting/count_target.hpp"
#include "counting/own_clocks.hpp"
#include "evname/counters.hpp"

namespace evname::counting {

/// One counter.
struct OpenCounter {
  std::size_t event = 0;
  int file = -1;
  const perf_event_mmap_page* page = nullptr;  ///< nullptr: it is read by system calls alone
};

/// Counters of a group at a place, the leader first.
struct CounterSet {
  std::size_t place = 0;
  std::size_t first = 0, count = 0;  ///< in CounterSets::counters
  bool in_user_space = false;        ///< all have pages
};

/// Closes what it has.
class CounterSets {
 public:
  CounterSets() = default;
  CounterSets(const CounterSets&) = delete;
  ~CounterSets();

  /// Opens the events of a group at a place. An error leaves nothing of it open, and says which
  /// event it is of in `culprit`.
  struct Failure {
    int error;
    std::size_t culprit;
    bool in_group;
  };
  struct Where {
    std::size_t index;  ///< of the place
    CountPlace place;
    int cgroup_file;  ///< -1: none
    bool of_task;
  };
  std::optional<Failure> open(std::vector<Encoding>& events, const std::vector<std::size_t>& group,
                              const Where& where, const CounterOptions& options);

  /// Closes the sets from this one on.
  void close_from(std::size_t set);

  std::vector<CounterSet> sets;
  std::vector<OpenCounter> counters;
};

/// Most events of one group; the kernel allows fewer (a read of 16 KiB).
inline constexpr std::size_t kMaxGroup = 2000;

}  // namespace evname::counting
