#pragma once
// The options of `evname stat`, and the parts that it adds counts up for: everything, CPUs, cores,
// …, threads.

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/command.hpp"
#include "counting/places.hpp"
#include "evname/counters.hpp"
#include "evname/metric.hpp"

namespace evname::tools {

enum class Per { all, cpu, core, cluster, cache, die, socket, node, thread };

/// perf stat's format of a part.
struct PerShape {
  Per per;
  std::string_view json_key;  ///< "core"
  int width;                  ///< of its name, as text
  bool counts_counters;       ///< the number of counters follows
};
const PerShape& shape_of(Per per);

/// Returns true if, as in perf, rows have all events of a part before the next part. Rows of CPUs
/// and threads have all parts of an event before the next event.
bool is_by_part(Per per);

/// A part and its places.
struct Part {
  std::string name;  ///< "S0-D0-C1", "CPU0", "bash-123"; "": everything
  std::vector<std::size_t> places;
};

/// The parts of these places, in the order of perf. `cache_level` 0: the last.
std::vector<Part> parts_of(Per per, std::span<const Counters::Place> places,
                           std::span<const counting::CpuPlace> cpus, unsigned cache_level = 0);

struct StatOptions {
  std::vector<std::string> events, metrics, expressions;
  bool all_cpus = false, json = false, append = false, openmetrics = false, no_inherit = false,
       force = false;
  bool all_user = false, all_kernel = false, unscaled = false;
  bool counts_nothing = false, hide_zero = false, quiet = false;
  bool only_keys_of_perf = false;  ///< in JSON, through a link named perf
  bool clears = false;             ///< the terminal before each interval
  bool syncs = false;              ///< file systems before each run
  bool run_table = false;          ///< the time of each run of -r
  bool metric_only = false, metric_no_group = false, topdown = false;
  bool summary = false, no_csv_summary = false;
  bool per_cpu = false, per_core = false, per_cluster = false, per_die = false;
  bool per_socket = false, per_node = false, per_thread = false;
  bool digit_groups = false;  ///< 1,234,567 in text
  unsigned detail = 0;        ///< number of -d options
  std::string cpus, pids, tids, cgroups, separator, output;
  std::string cache;                      ///< the level for parts: "L2", "last"
  std::string delay, control;             ///< ms, -1 or ""; files of orders
  bool records = false, reports = false;  ///< `evname stat record`, `evname stat report`
  std::string recording;                  ///< their file
  std::string before, after;              ///< commands around each run
  unsigned log_file = 0;                  ///< the descriptor for counts; 0: none
  std::string each_cgroup;                ///< cgroups to count all events in
  std::string cpu_type;  ///< as given; checked_cpu_type() makes it the name of a core PMU
  unsigned interval = 0, repeat = 1, timeout = 0;  ///< ms, runs, ms
  unsigned interval_count = 0;                     ///< 0: no limit
  unsigned topdown_level = 0;                      ///< 0: not given
  std::vector<std::string> command;

  Per per() const;
  /// Returns true if it counts CPUs, not threads.
  bool of_cpus() const {
    return all_cpus || !cpus.empty() || !cgroups.empty() || !each_cgroup.empty();
  }
  /// Returns true if it counts only the command, from its start on.
  bool of_command() const { return !command.empty() && !of_cpus() && pids.empty() && tids.empty(); }
  /// Returns true for the format for people: neither -x, --json nor --openmetrics.
  bool as_text() const { return separator.empty() && !json && !openmetrics; }
  /// Sets the facts about the target that metrics need: whether it is CPUs, and whole cores.
  void add_to(MetricFacts& facts) const;
  bool has_metrics() const { return !metrics.empty() || !expressions.empty(); }
  /// Returns true if perf's default events are counted, since none were named.
  bool of_default_events() const { return events.empty() && !has_metrics() && !counts_nothing; }
  /// The level of the caches that counts are added up for; 0: the last.
  unsigned cache_level() const {
    return cache == "last" ? 0 : static_cast<unsigned>(cache.back() - '0');
  }
  /// Returns true if counting starts with the command or with evname.
  bool starts_at_once() const { return delay.empty() || delay == "0"; }
  /// Returns the fault of their combination; "" if there is none.
  std::string mistake() const;

 private:
  std::string output_mistake() const;
};

/// Options whose names collide with the options of a machine.
struct TargetNames {
  const char* cpus = "-C,--cpu";
  const char* no_inherit = "-i,--no-inherit";
};
/// These return the fault of --delay and --per-cache; "" if there is none.
std::string start_problem(const std::string& delay);
std::string cache_problem(const std::string& level);

/// -a, -C, -p, -t, -G and -i; -A and the --per options.
void add_target_options(Command& command, StatOptions& options, const TargetNames& names = {});
void add_part_options(Command& command, StatOptions& options);

}  // namespace evname::tools
