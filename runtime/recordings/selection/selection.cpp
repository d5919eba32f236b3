// Selects samples, and parses times as perf script's --time does.

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "base/glob.hpp"
#include "base/text.hpp"
#include "evname/sample_filter.hpp"
#include "recordings/locations/location_cache.hpp"
#include "recordings/perf_data/recorded_facts.hpp"

namespace evname {
namespace {

template <class T>
std::vector<T> sorted(std::vector<T> values) {
  std::ranges::sort(values);
  return values;
}

bool is_allowed(const auto& list, const auto& value) {
  return list.empty() || std::ranges::binary_search(list, value);
}

/// Returns true if a name matches a glob. Names may contain the letters of globs:
/// [kernel.kallsyms], operator[](int).
bool matches(std::string_view glob, std::string_view name) {
  return glob == name || glob_match(glob, name);
}

}  // namespace

std::vector<bool> SampleFilter::events(const Recording& file) const {
  std::vector<bool> accepted;
  const std::string pattern = to_lower(event);
  for (const RecordedEvent& one : file.events())
    accepted.push_back(event.empty() || glob_match(pattern, to_lower(one.name)) ||
                       glob_match(pattern, to_lower(one.bare_name())) ||
                       glob_match(pattern, to_lower(one.full_name())) ||
                       glob_match(pattern, to_lower(one.recorded_name)));
  return accepted;
}

Result<void> SampleFilter::check(const Recording& file) const {
  const auto sampled = [&](std::uint64_t bits) {
    return std::ranges::any_of(file.events(), [&](const RecordedEvent& one) {
      return (file.attr(one.attr).sample_type & bits) != 0;
    });
  };
  const std::string path = file.facts().path;
  if (min_latency > 0 && !sampled(perf_format::kSampleWeight | perf_format::kSampleWeightStruct))
    return fail(Errc::not_found, "no event samples latencies", path);
  if (operations != 0 && !sampled(perf_format::kSampleDataSrc))
    return fail(Errc::not_found, "no event samples which operation it was", path);
  if (!time_parts.empty())
    if (auto parts = parse_times(time_parts, file); !parts) return fail(parts);
  if (cpus.empty()) return {};
  return perf_data::check_sampled_by_all(file, perf_format::kSampleCpu, "cpu",
                                         "samples can't be chosen by CPU");
}

Result<Selection> Selection::make(SampleFilter filter, const Recording& file,
                                  Locations* locations) {
  if (auto good = filter.check(file); !good) return fail(good);
  if (filter.needs_symbols() && locations == nullptr)
    return fail(Errc::invalid_argument, "a filter of functions or files needs Locations");
  return Selection(std::move(filter), file, locations ? &locations->state_->cache : nullptr);
}

Selection::Selection(SampleFilter filter, const Recording& file,
                     locations::LocationCache* locations)
    : filter_(std::move(filter)),
      cpus_(sorted(filter_.cpus)),
      comms_(sorted(filter_.comms)),
      pids_(sorted(filter_.pids)),
      tids_(sorted(filter_.tids)),
      time_parts_(parse_times(filter_.time_parts, file).value_or(std::vector<TimeRange>())),
      events_(filter_.events(file)),
      events_only_(filter_.selects_events_only()),
      branches_(branches_of(file)),
      locations_(locations) {}

bool Selection::accepts(const Sample& sample) const {
  return accepts_event(sample.event().attr) && (events_only_ || accepts_fields(sample));
}

// A field that is not sampled is treated as filter_cpu and perf_time__ranges_skip_sample of
// tools/perf do.
bool Selection::accepts_fields(const Sample& sample) const {
  const SampleFilter& filter = filter_;
  const std::uint32_t cpu = sample.cpu().value_or(UINT32_MAX);
  if (cpu != UINT32_MAX && !is_allowed(cpus_, cpu)) return false;
  if (!is_allowed(pids_, sample.pid().value_or(-1)) ||
      !is_allowed(tids_, sample.tid().value_or(-1)))
    return false;
  if (!comms_.empty() && !is_allowed(comms_, sample.comm())) return false;
  const std::uint64_t time = sample.time().value_or(UINT64_MAX);
  if (time != 0 && !accepts_time(time)) return false;
  if (sample.weight().value_or(0) < filter.min_latency || !accepts_operation(sample)) return false;
  return !filter.needs_symbols() || accepts_location(sample);
}

bool Selection::accepts_time(std::optional<std::uint64_t> time) const {
  const auto is_in = [&](const std::vector<TimeRange>& ranges) {
    return ranges.empty() || (time && std::ranges::any_of(ranges, [&](const TimeRange& range) {
                                return *time >= range.first && *time <= range.last;
                              }));
  };
  return is_in(filter_.times) && is_in(time_parts_);
}

std::size_t Selection::branches_of(const Recording& file) {
  const stream::File& recording = detail::state_of(file).file;
  if (!recording.trace) return SIZE_MAX;
  for (std::size_t i = 0; i < spe::kMadeCount; ++i)
    if (spe::kMadeEvents[i].kind == TraceKind::branches) return recording.trace->events[i];
  return SIZE_MAX;
}

// PERF_MEM_OP_* of include/uapi/linux/perf_event.h.
bool Selection::accepts_operation(const Sample& sample) const {
  constexpr std::pair<std::uint64_t, SampledOperation> kOperations[] = {
      {2, SampledOperation::load}, {4, SampledOperation::store}, {8, SampledOperation::prefetch}};
  const unsigned wanted = filter_.operations;
  if (wanted == 0) return true;
  const auto wants = [&](SampledOperation one) {
    return (wanted & static_cast<unsigned>(one)) != 0;
  };
  if (sample.event().attr == branches_) return wants(SampledOperation::branch);
  const std::uint64_t source = sample.data_src().value_or(0);
  return std::ranges::any_of(
      kOperations, [&](const auto& row) { return (source & row.first) != 0 && wants(row.second); });
}

bool Selection::accepts_location(const Sample& sample) const {
  const SampleFilter& filter = filter_;
  locations_->follow(sample);
  const Locations::Named& location = locations_->at(sample);
  if (!filter.dso.empty() && !matches(filter.dso, location.dso) &&
      !matches(filter.dso, last_part(location.dso)))
    return false;
  return filter.sym.empty() || std::ranges::any_of(location.frames, [&](const Frame& frame) {
           return !frame.function.empty() && matches(filter.sym, frame.function);
         });
}

// Source of the ranges of time: tools/perf/util/time-utils.c.

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

// "A,B". An end of 0 means no end.
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

/// A part of the time between two samples. Adjacent ranges don't overlap.
std::optional<TimeRange> part_of(const std::array<std::uint64_t, 2>& whole, double from,
                                 double to) {
  if (!(from >= 0 && from <= 1 && to >= 0 && to <= 1)) return std::nullopt;
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
  if (!number || *number == 0 || *share <= 0) return std::nullopt;
  const auto nth = static_cast<double>(*number);
  return part_of(whole, *share * (nth - 1), *share * nth);
}

}  // namespace

Result<std::vector<TimeRange>> parse_times(std::string_view text, const Recording& file) {
  const bool shares = text.find('%') != text.npos;
  const auto& whole = perf_data::features_of(file).sample_time;
  if (shares && (!whole || (*whole)[1] < (*whole)[0]))
    return fail(
        Errc::not_found,
        fmt::format("'{}': the recording does not state when its samples begin and end", text),
        file.facts().path, "give times in seconds");
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
