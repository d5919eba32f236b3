#include "help/help_command.hpp"

#include "help/footer.hpp"
#include "help/manual.hpp"
#include "perf_file.hpp"
#include "screen/tell.hpp"
#include "subcommands.hpp"

namespace evname::tools {
namespace {

struct Options {
  const Program* program = nullptr;
  std::string name;
  bool man = false;
};

int help(const Options& options) {
  const Program& program = *options.program;
  const Subcommand* row = find_subcommand(options.name);
  if (row == nullptr && !options.name.empty()) {
    tell_error("help: no subcommand '{}'; `evname --help` lists them", options.name);
    return kUnusable;
  }
  const Command& command = row == nullptr ? program.self() : *program.find(row->name);
  if (!options.man) return to_stdout(command.help()) ? kDone : kUnusable;
  return to_stdout(row == nullptr ? manual(program) : manual(command, *row)) ? kDone : kUnusable;
}

}  // namespace

void add_subcommands(Program& program, ScreenOptions& screen) {
  for (const Subcommand& row : subcommands()) {
    Command& command = program.add(std::string(row.name), std::string(row.about));
    row.add(command);
    screen.add_to(command, row.pages);
    command.footer(footer_of(row, command.notes()));
  }
  program.self().footer(top_footer());  // last: a subcommand starts with the footer of its parent
}

void add_help(Program& program) {
  Command& command = program.add("help", "The help of a subcommand");
  Options& options = command.runs(help);
  options.program = &program;
  command.hide();
  command.option("SUBCOMMAND", options.name, "Of which; of all");
  command.flag("--man", options.man, "As a manual page");
}

}  // namespace evname::tools
