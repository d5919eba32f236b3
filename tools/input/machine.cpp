#include "input/machine.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "evname/perf_data.hpp"
#include "input/shortened_file.hpp"
#include "input/user_events.hpp"
#include "screen/screen.hpp"

namespace evname::tools {

void MachineOptions::add_to(Command& command) {
  const Option by_name =
      command
          .option(
              "--cpu", cpu,
              "CPUID string (GenuineIntel-6-55-4), model (skylakex) or short name (skx, zen4, n1), "
              "as `evname list --cpus` lists them; default: this machine")
          .value_name("CPU");
  Option by_file = command.option("-i,--input", input, "The machine a perf.data was recorded on")
                       .value_name("FILE");
  const Option tree =
      command.option("--sysfs", sysfs, "Take the PMUs from this sysfs tree").value_name("DIR");
  by_file.excludes(by_name).excludes(tree);
  command
      .option("--events", events,
              "Add the events of this directory to the built-in ones (a kernel-layout "
              "tree, a perfmon repository, or *.json files of this CPU)")
      .value_name("DIR");
}

Result<Machine> MachineOptions::open(bool gpus) const {
  if (!cpu.empty()) return Machine::named(cpu, sysfs, events, user_events());
  auto machine = open_plain(gpus);
  return machine && !events.empty() ? machine->with_events(events) : machine;
}

Result<Machine> MachineOptions::open_plain(bool gpus) const {
  if (!input.empty()) {
    watch_for_shortened_files(input);
    return PerfData::open(input, user_events()).map([](const PerfData& f) { return f.machine(); });
  }
  Roots roots;
  roots.gpus = gpus && sysfs.empty();
  if (!sysfs.empty()) roots.sysfs = sysfs;
  return Machine::live(roots, user_events());
}

namespace {

bool keep(Result<Machine> opened, std::optional<Machine>& machine, bool warn) {
  if (!opened) {
    Error error = opened.error();
    if (error.code == Errc::not_found && error.where.empty()) {
      if (error.hint.empty()) error.hint = "as in GenuineIntel-6-55-4, skylakex or n1";
      error.hint += error.hint.ends_with('?') ? " " : "; ";
      error.hint += "`evname list --cpus` lists them";
    }
    tell_error("{}", error.text());
    return false;
  }
  machine = std::move(*opened);
  if (warn)
    for (const std::string& warning : machine->warnings()) tell_warning("{}", warning);
  if (!machine->cpu().note.empty()) tell_note("{}", machine->cpu().note);
  return true;
}

}  // namespace

bool keep_machine(Result<Machine> opened, std::optional<Machine>& machine) {
  return keep(std::move(opened), machine, true);
}

bool open_machine(const MachineOptions& options, std::optional<Machine>& machine, bool gpus) {
  return keep(options.open(gpus), machine, true);
}

bool may_name_gpu(const std::vector<std::string>& texts) {
  return std::ranges::any_of(
      texts, [](const std::string& text) { return to_lower(text).find("drm") != text.npos; });
}

bool open_named_machine(const MachineOptions& options, std::optional<Machine>& machine) {
  const bool asked = !options.cpu.empty() || !options.input.empty() || !options.sysfs.empty();
  return keep(options.open(), machine, asked);
}

}  // namespace evname::tools
