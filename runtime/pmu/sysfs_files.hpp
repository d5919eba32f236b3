#pragma once
// Listing and reading sysfs directories that may be damaged or made up.

#include <optional>
#include <string>
#include <vector>

namespace evname::pmu {

// Far above what real machines have (hv_24x7 has some ten thousand events): against trees made up
// to exhaust memory.
constexpr std::size_t kMostPmus = 16384;
constexpr std::size_t kMostFiles = 1 << 16;

/// Sentences for people; null if nobody wants them.
using Warnings = std::vector<std::string>;

void warn(Warnings* warnings, std::string text);

/// Names in a directory, sorted, at most `limit`, without those that begin with a dot; empty if it
/// can't be read.
std::vector<std::string> list_directory(const std::string& path, std::size_t limit);

/// A whole small file, trimmed; nullopt (and, unless it is merely absent, a warning) if it can't be
/// read. perf cuts the last character off `identifier` whatever it is; trimming loses nothing.
std::optional<std::string> read_value(const std::string& path, Warnings* warnings);

}  // namespace evname::pmu
