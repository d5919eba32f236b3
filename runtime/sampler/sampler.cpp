#include "evname/sampler.hpp"

#include <poll.h>
#include <sys/ioctl.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <linux/perf_event.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <map>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/read_file.hpp"
#include "base/sorting.hpp"
#include "base/text.hpp"
#include "counting/refusal.hpp"
#include "events/machine/groups.hpp"
#include "evname/attr.hpp"
#include "recordings/locations/location_cache.hpp"
#include "recordings/perf_data/perf_names.hpp"
#include "sampler/drain_thread.hpp"
#include "sampler/live_samples.hpp"
#include "sampling/open_recording.hpp"

namespace evname {
namespace {

using sampler::DrainThread;
using sampler::KeptRecords;
using sampler::LiveSamples;
using sampling::OpenRecording;

/// Returns the records that describe the traces; empty: there are none.
std::string description_of(const OpenRecording& open, const Machine& machine,
                           const RecordOptions& options) {
  if (open.traces.empty()) return {};
  std::vector<Encoding> events;
  for (const sampling::OpenEvent& event : open.events) events.push_back(event.encoding);
  return sampling::trace_description(machine, events, options, open.of_cpus,
                                     *open.rings[open.traces.front().ring].page());
}

/// Returns a recording that has the events, and no samples.
Recording recording_of(OpenRecording& open, const Machine& machine, std::string_view traces) {
  stream::File file;
  file.path = "live samples";
  utsname system{};
  uname(&system);
  file.features.arch = system.machine;
  file.features.os_release = system.release;
  std::size_t index = 0;
  for (const sampling::OpenEvent& event : open.events) {
    file.events.add(perf_format::decode_attr(event.attr, std::endian::native), event.ids);
    file.events.at(index++).set_name(counting::name_of(event.encoding));
  }
  const spe::Records description{
      {reinterpret_cast<const std::uint8_t*>(traces.data()), traces.size()}};
  perf_format::Warnings warnings;
  file.trace = spe::read_trace({&description, 1}, std::endian::native, {},
                               traces.empty() ? TraceOptions::none() : TraceOptions(), file.events,
                               warnings);
  for (std::string& warning : warnings.take()) open.note(std::move(warning));
  auto events = perf_data::name_recorded_events(file, machine);
  return detail::Access::make<Recording>(std::make_shared<const detail::RecordingState>(
      detail::RecordingState{std::move(file), machine, std::move(events)}));
}

const perf_format::Events& events_of(const Recording& data) {
  return detail::state_of(data).file.events;
}

/// Returns the clock of the samples, unless the kernel has refused it.
std::optional<int> clock_of(const Recording& data) {
  const perf_format::Attr& attr = data.attr(0);
  return attr.has(perf_format::kUseClockid) ? std::optional(static_cast<int>(attr.clockid))
                                            : std::nullopt;
}

}  // namespace

struct Sampler::State {
  State(const Machine& of, RecordOptions how, OpenRecording opened,
        std::unique_ptr<DrainThread> drainer)
      : machine(of),
        options(std::move(how)),
        open(std::move(opened)),
        traces(description_of(open, machine, options)),
        data(recording_of(open, machine, traces)),
        live(std::make_shared<LiveSamples>(events_of(data), open.rings, clock_of(data))),
        range(detail::range_over(data, live)),
        thread(std::move(drainer)) {
    for (const int file : open.awaited_files()) waits.push_back({file, POLLIN, 0});
    waits.reserve(waits.size() + 1);
    if (const auto& trace = detail::state_of(data).file.trace)
      live->add_traces(*trace, open.traces);
  }
  /// A child of fork(2) has no such thread.
  ~State() {
    if (!is_own()) (void)thread.release();
  }
  State(const State&) = delete;

  bool is_own() const { return process == static_cast<int>(getpid()); }
  Result<void> check_process() const;
  Result<void> begin(std::size_t keep);
  Result<bool> wait(unsigned milliseconds, int also = -1);
  std::uint64_t lost() const;

