// Implements the recordings, samples and filters of recordings.h.

#include "c/handles.hpp"

using namespace evname::c;

namespace {

using evname::NamedBy;
using evname::SampledOperation;

static_assert(static_cast<int>(NamedBy::recording) == EVNAME_NAMED_BY_RECORDING);
static_assert(static_cast<int>(NamedBy::kernel) == EVNAME_NAMED_BY_KERNEL);
static_assert(static_cast<int>(NamedBy::tables) == EVNAME_NAMED_BY_TABLES);
static_assert(static_cast<int>(NamedBy::code) == EVNAME_NAMED_BY_CODE);
static_assert(static_cast<int>(SampledOperation::load) == EVNAME_OPERATION_LOAD);
static_assert(static_cast<int>(SampledOperation::store) == EVNAME_OPERATION_STORE);
static_assert(static_cast<int>(SampledOperation::prefetch) == EVNAME_OPERATION_PREFETCH);
static_assert(static_cast<int>(SampledOperation::branch) == EVNAME_OPERATION_BRANCH);

/// Opens a recording by `open`, which takes UserEvents.
template <class Open>
int open_with(Needed needed, std::uint32_t flags, evname_recording** out, evname_error* error,
              Open&& open) {
  set(out, nullptr);
  return guarded(error, needed, [&]() -> evname::Result<void> {
    const auto user_events = user_events_of(flags);
    if (!user_events) return evname::fail(user_events);
    return hand_out(open(*user_events), out);
  });
}

}  // namespace

int evname_recording_open(const char* path, evname_recording** out, evname_error* error) {
  set(out, nullptr);
  return guarded(error, {path, out}, [&] { return hand_out(evname::Recording::open(path), out); });
}

int evname_recording_open_with(const char* path, uint32_t flags, evname_recording** out,
                               evname_error* error) {
  return open_with({path, out}, flags, out, error, [&](evname::UserEvents user_events) {
    return evname::Recording::open(path, user_events);
  });
}

int evname_recording_open_bytes(const void* bytes, size_t size, const char* name, uint32_t flags,
                                evname_recording** out, evname_error* error) {
  return open_with(
      {array(bytes, size), name, out}, flags, out, error, [&](evname::UserEvents user_events) {
        const auto* const first = static_cast<const std::uint8_t*>(bytes);
        return evname::Recording::open(std::vector(first, first + size), name, user_events);
      });
}

int evname_recording_open_descriptor(int descriptor, const char* name, uint32_t flags,
                                     evname_recording** out, evname_error* error) {
  return open_with({name, out}, flags, out, error, [&](evname::UserEvents user_events) {
    return evname::Recording::open(descriptor, name, user_events);
  });
}

void evname_recording_free(evname_recording* recording) { delete recording; }

const evname_machine* evname_recording_machine(const evname_recording* recording) {
  return recording == nullptr ? nullptr : &recording->machine;
}

const char* evname_recording_warning(const evname_recording* recording, size_t index) {
  return recording == nullptr ? "" : warning_at(recording->file.warnings(), index);
}

size_t evname_recorded_event_count(const evname_recording* recording) {
  return recording == nullptr ? 0 : recording->file.events().size();
}

int evname_recorded_event_at(const evname_recording* recording, size_t index,
                             evname_recorded_event* out) {
  if (out == nullptr) return EVNAME_INVALID_ARGUMENT;
  *out = {};
  out->name = out->recorded_name = out->modifiers = out->pmu = "";
  if (recording == nullptr) return EVNAME_INVALID_ARGUMENT;
  if (index >= recording->file.events().size()) return EVNAME_OUT_OF_RANGE;
  const evname::RecordedEvent& event = recording->file.events()[index];
  out->name = event.name.c_str();
  out->recorded_name = event.recorded_name.c_str();
  out->modifiers = event.modifiers.c_str();
  out->pmu = event.pmu.c_str();
  out->ids = event.ids.data();
  out->ids_count = event.ids.size();
  out->code = event.code;
  const evname::perf_format::Attr& attr = recording->file.attr(event.attr);
  out->sample_type = attr.sample_type;
  out->user_register_mask = attr.regs_user;
  out->interrupt_register_mask = attr.regs_intr;
  out->exact = event.exact;
  out->named_by = static_cast<std::uint32_t>(event.named_by);
  return EVNAME_OK;
}

namespace evname::c {

std::size_t copy_words(const SampleWords& words, std::vector<std::uint64_t>& to,
                       const std::uint64_t*& place) {
  to.resize(words.size());
  for (std::size_t i = 0; i < words.size(); ++i) to[i] = words[i];
  place = to.data();
  return to.size();
}

}  // namespace evname::c

namespace {

/// Sets all of `out`, which is zero, but its event; lists go to `lists`.
void copy_sample(const evname::Sample& sample, const evname::perf_format::Attr& attr,
                 evname_samples::Lists& lists, evname_sample& out) {
  out.comm = text_of(sample.comm());
  out.cgroup_path = text_of(sample.cgroup_path());
  out.raw = sample.raw().data();
  out.raw_size = sample.raw().size();
  using namespace evname::perf_format;
#define EVNAME_SAMPLE_ALWAYS(name, ...) out.name = sample.name();
#define EVNAME_SAMPLE_NUMBER(name, NAME, ...) \
  if (const auto value = sample.name()) {     \
    out.fields |= EVNAME_SAMPLE_##NAME;       \
    out.name = *value;                        \
  }
#define EVNAME_SAMPLE_LIST(name, NAME, sampled)                         \
  if (attr.samples(sampled)) {                                          \
    out.fields |= EVNAME_SAMPLE_##NAME;                                 \
    out.name##_count = copy_words(sample.name(), lists.name, out.name); \
  }
#include "perf_format/sample_fields.def"
}

}  // namespace

