#include "stat/counts_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <deque>

#include "base/enum_table.hpp"
#include "base/text.hpp"
#include "evname/metric.hpp"
#include "input/machine.hpp"
#include "input/recording.hpp"
#include "output/standard.hpp"
#include "screen/screen.hpp"
#include "stat/rows_text.hpp"
#include "stat/runs.hpp"

namespace evname::tools {
namespace {

/// enum aggr_mode of perf, util/stat.h, and the parts that counts of a recording are added up for.
struct Mode {
  Per per;
  std::uint64_t number;
  std::optional<CountsPer> counts;
};

const Mode& mode_of(Per per) {
  static constexpr auto kModes = enum_table<&Mode::per>({{Per::all, 1, CountsPer::total},
                                                         {Per::cpu, 0, CountsPer::cpu},
                                                         {Per::core, 6, CountsPer::core},
                                                         {Per::cluster, 4, std::nullopt},
                                                         {Per::cache, 5, std::nullopt},
                                                         {Per::die, 3, CountsPer::die},
                                                         {Per::socket, 2, CountsPer::socket},
                                                         {Per::node, 9, std::nullopt},
                                                         {Per::thread, 7, CountsPer::thread}});
  return kModes[per];
}

RecordArguments arguments_of(const StatOptions& options) {
  RecordArguments out;
  if (!options.recording.empty()) out.output = options.recording;
  out.force = options.force;
  return out;
}

}  // namespace

std::vector<std::string> with_counts_options(std::vector<std::string> words) {
  if (words.size() < 2 || words[0] != "stat" || (words[1] != "record" && words[1] != "report"))
    return words;
  const bool reports = words[1] == "report";
  words[1] = "--" + words[1] + "-counts";
  for (std::size_t i = 2; i < words.size() && words[i] != "--"; ++i) {
    std::string& word = words[i];
    const bool is_own =
        reports && (word == "-i" || word == "--input" || word.starts_with("--input="));
    if (is_own) word = "--counts-file" + word.substr(std::min(word.find('='), word.size()));
  }
  return words;
}

CountsFile::CountsFile(const Machine& machine, const StatOptions& options)
    : machine_(machine), options_(options), given_(arguments_of(options)), files_(given_) {}

bool CountsFile::check(const Result<void>& done) {
  if (done || has_failed_) return !has_failed_;
  has_failed_ = true;
  return tell_error("{}: {}", given_.output, done.error().text());
}

bool CountsFile::take(std::span<const sampling::PlaceCount> counts, double seconds, bool is_last) {
  if (!writer_) {
    auto begun =
        sampling::CountWriter::begin(files_.fd(), machine_, counts,
                                     {.mode = mode_of(options_.per()).number,
                                      .level = options_.cache.empty() ? 0 : options_.cache_level(),
                                      .interval = options_.interval,
                                      .is_scaled = !options_.unscaled,
                                      .as_stream = given_.to_stream(),
                                      .command_line = options_.command});
    if (!begun) return check(fail(std::move(begun)));
    writer_.emplace(std::move(*begun));
    files_.begun();
  }
  return check(
      writer_->write(counts, static_cast<std::uint64_t>(std::llround(seconds * 1e9)), is_last));
}

bool CountsFile::finish() {
  if (!writer_) return false;
  const bool is_whole = check(writer_->finish());
  return files_.end() && is_whole;
}

namespace {

/// The rows of the counts of a recording.
class RecordedRows {
 public:
  RecordedRows(const Recording& file, const Machine& machine) : file_(file), machine_(machine) {}

  std::vector<Row> of(const CountGroup& group);
  /// Sorts by event, in the order of the file.
  void sort(std::vector<Row>& rows) const;

 private:
  const Encoding& encoding_of(const std::string& name, const std::string& pmu);

