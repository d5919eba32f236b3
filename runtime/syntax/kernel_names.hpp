#pragma once
// The names of the perf_event ABI itself: hardware, software and cache events, and back.
// Source of the numbers: include/uapi/linux/perf_event.h; of the words: perf, util/parse-events.l.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "evname/perf_type.hpp"

namespace evname::syntax {

/// "hardware", "software", "tracepoint", "hw_cache", "raw", "breakpoint"; "" for others.
std::string_view generic_type_name(std::uint32_t type);

std::optional<std::uint64_t> hardware_config(std::string_view word);
std::optional<std::uint64_t> software_config(std::string_view word);
/// Encoding::pmu of what perf itself counts; all of it has one code.
inline constexpr std::string_view kToolPmu = "tool";
bool is_tool_event(std::string_view word);
std::span<const std::string_view> tool_words();

/// A cache word as perf's lexer sees it.
struct CacheWord {
  std::uint64_t config;
  bool valid;  ///< false: no CPU can do that (a store to the instruction cache)
};
std::optional<CacheWord> cache_config(std::string_view word);

/// Is a word without a hyphen any of these? Most names are told from them by their name_hash alone.
bool is_kernel_name(std::string_view word, std::uint32_t name_hash);

/// All words of a code of type hardware, software or cache, the one perf prints first.
std::vector<std::string> legacy_names(std::uint32_t type, std::uint64_t config);

}  // namespace evname::syntax
