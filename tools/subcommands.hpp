#pragma once
// The subcommands: a function and a row with facts for `--help`, the manual pages and the pager for
// each.

#include <span>
#include <string_view>
#include <utility>

#include "cli/command.hpp"

namespace evname::tools {

// Add the options and the action of a subcommand. The build makes a manual page for each line.
void add_annotate(Command& command);
void add_buildid_list(Command& command);
void add_cpu(Command& command);
void add_diff(Command& command);
void add_emit(Command& command);
void add_export(Command& command);
void add_import(Command& command);
void add_info(Command& command);
void add_inject(Command& command);
void add_list(Command& command);
void add_metrics(Command& command);
void add_name(Command& command);
void add_pack(Command& command);
void add_record(Command& command);
void add_report(Command& command);
void add_resolve(Command& command);
void add_schedule(Command& command);
void add_script(Command& command);
void add_show(Command& command);
void add_split(Command& command);
void add_stat(Command& command);
void add_topdown(Command& command);

struct Example {
  std::string_view line;  ///< as typed at a shell
  std::string_view what;  ///< its purpose, a sentence without its full stop
};

struct Subcommand {
  std::string_view name, about;
  void (*add)(Command& command);
  std::string_view keys;  ///< of --json; "" if there is no such option
  Example examples[5];    ///< the first is required
  bool pages = false;     ///< its output may be long: a pager shows it on a terminal
};

/// In the order of `evname --help`.
std::span<const Subcommand> subcommands();

/// The row of an added subcommand; nullptr for a hidden one.
const Subcommand* find_subcommand(std::string_view name);

/// The text about codes, for help and manual.
inline constexpr std::pair<int, std::string_view> kExitCodes[] = {
    {kDone, "done"},
    {kPartial, "part of the answer is missing; standard error says which"},
    {kUnusable, "unusable input or arguments, or output that could not be written"},
};

/// Subcommands whose first example is in the program's help.
inline constexpr std::string_view kShown[] = {"resolve", "name", "list", "annotate", "report"};

}  // namespace evname::tools