  const Recording& file_;
  const Machine& machine_;
  std::deque<std::string> names_;
  std::deque<Encoding> encodings_;  ///< parallel
};

/// A count has the unit of its event on the recorded machine.
const Encoding& RecordedRows::encoding_of(const std::string& name, const std::string& pmu) {
  const auto at = std::ranges::find(names_, name + '@' + pmu);
  if (at != names_.end()) return encodings_[static_cast<std::size_t>(at - names_.begin())];
  names_.push_back(name + '@' + pmu);
  if (const auto found = machine_.resolve(name))
    for (const Encoding& one : *found)
      if (found->size() == 1 || one.pmu == pmu) return encodings_.emplace_back(one);
  Encoding unknown;
  unknown.name = std::string_view(names_.back()).substr(0, name.size());
  return encodings_.emplace_back(unknown);
}

/// Without the length that read_counts() adds as duration_time.
std::vector<Row> RecordedRows::of(const CountGroup& group) {
  std::vector<Row> out;
  for (const CountedEvent& counted : group.counts) {
    if (std::ranges::find(file_.events(), counted.event, &RecordedEvent::recorded_name) ==
        file_.events().end())
      continue;
    Row& row = out.emplace_back();
    row.encoding = &encoding_of(counted.event, counted.pmu);
    row.part = group.place;
    row.counters = counted.counters;
    row.value.enabled = counted.enabled;
    row.value.running = counted.ran;
    if (!counted.is_counted()) continue;
    row.value.scaled = counted.value;
    row.value.value = static_cast<std::uint64_t>(std::llround(counted.value));
  }
  return out;
}

void RecordedRows::sort(std::vector<Row>& rows) const {
  std::ranges::stable_sort(rows, {}, [&](const Row& row) {
    const auto is_own = [&](const Encoding& one) { return &one == row.encoding; };
    return std::ranges::find_if(encodings_, is_own) - encodings_.begin();
  });
}

/// Sets the parts by the name of one, if no option has: "CPU0", "S0-D0-C1", "S0", "sleep-123".
void set_parts(const std::string& place, StatOptions& options) {
  if (place.empty() || options.per() != Per::all) return;
  const auto dashes = std::ranges::count(place, '-');
  const bool is_socket =
      place.starts_with('S') && place.find_first_not_of("S-DC0123456789") == place.npos;
  options.per_cpu = place.starts_with("CPU");
  options.per_socket = is_socket && dashes == 0;
  options.per_die = is_socket && dashes == 1;
  options.per_core = is_socket && dashes == 2;
  options.per_thread = options.per() == Per::all;
}

std::string report_text(const Recording& file, const Machine& machine, const Counts& counts,
                        StatOptions& options) {
  RecordedRows rows(file, machine);
  set_parts(counts.groups.front().place, options);
  const bool has_intervals = counts.groups.front().time.has_value();
  options.interval = has_intervals;
  std::string out = has_intervals ? interval_heading(options, {}) : run_heading(options);
  std::optional<double> seconds;
  for (std::size_t i = 0; i < counts.groups.size();) {
    StatReport report;
    report.time = counts.groups[i].time;
    for (; i < counts.groups.size() && counts.groups[i].time == report.time; ++i) {
      std::ranges::move(rows.of(counts.groups[i]), std::back_inserter(report.rows));
      seconds = counts.groups[i].seconds;
    }
    if (!is_by_part(options.per())) rows.sort(report.rows);
    out += rows_text(report, options);
  }
  if (options.as_text() && !has_intervals)
    out += fmt::format("\n {:17.9f} seconds time elapsed\n\n", *seconds);
  return out;
}

}  // namespace

int report_counts(const StatOptions& options) {
  const Mode& mode = mode_of(options.per());
  if (!mode.counts)
    return tell_error("counts of a recording are added up for no caches, clusters and nodes");
  const auto file = open_perf_file(perf_input(options.recording));
  if (!file) return kUnusable;
  const auto counts =
      read_counts(*file, options.per() == Per::all ? CountsPer::recorded : *mode.counts);
  if (!counts) return tell_error("{}", counts.error().text());
  for (const std::string& warning : counts->warnings) tell_warning("{}", warning);
  if (counts->empty()) return tell_error("{}: has no counts", perf_input(options.recording));
  StatOptions shown = options;
  const auto& words = file->facts().command_line;
  shown.command = words;
  if (words.empty() || file->facts().form == FileFacts::Form::pipe) shown.command = {"pipe"};
  shown.all_cpus = false;
  CountOutput output;
  if (!output.open(options)) return kUnusable;
  output.write(report_text(*file, file->machine(), *counts, shown));
  return output.finish() ? kDone : kUnusable;
}

}  // namespace evname::tools
