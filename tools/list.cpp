// evname list: the events of a machine.

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <memory>

#include "command.hpp"
#include "event_json.hpp"
#include "machine_options.hpp"

namespace evname::tools {
namespace {

struct Options {
  MachineOptions machine;
  bool json = false;
  std::string glob = "*";
};

void print(fmt::memory_buffer& out) {
  std::fwrite(out.data(), 1, out.size(), stdout);
  out.clear();
}

void print_text(const std::vector<EventInfo>& events) {
  std::size_t name = 0, pmu = 0;
  for (const EventInfo& event : events) {
    name = std::max(name, event.name.size());
    pmu = std::max(pmu, event.pmu.size());
  }
  fmt::memory_buffer out;
  const auto column = [&](const std::string& text, std::size_t width) {
    out.append(text);
    for (std::size_t i = text.size(); i < width + 2; ++i) out.push_back(' ');
  };
  for (const EventInfo& event : events) {
    column(event.name, name);
    column(event.pmu, pmu);
    if (event.deprecated) out.append(std::string_view("(deprecated) "));
    out.append(event.desc.empty() ? event.terms : event.desc);
    out.push_back('\n');
    if (out.size() > BUFSIZ) print(out);
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
  fmt::print(stderr, "evname: no event of this machine is like '{}'\n", options.glob);
  return kPartial;
}

}  // namespace

void add_list(CLI::App& app, Run& run) {
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("list", "The events of a machine");
  options->machine.add_to(*command);
  command->add_flag("--json", options->json, "One JSON object a line");
  command->add_option("GLOB", options->glob, "Only names like this (any case), such as 'l2_*'");
  command->callback([options, &run] { run = [options] { return list(*options); }; });
}

}  // namespace evname::tools
