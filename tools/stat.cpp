// evname stat: counts events while a command runs.

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <chrono>

#include "input/machine.hpp"
#include "input/queries.hpp"
#include "input/user_events.hpp"
#include "output/event.hpp"
#include "output/json_line.hpp"
#include "output/standard.hpp"
#include "screen/screen.hpp"
#include "stat/child.hpp"
#include "stat/counter.hpp"
#include "stat/metric_rows.hpp"
#include "subcommands.hpp"

namespace evname::tools {
namespace {

struct Options {
  std::vector<std::string> events, metrics, expressions;
  bool json = false;
  std::vector<std::string> command;
};

const PmuInfo* find_pmu(const std::vector<PmuInfo>& pmus, std::string_view name) {
  for (const PmuInfo& pmu : pmus)
    if (pmu.name == name) return &pmu;
  return nullptr;
}

/// Is this an event that only a core PMU can count, on a machine that shows none?
bool lacks_core_pmu(const std::vector<PmuInfo>& pmus, const Encoding& e) {
  for (const PmuInfo& pmu : pmus)
    if (pmu.is_core && pmu.is_present) return false;
  const PmuInfo* own = find_pmu(pmus, e.pmu);
  return e.pmu == "hardware" || e.pmu == "hw_cache" || (own && own->is_core);
}

/// `leader` is the row itself where it is in no group.
void open_counter(const std::vector<PmuInfo>& pmus, pid_t task, const Row& leader, Row& row) {
  const PmuInfo* pmu = find_pmu(pmus, row.encoding.pmu);
  const bool weak = row.encoding.modifiers.find('W') != std::string::npos;
  const Counter* group = nullptr;
  if (lacks_core_pmu(pmus, row.encoding)) {
    row.problem = "this machine has no core PMU";
    return;
  }
  if (!row.encoding.code.has_type) {
    row.problem = fmt::format("this machine has no PMU {}", row.encoding.pmu);
    return;
  }
  if (&leader != &row && leader.counter) group = &*leader.counter;
  if (&leader != &row && !group && !weak) {
    row.problem = "the leader of its group can't be counted";
    return;
  }
  auto counter = Counter::open(row.encoding, pmu, task, group);
  if (!counter && group && weak) counter = Counter::open(row.encoding, pmu, task);
  if (counter)
    row.counter = std::move(*counter);
  else
    row.problem = counter.error().message;
}

/// The events as perf would open them, which is told if it is not how they were written.
std::vector<Encoding> regrouped(const Machine& machine, const std::string& query,
                                const std::vector<Encoding>& written) {
  std::vector<Encoding> opened = machine.regroup(written);
  const bool same = std::equal(written.begin(), written.end(), opened.begin(), opened.end(),
                               [](const Encoding& a, const Encoding& b) {
                                 return a.name == b.name && a.pmu == b.pmu && a.leader == b.leader;
                               });
  if (!same) tell_note("{}: regrouped, as a group has one PMU", query);
  return opened;
}

/// All events to rows; what does not resolve is told and left out.
bool resolve_all(const Machine& machine, const std::vector<std::string>& events,
                 std::vector<Row>& rows) {
  bool all = true;
  for (std::size_t query = 0; query < events.size(); ++query) {
    const std::string& event = events[query];
    if (event.empty()) continue;  // a metric of nothing that is counted
    const auto encodings = resolve_query(machine, event, false);
    all &= encodings.has_value();
    if (!encodings) continue;
    const std::size_t first = rows.size();
    for (Encoding& e : regrouped(machine, event, *encodings)) {
      e.leader += first;
      rows.push_back({std::move(e), std::nullopt, {}, query});
    }
  }
  return all;
}

void print_text(const Row& row, const Count& count) {
  const double value = count.scaled() * row.encoding.scale;
  const std::string number = row.encoding.unit.empty() && !count.is_scaled()
                                 ? fmt::format("{}", count.value)
                                 : fmt::format("{:.2f}", value);
  print_out("{:>20} {:<10} {:<32} {}", number, row.encoding.unit, full_name(row.encoding),
            row.encoding.pmu);
  if (count.is_scaled() && count.enabled > 0)
    print_out("  (counted {:.1f}% of the time)",
              100.0 * static_cast<double>(count.running) / static_cast<double>(count.enabled));
  print_out("\n");
}

void print_json(const Row& row, const Count& count) {
  JsonLine line;
  line.text("name", full_name(row.encoding)).text("pmu", row.encoding.pmu);
  line.number("count", count.value).number("enabled", count.enabled);
  line.number("running", count.running);
  line.real("scaled", count.scaled() * row.encoding.scale).text("unit", row.encoding.unit);
  if (const auto warnings = row.encoding.warnings(); !warnings.empty())
    line.texts("warnings", warnings);
}

/// True if the row was counted and printed.
bool print(const Row& row, bool json) {
  std::string problem = row.problem;
  if (row.counter) {
    const auto count = row.counter->read();
    if (count) {
      json ? print_json(row, *count) : print_text(row, *count);
      return true;
    }
    problem = count.error().message;
  }
  const std::string name = full_name(row.encoding);
  if (json)
    JsonLine().text("name", name).text("pmu", row.encoding.pmu).text("error", problem);
  else
    print_out("{:>20} {:<10} {:<32} {}\n", "-", "", name, row.encoding.pmu);
  tell_error("{} can't be counted: {}", name, problem);
  return false;
}

double seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
}

/// Of the child, which has ended and is the only one.
RunTimes run_times(std::chrono::steady_clock::time_point start) {
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
  rusage usage{};
  getrusage(RUSAGE_CHILDREN, &usage);
  return {elapsed.count(), seconds(usage.ru_utime), seconds(usage.ru_stime)};
}

int stat(const Options& options) {
  const auto machine = Machine::live({}, user_events());
  if (!machine) return tell_error("{}", machine.error().text()), kUnusable;
  std::vector<Row> rows;
  std::vector<std::string> queries = options.events;
  std::optional<MetricRows> metrics;
  if (!options.metrics.empty() || !options.expressions.empty()) {
    metrics = MetricRows::plan(*machine, options.metrics, options.expressions);
    if (!metrics) return kUnusable;
    for (std::string& query : metrics->queries()) queries.push_back(std::move(query));
  }
  bool all = resolve_all(*machine, queries, rows);
  auto child = Child::prepare(options.command);
  if (!child) return tell_error("{}", child.error().text()), kUnusable;
  const auto pmus = machine->pmus();
  for (Row& row : rows) open_counter(pmus, child->pid(), rows[row.encoding.leader], row);
  for (const Row& row : rows)
    if (row.counter) row.counter->start();
  const auto start = std::chrono::steady_clock::now();
  if (const auto started = child->release(); !started) {
    tell_error("{}: {}", options.command.front(), started.error().message);
    return kUnusable;
  }
  const int status = child->wait();
  const RunTimes times = run_times(start);
  for (const Row& row : rows)
    if (row.counter) row.counter->stop();
  for (const Row& row : rows) all &= print(row, options.json);
  if (metrics) all &= metrics->print(rows, options.events.size(), times, options.json);
  if (status != 0) tell_error("{} ended with status {}", options.command.front(), status);
  return all ? kDone : kPartial;
}

std::string_view missing(const Options& options) {
  if (options.events.empty() && options.metrics.empty() && options.expressions.empty())
    return "--event or --metrics";
  return options.command.empty() ? "COMMAND" : "";
}

}  // namespace

void add_stat(Command& command) {
  auto& options = command.runs(stat, missing);
  command.option("-e,--event", options.events, "What perf's -e takes; may be repeated")
      .value_name("EVENTS")
      .one_value_each();
  command.option("-M,--metrics", options.metrics, "A metric or group of metrics; repeatable")
      .value_name("METRICS")
      .comma_separated()
      .one_value_each();
  command.option("--expr", options.expressions, "A metric of your own")
      .value_name("NAME=EXPRESSION")
      .one_value_each();
  command.flag("--json", options.json, "One JSON object per line");
  command.runs_another(options.command);
  command.notes(
      "The command and its own options follow after --. Its exit status is reported on stderr; "
      "evname's\n"
      "shows whether everything was counted.");
}

}  // namespace evname::tools
