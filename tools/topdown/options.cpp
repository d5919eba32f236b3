#include "topdown/options.hpp"

#include "input/number_list.hpp"
#include "output/standard.hpp"

namespace evname::tools {

void TopdownOptions::add_to(Command& command) {
  command.group("The tree");
  add_tree_options(command);
  command.group("Whom and how to count");
  add_count_options(command);
  command.group("Output");
  add_formats(command);
  command.runs_another(stat.command);
}

void TopdownOptions::add_tree_options(Command& command) {
  command
      .option(
          "--from", from,
          "Compute the tree from counts: the output of perf stat (also with -x or --json), or a "
          "file of perf stat record; several files are runs of one program; - is standard input")
      .value_name("FILE")
      .one_value_each();
  command.option("-l,--level", level, "How deep to count and show; default: 2, of files all levels")
      .value_name("N");
  command.option("--node", nodes, "Only this node, those above and those below it; repeatable")
      .value_name("NAME")
      .one_value_each();
  command.flag("--all", all, "Show all nodes, not only those below flagged ones");
  command.flag("--drill", drill,
               "Run the command repeatedly, a level at a time below flagged nodes, so that "
               "nothing shares counters");
  given.machine.add_to(command);
  command
      .option("--fact", given.facts, "Set the fact that formulas call #NAME: smt_on=1; repeatable")
      .value_name("NAME=VALUE")
      .one_value_each()
      .checked_by(fact_problem);
  command
      .option("-x,--separator", given.separator, "The separator of perf stat -x; default: detected")
      .value_name("TEXT");
}

void TopdownOptions::add_count_options(Command& command) {
  add_target_options(command, stat, {"-C,--cpus", "--no-inherit"});
  add_part_options(command, stat);
  command.option("-I,--interval-print", stat.interval, "A tree for each interval, in ms")
      .value_name("MS");
  command.option("-r,--repeat", stat.repeat, "Run the command N times and show the mean")
      .value_name("N")
      .checked_by(count_problem);
  command.option("--timeout", stat.timeout, "Stop after this time, in ms").value_name("MS");
}

void TopdownOptions::add_formats(Command& command) {
  command.flag("--json", json, "One JSON object per line and node");
  command.flag("--csv", csv, "One line per node, fields separated by commas");
  command.option("--html", html, "Write a page with the tree as a picture, over time with -I")
      .value_name("FILE");
  command.option("-o,--output", stat.output, "Write to a file, not to standard output")
      .value_name("FILE");
  add_force(command, stat.force);
}

CountsPer TopdownOptions::counts_per() const {
  switch (stat.per()) {
    case Per::cpu:
      return CountsPer::cpu;
    case Per::core:
      return CountsPer::core;
    case Per::die:
      return CountsPer::die;
    case Per::socket:
      return CountsPer::socket;
    case Per::thread:
      return CountsPer::thread;
    default:
      return CountsPer::recorded;
  }
}

std::vector<std::string> TopdownOptions::inputs() const {
  std::vector<std::string> out = given.machine.inputs();
  out.insert(out.end(), from.begin(), from.end());
  return out;
}

std::string TopdownOptions::mistake() const {
  const bool has_target = stat.of_cpus() || !stat.pids.empty() || !stat.tids.empty();
  if (stat.cgroups.find(',') != std::string::npos) return "-G takes one cgroup";
  if (json + csv + !html.empty() > 1) return "only one of --json, --csv and --html can be given";
  if (!is_live()) {
    if (has_target || !stat.command.empty())
      return "--from reads counts: there is nothing to count";
    if (drill || stat.repeat != 1 || stat.interval != 0 || stat.timeout != 0)
      return "--from reads counts, which --drill, -r, -I and --timeout can't change";
    if (stat.per_cluster || stat.per_node)
      return "counts of a recording can't be added up for clusters or nodes";
    return "";
  }
  const MachineOptions& machine = given.machine;
  if (!machine.cpu.empty() || !machine.input.empty() || !machine.sysfs.empty())
    return "--cpu, -i and --sysfs are for counts of --from; this machine counts its own events";
  if (drill && (stat.command.empty() || stat.interval != 0))
    return "--drill runs a command again, without -I";
  return stat.mistake();
}

}  // namespace evname::tools
