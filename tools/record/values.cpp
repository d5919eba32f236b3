#include "record/values.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <ctime>

#include "base/text.hpp"
#include "evname/recorder.hpp"

namespace evname::tools {
namespace {

constexpr std::pair<std::string_view, int> kClockNames[] = {{"monotonic", CLOCK_MONOTONIC},
                                                            {"mono", CLOCK_MONOTONIC},
                                                            {"monotonic_raw", CLOCK_MONOTONIC_RAW},
                                                            {"raw", CLOCK_MONOTONIC_RAW},
                                                            {"realtime", CLOCK_REALTIME},
                                                            {"real", CLOCK_REALTIME},
                                                            {"boottime", CLOCK_BOOTTIME},
                                                            {"boot", CLOCK_BOOTTIME},
                                                            {"tai", CLOCK_TAI}};

template <std::size_t N, class T>
std::optional<T> row_of(const std::pair<std::string_view, T> (&rows)[N], std::string_view word) {
  for (const auto& [name, value] : rows)
    if (name == word) return value;
  return std::nullopt;
}

}  // namespace

std::optional<std::uint64_t> size_of(std::string_view text) {
  constexpr std::pair<std::string_view, std::uint64_t> kUnits[] = {
      {"B", 1}, {"K", 1 << 10}, {"M", 1 << 20}, {"G", 1 << 30}};
  if (text.empty()) return std::nullopt;
  const auto unit = row_of(kUnits, text.substr(text.size() - 1));
  const auto number = parse_decimal(unit ? text.substr(0, text.size() - 1) : text);
  if (!number || *number > (std::uint64_t{1} << 30)) return std::nullopt;
  return *number * unit.value_or(1);
}

std::string size_problem(const std::string& text) {
  return size_of(text) ? std::string() : fmt::format("'{}' is not a size, such as 64M", text);
}

std::optional<std::pair<std::size_t, std::size_t>> pages_of(std::string_view text) {
  constexpr std::size_t kMost = 1 << 20;
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  const auto parts = split(text, ',');
  std::array<std::size_t, 2> out{};
  for (std::size_t i = 0; i < parts.size() && i < out.size(); ++i) {
    if (parts[i].empty() && i == 0 && parts.size() == 2) continue;
    const auto pages = parse_decimal(parts[i]);
    const auto bytes = pages ? std::nullopt : size_of(parts[i]);
    out[i] = pages ? *pages : bytes.value_or(0) / page;
    if (out[i] == 0 || out[i] > kMost) return std::nullopt;
  }
  return parts.size() <= 2 ? std::optional(std::pair(out[0], out[1])) : std::nullopt;
}

std::string pages_problem(const std::string& text) {
  return pages_of(text) ? std::string()
                        : fmt::format(
                              "'{}' is not a number of pages (128), a size (4M) or two of "
                              "them (128,4M)",
                              text);
}

std::optional<int> clock_of(std::string_view word) { return row_of(kClockNames, word); }

std::string clock_problem(const std::string& word) {
  return clock_of(word)
             ? std::string()
             : fmt::format("'{}' is none of monotonic, monotonic_raw, realtime, boottime and tai",
                           word);
}

std::string branch_problem(const std::string& words) {
  const auto types = parse_branch_types(words);
  return types ? std::string() : types.error().message;
}

std::string frequency_problem(const std::string& text) {
  const auto number = parse_decimal(text);
  return text == "max" || (number && *number > 0)
             ? std::string()
             : fmt::format("'{}' is neither a number of samples a second nor max", text);
}

std::string chain_problem(const std::string& text) {
  const auto parts = split(text, ',');
  const bool has_size = parts.size() == 2 && parts[0] == "dwarf";
  const auto size = has_size ? parse_decimal(parts[1]) : std::nullopt;
  if (has_size && (!size || *size == 0 || *size > 65528 || *size % 8 != 0))
    return "the size of a stack's copy is a multiple of 8 up to 65528";
  const bool is_known = parts[0] == "fp" || parts[0] == "dwarf" || parts[0] == "lbr";
  if (is_known && (parts.size() == 1 || has_size)) return {};
  return fmt::format("'{}' is none of fp, dwarf, dwarf,SIZE and lbr", text);
}

std::optional<RecordTimes> times_of(std::string_view text) {
  RecordTimes out;
  if (text == "-1") return out;
  for (const std::string_view word : split(text, ',')) {
    const std::size_t dash = word.find('-');
    const auto first = parse_decimal(word.substr(0, dash));
    const auto last =
        dash == word.npos ? std::optional(UINT64_MAX) : parse_decimal(word.substr(dash + 1));
    if (!first || !last || *first >= *last || (!out.empty() && *first <= out.back().second))
      return std::nullopt;
    out.emplace_back(*first, *last);
  }
  return out;
}

std::string delay_problem(const std::string& text) {
  return times_of(text) ? std::string()
                        : fmt::format(
                              "'{}' is neither a number of ms nor a list of ranges, such as "
                              "10-20,30-40",
                              text);
}

std::optional<SwitchRule> switches_of(std::string_view text) {
  using std::chrono::milliseconds;
  constexpr std::pair<std::string_view, std::uint64_t> kSeconds[] = {
      {"s", 1}, {"m", 60}, {"h", 3600}, {"d", 86400}};
  SwitchRule out;
  out.on_signal = text == "signal";
  if (out.on_signal || text.empty()) return out.on_signal ? std::optional(out) : std::nullopt;
  const auto unit = row_of(kSeconds, text.substr(text.size() - 1));
  const auto count = unit ? parse_decimal(text.substr(0, text.size() - 1)) : std::nullopt;
  if (count && *count != 0 && *count < 1'000'000) {
    out.time = milliseconds(*count * *unit * 1000);
    return out;
  }
  if (parse_decimal(text)) return std::nullopt;  // of what?
  out.bytes = size_of(text).value_or(0);
  return out.bytes != 0 ? std::optional(out) : std::nullopt;
}

std::string switch_problem(const std::string& text) {
  return switches_of(text)
             ? std::string()
             : fmt::format(
                   "'{}' is none of signal, a size such as 64M, and a time such as 30s, 5m, "
                   "2h or 1d",
                   text);
}

std::optional<SnapshotRule> snapshots_of(std::string_view text) {
  constexpr std::uint64_t kMost = std::uint64_t{1} << 32;
  SnapshotRule out;
  out.at_end = text.starts_with('e');
  if (out.at_end) text.remove_prefix(1);
  if (text.empty()) return out.at_end ? std::optional(out) : std::nullopt;
  const auto number = parse_number(text);
  const auto bytes = number ? number : size_of(text);
  if (!bytes || *bytes > kMost) return std::nullopt;
  out.bytes = *bytes;
  return out;
}

std::string snapshot_problem(const std::string& text) {
  return snapshots_of(text)
             ? std::string()
             : fmt::format("'{}' is not a size up to 4G (e before it: also at the end)", text);
}

std::string aux_sample_problem(const std::string&) {
  return "evname records no pieces of a trace in samples, which Intel PT alone has: -S records the "
         "newest part of a trace at SIGUSR2, and perf record has --aux-sample";
}

/// As in perf, processes with mappings need no "task", and "no" and "all" end the list.
std::optional<ExistingRecords> existing_of(std::string_view text) {
  ExistingRecords out{false, false, false};
  for (const std::string_view given : split(text, ',')) {
    const std::string word = to_lower(given);
    if (word == "no" || word == "none") return ExistingRecords{false, false, false};
    if (word == "all") return ExistingRecords{};
    if (word != "task" && word != "mmap" && word != "cgroup") return std::nullopt;
    out.processes |= word != "cgroup";
    out.mappings |= word == "mmap";
    out.cgroups |= word == "cgroup";
  }
  return out;
}

std::string existing_problem(const std::string& text) {
  return existing_of(text)
             ? std::string()
             : fmt::format("'{}' is neither no, all nor a list of task, mmap and cgroup", text);
}

std::string level_problem(const std::string& text) {
  const auto level = parse_decimal(text);
  return level && *level >= 1 && *level <= 22 ? std::string() : "the levels are 1 to 22";
}

}  // namespace evname::tools
