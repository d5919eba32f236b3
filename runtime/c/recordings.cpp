// Recordings: their events and their samples.

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

int evname_recording_open_with(const char* path, uint32_t flags, evname_recording** out,
                               evname_error* error) {
  *out = nullptr;
  return guarded(error, [&]() -> evname::Result<void> {
    const auto user_events = user_events_of(flags);
    if (!user_events) return tl::unexpected(user_events.error());
    return hand_out(evname::PerfData::open(path, *user_events), out);
  });
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

using evname::Sample;

namespace {

struct Word {
  std::uint32_t field;
  std::optional<std::uint64_t> (Sample::*get)() const;
  std::uint64_t evname_sample::*to;
};

constexpr Word kWords[] = {
    {EVNAME_SAMPLE_TIME, &Sample::time, &evname_sample::time},
    {EVNAME_SAMPLE_IP, &Sample::ip, &evname_sample::ip},
    {EVNAME_SAMPLE_ADDR, &Sample::addr, &evname_sample::addr},
    {EVNAME_SAMPLE_ID, &Sample::id, &evname_sample::id},
    {EVNAME_SAMPLE_WEIGHT, &Sample::weight, &evname_sample::weight},
    {EVNAME_SAMPLE_DATA_SRC, &Sample::data_src, &evname_sample::data_src},
    {EVNAME_SAMPLE_TRANSACTION, &Sample::transaction, &evname_sample::transaction},
    {EVNAME_SAMPLE_PHYS_ADDR, &Sample::phys_addr, &evname_sample::phys_addr},
    {EVNAME_SAMPLE_CGROUP, &Sample::cgroup, &evname_sample::cgroup},
    {EVNAME_SAMPLE_DATA_PAGE_SIZE, &Sample::data_page_size, &evname_sample::data_page_size},
    {EVNAME_SAMPLE_CODE_PAGE_SIZE, &Sample::code_page_size, &evname_sample::code_page_size},
};

void set_thread(const Sample& sample, evname_sample& out) {
  out.comm = text_of(sample.comm());
  if (!sample.tid()) return;
  out.fields |= EVNAME_SAMPLE_TID;
  out.pid = *sample.pid();
  out.tid = *sample.tid();
}

/// All but the callchain; `out` is zero.
void set_sample(const Sample& sample, evname_sample& out) {
  out.period = sample.period();
  out.misc = sample.misc();
  set_thread(sample, out);
  if (const auto cpu = sample.cpu()) {
    out.fields |= EVNAME_SAMPLE_CPU;
    out.cpu = *cpu;
  }
  for (const Word& word : kWords)
    if (const auto value = (sample.*word.get)()) {
      out.fields |= word.field;
      out.*word.to = *value;
    }
}

}  // namespace

struct evname_samples {
  /// Sets `out` to the next one. False: there are no more.
  bool next(evname_sample& out) {
    const Sample* const sample = range.next();
    if (sample == nullptr) {
      tally = range.tally();
      return false;
    }
    out.event = sample->event().attr;
    set_sample(*sample, out);
    if (file.attr(out.event).samples(evname::perfdata::kSampleCallchain))
      set_chain(sample->callchain(), out);
    return true;
  }

  void set_chain(const evname::SampleWords& words, evname_sample& out) {
    chain.resize(words.size());
    for (std::size_t i = 0; i < words.size(); ++i) chain[i] = words[i];
    out.fields |= EVNAME_SAMPLE_CALLCHAIN;
    out.callchain = chain.data();
    out.callchain_count = chain.size();
  }

  evname::PerfData file;
  evname::SampleRange range;
  std::vector<std::uint64_t> chain;  ///< of the sample that was handed out last
  evname::SampleTally tally;         ///< of the whole pass, at its end
  bool ended = false;
};

int evname_samples_open(const evname_recording* recording, uint32_t flags, evname_samples** out,
                        evname_error* error) {
  *out = nullptr;
  return guarded(error, [&]() -> evname::Result<void> {
    const auto options = pass_options(flags);
    if (!options) return tl::unexpected<evname::Error>(options.error());
    *out = new evname_samples{recording->file, recording->file.samples(*options), {}, {}};
    return {};
  });
}

void evname_samples_free(evname_samples* samples) { delete samples; }

int evname_samples_next(evname_samples* samples, evname_sample* out) {
  *out = {};
  out->comm = "";
  if (samples->ended) return 0;
  samples->ended = true;  // also if it fails
  const int status = guarded(nullptr, [&]() -> evname::Result<void> {
    samples->ended = !samples->next(*out);
    return {};
  });
  return samples->ended ? -status : 1;
}

int evname_samples_tally(const evname_samples* samples, evname_tally* out) {
  *out = {};
  return guarded(nullptr, [&]() -> evname::Result<void> {
    *out = tally_of(samples->range.tally());
    return {};
  });
}

const char* evname_samples_warning(const evname_samples* samples, size_t index) {
  return warning_at(samples->tally.warnings, index);
}
