// evname topdown: shows the uses of a core's slots as a tree.

#include "topdown/topdown.hpp"
#include "screen/screen.hpp"
#include "subcommands.hpp"

namespace evname::tools {
namespace {

int topdown(TopdownOptions& options) {
  if (const std::string mistake = options.mistake(); !mistake.empty())
    return tell_error("{}", mistake);
  return options.is_live() ? topdown_live(options) : topdown_of_files(options);
}

/// A time is enough, since everything is counted then.
std::string_view missing_of(const TopdownOptions& options) {
  const StatOptions& stat = options.stat;
  const bool has_target = stat.of_cpus() || !stat.pids.empty() || !stat.tids.empty();
  const bool has_time = stat.interval != 0 || stat.timeout != 0;
  if (!options.is_live() || has_target || has_time || !stat.command.empty()) return "";
  return "COMMAND or --from is missing";
}

}  // namespace

void add_topdown(Command& command) {
  auto& options = command.runs(topdown, missing_of);
  options.add_to(command);
  command.notes(
      "The command and its own options follow after --. Values are shares of the slots, or deeper\n"
      "in the tree of the clocks; <-- marks those beyond their thresholds, <== the one to look at\n"
      "next. Counting prints to standard error, as stat does, --from to standard output.");
}

}  // namespace evname::tools
