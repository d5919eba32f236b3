#include "evname/metric.hpp"

#include <algorithm>
#include <utility>

#include "base/text.hpp"
#include "events/metrics/count_rows.hpp"

namespace evname {
namespace {

/// What people give to -x, most usual first.
constexpr std::string_view kSeparators[] = {",", ";", "\t", "|", ":", " "};

/// "": no line has counts that a separator divides.
std::string guess_separator(const std::vector<std::string_view>& lines) {
  for (const std::string_view line : lines)
    for (const std::string_view separator : kSeparators)
      if (metrics::read_separated_row(line, separator)) return std::string(separator);
  return {};
}

bool has_event(const CountGroup& group, std::string_view event) {
  return std::ranges::find(group.counts, event, &Counted::event) != group.counts.end();
}

/// What perf tells of the whole run belongs to each place, but for the times of its only process.
void add_run_times(const std::vector<Counted>& times, Counts& out) {
  for (CountGroup& group : out.groups) {
    if (group.time) continue;
    for (const Counted& one : times)
      if (!has_event(group, one.event) && (group.place.empty() || one.event == "duration_time"))
        group.counts.push_back(one);
  }
}

/// An interval lasts from the end of the one before, or from the start.
void set_lengths(Counts& out) {
  double before = 0, now = 0;
  for (CountGroup& group : out.groups) {
    if (!group.time) continue;
    if (*group.time != now) before = std::exchange(now, *group.time);
    group.seconds = std::max(now - before, 0.0);
  }
}

/// perf counts CPUs: it says so, names them, or has taken their clock instead of the tasks'.
bool of_cpus(const std::vector<std::string_view>& lines, const Counts& counts) {
  const auto is_place = [](const CountGroup& g) { return metrics::is_place_of_cpus(g.place); };
  const auto counts_event = [&](std::string_view event) {
    return std::ranges::any_of(counts.groups,
                               [&](const CountGroup& g) { return has_event(g, event); });
  };
  return std::ranges::any_of(lines, metrics::is_title_of_cpus) ||
         std::ranges::any_of(counts.groups, is_place) ||
         (counts_event("cpu-clock") && !counts_event("task-clock"));
}

}  // namespace

Result<Counts> read_counts_text(std::string_view text, std::string_view separator) {
  metrics::CountTable table;
  std::vector<Counted> times;
  const auto lines = split(text, '\n');
  const std::string between = separator.empty() ? guess_separator(lines) : std::string(separator);
  for (const std::string_view line : lines) {
    auto row = trim(line).starts_with('{') ? metrics::read_json_row(trim(line))
               : between.empty()           ? metrics::read_text_row(line)
                                           : metrics::read_separated_row(line, between);
    if (row) table.add(std::move(*row));
    if (auto time = metrics::read_run_time(line)) times.push_back(std::move(*time));
  }
  if (table.counts().empty())
    return fail(Errc::invalid_argument, "no counts of perf stat were found", {},
                "wanted: what perf stat prints, as text, with -x or with -j, or a file of perf "
                "stat record");
  Counts out = table.take();
  out.whole_cores = of_cpus(lines, out);
  add_run_times(times, out);
  set_lengths(out);
  return out;
}

}  // namespace evname
