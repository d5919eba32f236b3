#pragma once
#include "evname/machine.hpp"

namespace evname::tools {

/// One event as `list --json` and `show --json` print it. Keys: name, pmu, topic, terms, desc,
/// scale, unit, per_pkg, deprecated, model; with `long_desc` also that.
void print_event_json(const EventInfo& event, bool long_desc = false);

}  // namespace evname::tools
