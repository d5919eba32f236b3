#include "input/filters.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <set>

#include "base/text.hpp"
#include "input/number_list.hpp"
#include "screen/screen.hpp"

namespace evname::tools {

namespace {

constexpr std::pair<const char*, SampledOperation> kOperations[] = {
    {"load", SampledOperation::load},
    {"store", SampledOperation::store},
    {"prefetch", SampledOperation::prefetch},
    {"branch", SampledOperation::branch}};

std::string latency_problem(const std::string& text) {
  return parse_decimal(text) ? std::string() : "is not a number of cycles";
}

}  // namespace

void FilterOptions::add_to(Command& command) {
  command.option("--event", event, "Only events whose name matches this glob")
      .value_name("PATTERN");
  command.option("-C,--cpu", cpus, "Only these CPUs: 0,2-3")
      .value_name("LIST")
      .one_value_each()
      .checked_by(list_problem<std::uint32_t>);
  command.option("-c,--comm,--comms", comms, "Only threads of these names")
      .value_name("NAMES")
      .comma_separated()
      .one_value_each();
  command.option("--pid", pids, "Only these processes")
      .value_name("LIST")
      .one_value_each()
      .checked_by(list_problem<std::int32_t>);
  command.option("--tid", tids, "Only these threads")
      .value_name("LIST")
      .one_value_each()
      .checked_by(list_problem<std::int32_t>);
  command
      .option("--time", time,
              "Only these times: A,B in seconds, either may be omitted; 10%-20%; 10%/2")
      .value_name("TIMES");
  command
      .option("--min-latency", min_latency, "Only samples with this weight, mostly cycles, or more")
      .value_name("CYCLES")
      .checked_by(latency_problem);
  std::vector<std::string> names;
  for (const auto& [name, operation] : kOperations) names.emplace_back(name);
  command.option("--op", operations, "Only samples of these operations; branch: only Arm's SPE")
      .value_name("OPERATION")
      .comma_separated()
      .one_value_each()
      .one_of(names);
  command.option("--sym", sym, "Only samples in functions that match this glob, also inlined ones")
      .value_name("PATTERN");
  command.option("--dso", dso, "Only samples in files that match this glob: libc.so*, /usr/lib/*")
      .value_name("PATTERN");
}

bool FilterOptions::is_set() const {
  return !min_latency.empty() || !operations.empty() || !event.empty() || !time.empty() ||
         !sym.empty() || !dso.empty() || !cpus.empty() || !comms.empty() || !pids.empty() ||
         !tids.empty();
}

void FilterOptions::fill(SampleFilter& filter) const {
  filter.event = event;
  filter.min_latency = parse_decimal(min_latency).value_or(0);
  for (const std::string& word : operations)
    for (const auto& [name, operation] : kOperations)
      if (word == name) filter.operations |= static_cast<unsigned>(operation);
  filter.comms = comms;
  filter.sym = sym;
  filter.dso = dso;
  for (const std::string& list : cpus) append_numbers(list, filter.cpus);
  for (const std::string& list : pids) append_numbers(list, filter.pids);
  for (const std::string& list : tids) append_numbers(list, filter.tids);
  std::ranges::sort(filter.comms);
  std::ranges::sort(filter.cpus);
  std::ranges::sort(filter.pids);
  std::ranges::sort(filter.tids);
}

Result<void> FilterOptions::fill_times(const Recording& file, SampleFilter& filter) const {
  if (time.empty()) return {};
  auto times = parse_times(time, file);
  if (!times) return fail(times);
  if (time.find('%') != time.npos)
    filter.time_parts = time;
  else
    filter.times = std::move(*times);
  return {};
}

namespace {

constexpr std::size_t kMostValues = 4096;  // of a kind: kept
constexpr std::size_t kShown = 20;

/// The different values of a field, and whether the option would accept one of them.
template <class T>
struct Values {
  std::set<T> all;
  bool accepted = false;

