#include "input/user_events.hpp"

namespace evname::tools {
namespace {

bool g_left_out = false;  // set while the command line is read, before any machine is opened

}  // namespace

void add_user_events(Command& command) {
  command.flag("--no-user-events", g_left_out,
               "Leave out event files of $EVNAME_EVENTS, ~/.local/share/evname/events and "
               "/usr/share/evname/events");
}

UserEvents user_events() { return g_left_out ? UserEvents::leave_out : UserEvents::lay_over; }

}  // namespace evname::tools
