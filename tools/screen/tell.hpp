#pragma once
// What goes to standard error, in one shape: "evname: …", a line each.

#include <fmt/format.h>

#include <utility>

#include "screen/screen.hpp"

namespace evname::tools {

/// "HEAD TEXT", the head coloured.
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

}  // namespace evname::tools
