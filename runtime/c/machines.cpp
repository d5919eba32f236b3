// What this build knows, machines, and the events of a machine.

#include "c/guard.hpp"
#include "c/handles.hpp"
#include "evname/machine.hpp"

using namespace evname::c;

namespace {

const std::vector<evname::ModelInfo>& models() {
  static const std::vector<evname::ModelInfo> kModels = evname::models();
  return kModels;
}

}  // namespace

size_t evname_model_count(void) {
  std::size_t count = 0;
  guarded(nullptr, [&]() -> evname::Result<void> {
    count = models().size();
    return {};
  });
  return count;
}

int evname_model_at(size_t index, evname_model* out) {
  *out = {"", "", 0, {}};
  return guarded(nullptr, [&]() -> evname::Result<void> {
    if (index >= models().size()) return evname::fail(evname::Errc::out_of_range, "no such model");
    const evname::ModelInfo& model = models()[index];
    *out = {text_of(model.arch), text_of(model.name), model.events, {}};
    return {};
  });
}

namespace {

using evname::MatchedBy;

static_assert(static_cast<int>(MatchedBy::none) == EVNAME_MATCHED_BY_NONE);
static_assert(static_cast<int>(MatchedBy::cpuid) == EVNAME_MATCHED_BY_CPUID);
static_assert(static_cast<int>(MatchedBy::name) == EVNAME_MATCHED_BY_NAME);
static_assert(static_cast<int>(MatchedBy::caps) == EVNAME_MATCHED_BY_CAPS);
static_assert(static_cast<int>(MatchedBy::architecture) == EVNAME_MATCHED_BY_ARCHITECTURE);

std::uint32_t flags_of(const evname::PmuInfo& pmu) {
  return flag_if(pmu.type.has_value(), EVNAME_PMU_HAS_TYPE) |
         flag_if(pmu.is_core, EVNAME_PMU_CORE) | flag_if(pmu.is_uncore, EVNAME_PMU_UNCORE) |
         flag_if(pmu.is_present, EVNAME_PMU_PRESENT);
}

}  // namespace

int evname_machine_live(const char* sysfs, const char* procfs, evname_machine** out,
                        evname_error* error) {
  *out = nullptr;
  return guarded(error,
                 [&] { return hand_out(evname::Machine::live(roots_of(sysfs, procfs)), out); });
}

int evname_machine_named(const char* cpu, const char* sysfs, evname_machine** out,
                         evname_error* error) {
  *out = nullptr;
  return guarded(error, [&] {
    return hand_out(evname::Machine::named(cpu, sysfs == nullptr ? "" : sysfs), out);
  });
}

int evname_machine_recorded(const char* path, evname_machine** out, evname_error* error) {
  *out = nullptr;
  return guarded(error, [&] {
    return hand_out(
        evname::PerfData::open(path).map([](const auto& file) { return file.machine(); }), out);
  });
}

int evname_machine_with_events(const evname_machine* machine, const char* directory,
                               evname_machine** out, evname_error* error) {
  *out = nullptr;
  return guarded(error, [&] { return hand_out(machine->machine.with_events(directory), out); });
}

int evname_machine_named_with_events(const char* cpu, const char* sysfs, const char* directory,
                                     evname_machine** out, evname_error* error) {
  *out = nullptr;
  return guarded(error, [&] {
    return hand_out(evname::Machine::named(cpu, sysfs == nullptr ? "" : sysfs, directory), out);
  });
}

int evname_machine_open(const char* cpu, const char* sysfs, const char* procfs, const char* events,
                        uint32_t flags, evname_machine** out, evname_error* error) {
  *out = nullptr;
  return guarded(error, [&]() -> evname::Result<void> {
    const auto user_events = user_events_of(flags);
    if (!user_events) return tl::unexpected(user_events.error());
    auto machine = cpu != nullptr
                       ? evname::Machine::named(cpu, sysfs == nullptr ? "" : sysfs,
                                                events == nullptr ? "" : events, *user_events)
                       : evname::Machine::live(roots_of(sysfs, procfs), *user_events);
    if (machine && cpu == nullptr && events != nullptr) machine = machine->with_events(events);
    return hand_out(std::move(machine), out);
  });
}

size_t evname_laid_events_count(const evname_machine* machine) {
  return machine->machine.laid_events().size();
}

int evname_laid_events_at(const evname_machine* machine, size_t index, evname_laid_events* out) {
  *out = {"", "", 0, 0, {}};
  return guarded(nullptr, [&]() -> evname::Result<void> {
    const auto laid = machine->machine.laid_events();
    if (index >= laid.size())
      return evname::fail(evname::Errc::out_of_range, "no such directory of events");
    out->directory = laid[index].directory.c_str();
    out->version = laid[index].version.c_str();
    out->is_users = laid[index].is_users;
    return {};
  });
}

void evname_machine_free(evname_machine* machine) { delete machine; }

void evname_machine_cpu(const evname_machine* machine, evname_cpu* out) {
  const evname::CpuInfo& cpu = machine->machine.cpu();
  *out = {};
  out->arch = cpu.arch.c_str();
  out->cpuid = cpu.cpuid.c_str();
  out->model = cpu.model.c_str();
  out->note = cpu.note.c_str();
  out->matched_by = static_cast<std::uint32_t>(cpu.matched_by);
}

const char* evname_machine_warning(const evname_machine* machine, size_t index) {
  return warning_at(machine->machine.warnings(), index);
}

size_t evname_pmu_count(const evname_machine* machine) { return machine->pmus.size(); }

int evname_pmu_at(const evname_machine* machine, size_t index, evname_pmu* out) {
  *out = {"", "", 0, 0, {}};
  if (index >= machine->pmus.size()) return EVNAME_OUT_OF_RANGE;
  const evname::PmuInfo& pmu = machine->pmus[index];
  *out = {pmu.name.c_str(), pmu.cpus.c_str(), pmu.type.value_or(0), flags_of(pmu), {}};
  return EVNAME_OK;
}

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
