// The samples of a recording, one after the other.

#include "recording/perf_data_state.hpp"
#include "c/guard.hpp"
#include "c/handles.hpp"

using namespace evname::c;
using evname::Sample;

namespace {

struct Word {
  std::uint32_t field;
  std::optional<std::uint64_t> (Sample::*get)() const;
  std::uint64_t evname_sample::* to;
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

evname::perfdata::session::PassOptions options_of(std::uint32_t flags) {
  evname::PassOptions options;
  options.file_order = (flags & EVNAME_SAMPLES_FILE_ORDER) != 0;
  options.salvage = (flags & EVNAME_SAMPLES_SALVAGE) != 0;
  auto session = evname::detail::session_options(options);
  session.stepwise = true;
  return session;
}

}  // namespace

/// A pass that is left behind each record. Most give one sample.
struct evname_samples final : evname::perfdata::session::SampleSink {
  evname_samples(const evname::PerfData& data, std::uint32_t flags)
      : file(data), session(file.state().file, *this, options_of(flags)) {}

  bool sample(const evname::perfdata::session::SampleView& view) override {
    const evname::detail::SampleRef ref = evname::detail::sample_ref(file.state(), view);
    const Sample from(ref);
    evname_sample& to = ready.emplace_back();
    to.event = static_cast<std::uint64_t>(&from.event() - file.events().data());
    set_sample(from, to);
    if (view.event.attr.samples(evname::perfdata::kSampleCallchain)) keep_chain(from);
    return true;
  }

  // Samples of one record have its callchain.
  void keep_chain(const Sample& from) {
    const evname::SampleWords words = from.callchain();
    chain.resize(words.size());
    for (std::size_t i = 0; i < words.size(); ++i) chain[i] = words[i];
    ready.back().fields |= EVNAME_SAMPLE_CALLCHAIN;
    ready.back().callchain_count = chain.size();
  }

  /// Is there one? It is then ready[next].
  bool find_next() {
    if (++next < ready.size()) return true;
    ready.clear();
    next = 0;
    while (ready.empty() && session.advance()) {
    }
    return !ready.empty();
  }

  evname::PerfData file;
  evname::perfdata::session::Session session;
  std::vector<evname_sample> ready;  ///< of one record
  std::size_t next = 0;
  std::vector<std::uint64_t> chain;
  bool broken = false;  ///< an exception left the pass in the middle
};

int evname_samples_open(const evname_recording* recording, uint32_t flags, evname_samples** out,
                        evname_error* error) {
  *out = nullptr;
  return guarded(error, [&]() -> evname::Result<void> {
    if ((flags & ~(EVNAME_SAMPLES_FILE_ORDER | EVNAME_SAMPLES_SALVAGE)) != 0)
      return evname::fail(evname::Errc::invalid_argument, "flags has bits that mean nothing");
    *out = new evname_samples(recording->file, flags);
    return {};
  });
}

void evname_samples_free(evname_samples* samples) { delete samples; }

int evname_samples_next(evname_samples* samples, evname_sample* out) {
  bool found = false;
  int status = EVNAME_OK;
  if (!samples->broken)
    status = guarded(nullptr, [&]() -> evname::Result<void> {
      found = samples->find_next();
      return {};
    });
  samples->broken |= status != EVNAME_OK;
  *out = found ? samples->ready[samples->next] : evname_sample{};
  if (!found) out->comm = "";
  if (out->fields & EVNAME_SAMPLE_CALLCHAIN) out->callchain = samples->chain.data();
  return found ? 1 : -status;
}

void evname_samples_tally(const evname_samples* samples, evname_tally* out) {
  const evname::perfdata::session::Tally& tally = samples->session.tally();
  *out = {tally.samples, tally.unknown_ids, tally.malformed, tally.lost, {}};
}

const char* evname_samples_warning(const evname_samples* samples, size_t index) {
  return warning_at(samples->session.tally().warnings, index);
}
