// evname list: the events of a machine.

#include <fmt/format.h>

#include <algorithm>

#include "input/machine.hpp"
#include "output/event.hpp"
#include "output/standard.hpp"
#include "screen/screen.hpp"
#include "subcommands.hpp"

namespace evname::tools {
namespace {

struct Options {
  MachineOptions machine;
  bool json = false;
  std::string glob = "*";
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

int list(const Options& options) {
  std::optional<Machine> machine;
  if (!open_machine(options.machine, machine)) return kUnusable;
  const auto events = machine->events(options.glob);
  if (options.json) {
    for (const EventInfo& event : events) print_event_json(event);
  } else {
    print_text(events);
  }
  if (!events.empty()) return kDone;
  const CpuInfo& cpu = machine->cpu();
  tell_error("no event of {} matches '{}' ('*{}*' finds parts of names)",
             cpu.model.empty() ? "this machine" : cpu.model, options.glob, options.glob);
  return kPartial;
}

}  // namespace

void add_list(Command& command) {
  auto& options = command.runs(list);
  options.machine.add_to(command);
  command.flag("--json", options.json, "One JSON object per line");
  command.option("GLOB", options.glob, "Only names like this (any case), such as 'l2_*'");
}

}  // namespace evname::tools
