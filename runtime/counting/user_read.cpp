#include "counting/user_read.hpp"

#include <atomic>

namespace evname::counting {
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
