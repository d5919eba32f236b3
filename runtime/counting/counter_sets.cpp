#include "counting/counter_sets.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "counting/counter_attr.hpp"
#include "counting/user_read.hpp"
#include "events/machine/regroup.hpp"
#include "evname/attr.hpp"

namespace evname::counting {
namespace {

std::size_t page_size() {
  static const auto kSize = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  return kSize;
}

/// Intel's topdown events: user space reads a register of several fields instead of a count.
bool is_topdown(const Encoding& e) {
  constexpr std::uint64_t kEvent = 0xff, kFirst = 0x8000, kLast = 0x8700;
  const std::uint64_t config = e.code.config[0];
  return (config & kEvent) == 0 && (config & 0xff00) >= kFirst && (config & 0xff00) <= kLast;
}

/// Only a counter of a PMU can be read; that of an inherited event is not for one thread.
bool may_read_itself(const Encoding& e, const CounterOptions& options,
                     const CounterSets::Where& where) {
  return options.user_reads && !options.inherit && where.of_task && where.place.thread == 0 &&
         can_read_counters() && !resolver::is_software(e) && !is_topdown(e);
}

const perf_event_mmap_page* page_of(int file) {
  void* const at = mmap(nullptr, page_size(), PROT_READ, MAP_SHARED, file, 0);
  return at == MAP_FAILED ? nullptr : static_cast<const perf_event_mmap_page*>(at);
}

constexpr bool kAsksForUserReads =
#ifdef __aarch64__
    true;
#else
    false;
#endif

int open_one(const Encoding& event, const CounterSets::Where& where, int leader, bool reads_itself,
             const CounterOptions& options) {
  const bool of_cgroup = where.cgroup_file >= 0;
  const int thread = of_cgroup ? where.cgroup_file : where.place.thread;
  for (const bool ask : {reads_itself && kAsksForUserReads, false}) {
    const OpenRequest request{leader < 0, where.of_task && where.place.cpu < 0, ask};
    const int file = open_counter(attr_bytes(event, options, request), thread, where.place.cpu,
                                  leader, of_cgroup);
    if (file >= 0 || !ask) return file;
  }
  return -1;
}

/// As perf does where the level is 2: what was asked for without saying of whom.
bool restrict_to_user_space(Encoding& event, int error, const CounterOptions& options) {
  const bool refused = error == EACCES || error == EPERM;
  if (!options.user_space_if_refused || !refused || event.bits.exclude_kernel ||
      event.modifiers.find_first_of("ukh") != std::string::npos)
    return false;
  event.bits.exclude_kernel = event.bits.exclude_hv = true;
  event.modifiers += 'u';
  return true;
}

}  // namespace

std::optional<CounterSets::Failure> CounterSets::open(std::vector<Encoding>& events,
                                                      const std::vector<std::size_t>& group,
                                                      const Where& where,
                                                      const CounterOptions& options) {
  if (group.size() > kMaxGroup) return Failure{EINVAL, group[kMaxGroup], true};
  CounterSet set{where.index, counters.size(), 0, true};
  sets.push_back(set);
  for (const std::size_t index : group) {
    const int leader = sets.back().count == 0 ? -1 : counters[set.first].file;
    const bool reads_itself = may_read_itself(events[index], options, where);
    int file = open_one(events[index], where, leader, reads_itself, options);
    if (file < 0 && restrict_to_user_space(events[index], errno, options))
      file = open_one(events[index], where, leader, reads_itself, options);
    if (file < 0) {
      const int error = errno;
      close_from(sets.size() - 1);
      return Failure{error, index, leader >= 0};
    }
    counters.push_back({index, file, reads_itself ? page_of(file) : nullptr});
    sets.back().in_user_space &= counters.back().page != nullptr;
    ++sets.back().count;
  }
  return std::nullopt;
}

void CounterSets::close_from(std::size_t set) {
  if (set >= sets.size()) return;
  const std::size_t first = sets[set].first;
  // Members before their leader: a member whose leader is closed would count on, alone.
  for (std::size_t i = counters.size(); i-- > first;) {
    if (counters[i].page != nullptr)
      munmap(const_cast<perf_event_mmap_page*>(counters[i].page), page_size());
    ::close(counters[i].file);
  }
  counters.resize(first);
  sets.resize(set);
}

CounterSets::~CounterSets() { close_from(0); }

}  // namespace evname::counting
