#pragma once
// The names of the perf_event ABI itself: hardware, software and cache events, and back.
// Source of the numbers: include/uapi/linux/perf_event.h; of the words: perf, util/parse-events.l.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "events/tables/legacy_words.hpp"
#include "evname/attr.hpp"

namespace evname::syntax {

/// "hardware", "software", "tracepoint", "hw_cache", "raw", "breakpoint"; "" for others.
std::string_view generic_type_name(std::uint32_t type);

/// Any case, as perf's own tables are read.
std::optional<std::uint64_t> hardware_config(std::string_view word);
std::optional<std::uint64_t> software_config(std::string_view word);
/// What perf itself counts, as events of a PMU of its own (tools/perf/util/tool_pmu.c).
inline constexpr std::string_view kToolPmu = "tool";
std::optional<std::uint64_t> tool_config(std::string_view word);

/// TYPE, TYPE-OP, TYPE-RESULT or TYPE-OP-RESULT of what a CPU can do: no stores to the instruction
/// cache (tools/perf/pmu-events/make_legacy_cache.py).
std::optional<std::uint64_t> cache_config(std::string_view word);

/// The generic code that a word stands for on every core PMU that has no such event of its own.
struct LegacyCode {
  std::uint32_t type;    ///< kTypeHardware or kTypeHwCache
  std::uint32_t config;  ///< without the PMU's number
};
std::optional<LegacyCode> legacy_code(std::string_view word);
/// The term of perf's own that says the same: "legacy-hardware-config".
std::string_view legacy_term(std::uint32_t type);

/// Is a word any of these? Most names are told from them by their name_hash alone.
bool is_kernel_name(std::string_view word, std::uint32_t name_hash);
/// The same of a word without a hyphen.
bool is_plain_kernel_name(std::string_view word, std::uint32_t name_hash);

/// Return the events of PMU "software" or "tool", each with its config.
std::span<const tables::NamedNumber> software_events();
std::span<const tables::NamedNumber> tool_events();

/// All words of a code of type hardware, software or cache, the one perf prints first.
std::vector<std::string> legacy_names(std::uint32_t type, std::uint64_t config);

}  // namespace evname::syntax
