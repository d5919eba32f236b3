#pragma once
// The words of the kernel's generic hardware and cache events. Source: perf,
// Documentation/perf-list.txt and linux/perf_event.h (PERF_COUNT_HW_CACHE_*).

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace evname::tables {

struct NamedNumber {
  std::string_view name;
  std::uint64_t number;
};

// If a number has several words, perf's own comes first.

/// Hardware events by their number in enum perf_hw_id of perf_event.h.
inline constexpr NamedNumber kHardwareWords[] = {
    {"cycles", 0},
    {"cpu-cycles", 0},
    {"instructions", 1},
    {"cache-references", 2},
    {"cache-misses", 3},
    {"branches", 4},
    {"branch-instructions", 4},
    {"branch-misses", 5},
    {"bus-cycles", 6},
    {"stalled-cycles-frontend", 7},
    {"idle-cycles-frontend", 7},
    {"stalled-cycles-backend", 8},
    {"idle-cycles-backend", 8},
    {"ref-cycles", 9},
};

/// Returns the words that perf prints, by their numbers.
template <std::size_t Count>
consteval std::array<std::string_view, Count> printed_words(std::span<const NamedNumber> words) {
  std::array<std::string_view, Count> out;
  for (const NamedNumber& word : words)
    if (out[word.number].empty()) out[word.number] = word.name;
  return out;
}

/// The hardware events as perf prints them, by their numbers.
inline constexpr auto kHardwareEvents = printed_words<10>(kHardwareWords);

inline constexpr NamedNumber kCacheTypes[] = {
    {"L1-dcache", 0}, {"l1-d", 0},     {"l1d", 0},   {"L1-data", 0},
    {"L1-icache", 1}, {"l1-i", 1},     {"l1i", 1},   {"L1-instruction", 1},
    {"LLC", 2},       {"L2", 2},       {"dTLB", 3},  {"d-tlb", 3},
    {"Data-TLB", 3},  {"iTLB", 4},     {"i-tlb", 4}, {"Instruction-TLB", 4},
    {"branch", 5},    {"branches", 5}, {"bpu", 5},   {"btb", 5},
    {"bpc", 5},       {"node", 6},
};

inline constexpr NamedNumber kCacheOps[] = {
    {"load", 0},
    {"loads", 0},
    {"read", 0},
    {"store", 1},
    {"stores", 1},
    {"write", 1},
    {"prefetch", 2},
    {"prefetches", 2},
    {"speculative-read", 2},
    {"speculative-load", 2},
};

inline constexpr NamedNumber kCacheResults[] = {
    {"refs", 0}, {"Reference", 0}, {"ops", 0}, {"access", 0}, {"misses", 1}, {"miss", 1},
};

/// Bit n: operation n makes sense on that type of cache.
inline constexpr std::uint8_t kValidCacheOps[] = {7, 5, 7, 7, 1, 1, 7};

inline constexpr std::string_view kPluralCacheOps[] = {"loads", "stores", "prefetches"};
inline constexpr std::string_view kSingularCacheOps[] = {"load", "store", "prefetch"};

}  // namespace evname::tables
