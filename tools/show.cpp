// evname show: everything known about one event.

#include <fmt/format.h>

#include "input/machine.hpp"
#include "input/queries.hpp"
#include "output/event.hpp"
#include "screen/screen.hpp"
#include "subcommands.hpp"

namespace evname::tools {
namespace {

struct Options {
  MachineOptions machine;
  bool json = false;
  std::string event;
};

void line(const char* label, std::string_view value) {
  if (!value.empty()) fmt::print("  {} {}\n", colored(Role::pmu, label, 11), value);
}

/// The other names that mean the same code on that PMU.
std::string other_names(const Machine& machine, const Encoding& e) {
  if (!e.code.has_type) return {};
  const CodeNames names = machine.names_of(e.code);
  std::string out;
  for (const std::string& name : names.names)
    if (names.exact && name != e.name) out += (out.empty() ? "" : ", ") + name;
  return out;
}

void print_info(const EventInfo& event, const CpuInfo& cpu) {
  fmt::print("{}{}\n", colored(Role::event, event.name), event.deprecated ? " (deprecated)" : "");
  line("about", event.desc);
  line("more", event.long_desc);
  line("pmu", event.pmu);
  line("model", event.model);
  if (event.model == cpu.model) line("facts from", cpu.source);
  line("topic", event.topic);
  line("terms", event.terms);
  if (!event.unit.empty()) line("unit", fmt::format("{} x {}", event.scale, event.unit));
  if (event.per_pkg) line("counts", "once per package");
}

int show(const Options& options) {
  std::optional<Machine> machine;
  if (!open_machine(options.machine, machine)) return kUnusable;
  const auto infos = machine->events(options.event);
  const auto encodings = machine->resolve(options.event);
  if (infos.empty() && !encodings) {
    print_error(options.event, encodings.error());
    return kPartial;
  }
  for (const EventInfo& event : infos) {
    if (options.json)
      print_event_json(event, true);
    else
      print_info(event, machine->cpu());
  }
  if (options.json || !encodings) return kDone;
  for (const Encoding& e : *encodings) {
    if (infos.empty()) fmt::print("{}\n", colored(Role::event, e.name));
    line("perf stat", perf_spelling(e));
    line("code", fmt::format("{}/{}/", e.pmu, config_words(e)));
    line("same code", other_names(*machine, e));
  }
  return kDone;
}

}  // namespace

void add_show(Command& command) {
  auto& options = command.runs(show);
  options.machine.add_to(command);
  command.flag("--json", options.json, "One JSON object per line");
  command.option("EVENT", options.event, "Name of the event (any case)").required();
}

}  // namespace evname::tools
