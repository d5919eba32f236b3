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

/// Returns "hardware", "software", "tracepoint", "hw_cache", "raw" or "breakpoint"; "" for others.
std::string_view generic_type_name(std::uint32_t type);

/// Return the config that a word stands for, in any case.
std::optional<std::uint64_t> hardware_config(std::string_view word);
std::optional<std::uint64_t> software_config(std::string_view word);
/// The PMU of events that perf itself counts (tools/perf/util/tool_pmu.c).
inline constexpr std::string_view kToolPmu = "tool";
std::optional<std::uint64_t> tool_config(std::string_view word);

/// Returns the config of TYPE, TYPE-OP, TYPE-RESULT or TYPE-OP-RESULT if a CPU can do that: there
/// are no stores to the instruction cache (tools/perf/pmu-events/make_legacy_cache.py).
std::optional<std::uint64_t> cache_config(std::string_view word);

/// The generic code of a word on every core PMU without its own event of that name.
struct LegacyCode {
  std::uint32_t type;    ///< kTypeHardware or kTypeHwCache
  std::uint32_t config;  ///< without the PMU's number
};
std::optional<LegacyCode> legacy_code(std::string_view word);
/// Returns perf's own term for codes of that type: "legacy-hardware-config".
std::string_view legacy_term(std::uint32_t type);

/// Returns true if a word is any of these. The name_hash alone excludes most names.
bool is_kernel_name(std::string_view word, std::uint32_t name_hash);
/// Does the same for a word without a hyphen.
bool is_plain_kernel_name(std::string_view word, std::uint32_t name_hash);

/// Return the events of PMU "software" or "tool", each with its config.
std::span<const tables::NamedNumber> software_events();
std::span<const tables::NamedNumber> tool_events();

/// Returns all words of a code of type hardware, software or cache; perf's own is the first.
std::vector<std::string> legacy_names(std::uint32_t type, std::uint64_t config);

/// An event of the perf_event ABI, which resolves on every machine.
struct GenericEvent {
  std::string name;          ///< "cycles"
  std::string_view pmu;      ///< "hardware", "software" or "hw_cache"
  std::uint32_t type = 0;    ///< perf_event_attr.type
  std::uint64_t config = 0;  ///< perf_event_attr.config
};

/// Returns all generic events, sorted by type, then config. If a code has several names, the one
/// that perf prints comes first.
std::vector<GenericEvent> generic_events();

}  // namespace evname::syntax
