#include "help/help_command.hpp"

#include <memory>

#include "help/footer.hpp"
#include "help/manual.hpp"
#include "help/subcommand.hpp"
#include "perf_file.hpp"
#include "screen/tell.hpp"

namespace evname::tools {
namespace {

struct Options {
  std::string name;
  bool man = false;
};

int help(const CLI::App& app, const Options& options) {
  const Subcommand* row = find_subcommand(options.name);
  if (row == nullptr && !options.name.empty()) {
    tell_error("help: no subcommand '{}'; `evname --help` lists them", options.name);
    return kUnusable;
  }
  const CLI::App& command = row == nullptr ? app : *app.get_subcommand(options.name);
  if (!options.man) return to_stdout(command.help()) ? kDone : kUnusable;
  return to_stdout(row == nullptr ? manual(app) : manual(command, *row)) ? kDone : kUnusable;
}

}  // namespace

void add_subcommands(CLI::App& app, Run& run, ScreenOptions& screen) {
  for (const Subcommand& row : subcommands()) {
    row.add(app, run);
    CLI::App& command = *app.get_subcommand(std::string(row.name));
    screen.add_to(command, row.pages);
    command.footer(footer_of(row, command.get_footer()));
  }
  app.footer(top_footer());  // last: a subcommand starts with the footer of its parent
}

void add_help(CLI::App& app, Run& run) {
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("help", "The help of a subcommand")->group("");
  command->add_option("SUBCOMMAND", options->name, "Of which; of all");
  command->add_flag("--man", options->man, "As a manual page");
  command->callback(
      [options, &app, &run] { run = [options, &app] { return help(app, *options); }; });
}

}  // namespace evname::tools
