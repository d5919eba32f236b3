// evname list: the events of a machine.

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <iterator>

#include "input/machine.hpp"
#include "list/cpus.hpp"
#include "list/selection.hpp"
#include "output/event.hpp"
#include "output/standard.hpp"
#include "screen/screen.hpp"
#include "subcommands.hpp"

namespace evname::tools {
namespace {

struct ListArguments {
  MachineOptions machine;
  bool json = false;
  bool cpus = false;
  Selection selection;
};

constexpr std::size_t kPiece = 1 << 13;

void print(fmt::memory_buffer& out) {
  to_stdout({out.data(), out.size()});
  out.clear();
}

void print_text(const std::vector<EventInfo>& events) {
  std::size_t name = 0, pmu = 0;
  for (const EventInfo& event : events) {
    name = std::max(name, event.name.size());
    pmu = std::max(pmu, event.pmu.size());
  }
  fmt::memory_buffer out;
  for (const EventInfo& event : events) {
    out.append(colored(Role::event, event.name, name + 2));
    out.append(colored(Role::pmu, event.pmu, pmu + 2));
    if (event.deprecated) out.append(colored(Role::warning, "(deprecated)", 13));
    out.append(event.desc.empty() ? event.terms : event.desc);
    out.push_back('\n');
    if (out.size() > kPiece) print(out);
  }
  print(out);
}

int list(const ListArguments& options) {
  const Selection& selection = options.selection;
  if (options.cpus)
    return list_cpus(selection.globs, selection.search, options.machine.events, options.json);
  std::optional<Machine> machine;
  if (!open_machine(options.machine, machine, true)) return kUnusable;
  const auto all = all_events(*machine);
  std::vector<EventInfo> events;
  std::ranges::copy_if(all, std::back_inserter(events),
                       [&](const EventInfo& event) { return selection.accepts(event); });
  if (options.json) {
    for (const EventInfo& event : events) print_event_json(event);
  } else {
    print_text(events);
  }
  if (!events.empty()) return kDone;
  tell_nothing(*machine, all, selection);
  return kPartial;
}

}  // namespace

void add_list(Command& command) {
  auto& options = command.runs(list);
  options.machine.add_to(command);
  command
      .option("--search", options.selection.search,
              "Only events with all these words in name, topic or description: 'l3 miss'")
      .value_name("WORDS")
      .one_value_each();
  command.option("--pmu", options.selection.pmu, "Only events of PMUs like this: 'uncore_*'")
      .value_name("PMU");
  command.option("--topic", options.selection.topic, "Only events of topics like this: memory")
      .value_name("TOPIC");
  command.flag(
      "--cpus", options.cpus,
      "List the CPUs that --cpu takes instead, with the CPUIDs and names of each, the number "
      "of its events and where they are from");
  command.flag("--json", options.json, "One JSON object per line");
  command.option("GLOB", options.selection.globs,
                 "Only names like this (any case), such as 'l2_*'; one or more");
  command.notes(
      "Lists the events of the model's tables and of the machine's PMUs; the generic events of "
      "the\n"
      "kernel, which are hardware, software and cache events; what perf itself measures; and the\n"
      "tracepoints that the machine or the recording has.");
}

}  // namespace evname::tools
