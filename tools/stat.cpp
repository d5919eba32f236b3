// evname stat: counts events while a command runs, or for a time.

#include <algorithm>
#include <climits>

#include "base/text.hpp"
#include "input/machine.hpp"
#include "input/number_list.hpp"
#include "output/standard.hpp"
#include "record/control.hpp"
#include "screen/screen.hpp"
#include "stat/counts_file.hpp"
#include "stat/metric_rows.hpp"
#include "stat/options.hpp"
#include "stat/runs.hpp"
#include "subcommands.hpp"

namespace evname::tools {
namespace {

/// perf stat's default events, without the metrics of the CPU's maker.
constexpr const char* kDefaultEvents[] = {
    "task-clock",   "context-switches", "cpu-migrations",          "page-faults",
    "instructions", "cycles",           "stalled-cycles-frontend", "stalled-cycles-backend",
    "branches",     "branch-misses"};

/// The events that each -d of perf stat adds.
constexpr const char* kDetailEvents[] = {
    "L1-dcache-loads,L1-dcache-load-misses,LLC-loads,LLC-load-misses",
    "L1-icache-loads,L1-icache-load-misses,dTLB-loads,dTLB-load-misses,iTLB-loads,iTLB-load-misses",
    "L1-dcache-prefetches,L1-dcache-prefetch-misses"};

/// The same events in the order and groups of opening; reports differences from the given groups.
std::vector<Encoding> regrouped(const Machine& machine, const std::string& query,
                                const std::vector<Encoding>& written, bool tells) {
  std::vector<Encoding> opened = machine.regroup(written);
  const bool same = std::equal(written.begin(), written.end(), opened.begin(), opened.end(),
                               [](const Encoding& a, const Encoding& b) {
                                 return a.name == b.name && a.pmu == b.pmu && a.leader == b.leader;
                               });
  if (!same && tells) tell_note("{}: regrouped, as a group has one PMU", query);
  return opened;
}

/// A query for each group or single event: -G gives each its cgroup.
void add_apart(Query query, std::vector<Query>& queries) {
  std::size_t first = 0;
  for (std::size_t i = 1; i <= query.encodings.size(); ++i) {
    if (i < query.encodings.size() && query.encodings[i].leader != i) continue;
    Query part{query.text, {}};
    for (std::size_t k = first; k < i; ++k) {
      part.encodings.push_back(query.encodings[k]);
      part.encodings.back().leader -= std::min(first, part.encodings.back().leader);
    }
    queries.push_back(std::move(part));
    first = i;
  }
}

/// Leaves out the events of core PMUs other than --cputype.
void keep_cpu_type(const Machine& machine, const StatOptions& options,
                   std::vector<Encoding>& encodings) {
  if (options.cpu_type.empty()) return;
  const auto pmus = machine.pmus();
  const auto is_of_other_core = [&](const Encoding& e) {
    return e.pmu != options.cpu_type && std::ranges::any_of(pmus, [&](const PmuInfo& pmu) {
             return pmu.is_core && pmu.name == e.pmu;
           });
  };
  std::vector<Encoding> kept;
  std::vector<std::size_t> new_index(encodings.size(), SIZE_MAX);
  for (std::size_t i = 0; i < encodings.size(); ++i) {
    if (is_of_other_core(encodings[i])) continue;
    new_index[i] = kept.size();
    Encoding& e = kept.emplace_back(std::move(encodings[i]));
    std::size_t& leader = new_index[e.leader];
    if (leader == SIZE_MAX) leader = new_index[i];  // the first that stays leads its group
    e.leader = leader;
  }
  encodings = std::move(kept);
}

/// Resolves a text, and keeps the events that the options select; nullopt after reporting an error.
/// Changes of groups are reported only for the user's own text.
std::optional<Query> query_of(const Machine& machine, const StatOptions& options,
                              const std::string& text, bool is_written = true) {
  auto found = resolve_query(machine, text, false);
  if (!found) return std::nullopt;
  keep_cpu_type(machine, options, *found);
  if (found->empty()) {
    tell_error("{}: no event of {}", text, options.cpu_type);
    return std::nullopt;
  }
  return Query{text, regrouped(machine, text, *found, is_written)};
}

/// Returns false after reporting an unknown event; as in perf, nothing is run then.
bool add_events(const Machine& machine, const StatOptions& options, std::vector<Query>& queries) {
  std::vector<std::string> texts = options.events;
  if (options.of_default_events()) {
    texts.assign(std::begin(kDefaultEvents), std::end(kDefaultEvents));
    if (options.of_cpus() || options.command.empty()) texts.front() = "cpu-clock";
  }
  for (std::size_t i = 0; i < std::min<std::size_t>(options.detail, std::size(kDetailEvents)); ++i)
    for (const std::string_view event : split(kDetailEvents[i], ',')) texts.emplace_back(event);
  bool all = true;
  const bool apart = options.cgroups.find(',') != std::string::npos;
  for (const std::string& text : texts) {
    auto query = query_of(machine, options, text);
    all &= query.has_value();
    if (!query) continue;
    if (apart)
      add_apart(std::move(*query), queries);
    else
      queries.push_back(std::move(*query));
  }
  return all;
}

/// Makes --cputype the name of a core PMU: "cpu_core" of "core", as perf does. Returns false after
/// reporting that there is none.
bool check_cpu_type(const Machine& machine, StatOptions& options) {
  if (options.cpu_type.empty()) return true;
  std::vector<std::string> names;
  for (const PmuInfo& pmu : machine.pmus()) {
    if (!pmu.is_core) continue;
    names.push_back(pmu.name);
    if (pmu.name == options.cpu_type || pmu.name == "cpu_" + options.cpu_type) {
      options.cpu_type = pmu.name;
      return true;
    }
  }
  return tell_error("--cputype {}: this machine's core PMUs are {}", options.cpu_type,
                    joined(names, ", "));
}

/// Counts, and writes the counts into a file if they are recorded.
int run_all(const Machine& machine, const StatOptions& options, std::span<const Query> queries,
            const MetricRows* metrics, std::size_t first_metric) {
  Runs runs(machine, options, queries, metrics, first_metric);
  if (!options.records) return runs.run_all();
  CountsFile file(machine, options);
  if (!file.is_open()) return kUnusable;
  runs.record_to(file);
  return runs.run_all();
}

int stat(StatOptions& options) {
  options.only_keys_of_perf = stands_for_perf();
  if (options.reports) return report_counts(options);
  if (options.records) std::swap(options.output, options.recording);
  if (const std::string mistake = options.mistake(); !mistake.empty())
    return tell_error("{}", mistake);
  const auto machine = Machine::live({}, user_events());
  if (!machine) return tell_error("{}", machine.error().text());
  if (!check_cpu_type(*machine, options) || !add_meant_metrics(*machine, options)) return kUnusable;
  if (options.metric_only && !options.has_metrics())
    tell_note("--metric-only shows metrics alone: -M names some");
  std::vector<Query> queries;
  if ((!options.counts_nothing || !options.events.empty()) &&
      !add_events(*machine, options, queries))
    return kUnusable;
  const std::size_t first_metric = queries.size();
  std::optional<MetricRows> metrics;
  if (options.has_metrics()) {
    metrics = MetricRows::plan(*machine, options);
    if (!metrics) return kUnusable;
    for (const std::string& text : metrics->queries()) {
      Query query{text, {}};  // without events: a metric that needs no counts
      if (!text.empty())
        if (auto found = query_of(*machine, options, text, false)) query = std::move(*found);
      queries.push_back(std::move(query));
    }
  }
  return run_all(*machine, options, queries, metrics ? &*metrics : nullptr, first_metric);
}

}  // namespace

void add_target_options(Command& command, StatOptions& options, const TargetNames& names) {
  command.flag("-a,--all-cpus", options.all_cpus, "Count everything on all CPUs");
  command.option(names.cpus, options.cpus, "Count everything on these CPUs: 0-3,8")
      .value_name("CPUS")
      .checked_by(list_problem<std::int32_t>);
  command.option("-p,--pid", options.pids, "Count in these processes")
      .value_name("PIDS")
      .checked_by(list_problem<std::int32_t>);
  command.option("-t,--tid", options.tids, "Count in these threads")
      .value_name("TIDS")
      .checked_by(list_problem<std::int32_t>);
  command
      .option("-G,--cgroup", options.cgroups,
              "Count in a cgroup; a list separated by commas has one cgroup for each event")
      .value_name("CGROUPS");
  command.flag(names.no_inherit, options.no_inherit,
               "Leave out the threads and processes made later");
}

namespace {

void add_stat_targets(Command& command, StatOptions& options) {
  command
      .option("--for-each-cgroup", options.each_cgroup, "Count all events in each of these cgroups")
      .value_name("CGROUPS");
  command
      .option("--cputype", options.cpu_type,
              "Count only on cores of this kind, such as core or atom of a hybrid CPU")
      .value_name("KIND");
  command.flag("--all-user", options.all_user, "Count only user space, whatever events say");
  command.flag("--all-kernel", options.all_kernel, "Count only the kernel, whatever events say");
}

}  // namespace

void add_part_options(Command& command, StatOptions& options) {
  command.flag("-A,--no-aggr,--no-merge", options.per_cpu, "Counts of each CPU");
  command.flag("--per-core", options.per_core, "Counts of each core");
  command.flag("--per-cluster", options.per_cluster, "Counts of each cluster");
  command.option("--per-cache", options.cache, "Counts of each cache of this level; the last one")
      .value_name("LEVEL")
      .if_bare("last")
      .checked_by(cache_problem);
  command.flag("--per-die", options.per_die, "Counts of each die");
  command.flag("--per-socket", options.per_socket, "Counts of each socket");
  command.flag("--per-node", options.per_node, "Counts of each NUMA node");
  command.flag("--per-thread", options.per_thread, "Counts of each thread");
}

namespace {

void add_row_options(Command& command, StatOptions& options) {
  command.flag("--quiet", options.quiet, "Write no counts");
  command.flag("--hide-zero-events", options.hide_zero, "Leave out events that did not occur");
  command.flag("--no-scale", options.unscaled,
               "Show counts as they are, not estimates for the whole time");
  command.accept("--scale");
  command.flag("-B,--big-num", options.digit_groups, "Separate thousands: 1,234,567");
  command.accept("--no-big-num");
}

void add_output_options(Command& command, StatOptions& options) {
  command.option("-I,--interval-print", options.interval, "Counts of each interval, in ms")
      .value_name("MS");
  command.option("--interval-count", options.interval_count, "Stop showing after N intervals")
      .value_name("N")
      .checked_by(count_problem);
  command.flag("--summary", options.summary, "With -I, also show the counts of the whole run");
  command.accept("--no-csv-summary", &options.no_csv_summary);
  command.flag("--table", options.run_table, "With -r, also show the time of each run");
  command.flag("--interval-clear", options.clears, "Clear the terminal before each interval");
  command.option("-x,--field-separator", options.separator, "CSV, as perf stat -x writes it")
      .value_name("SEPARATOR");
  command.flag("-j,--json", options.json, "One JSON object per line, with the keys of perf stat");
  command.flag("--openmetrics", options.openmetrics,
               "A snapshot in the text format of Prometheus; with -I it replaces the file of -o");
  command.option("-o,--output", options.output, "Write counts to a file, not to standard error")
      .value_name("FILE");
  command.flag("--append", options.append, "Add to the file of -o");
  command.option("--log-fd", options.log_file, "Write counts to this open file descriptor")
      .value_name("FD")
      .between(1, INT_MAX);
  add_force(command, options.force);
  command.accept("--record-counts", &options.records);
  command.accept("--report-counts", &options.reports);
  command.option("--counts-file", options.recording, "").hide();
}

void add_run_options(Command& command, StatOptions& options) {
  command.option("-r,--repeat", options.repeat, "Run the command N times and show the mean")
      .value_name("N")
      .checked_by(count_problem);
  command.option("--pre", options.before, "Run a shell's command before each run")
      .value_name("COMMAND");
  command.option("--post", options.after, "Run a shell's command after each run")
      .value_name("COMMAND");
  command.flag("-S,--sync", options.syncs, "Write file systems to their disks before each run");
  command
      .option("-D,--delay", options.delay,
              "Start counting so many ms after the command; -1: see --control")
      .value_name("MS")
      .checked_by(start_problem);
  command
      .option("--control", options.control,
              "Read orders (enable, disable, stop, …) from fd:NUMBER or fifo:PATH; after a comma, "
              "where to write the answers: fd:3,4")
      .value_name("FILES")
      .checked_by(control_problem);
  command.option("--timeout", options.timeout, "Stop after this time, in ms").value_name("MS");
}

/// No argument at all is an error; a time is enough, since everything is counted then.
std::string_view problem(const StatOptions& options) {
  const bool has_target = options.of_cpus() || !options.pids.empty() || !options.tids.empty();
  const bool has_time = options.interval != 0 || options.timeout != 0;
  return options.command.empty() && !has_target && !has_time && !options.reports
             ? "COMMAND is missing"
             : "";
}

void add_event_options(Command& command, StatOptions& options) {
  command.option("-e,--event", options.events, "What perf's -e takes; may be repeated")
      .value_name("EVENTS")
      .also("pfm-events")
      .one_value_each();
  command.option("-M,--metrics", options.metrics, "A metric or group of metrics; repeatable")
      .value_name("METRICS")
      .comma_separated()
      .one_value_each();
  command.option("--expr", options.expressions, "A metric of your own")
      .value_name("NAME=EXPRESSION")
      .one_value_each();
  command.flag("--topdown", options.topdown,
               "The metrics of the first level of the top-down tree, as --metric-only");
  command.option("--td-level", options.topdown_level, "Of this level")
      .value_name("N")
      .between(0, 9);
  command.flag("-n,--null", options.counts_nothing, "Count no default events: times alone");
  command.flag("--metric-only", options.metric_only,
               "Show only metrics, one column each; without -M: those that perf shows by default");
  command.flag("--metric-no-group", options.metric_no_group,
               "Count the events of metrics singly, not in groups");
  command.accept("--metric-no-merge");
  command.accept("--affinity");
  command.accept("--no-affinity");
  command.counted_flag("-d,--detailed", options.detail,
                       "Also count accesses and misses of the data caches; -dd: of instructions "
                       "and TLBs, too; -ddd: and prefetches");
}

}  // namespace

void add_stat(Command& command) {
  auto& options = command.runs(stat, problem);
  command.group("What to count");
  add_event_options(command, options);
  command.group("Whom to count");
  add_target_options(command, options);
  add_stat_targets(command, options);
  command.group("How to add up");
  add_part_options(command, options);
  command.group("When to count");
  add_run_options(command, options);
  command.group("Output");
  add_row_options(command, options);
  add_output_options(command, options);
  command.runs_another(options.command);
  command.notes(
      "evname stat record [OPTIONS] -- COMMAND also writes the counts to perf.data, or to the "
      "file\n"
      "of -o; evname stat report [-i FILE] prints them.\n\n"
      "The command and its own options follow after --. Without a command it counts until\n"
      "--timeout, Ctrl-C or SIGTERM; with -I or --timeout alone, everything on all CPUs.\n\n"
      "Exit status: the command's (the last run's, with -r); 128 plus the signal's number if\n"
      "a signal ended the command, so 143 if --timeout did; 0 without a command. 1 if counting is\n"
      "not permitted, before the command runs, and instead of 0 if no event could be counted; 2 "
      "if\n"
      "the command could not be run or not all counts could be written. After SIGINT, SIGTERM or\n"
      "SIGHUP evname prints the counts so far and ends by the same signal.");
}

}  // namespace evname::tools
