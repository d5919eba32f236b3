#pragma once
// --no-user-events, which every subcommand that names events has.

#include "cli/command.hpp"
#include "evname/user_events.hpp"

namespace evname::tools {

void add_user_events(Command& command);

/// As the command line says.
UserEvents user_events();

}  // namespace evname::tools
