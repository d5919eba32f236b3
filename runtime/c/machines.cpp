// Implements the machines, names and codes of events.h.

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "base/access.hpp"
#include "c/handles.hpp"
#include "events/machine/lookup.hpp"
#include "evname/encoding.hpp"
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
  guarded(nullptr, [&] { count = models().size(); });
  return count;
}

int evname_model_at(size_t index, evname_model* out) {
  set(out, {"", "", 0, {}});
  return guarded(nullptr, {out}, [&]() -> evname::Result<void> {
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

int evname_machine_recorded(const char* path, evname_machine** out, evname_error* error) {
  set(out, nullptr);
  return guarded(error, {path, out}, [&] {
    return hand_out(
        evname::Recording::open(path).map([](const auto& file) { return file.machine(); }), out);
  });
}

int evname_machine_with_events(const evname_machine* machine, const char* directory,
                               evname_machine** out, evname_error* error) {
  set(out, nullptr);
  return guarded(error, {machine, directory, out},
                 [&] { return hand_out(machine->machine.with_events(directory), out); });
}

int evname_machine_open(const char* cpu, const evname_machine_options* options,
                        evname_machine** out, evname_error* error) {
  set(out, nullptr);
  return guarded(error, {out}, [&]() -> evname::Result<void> {
    const evname_machine_options how = options != nullptr ? *options : evname_machine_options{};
    if (auto good = check_reserved(how.reserved); !good) return evname::fail(good);
    const auto user_events = user_events_of(how.flags);
    if (!user_events) return evname::fail(user_events);
    auto machine =
        cpu != nullptr
            ? evname::Machine::named(cpu, how.sysfs == nullptr ? "" : how.sysfs,
                                     how.events == nullptr ? "" : how.events, *user_events)
            : evname::Machine::live(roots_of(how.sysfs, how.procfs), *user_events);
    if (machine && cpu == nullptr && how.events != nullptr)
      machine = machine->with_events(how.events);
    return hand_out(std::move(machine), out);
  });
}

size_t evname_event_directory_count(const evname_machine* machine) {
  return machine == nullptr ? 0 : machine->machine.event_directories().size();
}

int evname_event_directory_at(const evname_machine* machine, size_t index,
                              evname_event_directory* out) {
  set(out, {"", "", 0, 0, {}});
  return guarded(nullptr, {machine, out}, [&]() -> evname::Result<void> {
    const auto directories = machine->machine.event_directories();
    if (index >= directories.size())
      return evname::fail(evname::Errc::out_of_range, "no such directory of events");
    out->directory = directories[index].directory.c_str();
    out->version = directories[index].version.c_str();
    out->is_users = directories[index].is_users;
    return {};
  });
}

void evname_machine_free(evname_machine* machine) { delete machine; }

void evname_machine_cpu(const evname_machine* machine, evname_cpu* out) {
  if (lacks({machine, out})) return set(out, {"", "", "", "", 0, 0, {}});
  const evname::CpuInfo& cpu = machine->machine.cpu();
  *out = {};
  out->arch = cpu.arch.c_str();
  out->cpuid = cpu.cpuid.c_str();
  out->model = cpu.model.c_str();
  out->note = cpu.note.c_str();
  out->matched_by = static_cast<std::uint32_t>(cpu.matched_by);
}

const char* evname_machine_warning(const evname_machine* machine, size_t index) {
  return machine == nullptr ? "" : warning_at(machine->machine.warnings(), index);
}

size_t evname_pmu_count(const evname_machine* machine) {
  return machine == nullptr ? 0 : machine->pmus.size();
}

int evname_pmu_at(const evname_machine* machine, size_t index, evname_pmu* out) {
  if (out == nullptr) return EVNAME_INVALID_ARGUMENT;
  *out = {"", "", 0, 0, {}};
  if (machine == nullptr) return EVNAME_INVALID_ARGUMENT;
  if (index >= machine->pmus.size()) return EVNAME_OUT_OF_RANGE;
  const evname::PmuInfo& pmu = machine->pmus[index];
  *out = {pmu.name.c_str(), pmu.cpus.c_str(), pmu.type.value_or(0), flags_of(pmu), {}};
  return EVNAME_OK;
}

int evname_events_list(const evname_machine* machine, const char* glob, evname_events** out,
                       evname_error* error) {
  set(out, nullptr);
  return guarded(error, {machine, out}, [&] {
    *out = new evname_events{machine->machine.events(glob == nullptr ? "*" : glob)};
  });
}

size_t evname_events_count(const evname_events* events) {
  return events == nullptr ? 0 : events->list.size();
}

int evname_events_at(const evname_events* events, size_t index, evname_event* out) {
  if (out == nullptr) return EVNAME_INVALID_ARGUMENT;
  *out = {"", "", "", "", "", "", "", "", 1.0, 0, 0, "", {}};
  if (events == nullptr) return EVNAME_INVALID_ARGUMENT;
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
  out->flags =
      flag_if(event.deprecated, EVNAME_EVENT_DEPRECATED) |
      flag_if(event.per_pkg, EVNAME_EVENT_PER_PACKAGE) |
      flag_if(event.source == evname::Source::sysfs, EVNAME_EVENT_OF_SYSFS) |
      flag_if(event.precise != evname::EventInfo::Precision::unknown, EVNAME_EVENT_PRECISE) |
      flag_if(event.precise == evname::EventInfo::Precision::required,
              EVNAME_EVENT_MUST_BE_PRECISE) |
      flag_if(event.precise_address, EVNAME_EVENT_PRECISE_ADDRESS);
  out->errata = event.errata.c_str();
  return EVNAME_OK;
}

void evname_events_free(evname_events* events) { delete events; }

// Names to codes, and back.

namespace evname::c {
namespace {

std::uint32_t flags_of(const Encoding& encoding) {
  if (encoding.modifiers.empty()) return 0;
  std::uint32_t flags = EVNAME_ATTR_MODIFIERS;
#define EVNAME_ATTR_BIT(name, NAME, Name, flag) \
  flags |= flag_if(encoding.bits.name, EVNAME_ATTR_##NAME);
#include "evname/attr_bits.def"
  return flags;
}

}  // namespace

evname_attr attr_of(const Encoding& from) {
  evname_attr to = {};
  to.pmu = text_of(from.pmu);
  to.code = from.code;
  to.period = from.period;
  to.bp_type = from.bp_type;
  to.aux_action = from.aux_action;
  to.flags = flags_of(from);
  to.precise_ip = from.bits.precise_ip;
  to.leader = static_cast<std::uint32_t>(from.leader);
  return to;
}

int event_at(std::span<const Encoding> events, std::span<const std::string> names,
             std::size_t index, evname_attr* out, const char** name) {
  *out = {};
  out->pmu = "";
  if (name != nullptr) *name = "";
  if (index >= names.size()) return EVNAME_OUT_OF_RANGE;
  *out = attr_of(events[index]);
  if (name != nullptr) *name = names[index].c_str();
  return EVNAME_OK;
}

namespace {

/// Converts the members that fill_attr() reads.
Encoding encoding_of(const evname_attr& from) {
  Encoding to;
  to.code = from.code;
  to.bp_type = from.bp_type;
  to.aux_action = from.aux_action;
#define EVNAME_ATTR_BIT(name, NAME, Name, flag) \
  to.bits.name = (from.flags & EVNAME_ATTR_##NAME) != 0;
#include "evname/attr_bits.def"
  to.bits.precise_ip = static_cast<std::uint8_t>(from.precise_ip & 3);
  return to;
}

/// Writes the attrs of one text, as many as fit, and returns their number. A name of one PMU, as
/// most are, needs no allocation.
Result<std::size_t> resolve(const Machine& machine, const char* text, std::span<evname_attr> out) {
  std::array<Encoding, 4> few;
  auto count = machine.resolve(text, few);
  if (!count || *count <= few.size()) {
    for (std::size_t i = 0; count && i < std::min(*count, out.size()); ++i)
      out[i] = attr_of(few[i]);
    return count;
  }
  const auto all = machine.resolve(text);
  if (!all) return evname::fail(all);
  for (std::size_t i = 0; i < std::min(all->size(), out.size()); ++i) out[i] = attr_of((*all)[i]);
  return all->size();
}

}  // namespace
}  // namespace evname::c

int evname_resolve(const evname_machine* machine, const char* text, evname_attr* out, size_t room,
                   size_t* count, evname_error* error) {
  set(count, 0);
  return guarded(error, {machine, text, array(out, room), count}, [&]() -> evname::Result<void> {
    const auto found = resolve(machine->machine, text, {out, room});
    if (!found) return evname::fail(found);
    *count = *found;
    return {};
  });
}

int evname_resolve_batch(const evname_machine* machine, const char* const* texts,
                         size_t texts_count, evname_attr* out, size_t room, size_t* total,
                         evname_answer* answers, evname_error* errors) {
  set(total, 0);
  if (lacks({total, machine, array(texts, texts_count), array(out, room),
             array(answers, texts_count)}))
    return EVNAME_INVALID_ARGUMENT;
  int first_failure = EVNAME_OK;
  for (std::size_t i = 0; i < texts_count; ++i) {
    const std::size_t used = std::min(*total, room);
    evname_error* error = errors == nullptr ? nullptr : &errors[i];
    if (error != nullptr) *error = {};
    evname_answer& answer = answers[i] = {};
    answer.first = *total;
    answer.status =
        evname_resolve(machine, texts[i], out + used, room - used, &answer.count, error);
    *total += answer.count;
    if (first_failure == EVNAME_OK) first_failure = answer.status;
  }
  return first_failure;
}

int evname_attr_fill(const evname_attr* attr, void* perf_event_attr, size_t size,
                     evname_error* error) {
  return guarded(error, {attr, perf_event_attr},
                 [&] { return evname::fill_attr(encoding_of(*attr), perf_event_attr, size); });
}

namespace {

evname::CodeNames names_of(const evname::Machine& machine, const char* pmu,
                           const evname_code& code) {
  return pmu == nullptr ? machine.names_of(code) : machine.names_of(pmu, code);
}

/// Writes texts one after the other, each with its NUL, to a buffer.
class Texts {
 public:
  Texts(char* buffer, bool fits) : buffer_(buffer), fits_(fits) {}

  const char* add(std::string_view text) {
    if (!fits_) return "";
    char* const to = buffer_;
    buffer_ += text.copy(buffer_, text.size());
    *buffer_++ = '\0';
    return to;
  }

 private:
  char* buffer_;
  bool fits_;
};

/// Returns the PMU of a code, the first core PMU if it has no type; "" if the machine has none.
std::string_view pmu_of(const evname::Machine& machine, const evname_code& code) {
  const auto& state = evname::detail::state_of(machine);
  const auto at = evname::machine::pmu_of_type(state, evname::machine::type_of(code));
  return at ? std::string_view(state.pmus[*at].pmu.name) : std::string_view();
}

std::size_t size_of(const evname::CodeNames& found) {
  std::size_t size = found.qualifiers.size() + found.pmu.size() + found.terms.size() + 3;
  for (const std::string& name : found.names) size += name.size() + 1;
  return size;
}

}  // namespace

const char* evname_exact_name(const evname_machine* machine, const char* pmu,
                              const evname_code* code) {
  if (lacks({machine, code})) return "";
  const char* name = nullptr;
  guarded(nullptr, {machine, code}, [&] {
    const std::string_view on = pmu != nullptr ? pmu : pmu_of(machine->machine, *code);
    name = text_of(machine->machine.exact_name(on, *code));
  });
  return name;
}

size_t evname_name_of(const evname_machine* machine, const char* pmu, const evname_code* code,
                      char* buffer, size_t size) {
  if (size > 0) set(buffer, '\0');
  std::size_t length = 0;
  guarded(nullptr, {machine, code, array(buffer, size)},
          [&] { length = copy_text(names_of(machine->machine, pmu, *code).text(), buffer, size); });
  return length;
}

int evname_names_of(const evname_machine* machine, const char* pmu, const evname_code* code,
                    evname_names* out, char* buffer, size_t size, size_t* needed,
                    evname_error* error) {
  set(out, {"", 0, "", "", "", 0, 0, {}});
  if (needed != nullptr) *needed = 0;
  return guarded(error, {machine, code, out, array(buffer, size)}, [&] {
    const evname::CodeNames found = names_of(machine->machine, pmu, *code);
    if (needed != nullptr) *needed = size_of(found);
    Texts texts(buffer, size_of(found) <= size);
    out->count = found.names.size();
    out->exact = found.exact;
    out->qualifiers = texts.add(found.qualifiers);
    out->pmu = texts.add(found.pmu);
    out->terms = texts.add(found.terms);
    for (const std::string& name : found.names) {
      const char* const at = texts.add(name);
      if (&name == found.names.data()) out->names = at;
    }
  });
}
