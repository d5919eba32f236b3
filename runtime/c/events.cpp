// The events of a machine.

#include "c/guard.hpp"
#include "c/handles.hpp"

using namespace evname::c;

int evname_events_list(const evname_machine* machine, const char* glob, evname_events** out,
                       evname_error* error) {
  *out = nullptr;
  return guarded(error, [&]() -> evname::Result<void> {
    *out = new evname_events{machine->machine.events(glob == nullptr ? "*" : glob)};
    return {};
  });
}

size_t evname_events_count(const evname_events* events) { return events->list.size(); }

int evname_events_at(const evname_events* events, size_t index, evname_event* out) {
  *out = {"", "", "", "", "", "", "", "", 1.0, 0, 0, {}};
  if (index >= events->list.size()) return EVNAME_OUT_OF_RANGE;
  const evname::EventInfo& event = events->list[index];
  out->name = event.name.c_str();
  out->pmu = event.pmu.c_str();
  out->topic = event.topic.c_str();
  out->terms = event.terms.c_str();
  out->desc = event.desc.c_str();
  out->long_desc = event.long_desc.c_str();
  out->unit = event.unit.c_str();
  out->model = event.model.c_str();
  out->scale = event.scale;
  out->flags = flag_if(event.deprecated, EVNAME_EVENT_DEPRECATED) |
               flag_if(event.per_pkg, EVNAME_EVENT_PER_PACKAGE) |
               flag_if(event.source == evname::Source::sysfs, EVNAME_EVENT_OF_SYSFS);
  return EVNAME_OK;
}

void evname_events_free(evname_events* events) { delete events; }
