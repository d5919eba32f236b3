#pragma once
// Parses the values of evname record's options, and describes their faults.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "record/options.hpp"

namespace evname::tools {

/// "64K", "10M", "1G"; nullopt for other texts.
std::optional<std::uint64_t> size_of(std::string_view text);

/// "128", "4M", "128,4M", ",512": sizes in pages, or in bytes with a suffix, of each buffer and of
/// each area for a trace; 0: not given.
std::optional<std::pair<std::size_t, std::size_t>> pages_of(std::string_view text);

/// Returns the number of the clock "mono", "realtime" and so on; nullopt if there is no such clock.
std::optional<int> clock_of(std::string_view word);

/// "10", "10-20,30-40": each begins after the one before it has ended.
std::optional<RecordTimes> times_of(std::string_view text);

/// Reads "signal", "64M" or "30s"; returns nullopt if the text is none of these.
std::optional<SwitchRule> switches_of(std::string_view text);

/// "e", "4M", "e0x100000": nullopt if it is none of these.
std::optional<SnapshotRule> snapshots_of(std::string_view text);

/// "no", "all", or a list of "task", "mmap" and "cgroup"; nullopt if it is none of these.
std::optional<ExistingRecords> existing_of(std::string_view text);

// These return the fault of a value; "" if there is none. For Option::checked_by().
std::string size_problem(const std::string& text);
std::string pages_problem(const std::string& text);
std::string clock_problem(const std::string& word);
std::string branch_problem(const std::string& words);
std::string frequency_problem(const std::string& text);
/// Callers: "fp", "dwarf", "dwarf,16384", "lbr".
std::string chain_problem(const std::string& text);
std::string delay_problem(const std::string& text);
std::string switch_problem(const std::string& text);
std::string snapshot_problem(const std::string& text);
std::string level_problem(const std::string& text);
std::string existing_problem(const std::string& text);
// These name the replacement of something that evname lacks.
std::string aux_sample_problem(const std::string&);

}  // namespace evname::tools
