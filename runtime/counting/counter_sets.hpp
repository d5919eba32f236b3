#pragma once
// Holds the open files of counters, as one set for each group and place, and reads counters without
// a system call, by the protocol of struct perf_event_mmap_page.

#include <linux/perf_event.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "evname/code.h"
#include "evname/counters.hpp"

namespace evname::counting {

inline constexpr std::size_t kSizeWithConfig3 = 136, kSizeWithConfig4 = 144;

/// The attr is built in a buffer, since headers older than Linux 6.3 have no config3.
using AttrBytes = std::array<unsigned char, kSizeWithConfig4>;

/// Returns the members that this system's header has.
perf_event_attr as_struct(const AttrBytes& bytes);
/// Sets them.
void store(AttrBytes& bytes, const perf_event_attr& attr);

/// Returns the smallest attr size that holds the code: kernels refuse a longer attr than theirs if
/// the rest is not zero.
inline std::uint32_t attr_size_for(const Code& code) {
  if (code.config[4] != 0) return kSizeWithConfig4;
  return code.config[3] != 0 ? kSizeWithConfig3 : PERF_ATTR_SIZE_VER7;
}

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
    Counters::Place place;
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

/// The counts of a group, whose counters run at the same times.
struct UserCounts {
  std::uint64_t enabled, running;
  std::array<std::uint64_t, 32> values;
};

/// Returns true for Intel's topdown events, whose register has several fields instead of a count.
bool is_topdown(const Encoding& e);

/// Returns the `width` low bits of a counter's register as a signed number.
std::uint64_t sign_extended(std::uint64_t value, unsigned width);

/// Returns the ns from the writing of the page to the given cycles of the clock.
std::uint64_t elapsed(const perf_event_mmap_page& page, std::uint64_t cycles,
                      std::uint64_t capabilities);

/// Returns true if the program is built for a CPU whose counters user space can read.
bool can_read_counters();

/// Reads the counters of a group, the leader first; all must have pages. Returns false if the
/// kernel does not allow it, an event has no counter at the moment, or there are too many. Only the
/// counted thread may call it: another thread would read its own counters.
bool read_user(std::span<const OpenCounter> counters, UserCounts& out);

}  // namespace evname::counting
