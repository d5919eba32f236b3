// evname metrics: the metrics of a machine, and their values from counts already taken.

#include <fmt/format.h>

#include "input/no_match.hpp"
#include "metrics/options.hpp"
#include "metrics/output.hpp"
#include "screen/screen.hpp"
#include "subcommands.hpp"

namespace evname::tools {
namespace {

int list_groups(const MetricOptions& options) {
  std::optional<Machine> machine;
  if (!open_named_machine(options.machine, machine)) return kUnusable;
  const auto groups = list_metric_groups(*machine);
  for (const MetricGroupInfo& group : groups) print_group(group, options.json);
  return groups.empty() ? kPartial : kDone;
}

int list(const MetricOptions& options) {
  std::optional<Machine> machine;
  if (!open_named_machine(options.machine, machine)) return kUnusable;
  const auto metrics = list_metrics(*machine, options.glob, options.group);
  print_metrics(metrics, options.json);
  if (!metrics.empty()) return kDone;
  const std::string& model = machine->cpu().model;
  const std::string where = model.empty() ? "this machine" : model;
  if (list_metrics(*machine, "*", options.group).empty())
    tell_error(
        "{} has no metrics{}{}", where, options.group.empty() ? "" : " of a group ",
        options.group.empty() ? "" : fmt::format("'{}' (--groups lists them)", options.group));
  else
    tell_error("no metric of {} matches '{}'{}", where, options.glob, glob_hint(options.glob));
  return kPartial;
}

int show(const MetricOptions& options) {
  std::optional<Machine> machine;
  if (!open_machine(options.machine, machine)) return kUnusable;
  bool all = true;
  for (const std::string& name : options.shown) {
    const auto set = metric_set(*machine, options.facts_of(*machine), std::span(&name, 1));
    if (set)
      all &= print_set(*set, options.schedule_options(), options.json);
    else
      all = false, print_infos(list_metrics(*machine, name), options.json);
  }
  for (const std::string& text : options.expressions) {
    const auto set = metric_set(*machine, options.facts_of(*machine), {}, std::span(&text, 1));
    if (!set) return kUnusable;
    all &= print_set(*set, options.schedule_options(), options.json);
  }
  return all ? kDone : kPartial;
}

int run(const MetricOptions& options) {
  if (!options.from.empty()) return evaluate_counts(options);
  if (options.groups) return list_groups(options);
  return options.shown.empty() && options.expressions.empty() ? list(options) : show(options);
}

}  // namespace

void add_metrics(Command& command) {
  auto& options = command.runs(run);
  options.add_to(command);
}

}  // namespace evname::tools