  void add(const T& value, bool fits) {
    accepted |= fits;
    if (all.size() < kMostValues) all.insert(value);
  }
  /// "there are a, b, c"; "" if nothing is known.
  std::string text() const {
    if (all.empty()) return {};
    std::vector<T> shown;
    for (const T& value : all)
      if (shown.size() < kShown) shown.push_back(value);
    return fmt::format("there are {}{}", joined(shown, ", "), all.size() > kShown ? ", …" : "");
  }
};

/// The values in the samples of some recordings.
struct Found {
  Values<std::string> events, comms;
  Values<std::uint32_t> cpus;
  Values<std::int32_t> pids, tids;
  std::uint64_t first = UINT64_MAX, last = 0;
  bool in_time = false;
  std::uint64_t samples = 0;
};

void look_at(const Sample& sample, const SampleFilter& filter, Found& found) {
  ++found.samples;
  if (sample.tid()) {
    const std::string comm(sample.comm());
    found.comms.add(comm, std::ranges::binary_search(filter.comms, comm));
  }
  if (const auto cpu = sample.cpu())
    found.cpus.add(*cpu, std::ranges::binary_search(filter.cpus, *cpu));
  if (const auto pid = sample.pid())
    found.pids.add(*pid, std::ranges::binary_search(filter.pids, *pid));
  if (const auto tid = sample.tid())
    found.tids.add(*tid, std::ranges::binary_search(filter.tids, *tid));
  if (const auto time = sample.time()) {
    found.first = std::min(found.first, *time);
    found.last = std::max(found.last, *time);
    found.in_time |= std::ranges::any_of(filter.times, [&](const TimeRange& range) {
      return *time >= range.first && *time <= range.last;
    });
  }
}

Found look_through(const SampleFilter& filter, std::span<const Recording> files) {
  Found found;
  for (const Recording& file : files) {
    SampleFilter own = filter;
    if (const auto parts = parse_times(filter.time_parts, file); parts && !parts->empty())
      own.times = *parts;
    const auto fits = filter.events(file);
    for (const RecordedEvent& event : file.events())
      found.events.add(event.full_name(), fits[event.attr]);
    if (file.facts().path == "-") continue;  // can be read only once
    file.for_each_sample([&](const Sample& sample) { look_at(sample, own, found); });
  }
  return found;
}

std::string times_text(const Found& found) {
  return found.first <= found.last
             ? fmt::format("they are from {} to {}", seconds_text(found.first),
                           seconds_text(found.last))
             : std::string("they have no times");
}

}  // namespace

void tell_no_match(const FilterOptions& options, const SampleFilter& filter,
                   std::span<const Recording> files) {
  const Found found = look_through(filter, files);
  std::vector<std::string> given;
  bool told = false;
  const auto check = [&](std::string_view option, const std::string& text, bool accepted,
                         std::string_view what, const std::string& there) {
    if (text.empty()) return;
    given.push_back(fmt::format("{} {}", option, text));
    if (accepted || there.empty()) return;
    tell_error("no {} matches {} '{}' ({})", what, option, text, there);
    told = true;
  };
  const auto list = [](const std::vector<std::string>& words) { return joined(words, ","); };
  check("--event", options.event, found.events.accepted, "event", found.events.text());
  check("--comm", list(options.comms), found.comms.accepted, "thread name", found.comms.text());
  check("--cpu", list(options.cpus), found.cpus.accepted, "CPU", found.cpus.text());
  check("--pid", list(options.pids), found.pids.accepted, "process", found.pids.text());
  check("--tid", list(options.tids), found.tids.accepted, "thread", found.tids.text());
  check("--time", options.time, found.in_time, "sample",
        found.samples > 0 ? times_text(found) : "");
  check("--min-latency", options.min_latency, true, "sample", "");
  check("--op", list(options.operations), true, "sample", "");
  check("--sym", options.sym, true, "function", "");
  check("--dso", options.dso, true, "file", "");
  if (told || given.empty()) return;
  if (found.samples == 0 &&
      std::ranges::none_of(files, [](const Recording& file) { return file.facts().path == "-"; }))
    tell_error("the recording has no samples");
  else
    tell_error("no sample satisfies {}", joined(given, " and "));
}

}  // namespace evname::tools
