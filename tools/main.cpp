// The evname command: a thin face on libevname, one file per subcommand.

#include <algorithm>
#include <exception>
#include <new>
#include <string>
#include <vector>

#include "cli/command.hpp"
#include "complete/complete.hpp"
#include "evname/version.h"
#include "help/help.hpp"
#include "output/standard.hpp"
#include "screen/pager.hpp"
#include "screen/screen.hpp"
#include "subcommands.hpp"

namespace evname::tools {
namespace {

int run(const std::vector<std::string>& given) {
  const std::vector<std::string> words = help_words(given);
  Program program("evname",
                  "PMU event names to raw codes and back, for any CPU; names for perf.data samples",
                  EVNAME_VERSION);
  ScreenOptions screen;
  screen.add_to(program.self(), true);
  add_subcommands(program, screen, words);
  if (!words.empty() && words.front() == kCompleteWord) return complete(program, words);
  add_help(program);
  const Parsed parsed = program.parse(words);
  if (parsed.answered) return to_stdout(parsed.answer), kDone;
  choose_colors(screen);
  if (!parsed.mistake.empty()) {
    tell_mistake(program, parsed, words);
    return kUnusable;
  }
  const Subcommand* row = find_subcommand(parsed.command->name());
  const Pager pager(row != nullptr && row->pages && !screen.no_pager);
  return parsed.command->run();
}

int run_and_tell(const std::vector<std::string>& words) {
  try {
    return run(words);
  } catch (const std::bad_alloc&) {
    draw("evname: there is not enough memory\n");
  } catch (const std::exception& error) {
    tell_error("{}", error.what());
  }
  return kUnusable;
}

}  // namespace
}  // namespace evname::tools

int main(int argc, char** argv) {
  using namespace evname::tools;
  try {
    keep_standard_descriptors();
    return finish_output(run_and_tell({argv + std::min(argc, 1), argv + argc}));
  } catch (...) {  // not even that much memory
    return kUnusable;
  }
}
