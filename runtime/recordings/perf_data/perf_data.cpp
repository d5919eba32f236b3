#include "evname/perf_data.hpp"

#include <algorithm>
#include <set>

#include "base/parallel.hpp"
#include "events/machine/machine_state.hpp"
#include "recordings/perf_data/event_names.hpp"
#include "recordings/perf_data/perf_data_state.hpp"
#include "recordings/perf_data/perf_names.hpp"
#include "recordings/session/event_sums.hpp"

namespace evname {
namespace {

pmu::RecordedPmus recorded_pmus_of(const perfdata::Features& features) {
  pmu::RecordedPmus pmus;
  pmus.mappings = features.pmu_mappings;
  pmus.hybrid = features.hybrid;
  for (const auto& caps : features.caps) pmus.caps.push_back({caps.pmu, caps.values});
  return pmus;
}

/// TRACING_DATA's, and those that only the name of a recorded event tells.
std::vector<std::pair<std::uint64_t, std::string>> tracepoints_of(
    const perfdata::stream::File& file) {
  std::vector<std::pair<std::uint64_t, std::string>> tracepoints;
  std::set<std::uint64_t> known;
  for (const perfdata::TraceFormat& format : file.features.tracing.formats) {
    tracepoints.emplace_back(format.id, format.system + ':' + format.name);
    known.insert(format.id);
  }
  for (const perfdata::Event& event : file.events.list()) {
    if (event.attr.code.type != kTypeTracepoint || !event.name) continue;
    std::string name(recording::read_generic_event_name(*event.name, 1).name);
    if (name.find(':') != name.npos && known.insert(event.attr.code.config[0]).second)
      tracepoints.emplace_back(event.attr.code.config[0], std::move(name));
  }
  return tracepoints;
}

class Pass final : public perfdata::session::SampleSink {
 public:
  Pass(const detail::PerfDataState& state, void* context, bool (*call)(void*, const Sample&))
      : state_(state), context_(context), call_(call) {}

  bool sample(const perfdata::session::SampleView& view) override {
    const detail::SampleRef ref = detail::sample_ref(state_, view);
    return call_(context_, detail::sample_of(ref));
  }

 private:
  const detail::PerfDataState& state_;
  void* context_;
  bool (*call_)(void*, const Sample&);
};

}  // namespace

Result<PerfData> PerfData::open(const std::string& path, UserEvents user_events) {
  auto file = perfdata::stream::File::open(path);
  if (!file) return tl::unexpected(file.error());
  const perfdata::Features& features = file->features;
  const std::string arch = perfdata::architecture(features, file->header.order == std::endian::big);
  Machine machine = recorded_machine(arch, features.cpuid, recorded_pmus_of(features),
                                     tracepoints_of(*file), user_events);
  auto events = recording::name_recorded_events(*file, machine);
  return PerfData(std::make_shared<const detail::PerfDataState>(
      detail::PerfDataState{std::move(*file), std::move(machine), std::move(events)}));
}

PerfData::PerfData(std::shared_ptr<const detail::PerfDataState> state) : state_(std::move(state)) {}

const Machine& PerfData::machine() const { return state_->machine; }
std::span<const RecordedEvent> PerfData::events() const { return state_->events; }
const perfdata::Attr& PerfData::attr(std::size_t index) const {
  return state_->file.events.list()[index].attr;
}
const perfdata::Features& PerfData::features() const { return state_->file.features; }

FileFacts PerfData::facts() const {
  const perfdata::stream::File& file = state_->file;
  FileFacts facts;
  facts.path = file.path;
  facts.form = file.header.pipe          ? FileFacts::Form::pipe
               : file.streams.size() > 1 ? FileFacts::Form::directory
                                         : FileFacts::Form::file;
  facts.big_endian = file.header.order == std::endian::big;
  facts.header_size = file.header.size;
  facts.attr_size = file.header.attr_size;
  facts.data_offset = file.header.data.offset;
  facts.data_size = file.header.data.size;
  for (const perfdata::stream::Stream& stream : file.streams)
    if (!stream.name.empty()) facts.streams.push_back(stream.name);
  return facts;
}

std::string_view record_name(std::uint32_t type) { return perfdata::record_name(type); }

std::span<const std::string> PerfData::warnings() const { return state_->file.warnings; }

SampleTally PerfData::pass(const PassOptions& options, const void* context, Call call) const {
  Pass pass(*state_, const_cast<void*>(context), call);
  return recording::tally_of(
      perfdata::session::Session(state_->file, pass, recording::session_options(options)).run());
}

namespace recording {

perfdata::session::PassOptions session_options(const PassOptions& options) {
  return {options.file_order ? perfdata::session::Order::file : perfdata::session::Order::time,
          options.salvage ? perfdata::Damage::salvage : perfdata::Damage::stop, options.maps,
          options.progress};
}

// Threads take memory, and more than there are cores have nothing to do; a few more do no harm.
unsigned jobs_of(const PassOptions& options) {
  constexpr unsigned kAlways = 16;
  const unsigned cores = core_count();
  return options.jobs > 0 ? std::min(options.jobs, std::max(cores, kAlways)) : cores;
}

static void tell_records(const perfdata::RecordCounts& counts, SampleTally& tally) {
  for (std::uint32_t type = 0; type < perfdata::RecordCounts::kTypes; ++type)
    if (const std::uint64_t count = counts.by_type[type]) tally.records.emplace_back(type, count);
  if (counts.others > 0) tally.records.emplace_back(perfdata::RecordCounts::kTypes, counts.others);
}

SampleTally tally_of(perfdata::session::Tally tally) {
  SampleTally result{
      tally.samples, tally.unknown_ids, tally.malformed, tally.lost, {}, std::move(tally.warnings)};
  tell_records(tally.records, result);
  return result;
}

SampleTally tally_of(const perfdata::session::Sums& sums) {
  SampleTally result;
  for (const SampleSums& event : sums.events) result.samples += event.samples;
  result.lost = sums.lost;
  tell_records(sums.records, result);
  return result;
}

}  // namespace recording

}  // namespace evname
