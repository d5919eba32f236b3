// The evname command: a thin face on libevname, one file a subcommand.

#include "command.hpp"

namespace {

using namespace evname::tools;

constexpr AddCommand kCommands[] = {add_resolve, add_name,     add_list,  add_show,
                                    add_cpu,     add_annotate, add_import};

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
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? kDone : kUnusable;
  }
  return run();
}
