#pragma once
// --cpu, -i, --sysfs and --events: which machine a subcommand speaks of.

#include <optional>
#include <string>

#include "cli/command.hpp"
#include "evname/machine.hpp"

namespace evname::tools {

struct MachineOptions {
  std::string cpu;     ///< CPUID string or model
  std::string input;   ///< perf.data
  std::string events;  ///< directory of event files
  std::string sysfs;   ///< root that holds bus/event_source/devices

  void add_to(Command& command);

  /// The machine the options mean; the live one if there are none.
  Result<Machine> open() const;

 private:
  Result<Machine> open_plain() const;  ///< without `cpu` and `events`
};

/// Keeps an opened machine and tells its warnings and fallbacks on stderr. False: it told why it
/// could not be opened.
bool keep_machine(Result<Machine> opened, std::optional<Machine>& machine);

/// Opens the machine and tells its warnings and fallbacks on stderr. False: it told why not.
bool open_machine(const MachineOptions& options, std::optional<Machine>& machine);

/// The same where only names are wanted: without the options, how this machine counts is not told.
bool open_named_machine(const MachineOptions& options, std::optional<Machine>& machine);

}  // namespace evname::tools