  int process = static_cast<int>(getpid());
  Machine machine;
  RecordOptions options;
  OpenRecording open;
  std::string traces;  ///< records that describe them; empty: there are none
  Recording data;
  std::shared_ptr<LiveSamples> live;
  SampleRange range;
  std::optional<KeptRecords> kept;
  std::vector<pollfd> waits;
  std::unique_ptr<DrainThread> thread;
};

Result<void> Sampler::State::check_process() const {
  if (is_own()) return {};
  return fail(Errc::invalid_argument, "the sampler belongs to the parent process", {},
              "open another one after fork()");
}

Result<void> Sampler::State::begin(std::size_t keep) {
  open.existing_records(
      options, [&](std::string_view record) { live->read_made(record); }, nullptr, true,
      open.samples_kernel());
  if (keep == 0) return {};
  kept.emplace(open, machine, options, keep, traces);
  live->keep_in(&*kept);
  return kept->begin();
}

/// The buffers of an ended thread hang up, and need no more waiting.
Result<bool> Sampler::State::wait(unsigned milliseconds, int also) {
  waits.push_back({also, POLLIN, 0});
  const int got = poll(waits.data(), waits.size(), static_cast<int>(milliseconds));
  const int error = errno;
  waits.pop_back();
  if (got < 0 && error != EINTR) return fail(Errc::io, std::strerror(error));
  for (pollfd& wait : waits)
    if (got > 0 && (wait.revents & (POLLHUP | POLLERR)) != 0) wait.fd = -1;
  return std::ranges::any_of(waits, [](const pollfd& wait) { return wait.fd >= 0; });
}

/// Kernels since 6.0 count the losses of each event. Older kernels write a record once the buffer
/// has room again.
std::uint64_t Sampler::State::lost() const {
  std::uint64_t out = 0;
  for (const sampling::OpenEvent& event : open.events) {
    const perf_format::Attr& attr =
        data.attr(static_cast<std::size_t>(&event - open.events.data()));
    if ((attr.read_format & perf_format::kReadLost) == 0) return live->lost();
    if ((attr.read_format & perf_format::kReadGroup) != 0) return live->lost();
    for (const int file : event.files) {
      std::uint64_t words[5];  // value, times enabled and running if asked for, id, lost
      const ssize_t got = read(file, words, sizeof words);
      if (got >= static_cast<ssize_t>(3 * sizeof *words)) out += words[got / sizeof *words - 1];
    }
  }
  return out;
}

namespace {

RecordOptions common_options(const SamplerOptions& options, const CountTarget& target) {
  RecordOptions out;
  out.setup = options.setup;
  out.inherit = options.inherit;
  const bool of_task =
      target.kind != CountTarget::Kind::cpus && target.kind != CountTarget::Kind::cgroup;
  out.per_thread = of_task && !options.inherit;
  out.clock = options.clock;
  return out;
}

/// Returns the target without a thread of this process.
CountTarget target_without(const CountTarget& target, int thread, const Roots& roots) {
  const int own = static_cast<int>(getpid());
  if (target.kind != CountTarget::Kind::processes || std::ranges::count(target.ids, own) == 0)
    return target;
  CountTarget out = target;
  out.kind = CountTarget::Kind::threads;
  out.ids.clear();
  for (const int process : target.ids)
    for (const std::string& name : list_directory(fmt::format("{}/{}/task", roots.procfs, process)))
      if (const auto id = parse_decimal(name);
          id && *id <= INT32_MAX && *id != static_cast<std::uint64_t>(thread))
        out.ids.push_back(static_cast<int>(*id));
  return out;
}

}  // namespace

Sampler::Sampler(std::unique_ptr<State> state) : state_(std::move(state)) {}
Sampler::Sampler(Sampler&&) noexcept = default;
Sampler& Sampler::operator=(Sampler&&) noexcept = default;
Sampler::~Sampler() = default;

Result<Sampler> Sampler::open(const Machine& machine, std::span<const SampledEvents> events,
                              const CountTarget& target, const SamplerOptions& options) {
  RecordOptions common = common_options(options, target);
  std::vector<Encoding> encodings;
  std::vector<RecordOptions> own;
  for (const SampledEvents& list : events) {
    RecordOptions how = common;
    how.sampling = list.sampling;
    auto found = machine.resolve(list.events);
    if (!found) return fail(std::move(found));
    const std::size_t first = encodings.size();
    for (Encoding& one : *found) {
      one.leader += first;
      encodings.push_back(std::move(one));
      own.push_back(how);
    }
  }
  // Traces have perf's own clock.
  if (std::ranges::any_of(encodings, [](const Encoding& e) { return machine::is_aux(e.pmu); })) {
    common.clock.reset();
    for (RecordOptions& how : own) how.clock.reset();
  }
  std::unique_ptr<DrainThread> thread;
  if (options.thread) {
    auto started = DrainThread::start();
    if (!started) return fail(std::move(started));
    thread = std::move(*started);
  }
  const CountTarget without =
      thread ? target_without(target, thread->id(), options.setup.roots) : target;
  auto opened =
      sampling::open_recording(machine, encodings, without, common,
                               {.own = own, .tracks_always = true, .decodes_traces = true});
  if (!opened) return fail(std::move(opened));
  auto state = std::make_unique<State>(machine, common, std::move(*opened), std::move(thread));
  if (auto done = state->begin(options.keep); !done) return fail(std::move(done));
  return Sampler(std::move(state));
}

Result<Sampler> Sampler::open(const Machine& machine, std::string_view events,
                              const CountTarget& target, const SamplerOptions& options) {
  const SampledEvents one{.events = std::string(events)};
  return open(machine, std::span(&one, 1), target, options);
}

std::span<const RecordedEvent> Sampler::events() const {
  const auto all = state_->data.events();
  return state_->traces.empty() ? all.first(all.size() - 1) : all;
}
std::span<const std::string> Sampler::warnings() const { return state_->open.warnings; }
Recording Sampler::recording() const { return state_->data; }

Result<void> Sampler::enable() {
  if (auto good = state_->check_process(); !good) return good;
  return state_->open.order_all(PERF_EVENT_IOC_ENABLE);
}

Result<void> Sampler::disable() {
  if (auto good = state_->check_process(); !good) return good;
  return state_->open.order_all(PERF_EVENT_IOC_DISABLE);
}

Result<bool> Sampler::wait(unsigned milliseconds) {
  if (auto good = check_readable(); !good) return fail(std::move(good));
  return state_->wait(milliseconds);
}

SampleRange& Sampler::samples() { return state_->range; }

Result<void> Sampler::start(std::function<void(const Sample&)> fn, unsigned milliseconds) {
  const auto read_all = [fn = std::move(fn)](SampleRange& samples) {
    while (const Sample* const sample = samples.next()) fn(*sample);
  };
  return start_reading(read_all, milliseconds);
}

Result<void> Sampler::start_reading(std::function<void(SampleRange&)> fn, unsigned milliseconds) {
  State& state = *state_;
  if (auto good = state.check_process(); !good) return good;
  if (!state.thread)
    return fail(Errc::invalid_argument, "the sampler has no thread", {},
                "open it with SamplerOptions::thread");
  if (state.thread->is_busy())
    return fail(Errc::invalid_argument, "the thread of the sampler is at work already");
  state.thread->begin([&state, fn = std::move(fn), milliseconds](int stop_file) {
    (void)state.wait(milliseconds, stop_file);
    fn(state.range);
  });
  return {};
}

Result<void> Sampler::stop() {
  if (auto good = state_->check_process(); !good) return good;
  return state_->thread ? state_->thread->finish() : Result<void>();
}

bool Sampler::is_readable() const { return !state_->thread || state_->thread->is_free(); }

Result<void> Sampler::check_readable() const {
  if (auto good = state_->check_process(); !good) return good;
  if (is_readable()) return {};
  return fail(Errc::invalid_argument, "the thread of the sampler reads the samples", {},
              "stop it first");
}

Sampler::Losses Sampler::losses() const {
  return {state_->lost() + state_->live->truncated(), state_->live->damaged(),
          state_->kept ? state_->kept->left_out() : 0};
}

Result<Recording> Sampler::take_recording() {
  if (auto good = check_readable(); !good) return fail(std::move(good));
  if (!state_->kept)
    return fail(Errc::invalid_argument, "the sampler keeps no samples", {},
                "open it with SamplerOptions::keep");
  state_->live->keep_traces();
  return state_->kept->take();
}

struct SampleScope::State {
  State(Sampler& of, std::unique_ptr<const Symbols> own, const Symbols& symbols)
      : sampler(of), own_symbols(std::move(own)), locations(of.recording(), symbols) {}

