#include "report/perf/records.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "evname/records.hpp"
#include "info/perf_header.hpp"
#include "input/recording.hpp"
#include "output/standard.hpp"
#include "screen/screen.hpp"

namespace evname::tools {
namespace {

struct Task {
  std::int32_t pid = -1, parent = -1;
  std::string name;
};
using Tasks = std::map<std::int32_t, Task>;  // by tid

/// A thread has the name of the thread that made it, until it gets its own.
void add_fork(const Record::Task& fork, Tasks& tasks) {
  Task& parent = tasks[fork.parent_tid];
  if (parent.pid < 0) parent.pid = fork.parent_pid;
  const std::string name = parent.name;
  Task& task = tasks[fork.tid];
  task = {fork.pid, fork.parent_tid, name};
}

Tasks read_tasks(SampleRange& records) {
  Tasks tasks;
  tasks[0] = {0, -1, "swapper"};
  while (const Record* record = records.next_record()) {
    if (const auto* comm = record->as<Record::Comm>()) {
      Task& task = tasks[comm->tid];
      task.pid = comm->pid;
      task.name = comm->name;
    }
    const auto* fork = record->as<Record::Task>();
    if (fork != nullptr && record_name(record->type) == "FORK") add_fork(*fork, tasks);
  }
  return tasks;
}

/// The threads in the order of a tree, with their depths. One whose parent is unknown is a root; a
/// damaged recording may have threads in a circle, which begins anywhere.
std::vector<std::pair<std::int32_t, std::size_t>> as_tree(const Tasks& tasks) {
  std::map<std::int32_t, std::vector<std::int32_t>> children;
  for (const auto& [tid, task] : tasks) children[task.parent].push_back(tid);
  std::vector<std::pair<std::int32_t, std::size_t>> out, waiting;
  std::set<std::int32_t> seen;
  const auto add_from = [&](std::int32_t root) {
    waiting.emplace_back(root, root == 0 ? 0 : 1);
    while (!waiting.empty()) {
      const auto [tid, depth] = waiting.back();
      waiting.pop_back();
      if (!seen.insert(tid).second) continue;
      out.emplace_back(tid, depth);
      const auto below = children.find(tid);
      if (below == children.end()) continue;
      for (auto child = below->second.rbegin(); child != below->second.rend(); ++child)
        waiting.emplace_back(*child, depth + 1);
    }
  };
  for (const auto& [tid, task] : tasks)
    if (task.parent <= 0 || !tasks.contains(task.parent)) add_from(tid);
  for (const auto& [tid, task] : tasks) add_from(tid);
  return out;
}

void print_counts(const Recording& file, const SampleTally& tally, annotation::EventCounts counts) {
  std::uint64_t total = 0;
  for (const auto& [type, count] : tally.records) total += count;
  print_out("\nAggregated stats:\n{:>20} events: {:>10}\n", "TOTAL", total);
  for (const auto& [type, count] : tally.records)
    print_out("{:>20} events: {:>10}  ({:4.1f}%)\n", record_name(type), count,
              100 * static_cast<double>(count) / static_cast<double>(total));
  counts.samples.resize(file.events().size());
  counts.lost.resize(file.events().size());
  for (std::size_t i = 0; i < file.events().size(); ++i) {
    if (counts.samples[i] > 0)
      print_out("{} stats:\n{:>20} events: {:>10}\n", file.events()[i].full_name(), "SAMPLE",
                counts.samples[i]);
    if (counts.lost[i] > 0) print_out("{:>20} events: {:>10}\n", "LOST_SAMPLES", counts.lost[i]);
  }
}

}  // namespace

int print_tasks(const Recording& file) {
  SampleRange records = file.samples();
  const Tasks tasks = read_tasks(records);
  print_out("# {:>8} {:>8} {:>8}  {}\n", "pid", "tid", "ppid", "comm");
  for (const auto& [tid, depth] : as_tree(tasks)) {
    const Task& task = tasks.at(tid);
    print_out("  {:>8} {:>8} {:>8} |{}{}\n", task.pid, tid, task.parent, std::string(depth, ' '),
              task.name.empty() ? ":" + std::to_string(tid) : task.name);
  }
  return finish_pass(file, records.tally());
}

int print_stats(const Recording& file) {
  annotation::EventCounts counts;
  SampleRange range = file.samples();
  while (const Record* record = range.next_record()) {
    if (record->event == nullptr) continue;
    const auto at = static_cast<std::size_t>(record->event - file.events().data());
    if (record->sample() != nullptr) annotation::EventCounts::add(counts.samples, at, 1);
    if (const auto* lost = record->as<Record::LostSamples>())
      annotation::EventCounts::add(counts.lost, at, lost->lost);
  }
  print_counts(file, range.tally(), std::move(counts));
  return finish_pass(file, range.tally());
}

int print_dump(const Recording& file, const Symbols& symbols) {
  annotation::EventCounts counts;
  annotation::ScriptOptions how;
  how.printable = is_terminal(Screen::out);
  how.symbols = &symbols;
  how.dump = dump_options(file);
  how.dump->is_of_report = true;
  how.dump->counts = &counts;
  const auto tally = annotation::annotate(file, how, to_stdout);
  if (!tally) return tell_error("{}", tally.error().text());
  print_counts(file, *tally, std::move(counts));
  return finish_pass(file, *tally);
}

}  // namespace evname::tools