void evname_samples::show(const evname::Sample& from, evname_sample& out) {
  sample = &from;
  out = {};
  out.event = from.event().attr;
  copy_sample(from, file.attr(out.event), lists, out);
}

evname::Result<void> evname_samples::check_sample() const {
  using evname::Errc;
  if (sample == nullptr || !is_readable())
    return evname::fail(Errc::invalid_argument, "the pass is at no sample");
  return {};
}

namespace {

evname::Result<evname::PassOptions> pass_options(std::uint32_t flags) {
  constexpr std::uint32_t kAllFlags = EVNAME_SAMPLES_FILE_ORDER | EVNAME_SAMPLES_SALVAGE;
  if (auto good = check_flags(flags, kAllFlags); !good) return evname::fail(std::move(good));
  evname::PassOptions options;
  options.file_order = (flags & EVNAME_SAMPLES_FILE_ORDER) != 0;
  options.salvage = (flags & EVNAME_SAMPLES_SALVAGE) != 0;
  return options;
}

}  // namespace

int evname_samples_open(const evname_recording* recording, uint32_t flags, evname_samples** out,
                        evname_error* error) {
  return evname_samples_open_with(recording, flags, nullptr, nullptr, out, error);
}

int evname_samples_open_with(const evname_recording* recording, uint32_t flags,
                             evname_progress progress, void* context, evname_samples** out,
                             evname_error* error) {
  set(out, nullptr);
  return guarded(error, {recording, out}, [&]() -> evname::Result<void> {
    auto options = pass_options(flags);
    if (!options) return evname::fail(options);
    options->progress = progress_of(progress, context);
    *out = new evname_samples(*recording, *options);
    return {};
  });
}

void evname_samples_free(evname_samples* samples) { delete samples; }

int evname_samples_next(evname_samples* samples, evname_sample* out) {
  if (lacks({samples, out})) return -EVNAME_INVALID_ARGUMENT;
  *out = {};
  out->comm = out->cgroup_path = "";
  return step(*samples, [&] {
    const evname::Sample* const sample = samples->range.next();
    if (sample != nullptr) samples->show(*sample, *out);
    return sample != nullptr;
  });
}

int evname_samples_tally(const evname_samples* samples, evname_tally* out) {
  set(out, {});
  if (samples == nullptr || !samples->is_readable()) return EVNAME_INVALID_ARGUMENT;
  return guarded(nullptr, {samples, out}, [&] { set_tally(samples->range.tally(), out); });
}

const char* evname_context_name(uint64_t word) { return text_of(evname::context_name(word)); }

const char* evname_samples_warning(const evname_samples* samples, size_t index) {
  return samples == nullptr ? "" : warning_at(samples->tally.warnings, index);
}

namespace evname::c {

SampleFilter filter_of(const evname_filter* from) {
  SampleFilter to;
  if (from == nullptr) return to;
  if (from->event != nullptr) to.event = from->event;
  to.cpus.assign(from->cpus, from->cpus + from->cpus_count);
  to.pids.assign(from->pids, from->pids + from->pids_count);
  to.tids.assign(from->tids, from->tids + from->tids_count);
  to.comms.assign(from->comms, from->comms + from->comms_count);
  for (std::size_t i = 0; i < from->times_count; ++i)
    to.times.push_back({from->times[i].first, from->times[i].last});
  if (from->sym != nullptr) to.sym = from->sym;
  if (from->dso != nullptr) to.dso = from->dso;
  if (from->time_parts != nullptr) to.time_parts = from->time_parts;
  to.min_latency = from->min_latency;
  to.operations = from->operations;
  return to;
}

Result<PassOptions> pass_of(const evname_filter* from) {
  constexpr std::uint64_t kAllOperations = EVNAME_OPERATION_LOAD | EVNAME_OPERATION_STORE |
                                           EVNAME_OPERATION_PREFETCH | EVNAME_OPERATION_BRANCH;
  if (from == nullptr) return PassOptions();
  if (auto good = check_flags(from->operations, kAllOperations); !good) return fail(good);
  if (auto good = check_reserved(from->reserved); !good) return fail(good);
  if (lacks({array(from->cpus, from->cpus_count), array(from->pids, from->pids_count),
             array(from->tids, from->tids_count), array(from->comms, from->comms_count),
             array(from->times, from->times_count)}) ||
      std::ranges::count(std::span(from->comms, from->comms_count), nullptr) != 0)
    return fail(Errc::invalid_argument, "a list of the filter, or a name, is NULL");
  auto options = pass_options(from->samples_flags);
  if (!options) return options;
  options->jobs = from->jobs;
  options->progress = progress_of(from->progress, from->progress_context);
  return options;
}

std::function<bool(std::uint64_t, std::uint64_t)> progress_of(evname_progress tell, void* context) {
  if (tell == nullptr) return {};
  return [tell, context](std::uint64_t done, std::uint64_t total) {
    return tell(context, done, total) == 0;
  };
}

}  // namespace evname::c
