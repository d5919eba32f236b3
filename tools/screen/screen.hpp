#pragma once
// What a terminal gets beside the plain text: colours and a pager.

#include <string>
#include <string_view>

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

/// Decides once, for standard output and standard error, before anything is printed: colour is for
/// terminals, unless --color says otherwise.
void choose_colors(const ScreenOptions& options);

/// The text for standard output, coloured if that is wanted; the same bytes if not.
std::string colored(Role role, std::string_view text);

/// The same, filled with spaces (outside the colour) to that width.
std::string colored(Role role, std::string_view text, std::size_t width);

/// The text for standard error.
std::string colored_error(Role role, std::string_view text);

}  // namespace evname::tools
