// The evname command: a thin face on libevname, one file a subcommand.

#include <algorithm>
#include <string>
#include <vector>

#include "command.hpp"
#include "complete/complete.hpp"
#include "help/help_command.hpp"
#include "help/mistake.hpp"
#include "help/subcommand.hpp"
#include "screen/pager.hpp"
#include "screen/screen.hpp"

namespace {

using namespace evname::tools;

/// `evname stat … -- COMMAND`: CLI11 hands what follows "--" to the application, not to the
/// subcommand; without the dashes the subcommand keeps it, from its first word on.
void take_out_dashes(std::vector<std::string>& words) {
  const auto command = std::ranges::find_if(
      words, [](const std::string& word) { return find_subcommand(word) != nullptr; });
  const auto dashes = std::ranges::find(words, "--");
  if (command < dashes && *command == "stat" && dashes != words.end()) words.erase(dashes);
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"PMU event names to raw codes and back, for any CPU; names for perf.data samples",
               "evname"};
  Run run;
  ScreenOptions screen;
  app.require_subcommand(1);
  app.set_version_flag("--version", EVNAME_VERSION);
  screen.add_to(app, true);
  add_subcommands(app, run, screen);
  std::vector<std::string> words(argv + 1, argv + argc);
  if (!words.empty() && words.front() == kCompleteWord) return complete(app, words);
  add_help(app, run);
  take_out_dashes(words);
  try {
    app.parse(std::vector<std::string>(words.rbegin(), words.rend()));
  } catch (const CLI::Success& asked) {  // --help, --version
    return app.exit(asked);
  } catch (const CLI::ParseError& error) {
    choose_colors(screen);
    tell_mistake(app, error, words);
    return kUnusable;
  }
  choose_colors(screen);
  const Subcommand* row = find_subcommand(app.get_subcommands().front()->get_name());
  const Pager pager(row != nullptr && row->pages && !screen.no_pager);
  return run();
}
