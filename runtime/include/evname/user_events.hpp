#pragma once
// Event files that a user has beside the tables of the build.

#include <cstdint>
#include <string>

namespace evname {

/// Whether event files of the user are laid over the tables of the build. They are looked for in
/// the directories of the environment variable EVNAME_EVENTS (separated by ':'), in those inside of
/// $XDG_DATA_HOME/evname/events (by default ~/.local/share/evname/events) and in those inside of
/// /usr/share/evname/events. Each is a kernel-layout tree or a copy of what a maker of CPUs
/// publishes, such as Intel's perfmon repository. Of several that have an event of the CPU, the one
/// that states the newest version counts. Only the files for the CPU in question are read, and what
/// is wrong with them is in Machine::warnings(). If EVNAME_EVENTS is set but empty, there are none.
enum class UserEvents : std::uint8_t {
  lay_over,   ///< over the tables of the build, for each machine that is made
  leave_out,  ///< the environment and these directories are not looked at
};

/// A directory of event files that serves a machine.
struct EventDirectory {
  std::string directory;  ///< as it was given or found
  std::string version;    ///< that it states of this CPU's events, "V1.20"; may be empty
  bool is_users = false;  ///< one of UserEvents; false: Machine::with_events()
};

}  // namespace evname
