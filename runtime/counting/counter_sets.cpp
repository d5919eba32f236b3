#include "counting/counter_sets.hpp"

#include <linux/perf_event.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>

#include "events/machine/encoding_access.hpp"
#include "events/machine/groups.hpp"
#include "evname/attr.hpp"
#include "evname/encoding.hpp"

namespace evname::counting {

perf_event_attr as_struct(const AttrBytes& bytes) {
  perf_event_attr attr{};
  std::memcpy(&attr, bytes.data(), std::min(sizeof attr, bytes.size()));
  return attr;
}

void store(AttrBytes& bytes, const perf_event_attr& attr) {
  std::memcpy(bytes.data(), &attr, std::min(sizeof attr, bytes.size()));
}

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
  store(bytes, attr);
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

namespace {

#if defined(__x86_64__) || defined(__i386__)
constexpr bool kReadable = true;

std::uint64_t read_clock() { return __builtin_ia32_rdtsc(); }

std::uint64_t read_register(std::uint32_t index) {
  return __builtin_ia32_rdpmc(static_cast<int>(index));
}
#elif defined(__aarch64__)
constexpr bool kReadable = true;

std::uint64_t read_clock() {
  std::uint64_t value;
  asm volatile("mrs %0, cntvct_el0" : "=r"(value));
  return value;
}

// The number of a counter is part of the instruction.
#define EVNAME_COUNTER(n)                                     \
  case n:                                                     \
    asm volatile("mrs %0, pmevcntr" #n "_el0" : "=r"(value)); \
    break
std::uint64_t read_register(std::uint32_t index) {
  std::uint64_t value = 0;
  switch (index) {
    EVNAME_COUNTER(0);
    EVNAME_COUNTER(1);
    EVNAME_COUNTER(2);
    EVNAME_COUNTER(3);
    EVNAME_COUNTER(4);
    EVNAME_COUNTER(5);
    EVNAME_COUNTER(6);
    EVNAME_COUNTER(7);
    EVNAME_COUNTER(8);
    EVNAME_COUNTER(9);
    EVNAME_COUNTER(10);
    EVNAME_COUNTER(11);
    EVNAME_COUNTER(12);
    EVNAME_COUNTER(13);
    EVNAME_COUNTER(14);
    EVNAME_COUNTER(15);
    EVNAME_COUNTER(16);
    EVNAME_COUNTER(17);
    EVNAME_COUNTER(18);
    EVNAME_COUNTER(19);
    EVNAME_COUNTER(20);
    EVNAME_COUNTER(21);
    EVNAME_COUNTER(22);
    EVNAME_COUNTER(23);
    EVNAME_COUNTER(24);
    EVNAME_COUNTER(25);
    EVNAME_COUNTER(26);
    EVNAME_COUNTER(27);
    EVNAME_COUNTER(28);
    EVNAME_COUNTER(29);
    EVNAME_COUNTER(30);
    case 31:
      asm volatile("mrs %0, pmccntr_el0" : "=r"(value));
      break;
    default:
      break;
  }
  return value;
}
#undef EVNAME_COUNTER
#else
constexpr bool kReadable = false;

std::uint64_t read_clock() { return 0; }
std::uint64_t read_register(std::uint32_t) { return 0; }
#endif

/// Bits of perf_event_mmap_page.capabilities. Older headers lack some.
constexpr std::uint64_t kCapRdpmc = 1 << 2, kCapTime = 1 << 3, kCapShortTime = 1 << 5;

/// The words of the page. The kernel writes to them at any time.
template <class T>
inline T load(const T& word) {
  return *static_cast<const volatile T*>(&word);
}

}  // namespace

bool is_topdown(const Encoding& e) {
  constexpr std::uint64_t kEvent = 0xff, kFirst = 0x8000, kLast = 0x8700;
  const std::uint64_t config = e.code.config[0];
  return (config & kEvent) == 0 && (config & 0xff00) >= kFirst && (config & 0xff00) <= kLast;
}

std::uint64_t sign_extended(std::uint64_t value, unsigned width) {
  const unsigned shift = width == 0 || width > 64 ? 0 : 64 - width;
  return static_cast<std::uint64_t>(static_cast<std::int64_t>(value << shift) >> shift);
}

std::uint64_t elapsed(const perf_event_mmap_page& page, std::uint64_t cycles,
                      std::uint64_t capabilities) {
  if ((capabilities & kCapShortTime) != 0) {
    const std::uint64_t base = load(page.time_cycles);
    cycles = base + ((cycles - base) & load(page.time_mask));
  }
  const unsigned shift = load(page.time_shift) & 63;
  const std::uint64_t factor = load(page.time_mult);
  const std::uint64_t rest = cycles & ((std::uint64_t{1} << shift) - 1);
  return load(page.time_offset) + (cycles >> shift) * factor + ((rest * factor) >> shift);
}

namespace {

/// False: the event has no counter now, or user space may not read it.
bool read_value(const perf_event_mmap_page& page, std::uint64_t capabilities,
                std::uint64_t& value) {
  const std::uint32_t index = load(page.index);
  if ((capabilities & kCapRdpmc) == 0 || index == 0) return false;
  value = static_cast<std::uint64_t>(load(page.offset)) +
          sign_extended(read_register(index - 1), load(page.pmc_width));
  return true;
}

/// Calls read(capabilities) until the kernel did not write to the page meanwhile. The kernel writes
/// on this thread's CPU, so only the compiler must keep the order.
template <class Read>
bool unchanging(const perf_event_mmap_page& page, Read&& read) {
  for (;;) {
    const std::uint32_t sequence = load(page.lock);
    std::atomic_signal_fence(std::memory_order_seq_cst);
    if (!read(load(page.capabilities))) return false;
    std::atomic_signal_fence(std::memory_order_seq_cst);
    if (load(page.lock) == sequence) return true;
  }
}

}  // namespace

bool can_read_counters() { return kReadable; }

bool read_user(std::span<const OpenCounter> counters, UserCounts& out) {
  if (!kReadable || counters.size() > out.values.size()) return false;
  const perf_event_mmap_page& leader = *counters[0].page;
  const bool has_times = unchanging(leader, [&](std::uint64_t capabilities) {
    if ((capabilities & kCapTime) == 0) return false;
    const std::uint64_t time = elapsed(leader, read_clock(), capabilities);
    out.enabled = load(leader.time_enabled) + time;
    out.running = load(leader.time_running) + time;
    return read_value(leader, capabilities, out.values[0]);
  });
  if (!has_times) return false;
  for (std::size_t i = 1; i < counters.size(); ++i) {
    const perf_event_mmap_page& page = *counters[i].page;
    if (!unchanging(page, [&](std::uint64_t capabilities) {
          return read_value(page, capabilities, out.values[i]);
        }))
      return false;
  }
  return true;
}

}  // namespace evname::counting
