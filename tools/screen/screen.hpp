#pragma once
// How output looks: on a terminal with colours, without what would change it, and with progress.

#include <fmt/format.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

#include "cli/command.hpp"

namespace evname::tools {

/// --color and --no-pager, as all subcommands have them.
struct ScreenOptions {
  std::string color = "auto";
  bool no_pager = false;

  void add_to(Command& command, bool pages);
};

/// What a piece of text is, which decides its colour.
enum class Role { event, pmu, heading, added, removed, error, warning, note };

enum class Screen { out, error };

/// Decides once, for standard output and standard error, before anything is printed: colour is for
/// terminals, unless --color says otherwise.
void choose_colors(const ScreenOptions& options);

bool is_terminal(Screen screen);

/// What is shown of a text in which colored() has marked the colours. A terminal gets '?' for each
/// other control and format character but line feed and tab, and U+FFFD for each byte that is no
/// UTF-8: names in recordings are anybody's. All else stays as it is.
std::string screen_text(Screen screen, std::string text);

/// screen_text() leaves any text as it is.
bool shows_all_as_is(Screen screen);

/// A name on a terminal: without line feeds and tabs, too. Elsewhere it stays as it is.
std::string one_line(Screen screen, std::string text);

/// Returns the text with \n for a line feed and \x1b for another control character, so that what a
/// message quotes looks like no other message, and a terminal that a log is shown on does nothing.
std::string escaped(std::string_view text);

/// Returns a word in quotes, as a shell takes it.
std::string shell_quoted(std::string_view word);

/// The text for standard output, marked as coloured if that is wanted; the same bytes if not.
std::string colored(Role role, std::string_view text);

/// The same, filled with spaces (outside the colour) to that width.
std::string colored(Role role, std::string_view text, std::size_t width);

/// The text for standard error.
std::string colored_error(Role role, std::string_view text);

/// Writes "HEAD TEXT" as one line of standard error, the head coloured and the text escaped.
void tell(Role role, std::string_view head, std::string_view text);

template <class... Args>
void tell_error(fmt::format_string<Args...> format, Args&&... args) {
  tell(Role::error, "evname:", fmt::format(format, std::forward<Args>(args)...));
}

template <class... Args>
void tell_warning(fmt::format_string<Args...> format, Args&&... args) {
  tell(Role::warning, "evname: warning:", fmt::format(format, std::forward<Args>(args)...));
}

template <class... Args>
void tell_note(fmt::format_string<Args...> format, Args&&... args) {
  tell(Role::note, "evname: note:", fmt::format(format, std::forward<Args>(args)...));
}

/// The environment variables that say what a terminal shows, and where event files are.
struct Variable {
  const char* name;
  std::string_view meaning;
};

inline constexpr Variable kVariables[] = {
    {"NO_COLOR", "Not empty: no colour, unless --color=always asks for it"},
    {"EVNAME_PAGER",
     "The pager for long output on a terminal, before PAGER; empty or cat: no pager"},
    {"PAGER", "The pager of all programs; without either it is less -FRX"},
    {"TERM", "dumb: neither colour nor pager"},
    {"EVNAME_EVENTS",
     "Directories of event files to lay over the built-in tables, separated by ':'; set but empty: "
     "no event files of the user at all"},
    {"XDG_DATA_HOME", "Directories in its evname/events, too; by default ~/.local/share"},
    {"EVNAME_CACHE",
     "The directory that keeps what was made from these event files; set but empty: nothing is "
     "kept. By default evname in XDG_CACHE_HOME or ~/.cache"},
};

/// Empty if it is not set.
std::string_view environment_of(const char* name);

/// A line on stderr that is written anew at most ten times a second and erased at the end. Nothing
/// where stderr is no terminal, or where results go to the same one.
class Progress {
 public:
  Progress();
  ~Progress() { end(); }
  Progress(const Progress&) = delete;

  /// Empty where nothing is shown. Valid as long as this.
  std::function<void(std::uint64_t done, std::uint64_t total)> callback();
  void end();

 private:
  void show(std::uint64_t done, std::uint64_t total);

  bool enabled_;
  bool shown_ = false;
  std::chrono::steady_clock::time_point next_;
};

}  // namespace evname::tools
