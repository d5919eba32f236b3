#pragma once
// Holds the open files of counters, as one set for each group and place.

#include <linux/perf_event.h>

#include <cstddef>
#include <optional>
#include <vector>

#include "evname/counters.hpp"

namespace evname::counting {

/// An open counter of an event.
struct OpenCounter {
  std::size_t event = 0;
  int file = -1;
  const perf_event_mmap_page* page = nullptr;  ///< nullptr if user space can't read it
};

/// The counters of a group at a place, the leader first.
struct CounterSet {
  std::size_t place = 0;
  std::size_t first = 0, count = 0;  ///< in CounterSets::counters
  bool in_user_space = false;        ///< true if all have pages
};

/// Owns the files and pages of all counters.
class CounterSets {
 public:
  CounterSets() = default;
  CounterSets(const CounterSets&) = delete;
  ~CounterSets();

  /// The reason why a group could not be opened.
  struct Failure {
    int error;            ///< errno
    std::size_t culprit;  ///< index of the event that was refused
    bool in_group;        ///< true if its leader had been opened
  };
  /// The place of a group.
  struct Where {
    std::size_t index;  ///< in Counters::places()
    CountPlace place;
    int cgroup_file;  ///< -1 if none
    bool of_task;
  };
  /// Opens the events of a group at a place. If it fails, nothing of the group stays open.
  std::optional<Failure> open(std::vector<Encoding>& events, const std::vector<std::size_t>& group,
                              const Where& where, const CounterOptions& options);

  /// Closes the sets with this index and higher ones.
  void close_from(std::size_t set);

  std::vector<CounterSet> sets;
  std::vector<OpenCounter> counters;
};

/// The maximum number of events in a group. The kernel allows fewer: a read returns 16 KiB at most.
inline constexpr std::size_t kMaxGroup = 2000;

}  // namespace evname::counting
