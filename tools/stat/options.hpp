#pragma once
// What `evname stat` is asked, and what it adds counts up for: everything, CPUs, cores, …, threads.

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/command.hpp"
#include "evname/counters.hpp"
#include "evname/metric.hpp"

namespace evname::tools {

enum class Per { all, cpu, core, cluster, die, socket, node, thread };

/// How perf stat shows one of them.
struct PerShape {
  std::string_view json_key;  ///< "core"
  int width;                  ///< of its name, as text
  bool counts_counters;       ///< the number of counters follows
};
const PerShape& shape_of(Per per);

/// One of them, and the places that it has.
struct Part {
  std::string name;  ///< "S0-D0-C1", "CPU0", "bash-123"; "": everything
  std::vector<std::size_t> places;
};

/// The parts of these places, in the order of perf.
std::vector<Part> parts_of(Per per, std::span<const CountPlace> places,
                           std::span<const CpuPlace> cpus);

struct StatOptions {
  std::vector<std::string> events, metrics, expressions;
  bool all_cpus = false, json = false, append = false, openmetrics = false, no_inherit = false,
       force = false;
  bool all_user = false, all_kernel = false;
  bool metric_only = false, metric_no_group = false, topdown = false;
  bool summary = false, no_csv_summary = false;
  bool per_cpu = false, per_core = false, per_cluster = false, per_die = false;
  bool per_socket = false, per_node = false, per_thread = false;
  bool digit_groups = false;  ///< 1,234,567 in text
  unsigned detail = 0;        ///< how often -d is given
  std::string cpus, pids, tids, cgroups, separator, output;
  std::string each_cgroup;  ///< all events are counted in each of these
  std::string cpu_type;     ///< as given; checked_cpu_type() makes it the name of a core PMU
  unsigned interval = 0, repeat = 1, timeout = 0;  ///< ms, runs, ms
  unsigned interval_count = 0;                     ///< 0: as long as there are any
  unsigned topdown_level = 0;                      ///< 0: not given
  std::vector<std::string> command;

  Per per() const;
  /// Whether it counts CPUs, not threads.
  bool of_cpus() const {
    return all_cpus || !cpus.empty() || !cgroups.empty() || !each_cgroup.empty();
  }
  /// Whether it counts the command alone, from its start on.
  bool of_command() const { return !command.empty() && !of_cpus() && pids.empty() && tids.empty(); }
  /// What counts are for people to read: neither -x, --json nor --openmetrics.
  bool as_text() const { return separator.empty() && !json && !openmetrics; }
  /// Sets what metrics ask about the target: if it is CPUs, and all threads of each of their cores.
  void add_to(MetricFacts& facts) const;
  bool has_metrics() const { return !metrics.empty() || !expressions.empty(); }
  /// Whether the events of perf are counted, since none were named.
  bool of_default_events() const { return events.empty() && !has_metrics(); }
  /// What is wrong with them together; "": nothing.
  std::string mistake() const;
};

/// Options that a subcommand with options of a machine has to call otherwise.
struct TargetNames {
  const char* cpus = "-C,--cpu";
  const char* no_inherit = "-i,--no-inherit";
};
/// -a, -C, -p, -t, -G and -i; -A and the --per options.
void add_target_options(Command& command, StatOptions& options, const TargetNames& names = {});
void add_part_options(Command& command, StatOptions& options);

}  // namespace evname::tools
