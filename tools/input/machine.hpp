#pragma once
// Which machine a subcommand speaks of (--cpu, -i, --sysfs, --events, --no-user-events), and the
// queries it is asked: from arguments or standard input, and errors about them.

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cli/command.hpp"
#include "evname/encoding.hpp"
#include "evname/error.hpp"
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

void add_user_events(Command& command);

/// As the command line says.
UserEvents user_events();

/// The arguments, "-" replaced by the non-empty lines of standard input.
std::vector<std::string> expand_queries(const std::vector<std::string>& arguments);

/// One line: the message and its hint, and the place where the query has several parts.
std::string error_text(const Error& error);

/// The warnings of all encodings of a query on stderr, each once.
void print_warnings(const std::string& query, std::span<const Encoding> encodings);

/// The encodings of a query, its warnings told; nullopt if it names none, which is told on stderr
/// or, with `json`, as an object with query and error.
std::optional<std::vector<Encoding>> resolve_query(const Machine& machine, const std::string& query,
                                                   bool json);

/// "evname: QUERY: …" on stderr; for an error inside a longer text, that text with a caret below
/// the place.
void print_error(const std::string& query, const Error& error);

}  // namespace evname::tools
