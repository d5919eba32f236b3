// Which samples are written.

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include "base/text.hpp"
#include "evname/annotate.hpp"

namespace evname {
namespace {

template <class T>
bool holds(const std::vector<T>& list, const T& value) {
  return list.empty() || std::find(list.begin(), list.end(), value) != list.end();
}

}  // namespace

std::vector<bool> SampleFilter::events(const PerfData& file) const {
  std::vector<bool> pass;
  const std::string pattern = to_lower(event);
  for (const RecordedEvent& one : file.events())
    pass.push_back(event.empty() || glob_match(pattern, to_lower(one.name)) ||
                   glob_match(pattern, to_lower(one.full_name())) ||
                   glob_match(pattern, to_lower(one.recorded_name)));
  return pass;
}

// What is not sampled: filter_cpu and perf_time__ranges_skip_sample of tools/perf.
bool SampleFilter::accepts(const Sample& sample) const {
  const std::uint32_t cpu = sample.cpu().value_or(UINT32_MAX);
  if (cpu != UINT32_MAX && !holds(cpus, cpu)) return false;
  if (!holds(pids, sample.pid().value_or(-1)) || !holds(tids, sample.tid().value_or(-1)))
    return false;
  if (!comms.empty() && std::find(comms.begin(), comms.end(), sample.comm()) == comms.end())
    return false;
  const std::uint64_t time = sample.time().value_or(UINT64_MAX);
  return times.empty() || time == 0 ||
         std::any_of(times.begin(), times.end(), [&](const TimeRange& range) {
           return time >= range.first && time <= range.last;
         });
}

// Ranges of time as --time of perf script takes them: tools/perf/util/time-utils.c.

namespace {

constexpr std::uint64_t kSecond = 1'000'000'000;

// "12", "12.5", "12.000000001": digits beyond nanoseconds are refused.
std::optional<std::uint64_t> parse_seconds(std::string_view text) {
  const auto point = text.find('.');
  const auto whole = parse_decimal(text.substr(0, point));
  if (!whole || *whole > UINT64_MAX / kSecond - 1) return std::nullopt;
  if (point == text.npos) return *whole * kSecond;
  std::string fraction(text.substr(point + 1));
  if (fraction.empty() || fraction.size() > 9) return std::nullopt;
  fraction.resize(9, '0');
  const auto ns = parse_decimal(fraction);
  if (!ns) return std::nullopt;
  return *whole * kSecond + *ns;
}

// "A,B". An end of 0 is none.
std::optional<TimeRange> parse_range(std::string_view text) {
  const auto comma = text.find(',');
  if (comma == text.npos) return std::nullopt;
  const std::string_view from = text.substr(0, comma), to = text.substr(comma + 1);
  TimeRange range;
  if (!from.empty()) {
    const auto first = parse_seconds(from);
    if (!first) return std::nullopt;
    range.first = *first;
  }
  if (!to.empty()) {
    const auto last = parse_seconds(to);
    if (!last) return std::nullopt;
    if (*last != 0) range.last = *last;
  }
  return range.first <= range.last ? std::optional(range) : std::nullopt;
}

// "10%" as 0.1.
std::optional<double> parse_share(std::string_view text) {
  if (!text.ends_with('%')) return std::nullopt;
  text.remove_suffix(1);
  const auto value = parse_double(text);
  return value ? std::optional(*value / 100) : std::nullopt;
}

/// Part of the time between two samples. Ranges that follow each other share no time.
std::optional<TimeRange> part_of(const std::array<std::uint64_t, 2>& whole, double from,
                                 double to) {
  if (!(from >= 0 && from <= 1 && to >= 0 && to <= 1) || whole[1] < whole[0]) return std::nullopt;
  const auto total = static_cast<double>(whole[1] - whole[0]);
  const auto at = [&](double share) {
    return whole[0] + static_cast<std::uint64_t>(std::round(share * total));
  };
  TimeRange range{at(from), at(to)};
  if (range.last > range.first && range.last != whole[1]) --range.last;
  return range;
}

// "10%-20%", "10%/2", "10%".
std::optional<TimeRange> parse_part(std::string_view text,
                                    const std::array<std::uint64_t, 2>& whole) {
  const auto dash = text.find('-'), slash = text.find('/');
  const auto share = parse_share(text.substr(0, std::min(dash, slash)));
  if (!share) return std::nullopt;
  if (dash == text.npos && slash == text.npos) return part_of(whole, 0, *share);
  if (dash != text.npos) {
    const auto to = parse_share(text.substr(dash + 1));
    return to ? part_of(whole, *share, *to) : std::nullopt;
  }
  const auto number = parse_decimal(text.substr(slash + 1));
  if (!number || *number == 0) return std::nullopt;
  const auto nth = static_cast<double>(*number);
  return part_of(whole, *share * (nth - 1), *share * nth);
}

}  // namespace

Result<std::vector<TimeRange>> parse_times(std::string_view text, const PerfData& file) {
  const bool shares = text.find('%') != text.npos;
  const auto& whole = file.features().sample_time;
  if (shares && !whole)
    return fail(Errc::not_found, "the recording does not state when its samples begin and end",
                std::string(text), "give times in seconds");
  std::vector<TimeRange> ranges;
  for (const std::string_view word : split(trim(text), shares ? ',' : ' ')) {
    if (!shares && word.empty()) continue;
    const auto range = shares ? parse_part(trim(word), *whole) : parse_range(word);
    if (!range)
      return fail(Errc::invalid_argument, fmt::format("'{}' is not a range of time", word), {},
                  "FROM,TO in seconds, either may be missing; 10%-20%; 10%/2");
    ranges.push_back(*range);
  }
  return ranges;
}

}  // namespace evname
