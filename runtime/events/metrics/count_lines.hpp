#pragma once
// Reads lines of perf stat's output, with one reader for each format, and groups them by time and
// place.

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "evname/metric.hpp"

namespace evname::metrics {

/// One line of counts in any format.
struct CountRow {
  std::optional<double> time;
  std::string place;
  CountedEvent count;
};

/// What a line says.
struct CountLine {
  CountRow row;
  std::string fault;  ///< why there is no value although there should be one
};

/// Reads a line of `perf stat -x`. Returns nullopt if it holds no count.
std::optional<CountLine> read_separated_row(std::string_view text, std::string_view separator);
/// Returns true for a line with too few fields for a count or a metric (which has no event value).
bool is_begin_of_row(std::string_view line, std::string_view separator);
/// Reads a line of `perf stat --json`. Returns nullopt if it holds no count.
std::optional<CountLine> read_json_row(std::string_view text);
/// Reads a line of the text of `perf stat`. Returns nullopt if it holds no count.
std::optional<CountLine> read_text_row(std::string_view line);
/// Reads the share of the time at the end of a line with only a metric: an event with several
/// metrics has its share there.
std::optional<double> read_share_of_metric(std::string_view line);
/// Reads "0.102 seconds time elapsed", which stands below the counts of a run.
std::optional<CountedEvent> read_run_time(std::string_view line);

/// Rejects a value that no event can have. Sensors, which have units, may have any.
void check_value(CountLine& line);

// Helpers for all formats.

/// Reads the whole text as a number.
std::optional<double> read_number(std::string_view text);
/// Returns true for invalid numbers: "nan", "-inf", "1e999", "12a".
bool is_no_count(std::string_view text);
/// Removes the value of a line.
void set_fault(const std::string& problem, CountLine& line);
/// Reads "<not counted>", "<not supported>" or a number; returns false for others.
bool read_value(std::string_view text, CountedEvent& out);
/// Removes "[uncore_imc_0]" and perf's own additions ("metric-id=…") from the name; spells
/// "cpu_core/cycles:u/" as it is typed, "cpu_core/cycles/u".
void clean_name(std::string_view name, CountedEvent& out);
/// Sets how many counters the value is the sum of.
void set_counters(double number, CountedEvent& out);
/// Sets the share of the time that the event was counted, from perf's percentage.
void set_running(double per_cent, CountedEvent& out);
/// Returns true for "CPU0", "S0-D0-C1", "N0", or a thread's name and number.
bool is_place(std::string_view text);

/// Groups rows by time and place.
class CountTable {
 public:
  void add(CountRow row) {
    if (!counts_.groups.empty()) {  // most rows belong to the previous row's group
      CountGroup& last = counts_.groups[last_];
      if (last.time == row.time && last.place == row.place) {
        last.counts.push_back(std::move(row.count));
        return;
      }
    }
    const auto [at, is_new] = groups_.try_emplace({row.time, row.place}, counts_.groups.size());
    if (is_new) {
      const std::size_t size = counts_.groups.empty() ? 0 : counts_.groups[last_].counts.size();
      counts_.groups.push_back({row.time, std::move(row.place), {}, 0});
      counts_.groups.back().counts.reserve(size);
    }
    last_ = at->second;
    counts_.groups[last_].counts.push_back(std::move(row.count));
  }
  /// The row added last.
  CountedEvent& last() { return counts_.groups[last_].counts.back(); }
  Counts take() { return std::move(counts_); }
  Counts& counts() { return counts_; }

 private:
  Counts counts_;
  std::size_t last_ = 0;  ///< the group of the last row
  std::map<std::pair<std::optional<double>, std::string>, std::size_t> groups_;
};

}  // namespace evname::metrics
