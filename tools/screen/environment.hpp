#pragma once
// The environment variables that say what a terminal shows.

#include <string_view>

namespace evname::tools {

struct Variable {
  const char* name;
  std::string_view meaning;
};

inline constexpr Variable kVariables[] = {
    {"NO_COLOR", "Not empty: no colour, unless --color=always asks for it"},
    {"EVNAME_PAGER",
     "What shows long output on a terminal; empty or cat: nothing does. Before PAGER"},
    {"PAGER", "The same for all programs; without either it is less -FRX"},
    {"TERM", "dumb: neither colour nor pager"},
};

/// Empty if it is not set.
std::string_view environment_of(const char* name);

}  // namespace evname::tools
