// The evname command: a thin face on libevname, one file a subcommand.

#include <algorithm>
#include <string>
#include <vector>

#include "command.hpp"

namespace {

using namespace evname::tools;

constexpr AddCommand kCommands[] = {add_resolve,  add_name,     add_list,   add_show,   add_cpu,
                                    add_info,     add_annotate, add_report, add_inject, add_stat,
                                    add_schedule, add_metrics,  add_import};

/// `evname stat … -- COMMAND`: CLI11 hands what follows "--" to the application, not to the
/// subcommand; without the dashes the subcommand keeps it, from its first word on.
std::vector<std::string> arguments_of(int argc, char** argv) {
  std::vector<std::string> out(argv + 1, argv + argc);
  const auto dashes = std::find(out.begin(), out.end(), "--");
  if (!out.empty() && out.front() == "stat" && dashes != out.end()) out.erase(dashes);
  std::reverse(out.begin(), out.end());  // as CLI::App::parse takes them
  return out;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"PMU event names to raw codes and back, for any CPU; names for perf.data samples.",
               "evname"};
  app.require_subcommand(1);
  app.set_version_flag("--version", EVNAME_VERSION);
  app.footer("Exit codes: 0 done, 1 part of the answer is missing, 2 unusable input or arguments.");
  Run run;
  for (const AddCommand add : kCommands) add(app, run);
  try {
    app.parse(arguments_of(argc, argv));
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? kDone : kUnusable;
  }
  return run();
}
