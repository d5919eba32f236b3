// Recordings and their events.

#include "c/guard.hpp"
#include "c/handles.hpp"

using namespace evname::c;

namespace {

using evname::NamedBy;

static_assert(static_cast<int>(NamedBy::recording) == EVNAME_NAMED_BY_RECORDING);
static_assert(static_cast<int>(NamedBy::kernel) == EVNAME_NAMED_BY_KERNEL);
static_assert(static_cast<int>(NamedBy::tables) == EVNAME_NAMED_BY_TABLES);
static_assert(static_cast<int>(NamedBy::code) == EVNAME_NAMED_BY_CODE);

}  // namespace

int evname_recording_open(const char* path, evname_recording** out, evname_error* error) {
  *out = nullptr;
  return guarded(error, [&] { return hand_out(evname::PerfData::open(path), out); });
}

void evname_recording_free(evname_recording* recording) { delete recording; }

const evname_machine* evname_recording_machine(const evname_recording* recording) {
  return &recording->machine;
}

const char* evname_recording_warning(const evname_recording* recording, size_t index) {
  return warning_at(recording->file.warnings(), index);
}

size_t evname_recorded_event_count(const evname_recording* recording) {
  return recording->file.events().size();
}

int evname_recorded_event_at(const evname_recording* recording, size_t index,
                             evname_recorded_event* out) {
  *out = {};
  out->name = out->recorded_name = out->modifiers = out->pmu = "";
  if (index >= recording->file.events().size()) return EVNAME_OUT_OF_RANGE;
  const evname::RecordedEvent& event = recording->file.events()[index];
  out->name = event.name.c_str();
  out->recorded_name = event.recorded_name.c_str();
  out->modifiers = event.modifiers.c_str();
  out->pmu = event.pmu.c_str();
  out->ids = event.ids.data();
  out->ids_count = event.ids.size();
  out->code = event.code;
  out->sample_type = recording->file.attr(event.attr).sample_type;
  out->exact = event.exact;
  out->named_by = static_cast<std::uint32_t>(event.named_by);
  return EVNAME_OK;
}
