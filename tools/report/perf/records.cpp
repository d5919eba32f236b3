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
  std::vector<std::uint64_t> samples(file.events().size()), lost(samples.size());
  SampleRange range = file.samples();
  while (const Record* record = range.next_record()) {
    if (record->event == nullptr) continue;
    const auto at = static_cast<std::size_t>(record->event - file.events().data());
    if (record->sample() != nullptr) ++samples[at];
    if (const auto* one = record->as<Record::LostSamples>()) lost[at] += one->lost;
  }
  const SampleTally tally = range.tally();
  std::uint64_t total = 0;
  for (const auto& [type, count] : tally.records) total += count;
  print_out("\nAggregated stats:\n{:>20} events: {:>10}\n", "TOTAL", total);
  for (const auto& [type, count] : tally.records)
    print_out("{:>20} events: {:>10}  ({:4.1f}%)\n", record_name(type), count,
              100 * static_cast<double>(count) / static_cast<double>(total));
  for (std::size_t i = 0; i < samples.size(); ++i) {
    if (samples[i] > 0)
      print_out("{} stats:\n{:>20} events: {:>10}\n", file.events()[i].full_name(), "SAMPLE",
                samples[i]);
    if (lost[i] > 0) print_out("{:>20} events: {:>10}\n", "LOST_SAMPLES", lost[i]);
  }
  return finish_pass(file, tally);
}

// A pipe can be read only once.
int print_dump(const Recording& file, const Symbols& symbols) {
  annotation::ScriptOptions how;
  how.printable = is_terminal(Screen::out);
  how.symbols = &symbols;
  how.dump = dump_options(file);
  how.dump->is_of_report = true;
  const auto tally = annotation::annotate(file, how, to_stdout);
  if (!tally) return tell_error("{}", tally.error().text());
  const int code = finish_pass(file, *tally);
  const bool is_pipe = file.facts().path == "-" && file.facts().form == FileFacts::Form::pipe;
  return is_pipe ? code : std::max(code, print_stats(file));
}

}  // namespace evname::tools
