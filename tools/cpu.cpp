// evname cpu: describes a machine, and how it was identified.

#include <fmt/format.h>

#include "base/enum_table.hpp"
#include "base/text.hpp"
#include "input/machine.hpp"
#include "output/json_line.hpp"
#include "output/standard.hpp"
#include "subcommands.hpp"

namespace evname::tools {
namespace {

struct CpuArguments {
  MachineOptions machine;
  bool json = false;
};

std::vector<std::string> pmu_names(const Machine& machine, bool core) {
  std::vector<std::string> out;
  for (const PmuInfo& pmu : machine.pmus())
    if (pmu.is_core == core) out.push_back(pmu.name);
  return out;
}

int cpu(const CpuArguments& options) {
  std::optional<Machine> machine;
  if (!open_machine(options.machine, machine, true)) return kUnusable;
  const CpuInfo& info = machine->cpu();
  const auto core = pmu_names(*machine, true), other = pmu_names(*machine, false);
  std::vector<std::string> laid, versions;
  for (const EventDirectory& events : machine->event_directories()) {
    laid.push_back(events.directory);
    versions.push_back(events.version);
  }
  if (options.json) {
    JsonLine line;
    line.text("arch", info.arch).text("cpuid", info.cpuid).text("model", info.model);
    line.text("matched_by", to_string(info.matched_by)).text("note", info.note);
    line.text("source", info.source);
    line.texts("core_pmus", core).texts("other_pmus", other);
    line.texts("laid_over", laid).texts("laid_versions", versions);
  } else {
    print_out("architecture  {}\nCPUID string  {}\nmodel         {}\nmatched by    {}\n", info.arch,
              info.cpuid.empty() ? "(not known)" : info.cpuid,
              info.model.empty() ? "(no event table)" : info.model, to_string(info.matched_by));
    if (!info.source.empty()) print_out("events from   {}\n", info.source);
    print_out("core PMUs     {}\nother PMUs    {}\n", joined(core, ", "), joined(other, ", "));
    for (std::size_t i = 0; i < laid.size(); ++i)
      print_out("laid over     {}{}\n", laid[i],
                versions[i].empty() ? "" : fmt::format(" ({})", versions[i]));
  }
  return info.matched_by == MatchedBy::none ? kPartial : kDone;
}

}  // namespace

void add_cpu(Command& command) {
  auto& options = command.runs(cpu);
  options.machine.add_to(command);
  command.flag("--json", options.json, "One JSON object");
}

}  // namespace evname::tools
