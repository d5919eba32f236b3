#include "evname/perf_data.hpp"

#include <algorithm>
#include <set>

#include "base/parallel.hpp"
#include "events/machine/machine_state.hpp"
#include "recordings/perf_data/perf_data_state.hpp"
#include "recordings/perf_data/perf_names.hpp"
#include "recordings/stream/perf_refusals.hpp"

namespace evname {
namespace {

pmu::RecordedPmus recorded_pmus_of(const perf_format::Features& features) {
  pmu::RecordedPmus pmus;
  pmus.mappings = features.pmu_mappings;
  pmus.hybrid = features.hybrid;
  for (const auto& caps : features.caps) pmus.caps.push_back({caps.pmu, caps.values});
  return pmus;
}

/// Returns the tracepoints of TRACING_DATA, and those known only from the names of events.
std::vector<std::pair<std::uint64_t, std::string>> tracepoints_of(const stream::File& file) {
  std::vector<std::pair<std::uint64_t, std::string>> tracepoints;
  std::set<std::uint64_t> known;
  for (const perf_format::TraceFormat& format : file.features.tracing.formats) {
    tracepoints.emplace_back(format.id, format.system + ':' + format.name);
    known.insert(format.id);
  }
  for (const perf_format::Event& event : file.events.list()) {
    if (event.attr.code.type != kTypeTracepoint || !event.name) continue;
    std::string name(perf_data::read_generic_event_name(*event.name, 1).name);
    if (name.find(':') != name.npos && known.insert(event.attr.code.config[0]).second)
      tracepoints.emplace_back(event.attr.code.config[0], std::move(name));
  }
  return tracepoints;
}

}  // namespace

Result<PerfData> PerfData::open(const std::string& path, UserEvents user_events) {
  return open(path, user_events, TraceOptions::none());
}

Result<PerfData> PerfData::open(const std::string& path, UserEvents user_events,
                                const TraceOptions& traces) {
  return over(stream::File::open(path, traces), user_events);
}

Result<PerfData> PerfData::open(std::vector<std::uint8_t> bytes, std::string name,
                                UserEvents user_events, const TraceOptions& traces) {
  return over(stream::File::of_bytes(std::move(bytes), std::move(name), traces), user_events);
}

Result<PerfData> PerfData::open(int descriptor, std::string name, UserEvents user_events,
                                const TraceOptions& traces) {
  return over(stream::File::of_descriptor(descriptor, std::move(name), traces), user_events);
}

Result<PerfData> PerfData::over(Result<stream::File> file, UserEvents user_events) {
  if (!file) return fail(file);
  const perf_format::Features& features = file->features;
  const std::string arch =
      perf_format::architecture(features, file->header.order == std::endian::big);
  Machine machine = recorded_machine(arch, features.cpuid, recorded_pmus_of(features),
                                     tracepoints_of(*file), user_events, features.cpu_desc);
  auto events = perf_data::name_recorded_events(*file, machine);
  return PerfData(std::make_shared<const detail::PerfDataState>(
      detail::PerfDataState{std::move(*file), std::move(machine), std::move(events)}));
}

PerfData::PerfData(std::shared_ptr<const detail::PerfDataState> state) : state_(std::move(state)) {}

const Machine& PerfData::machine() const { return state_->machine; }
std::span<const RecordedEvent> PerfData::events() const { return state_->events; }
const perf_format::Attr& PerfData::attr(std::size_t index) const {
  return state_->file.events.list()[index].attr;
}
const perf_format::Features& PerfData::features() const { return state_->file.features; }

std::vector<std::string> PerfData::refused_by_perf(bool all_records) const {
  using stream::Looked;
  return stream::perf_refusals(state_->file, all_records ? Looked::all : Looked::first);
}

FileFacts PerfData::facts() const {
  const stream::File& file = state_->file;
  FileFacts facts;
  facts.path = file.path;
  facts.decodes_traces = file.trace != nullptr;
  facts.undecoded_traces = file.undecoded_traces;
  facts.form = file.header.pipe          ? FileFacts::Form::pipe
               : file.streams.size() > 1 ? FileFacts::Form::directory
                                         : FileFacts::Form::file;
  facts.big_endian = file.header.order == std::endian::big;
  facts.header_size = file.header.size;
  facts.attr_size = file.header.attr_size;
  facts.data_offset = file.header.data.offset;
  facts.data_size = file.header.data.size;
  for (const stream::Stream& stream : file.streams)
    if (!stream.name.empty()) facts.streams.push_back(stream.name);
  return facts;
}

std::string_view record_name(std::uint32_t type) { return perf_format::record_name(type); }

std::span<const std::string> PerfData::warnings() const { return state_->file.warnings; }

namespace perf_data {

// Threads take memory, and more threads than cores have nothing to do; a few more do no harm.
unsigned jobs_of(const PassOptions& options) {
  constexpr unsigned kAlways = 16;
  const unsigned cores = core_count();
  return options.jobs > 0 ? std::min(options.jobs, std::max(cores, kAlways)) : cores;
}

}  // namespace perf_data

}  // namespace evname
