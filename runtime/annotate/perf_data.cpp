#include "evname/perf_data.hpp"

#include <set>

#include "annotate/naming.hpp"
#include "annotate/perf_data_state.hpp"
#include "annotate/recorded_name.hpp"
#include "event/machine_state.hpp"

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
std::vector<std::pair<std::uint64_t, std::string>> tracepoints_of(const perfdata::File& file) {
  auto tracepoints = file.features.tracepoints;
  std::set<std::uint64_t> known;
  for (const auto& [id, name] : tracepoints) known.insert(id);
  for (const perfdata::Event& event : file.events.list()) {
    if (event.attr.type != kTypeTracepoint || !event.name) continue;
    std::string name(read_generic_event_name(*event.name, 1).name);
    if (name.find(':') != name.npos && known.insert(event.attr.config).second)
      tracepoints.emplace_back(event.attr.config, std::move(name));
  }
  return tracepoints;
}

class Pass final : public perfdata::SampleSink {
 public:
  Pass(const detail::PerfDataState& state, void* context, bool (*call)(void*, const Sample&))
      : state_(state), context_(context), call_(call) {}

  bool sample(const perfdata::SampleView& view) override {
    const auto index = static_cast<std::size_t>(&view.event - state_.file.events.list().data());
    const detail::SampleRef ref{state_.events[index], view};
    return call_(context_, Sample(ref));
  }

 private:
  const detail::PerfDataState& state_;
  void* context_;
  bool (*call_)(void*, const Sample&);
};

template <class T>
std::optional<T> if_sampled(const detail::SampleRef& ref, perfdata::SampleBit bit, T value) {
  return ref.view.event.attr.samples(bit) ? std::optional<T>(value) : std::nullopt;
}

}  // namespace

Result<PerfData> PerfData::open(const std::string& path) {
  auto file = perfdata::File::open(path);
  if (!file) return tl::unexpected(file.error());
  const perfdata::Features& features = file->features;
  Machine machine = recorded_machine(features.arch, features.cpuid, recorded_pmus_of(features),
                                     tracepoints_of(*file));
  auto events = name_recorded_events(*file, machine);
  return PerfData(std::make_shared<const detail::PerfDataState>(
      detail::PerfDataState{std::move(*file), std::move(machine), std::move(events)}));
}

PerfData::PerfData(std::shared_ptr<const detail::PerfDataState> state) : state_(std::move(state)) {}

const Machine& PerfData::machine() const { return state_->machine; }
std::span<const RecordedEvent> PerfData::events() const { return state_->events; }
std::span<const std::string> PerfData::warnings() const { return state_->file.warnings; }

SampleTally PerfData::pass(const void* context, Call call) const {
  Pass pass(*state_, const_cast<void*>(context), call);
  perfdata::Tally tally = perfdata::Session(state_->file, pass).run();
  return {tally.samples, tally.unknown_ids, tally.malformed, tally.lost, std::move(tally.warnings)};
}

const RecordedEvent& Sample::event() const { return ref_->event; }

std::string_view Sample::comm() const { return tid() ? ref_->view.comm : std::string_view{}; }
std::optional<std::int32_t> Sample::pid() const {
  return if_sampled(*ref_, perfdata::kSampleTid, ref_->view.core.pid);
}
std::optional<std::int32_t> Sample::tid() const {
  return if_sampled(*ref_, perfdata::kSampleTid, ref_->view.core.tid);
}
std::optional<std::uint32_t> Sample::cpu() const {
  return if_sampled(*ref_, perfdata::kSampleCpu, ref_->view.core.cpu);
}
std::optional<std::uint64_t> Sample::time() const {
  return if_sampled(*ref_, perfdata::kSampleTime, ref_->view.core.time);
}
std::optional<std::uint64_t> Sample::ip() const {
  return if_sampled(*ref_, perfdata::kSampleIp, ref_->view.core.ip);
}
std::optional<std::uint64_t> Sample::addr() const {
  return if_sampled(*ref_, perfdata::kSampleAddr, ref_->view.core.addr);
}
std::uint64_t Sample::period() const { return ref_->view.core.period; }

}  // namespace evname
