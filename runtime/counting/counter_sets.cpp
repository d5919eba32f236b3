#include "counting/counter_sets.hpp"

#include <linux/perf_event.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "counting/attr_bytes.hpp"
#include "counting/user_read.hpp"
#include "events/machine/encoding_access.hpp"
#include "events/machine/groups.hpp"
#include "evname/attr.hpp"
#include "evname/encoding.hpp"

namespace evname::counting {
namespace {

/// The way to open an event.
struct OpenRequest {
  bool leads = true;          ///< it leads its group
  bool of_task = false;       ///< it counts a thread, not a CPU
  bool reads_itself = false;  ///< asks arm64 for a counter that user space can read
};

/// `rdpmc` of armv8_pmuv3: a counter that user space may read, if kernel.perf_user_access is 1.
constexpr std::uint64_t kArmUserAccess = 2;

/// Returns precise_ip for counting. perf ignores `P` when it counts, since it asks for the most
/// precise sampling.
std::uint8_t precision(const Encoding& e) {
  return e.modifiers.find('P') == e.modifiers.npos ? e.bits.precise_ip : 0;
}

AttrBytes attr_bytes(const Encoding& event, const CounterOptions& options,
                     const OpenRequest& request) {
  perf_event_attr attr{};
  attr.size = attr_size_for(event.code);
  attr.read_format =
      perf_format::kReadGroup | perf_format::kReadTimeEnabled | perf_format::kReadTimeRunning;
  attr.disabled = request.leads;
  attr.pinned = options.pinned && request.leads;
  attr.inherit = options.inherit && request.of_task;
  attr.enable_on_exec = options.enable_on_exec && request.of_task && request.leads;
  AttrBytes bytes{};
  std::memcpy(bytes.data(), &attr, std::min(sizeof attr, bytes.size()));
  Encoding asked = event;
  asked.bits.precise_ip = precision(event);
  if (request.reads_itself) asked.code.config[1] |= kArmUserAccess;
  (void)fill_attr(asked, bytes.data(), bytes.size());  // the type is known, the size right
  return bytes;
}

/// Returns the file of a new counter, or -1 and errno. `group` is the leader's file or -1.
int open_counter(const AttrBytes& attr, int thread, int cpu, int group, bool of_cgroup) {
  const unsigned long flags = PERF_FLAG_FD_CLOEXEC | (of_cgroup ? PERF_FLAG_PID_CGROUP : 0);
  return static_cast<int>(syscall(SYS_perf_event_open, attr.data(), thread, cpu, group, flags));
}

std::size_t page_size() {
  static const auto kSize = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  return kSize;
}

/// Returns true for Intel's topdown events, whose register has several fields instead of a count.
bool is_topdown(const Encoding& e) {
  constexpr std::uint64_t kEvent = 0xff, kFirst = 0x8000, kLast = 0x8700;
  const std::uint64_t config = e.code.config[0];
  return (config & kEvent) == 0 && (config & 0xff00) >= kFirst && (config & 0xff00) <= kLast;
}

/// Returns true if user space may read the event's counter. Software events have none; the counter
/// of an inherited event counts several threads.
bool may_read_itself(const Encoding& e, const CounterOptions& options,
                     const CounterSets::Where& where) {
  return options.user_reads && !options.inherit && where.of_task && where.place.thread == 0 &&
         can_read_counters() && !machine::is_software(e) && !is_topdown(e);
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

/// Excludes the kernel from an event that names no privilege level, as perf does if
/// perf_event_paranoid is 2. Returns false if that does not apply.
bool restrict_to_user_space(Encoding& event, int error, const CounterOptions& options) {
  const bool refused = error == EACCES || error == EPERM;
  if (!options.user_space_if_refused || !refused || event.bits.exclude_kernel ||
      event.modifiers.find_first_of("ukh") != std::string::npos)
    return false;
  detail::EncodingAccess::restrict_to_user_space(event);
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
  // Closes members before their leader: a member would go on counting alone if its leader were
  // closed first.
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
