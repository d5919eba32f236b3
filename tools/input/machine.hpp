#pragma once
// Opens the machine of a subcommand (--cpu, -i, --sysfs, --events, --no-user-events), reads its
// queries from arguments or standard input, and reports their errors.

#include <optional>
#include <span>
#include <string>
#include <string_view>
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

  /// Opens the machine of the options: without any, the live one, with its GPUs if wanted.
  Result<Machine> open(bool gpus = false) const;

  /// Returns the files and directories in the options, which no output may replace.
  std::vector<std::string> inputs() const;

 private:
  Result<Machine> open_plain(bool gpus) const;  ///< without `cpu` and `events`
};

/// Keeps an opened machine and reports its warnings and fallbacks. Returns false after reporting
/// why it could not be opened.
bool keep_machine(Result<Machine> opened, std::optional<Machine>& machine);

/// Opens the machine and reports its warnings and fallbacks. Returns false after reporting why not.
/// `gpus`: with their PMUs, which takes a while to look for.
bool open_machine(const MachineOptions& options, std::optional<Machine>& machine,
                  bool gpus = false);

/// Returns true if one of the texts may name the PMU of a GPU, or an event of it.
bool may_name_gpu(const std::vector<std::string>& texts);

/// The same if only names are wanted: without the options, no warning about this machine is
/// printed.
bool open_named_machine(const MachineOptions& options, std::optional<Machine>& machine,
                        bool gpus = false);

void add_user_events(Command& command);

/// Returns the value on the command line.
UserEvents user_events();

/// Returns the arguments, with "-" replaced by the non-empty lines of standard input.
std::vector<std::string> expand_queries(const std::vector<std::string>& arguments);

/// Returns one line: the message, its hint, and the place if the query has several parts.
std::string error_text(const Error& error);

/// Prints the warnings of all encodings of a query on stderr, each once.
void print_warnings(const std::string& query, std::span<const Encoding> encodings);

/// Returns the encodings of a query and prints its warnings; nullopt if it names none, after
/// printing an error or, with `json`, an object with query and error.
std::optional<std::vector<Encoding>> resolve_query(const Machine& machine, const std::string& query,
                                                   bool json);

/// Prints "evname: QUERY: …" on stderr; for an error inside a longer text, that text with a caret
/// below the place.
void print_error(const std::string& query, const Error& error);

/// " ('*x*' finds parts of names)" for the unknown name "x"; "" for a pattern.
std::string glob_hint(std::string_view name);

}  // namespace evname::tools
