#pragma once
// Formats output for terminals: colours, escaped control characters, and progress.

#include <fmt/format.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

#include "cli/command.hpp"

namespace evname::tools {

/// --color and --no-pager, for all subcommands.
struct ScreenOptions {
  std::string color = "auto";
  bool no_pager = false;

  void add_to(Command& command, bool pages);
};

/// The role of a piece of text, which decides its colour.
enum class Role { event, pmu, heading, added, removed, error, warning, note };

enum class Screen { out, error };

/// Decides once, for standard output and standard error, before anything is printed: colour is for
/// terminals, unless --color says otherwise.
void choose_colors(const ScreenOptions& options);

bool is_terminal(Screen screen);

/// Returns true for a terminal that shows blocks such as ▇: one whose locale has UTF-8.
bool has_blocks(Screen screen);

/// Returns the width for lines of help: the terminal's, but at most 100.
std::size_t help_width();

/// Returns a text of UTF-8; of a longer one its first bytes, up to the end of a letter, and "…".
std::string shortened(std::string_view text, std::size_t bytes);

/// Returns the text to show for a text with marks of colored(). A terminal gets '?' for each
/// control and format character except line feed and tab, and U+FFFD for each byte that is not
/// UTF-8, since names in recordings are untrusted. Everything else is unchanged.
std::string screen_text(Screen screen, std::string text);

/// screen_text() changes no text.
bool shows_all_as_is(Screen screen);

/// Returns a name for a terminal, also without line feeds and tabs; unchanged elsewhere.
std::string one_line(Screen screen, std::string text);

/// Returns the text with \n for a line feed and \x1b for other control characters, so that a
/// quotation can't look like another message or control a terminal that shows a log.
std::string escaped(std::string_view text);

/// Returns a word quoted for a shell.
std::string shell_quoted(std::string_view word);

/// Returns a word as it is typed at a shell: quoted only if it has to be.
std::string as_typed(std::string_view word);

/// The text for standard output, marked as coloured if wanted; else the same bytes.
std::string colored(Role role, std::string_view text);

/// The same, filled with spaces (outside the colour) to that width.
std::string colored(Role role, std::string_view text, std::size_t width);

/// The text for standard error.
std::string colored_error(Role role, std::string_view text);

/// Writes "HEAD TEXT" as one line of standard error, the head coloured and the text escaped.
void tell(Role role, std::string_view head, std::string_view text);

/// The result of a function that has reported an error: the exit code kUnusable, or false.
struct Failed {
  operator int() const { return kUnusable; }  // NOLINT(google-explicit-constructor)
  operator bool() const { return false; }     // NOLINT(google-explicit-constructor)
};

template <class... Args>
Failed tell_error(fmt::format_string<Args...> format, Args&&... args) {
  tell(Role::error, "evname:", fmt::format(format, std::forward<Args>(args)...));
  return {};
}

template <class... Args>
void tell_warning(fmt::format_string<Args...> format, Args&&... args) {
  tell(Role::warning, "evname: warning:", fmt::format(format, std::forward<Args>(args)...));
}

template <class... Args>
void tell_note(fmt::format_string<Args...> format, Args&&... args) {
  tell(Role::note, "evname: note:", fmt::format(format, std::forward<Args>(args)...));
}

/// The environment variables about terminals and event files.
struct Variable {
  const char* name;
  std::string_view meaning;
};

inline constexpr Variable kVariables[] = {
    {"NO_COLOR", "Not empty: no colour, unless --color=always asks for it"},
    {"EVNAME_PAGER",
     "The pager for long output on a terminal, before PAGER; empty or cat: no pager"},
    {"PAGER", "The pager of all programs; without either it is less -FRX"},
    {"TERM", "dumb: neither colour nor pager nor progress"},
    {"EVNAME_EVENTS",
     "Directories of event files to lay over the built-in tables, separated by ':'; set but empty: "
     "no event files of the user at all"},
    {"XDG_DATA_HOME", "Directories in its evname/events, too; by default ~/.local/share"},
};

/// Empty if it is not set.
std::string_view environment_of(const char* name);

/// A line on stderr that is rewritten at most ten times a second and erased at the end: percent,
/// rate and time left. It is not shown if stderr is not a terminal, and ends once results go to
/// one.
class Progress {
 public:
  Progress();
  ~Progress() { end(); }
  Progress(const Progress&) = delete;

  /// Empty if nothing is shown. Valid as long as this object.
  std::function<bool(std::uint64_t done, std::uint64_t total)> callback();
  /// Shows what is done after the passes, without a share; nothing if that is too early.
  void show(std::string_view what);
  void end();

 private:
  using Clock = std::chrono::steady_clock;

  void show(std::uint64_t done, std::uint64_t total);

  bool enabled_;
  std::uint64_t done_ = 0;
  Clock::time_point begin_;            ///< of this pass
  Clock::time_point earliest_, next_;  ///< when lines may be shown, and the next one
};

/// Erases the line of a Progress before other text goes to the terminal. `last`: nothing is shown
/// from now on.
void erase_progress(bool last);

}  // namespace evname::tools
