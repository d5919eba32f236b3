
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <iterator>
#include <string_view>
#if defined(__i386__) || defined(__x86_64__)
#include <cpuid.h>
#endif

#include "events/pfm4/dictionary.hpp"
#include "libpfm/library.hpp"
#include "libpfm/lines.hpp"

namespace evname::libpfm {
namespace {

/// The architectural PMU as leaf 10 of CPUID describes it.
struct Architectural {
  unsigned version = 0, generic = 0, fixed = 0;
  unsigned missing = 0;  ///< bits of events
};

/// libpfm4 assumes version 3 for a PMU that the environment forces.
constexpr Architectural kForced{3, 0, 0, 0};

Architectural architectural_of_cpu() {
  Architectural out;
#if defined(__i386__) || defined(__x86_64__)
  constexpr unsigned kLeaf = 10;
  const Cpus cpus = own_cpus();
  const auto is_other = [](pfm4::CpuNumber cpu) {
    const unsigned family = cpu.number >> 16;
    return cpu.maker != pfm4::Maker::intel || family < 5 || family == 15;
  };
  unsigned a = 0, b = 0, c = 0, d = 0;
  if (std::ranges::any_of(cpus.all(), is_other)) return out;
  if (__get_cpuid_max(0, nullptr) < kLeaf) return out;
  __cpuid(kLeaf, a, b, c, d);
  out = {a & 0xff, a >> 8 & 0xff, d & 0x1f, b};
#endif
  return out;
}

Architectural architectural() {
  const Library* library = current_library();
  if (library == nullptr) return {};
  if (library->settings().is_forced) return kForced;
  return library->settings().cpuinfo.empty() ? architectural_of_cpu() : Architectural{};
}

// The sets are numbered as in arch/pfm4, from 1.

/// One for each of seven events, with the modifiers of each version that adds some.
std::uint32_t architectural_sets() {
  constexpr unsigned kEvents = 7;
  const Architectural found = architectural();
  if (found.version == 0) return 0;
  const unsigned table = found.version >= 3 && found.version <= 5 ? found.version - 2 : 0;
  const std::uint32_t events = ~found.missing & ((1u << kEvents) - 1);
  return events << (1 + table * kEvents);
}

/// Events of the kernel: one set each.
std::uint32_t optional_sets() {
  constexpr char kNames[][20] = {"slots", "topdown-retiring", "topdown-bad-spec",
                                 "topdown-fe-bound", "topdown-be-bound"};
  std::uint32_t out = 0;
  for (std::size_t i = 0; i < std::size(kNames); ++i) {
    char path[160];
    std::snprintf(path, sizeof path, "/sys/bus/event_source/devices/cpu/events/%s", kNames[i]);
    if (access(path, F_OK) == 0) out |= 1u << (i + 1);
  }
  return out;
}

/// Returns what follows a key at the beginning of a line of a file; "" if there is no such line.
/// The text is in `lines`.
std::string_view value_of(Lines& lines, std::string_view key) {
  for (std::string_view line; lines.next(line);)
    if (line.starts_with(key)) {
      line.remove_prefix(key.size());
      return trimmed(line);
    }
  return {};
}

/// Counter sets of a mainframe: by the first and the second version of its counter facility, and by
/// its type.
std::uint32_t mainframe_sets() {
  struct Row {
    unsigned type, set;
  };
  constexpr Row kTypes[] = {{2097, 5},  {2098, 5},  {2817, 6},  {2818, 6}, {2827, 7},  {2828, 7},
                            {2964, 8},  {2965, 8},  {3906, 9},  {3907, 9}, {8561, 10}, {8562, 10},
                            {3931, 11}, {3932, 11}, {9175, 12}, {9176, 12}};
  constexpr unsigned kFirst1 = 1, kFirst3 = 2, kSecond = 3, kSecond6 = 4;
  Lines levels("/proc/service_levels");
  const std::string_view versions = value_of(levels, "CPU-MF: Counter facility: version=");
  if (versions.empty()) return 0;
  const std::size_t dot = versions.find('.');
  const unsigned first = dot == versions.npos ? 0 : leading_number(versions);
  const unsigned second =
      dot == versions.npos ? 0
                           : leading_number({versions.data() + dot + 1, versions.size() - dot - 1});
  std::uint32_t out = 1u << kSecond;
  if (first == 1) out |= 1u << kFirst1;
  if (first == 3) out |= 1u << kFirst3;
  if (second >= 6) out |= 1u << kSecond6;
  Lines info("/proc/sysinfo");
  const unsigned type = leading_number(value_of(info, "Type:"));
  for (const Row& row : kTypes)
    if (row.type == type) out |= 1u << row.set;
  return out;
}

/// The sets of a PMU; bit 0 is set once they are known.
struct KnownSets {
  std::atomic<std::uint32_t> sets;

  template <class Find>
  std::uint32_t get(Find&& find) {
    std::uint32_t out = sets.load(std::memory_order_relaxed);
    if (out == 0) {
      out = find() | 1;
      sets.store(out, std::memory_order_relaxed);
    }
    return out & ~1u;
  }
};
KnownSets known_architectural, known_optional, known_mainframe;

}  // namespace

void forget_live_events() {
  for (KnownSets* known : {&known_architectural, &known_optional, &known_mainframe})
    known->sets.store(0, std::memory_order_relaxed);
}

LiveCounters live_counters() {
  const Architectural found = architectural();
  return {static_cast<int>(found.generic), static_cast<int>(found.fixed)};
}

}  // namespace evname::libpfm

namespace evname::pfm4 {

std::uint32_t live_sets(const Pmu& pmu) {
  if (pmu.layout == Layout::generic) return libpfm::known_optional.get(libpfm::optional_sets);
  if (pmu.archs == kX86) return libpfm::known_architectural.get(libpfm::architectural_sets);
  return libpfm::known_mainframe.get(libpfm::mainframe_sets);
}

}  // namespace evname::pfm4
