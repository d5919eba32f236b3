#pragma once
// One line of counts, whatever it was written as.

#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "evname/metric.hpp"

namespace evname::metrics {

struct CountRow {
  std::optional<double> time;
  std::string place;
  Counted count;
};

/// Puts rows together that are of one time and place.
class CountTable {
 public:
  void add(CountRow row);
  Counts take() { return std::move(counts_); }
  Counts& counts() { return counts_; }

 private:
  Counts counts_;
  std::map<std::pair<std::optional<double>, std::string>, std::size_t> groups_;
};

/// "<not counted>", "<not supported>" or a number; false: none of these.
bool read_value(std::string_view text, Counted& out);

/// The whole text as a number.
std::optional<double> read_number(std::string_view text);

/// Takes "[uncore_imc_0]" off the name, and what perf adds for itself ("metric-id=…").
void clean_name(std::string_view name, Counted& out);

/// How many counters the value is the sum of.
void set_counters(double number, Counted& out);

/// "CPU0", "S0-D0-C1", "N0", or a thread's name and number.
bool is_place(std::string_view text);

/// One that is made of CPUs, no thread.
bool is_place_of_cpus(std::string_view place);

/// One line of `perf stat --json` / of `perf stat -x` / of the text of `perf stat`. nullopt: it
/// holds no count.
std::optional<CountRow> read_json_row(std::string_view line);
std::optional<CountRow> read_separated_row(std::string_view line, std::string_view separator);
std::optional<CountRow> read_text_row(std::string_view line);

/// "0.102 seconds time elapsed": what stands below the counts of a run.
std::optional<Counted> read_run_time(std::string_view line);

/// "Performance counter stats for 'system wide':"
bool is_title_of_cpus(std::string_view line);

}  // namespace evname::metrics
