// The evname command: a thin face on libevname, one file per subcommand.

#include <string>
#include <vector>

#include "cli/command.hpp"
#include "complete/complete.hpp"
#include "help/help.hpp"
#include "help/mistake.hpp"
#include "screen/pager.hpp"
#include "screen/screen.hpp"
#include "subcommands.hpp"

int main(int argc, char** argv) {
  using namespace evname::tools;
  Program program("evname",
                  "PMU event names to raw codes and back, for any CPU; names for perf.data samples",
                  EVNAME_VERSION);
  ScreenOptions screen;
  screen.add_to(program.self(), true);
  add_subcommands(program, screen);
  const std::vector<std::string> words(argv + 1, argv + argc);
  if (!words.empty() && words.front() == kCompleteWord) return complete(program, words);
  add_help(program);
  const Parsed parsed = program.parse(words);
  if (parsed.answered) return kDone;
  choose_colors(screen);
  if (!parsed.mistake.empty()) {
    tell_mistake(program, parsed, words);
    return kUnusable;
  }
  const Subcommand* row = find_subcommand(parsed.command->name());
  const Pager pager(row != nullptr && row->pages && !screen.no_pager);
  return parsed.command->run();
}
