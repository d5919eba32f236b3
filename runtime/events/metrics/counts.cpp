// Reads counts that perf stat printed: as text, with -x or with --json. Source: perf,
// util/stat-display.c.

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/text.hpp"
#include "events/metrics/count_lines.hpp"
#include "evname/metric.hpp"

namespace evname::metrics {
namespace {

/// Returns true for "Performance counter stats for 'system wide':" and for CPUs.
bool is_title_of_cpus(std::string_view line) {
  constexpr std::string_view kTitle = "Performance counter stats for '";
  const std::string_view title = trim(line);
  if (!title.starts_with(kTitle)) return false;
  const std::string_view what = title.substr(kTitle.size());
  return what.starts_with("system wide'") || what.starts_with("CPU(s) ");
}

/// Returns true for a place that consists of CPUs, not for a thread.
bool is_place_of_cpus(std::string_view place) {
  const std::string_view first = place.substr(0, place.find(' '));
  std::string_view rest = first;
  for (const std::string_view kind : {"CPU", "S", "N"})
    if (rest == first && first.starts_with(kind)) rest.remove_prefix(kind.size());
  const std::size_t digits = std::min(rest.find_first_not_of("0123456789"), rest.size());
  if (rest == first || digits == 0) return false;
  rest.remove_prefix(digits);  // the name of a thread may look alike: "S1-33" has only a number
  return rest.empty() || (rest.size() > 1 && rest[0] == '-' && !(rest[1] >= '0' && rest[1] <= '9'));
}

}  // namespace
}  // namespace evname::metrics

namespace evname {
namespace {

/// Usual separators of -x, most usual first.
constexpr std::string_view kSeparators[] = {",", ";", "\t", "|", ":", " "};

/// Removes the quotation marks of mails: "> > 1,405,318 cycles".
std::string_view without_quotes(std::string_view line) {
  while (line.starts_with('>')) line.remove_prefix(line.starts_with("> ") ? 2 : 1);
  return line;
}

/// "": no line has counts with any of the separators.
std::string guess_separator(const std::vector<std::string_view>& lines) {
  for (const std::string_view line : lines)
    for (const std::string_view separator : kSeparators)
      if (const auto found = metrics::read_separated_row(line, separator);
          found && found->fault.empty())
        return std::string(separator);
  return {};
}

/// Collects faults of lines; describes only the first few.
class Faults {
 public:
  void add(std::size_t line, std::string_view what) {
    constexpr std::size_t kMost = 5;
    if (described_.size() < kMost)
      described_.push_back(fmt::format("line {}: {}", line + 1, what));
    else
      ++more_;
  }
  std::vector<std::string> take() && {
    if (more_ > 0)
      described_.push_back(counted(more_, "more line has no count", "more lines have no count"));
    return std::move(described_);
  }
  std::string first() const { return described_.empty() ? "" : described_.front(); }

 private:
  std::vector<std::string> described_;
  std::size_t more_ = 0;
};

Error no_counts(const Faults& faults) {
  return {
      Errc::invalid_argument,
      faults.first().empty() ? "no counts of perf stat were found" : faults.first(),
      {},
      "wanted: what perf stat prints, as text, with -x or with -j, or a file of perf stat record"};
}

bool has_event(const CountGroup& group, std::string_view event) {
  return std::ranges::find(group.counts, event, &CountedEvent::event) != group.counts.end();
}

/// Adds a time of the whole run unless the group has it. perf 7.3 counts 0 for a command's
/// duration.
void add_run_time(const CountedEvent& time, CountGroup& group) {
  const auto at = std::ranges::find(group.counts, time.event, &CountedEvent::event);
  if (at == group.counts.end())
    group.counts.push_back(time);
  else if (time.event == "duration_time" && !(at->value > 0))
    *at = time;
}

/// Adds the times of the whole run to each place; times of the process only if there is one place.
void add_run_times(const std::vector<CountedEvent>& times, Counts& out) {
  for (CountGroup& group : out.groups) {
    if (group.time) continue;
    for (const CountedEvent& one : times)
      if (group.place.empty() || one.event == "duration_time") add_run_time(one, group);
  }
}

/// An interval begins at the end of the previous one, or at the start.
void set_lengths(Counts& out) {
  double before = 0, now = 0;
  for (CountGroup& group : out.groups) {
    if (!group.time) continue;
    if (*group.time != now) before = std::exchange(now, *group.time);
    group.seconds = std::max(now - before, 0.0);
  }
}

/// perf counted CPUs if it says so, names them, or uses cpu-clock instead of task-clock.
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
  std::vector<CountedEvent> times;
  Faults faults;
  std::vector<std::string_view> lines = split(text, '\n');
  for (std::string_view& line : lines) line = without_quotes(line);
  const std::string between = separator.empty() ? guess_separator(lines) : std::string(separator);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::string_view line = lines[i];
    const bool is_json = trim(line).starts_with('{');
    auto found = is_json           ? metrics::read_json_row(trim(line))
                 : between.empty() ? metrics::read_text_row(line)
                                   : metrics::read_separated_row(line, between);
    if (found) {
      metrics::check_value(*found);
      if (!found->fault.empty()) faults.add(i, found->fault);
      if (!found->row.count.event.empty()) table.add(std::move(found->row));
    } else if (auto time = metrics::read_run_time(line)) {
      times.push_back(std::move(*time));
    } else if (const auto share = metrics::read_share_of_metric(line);
               share && between.empty() && !table.counts().empty()) {
      metrics::set_running(*share, table.last());
    } else if (i + 1 == lines.size() && !trim(line).empty() &&
               (is_json || metrics::is_begin_of_row(line, between))) {
      faults.add(i, "the text ends inside the line");
    }
  }
  if (table.counts().empty()) return fail(no_counts(faults));
  Counts out = table.take();
  out.whole_cores = of_cpus(lines, out);
  add_run_times(times, out);
  set_lengths(out);
  out.warnings = std::move(faults).take();
  return out;
}

}  // namespace evname
