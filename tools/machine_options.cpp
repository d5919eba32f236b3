#include "machine_options.hpp"

#include <fmt/format.h>

#include "evname/perf_data.hpp"

namespace evname::tools {

void MachineOptions::add_to(CLI::App& command) {
  auto* by_name = command.add_option(
      "--cpu", cpu,
      "CPUID string (GenuineIntel-6-55-4) or model (skylakex); default: this machine");
  auto* by_file =
      command.add_option("-i,--input", input, "The machine a perf.data was recorded on");
  auto* tree = command.add_option("--sysfs", sysfs, "Take the PMUs from this sysfs tree");
  by_file->excludes(by_name)->excludes(tree);
}

Result<Machine> MachineOptions::open() const {
  if (!input.empty())
    return PerfData::open(input).map([](const PerfData& f) { return f.machine(); });
  if (!cpu.empty()) return Machine::named(cpu, sysfs);
  Roots roots;
  if (!sysfs.empty()) roots.sysfs = sysfs;
  return Machine::live(roots);
}

bool keep_machine(Result<Machine> opened, std::optional<Machine>& machine) {
  if (!opened) {
    fmt::print(stderr, "evname: {}\n", opened.error().text());
    return false;
  }
  machine = std::move(*opened);
  for (const std::string& warning : machine->warnings())
    fmt::print(stderr, "evname: warning: {}\n", warning);
  if (!machine->cpu().note.empty()) fmt::print(stderr, "evname: note: {}\n", machine->cpu().note);
  return true;
}

bool open_machine(const MachineOptions& options, std::optional<Machine>& machine) {
  return keep_machine(options.open(), machine);
}

}  // namespace evname::tools
