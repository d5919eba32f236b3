// Machines: where they come from, and what they are.

#include "c/guard.hpp"
#include "c/handles.hpp"
#include "machine/state.hpp"

using namespace evname::c;

namespace {

using evname::MatchedBy;

static_assert(static_cast<int>(MatchedBy::none) == EVNAME_MATCHED_BY_NONE);
static_assert(static_cast<int>(MatchedBy::cpuid) == EVNAME_MATCHED_BY_CPUID);
static_assert(static_cast<int>(MatchedBy::name) == EVNAME_MATCHED_BY_NAME);
static_assert(static_cast<int>(MatchedBy::caps) == EVNAME_MATCHED_BY_CAPS);
static_assert(static_cast<int>(MatchedBy::architecture) == EVNAME_MATCHED_BY_ARCHITECTURE);

std::uint32_t flags_of(const evname::pmu::Pmu& pmu) {
  return flag_if(pmu.type.has_value(), EVNAME_PMU_HAS_TYPE) |
         flag_if(pmu.is_core, EVNAME_PMU_CORE) | flag_if(pmu.is_uncore, EVNAME_PMU_UNCORE) |
         flag_if(pmu.origin != evname::pmu::Origin::builtin, EVNAME_PMU_PRESENT);
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

size_t evname_pmu_count(const evname_machine* machine) {
  return evname::detail::state_of(machine->machine).pmus.size();
}

int evname_pmu_at(const evname_machine* machine, size_t index, evname_pmu* out) {
  *out = {"", "", 0, 0, {}};
  const auto& pmus = evname::detail::state_of(machine->machine).pmus;
  if (index >= pmus.size()) return EVNAME_OUT_OF_RANGE;
  const evname::pmu::Pmu& pmu = pmus[index].pmu;
  *out = {pmu.name.c_str(), pmu.cpus.c_str(), pmu.type.value_or(0), flags_of(pmu), {}};
  return EVNAME_OK;
}