  void add(const Sample& sample);

  using Key = std::pair<std::string, std::string>;  ///< function and file
  Sampler& sampler;
  std::unique_ptr<const Symbols> own_symbols;  ///< nullptr: the caller's are used
  Locations locations;
  std::map<std::pair<std::size_t, Key>, SampleScope::Function> functions;  ///< by event, too
  std::unordered_map<std::uint64_t, SampleScope::Function*> by_location;   ///< and event
};

void SampleScope::State::add(const Sample& sample) {
  const Locations::Named& location = locations.at(sample, perf_data::instruction_of(sample));
  const std::size_t event = sample.event().attr;
  SampleScope::Function*& row = by_location[std::uint64_t{event} << 32 | location.id];
  if (row == nullptr) {
    std::string name;
    locations::append_label(name, location, location.frames.front());
    const std::string dso(location.dso);
    row = &functions.try_emplace({event, {name, dso}}, SampleScope::Function{name, dso})
               .first->second;
  }
  ++row->samples;
  row->period += sample.period();
}

SampleScope::SampleScope(Sampler& sampler) {
  auto own = std::make_unique<const Symbols>();
  const Symbols& symbols = *own;
  state_ = std::make_unique<State>(sampler, std::move(own), symbols);
}
SampleScope::SampleScope(Sampler& sampler, const Symbols& symbols)
    : state_(std::make_unique<State>(sampler, nullptr, symbols)) {}
SampleScope::SampleScope(SampleScope&&) noexcept = default;
SampleScope& SampleScope::operator=(SampleScope&&) noexcept = default;
SampleScope::~SampleScope() = default;

Result<void> SampleScope::start() {
  if (auto good = state_->sampler.check_readable(); !good) return good;
  while (state_->sampler.samples().next() != nullptr) {
  }
  return state_->sampler.enable();
}

Result<void> SampleScope::stop() {
  if (auto good = state_->sampler.check_readable(); !good) return good;
  auto done = state_->sampler.disable();
  while (const Sample* const sample = state_->sampler.samples().next()) state_->add(*sample);
  return done;
}

std::vector<SampleScope::Function> SampleScope::functions(std::size_t event) const {
  std::vector<SampleScope::Function> out;
  for (const auto& [key, function] : state_->functions)
    if (key.first == event) out.push_back(function);
  sort_stably(out, [](const SampleScope::Function& a, const SampleScope::Function& b) {
    return a.period > b.period;
  });
  return out;
}

}  // namespace evname
