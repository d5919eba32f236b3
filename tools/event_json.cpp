#include "event_json.hpp"

#include "json_line.hpp"

namespace evname::tools {

void print_event_json(const EventInfo& event, bool long_desc) {
  JsonLine line;
  line.text("name", event.name).text("pmu", event.pmu).text("topic", event.topic);
  line.text("terms", event.terms).text("desc", event.desc).real("scale", event.scale);
  line.text("unit", event.unit).boolean("per_pkg", event.per_pkg);
  line.boolean("deprecated", event.deprecated).text("model", event.model);
  if (long_desc) line.text("long_desc", event.long_desc);
}

}  // namespace evname::tools
