#pragma once
// --cpu, -i, --sysfs and --events: which machine a subcommand speaks of.

#include <optional>
#include <string>
#include <vector>

#include "cli/command.hpp"
#include "evname/machine.hpp"

namespace evname::tools {

struct MachineOptions {
  std::string cpu;     ///< CPUID string or model
  std::string input;   ///< perf.data
  std::string events;  ///< directory of event files
  std::string sysfs;   ///< root that holds bus/event_source/devices

  void add_to(Command& command);

  /// The machine the options mean; the live one, with its GPUs if they are wanted, if there are
  /// none.
  Result<Machine> open(bool gpus = false) const;

 private:
  Result<Machine> open_plain(bool gpus) const;  ///< without `cpu` and `events`
};

/// Keeps an opened machine and tells its warnings and fallbacks on stderr. False: it told why it
/// could not be opened.
bool keep_machine(Result<Machine> opened, std::optional<Machine>& machine);

/// Opens the machine and tells its warnings and fallbacks on stderr. False: it told why not.
/// `gpus`: with their PMUs, which takes a while to look for.
bool open_machine(const MachineOptions& options, std::optional<Machine>& machine,
                  bool gpus = false);

/// May one of the texts name the PMU of a GPU, or an event of it?
bool may_name_gpu(const std::vector<std::string>& texts);

/// The same where only names are wanted: without the options, how this machine counts is not told.
bool open_named_machine(const MachineOptions& options, std::optional<Machine>& machine);

}  // namespace evname::tools
