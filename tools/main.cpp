// The evname command: a thin face on libevname, one file per subcommand.

#include <algorithm>
#include <exception>
#include <new>
#include <optional>
#include <string>
#include <vector>

#include "base/text.hpp"
#include "cli/command.hpp"
#include "complete/complete.hpp"
#include "evname/version.h"
#include "help/help.hpp"
#include "output/standard.hpp"
#include "screen/pager.hpp"
#include "screen/screen.hpp"
#include "stat/counts_file.hpp"
#include "subcommands.hpp"

namespace evname::tools {
namespace {

/// The subcommands of a link named perf, for tools that look for perf in $PATH.
constexpr std::string_view kInPlaceOfPerf[] = {"script", "report", "record", "stat",
                                               "buildid-list"};

/// Other subcommands of perf, and what answers the same question in a form of its own.
constexpr std::pair<std::string_view, std::string_view> kOwnForms[] = {
    {"annotate", "evname report --instructions"},
    {"c2c", "evname report --c2c"},
    {"diff", "evname report --diff"},
    {"evlist", "evname info"},
    {"inject", "evname inject"},
    {"list", "evname list"},
    {"mem", "evname report --mem"}};

/// Returns the exit code if the call is handled here: the link `perf` refuses subcommands that
/// evname lacks.
std::optional<int> answer_as_perf(const std::vector<std::string>& words) {
  const std::string first = words.empty() ? "" : words.front();
  if (first == "--version" || first == "-v" || first == "version") {
    to_stdout("perf version 7.3 (evname " EVNAME_VERSION ")\n");
    return kDone;
  }
  if (std::ranges::find(kInPlaceOfPerf, first) != std::end(kInPlaceOfPerf)) return std::nullopt;
  const auto* own =
      std::ranges::find(kOwnForms, first, &std::pair<std::string_view, std::string_view>::first);
  return tell_error(
      "perf {}: evname in perf's place has only script, report, record, stat and buildid-list{}{}",
      first.empty() ? "without a subcommand" : first, own != std::end(kOwnForms) ? "; type " : "",
      own != std::end(kOwnForms) ? own->second : "");
}

int run(const std::vector<std::string>& given) {
  std::vector<std::string> words = with_counts_options(help_words(given));
  if (stands_for_perf())
    if (const auto code = answer_as_perf(words)) return *code;
  if (!stands_for_perf())
    words = with_subcommand(std::move(words));
  else if (words.front() == "report")  // there is no other table in perf
    words.insert(words.begin() + 1, "--stdio");
  Program program("evname",
                  "PMU event names to raw codes and back, for any CPU; names for perf.data samples",
                  EVNAME_VERSION);
  ScreenOptions screen;
  screen.add_to(program.self(), true);
  add_subcommands(program, screen, words);
  if (!words.empty() && words.front() == kCompleteWord) return complete(program, words);
  add_help(program);
  const Parsed parsed = program.parse(words, help_width());
  if (parsed.answered) {
    to_stdout(parsed.answer);
    return kDone;
  }
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
    outlive_size_limits();
    if (argc > 0 && evname::last_part(argv[0]) == "perf") stand_for_perf();
    return finish_output(run_and_tell({argv + std::min(argc, 1), argv + argc}));
  } catch (...) {  // not enough memory even for a message
    return kUnusable;
  }
}
