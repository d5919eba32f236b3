#include "sampling/open_recording.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>
#include <map>
#include <numeric>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "base/read_file.hpp"
#include "base/sorting.hpp"
#include "base/text.hpp"
#include "counting/places.hpp"
#include "counting/refusal.hpp"
#include "events/machine/groups.hpp"
#include "evname/attr.hpp"
#include "sampling/existing.hpp"
#include "sampling/first_opening.hpp"
#include "sampling/sampling_attr.hpp"

namespace evname::sampling {
namespace {

constexpr std::string_view kTracker = "dummy:u";

/// The kernel filters tracepoints and probes by fields, and traces by addresses
/// (perf_event_set_filter of kernel/events/core.c).
Result<void> set_filter(const OpenEvent& event, const std::string& filter) {
  if (filter.empty()) return {};
  for (const int file : event.files) {
    if (ioctl(file, PERF_EVENT_IOC_SET_FILTER, filter.c_str()) == 0) continue;
    const bool has_fields = event.encoding.code.type == kTypeTracepoint;
    return fail(Errc::invalid_argument,
                fmt::format("{}: the kernel can't filter it by '{}': {}",
                            counting::name_of(event.encoding), filter, std::strerror(errno)),
                {},
                has_fields ? "its fields are listed in events/SYSTEM/EVENT/format of tracefs"
                           : "only tracepoints have fields to filter by");
  }
  return {};
}

class Opener {
 public:
  Opener(const Machine& machine, const RecordOptions& options, counting::ResolvedTarget& target,
         OpenRecording& out)
      : machine_(machine), options_(options), target_(target), out_(out), pmus_(machine.pmus()) {}

  Result<void> open(std::span<const Encoding> events, const SamplerNeeds& needs);
  /// Returns the index of the event that could not be opened; nullopt: there was another reason.
  std::optional<std::size_t> failed_event() const { return failed_event_; }

 private:
  std::vector<Place> places_of(const Encoding& event, const EventRole& role) const;
  bool needs_tracker(std::span<const Encoding> events) const;
  std::vector<EventRole> roles_of(std::span<const Encoding> events);
  Result<bool> find_traces(std::span<const Encoding> events, bool decodes) const;
  Result<void> add_tracker(std::vector<Encoding>& events, bool has_traces);
  Result<void> choose_options(std::span<const Encoding> events, const SamplerNeeds& needs);
  void limit_frequency(const Encoding& event, std::uint64_t most, EventOptions& own);
  Error refusal_of(const OpenEvent& event, const Place& at, int error, bool in_group) const;
  int open_places(OpenEvent& event, const EventRole& role, FirstOpening& first, Place& refused);
  Result<void> open_event(const Encoding& encoding, const EventRole& role, EventOptions& own);
  void prepare_traces(std::vector<Encoding>& events, bool with_times);

  const Machine& machine_;
  const RecordOptions& options_;
  counting::ResolvedTarget& target_;
  OpenRecording& out_;
  std::vector<PmuInfo> pmus_;
  std::vector<EventOptions> own_;     ///< of each event
  std::vector<std::size_t> origins_;  ///< index of each event in the requested list
  std::optional<std::size_t> failed_event_;
  std::map<std::pair<int, int>, int> leaders_;  ///< thread and CPU: the open leader's file
};

/// An inherited event of a thread has no buffer unless it is opened on each CPU. Processes that
/// start on one CPU may be sampled on another, so that their mappings are recorded on all.
std::vector<Place> Opener::places_of(const Encoding& event, const EventRole& role) const {
  const auto pmu = std::ranges::find(pmus_, event.pmu, &PmuInfo::name);
  const auto cpus = pmu != pmus_.end() ? parse_cpu_list(pmu->cpus) : std::vector<unsigned>();
  // SPE follows threads, although its PMU lists CPUs as uncore PMUs do.
  const bool is_uncore =
      pmu != pmus_.end() && pmu->is_uncore && !event.pmu.starts_with(kDecodedTrace);
  std::vector<Place> out;
  if (role.always_on && !target_.of_task && target_.cgroup_file < 0) {
    for (const unsigned cpu : target_.online) out.push_back({-1, static_cast<int>(cpu), -1});
    return out;
  }
  for (const Counters::Place& place : counting::places_of(target_, cpus, is_uncore)) {
    const Place at{place.thread, place.cpu, target_.cgroup_file};
    if (place.cpu >= 0 || options_.per_thread) {
      out.push_back(at);
      continue;
    }
    for (const unsigned cpu : target_.online)
      if (cpus.empty() || std::ranges::count(cpus, cpu) > 0)
        out.push_back({at.thread, static_cast<int>(cpu), at.cgroup});
  }
  return out;
}

/// Mappings and names are recorded with the first event, unless it is not on all CPUs.
bool Opener::needs_tracker(std::span<const Encoding> events) const {
  const auto cores = std::ranges::count_if(
      pmus_, [](const PmuInfo& pmu) { return pmu.is_core && pmu.is_present; });
  const auto pmu = std::ranges::find(pmus_, events.front().pmu, &PmuInfo::name);
  const bool is_uncore = pmu != pmus_.end() && pmu->is_uncore;
  return (cores > 1 && !machine::is_software(events.front())) || is_uncore;
}

/// One event has the mappings: the last, if it is a tracker, or the first.
std::vector<EventRole> Opener::roles_of(std::span<const Encoding> events) {
  std::vector<EventRole> out(events.size());
  for (std::size_t i = 0; i < events.size(); ++i) {
    out[i].is_alone = events.size() == 1;
    out[i].of_cpu = !target_.of_task;
    out[i].leads = events[i].leader == i;
    out[i].reads_group = events[i].modifiers.find('S') != std::string::npos;
    out[i].is_member = out[i].reads_group && !has_own_rate(events[i]) &&
                       i != machine::sampled_member(machine_, events, events[i].leader);
    out[i].own = &own_[i];
    out[i].traces = machine::is_aux(events[i].pmu);
    own_[i].setup.data_mappings = out_.data_mappings;
  }
  EventRole& tracking = out_.has_own_tracker ? out.back() : out.front();
  tracking.tracks = true;
  tracking.always_on = out_.has_own_tracker;
  return out;
}

/// Explains a refusal by features of sampling, or as for counting.
Error Opener::refusal_of(const OpenEvent& event, const Place& at, int error, bool in_group) const {
  const std::uint64_t fields = counting::as_struct(event.attr).sample_type;
  const std::string name = counting::name_of(event.encoding);
  const bool is_refused = error == EOPNOTSUPP || error == EINVAL || error == ENOENT;
  if (is_refused && (fields & perf_format::kSampleBranchStack) != 0)
    return {Errc::unsupported,
            fmt::format("{}: the PMU {} records no branches, or not of these types", name,
                        event.encoding.pmu),
            {},
            options_.sampling.chains == CallChains::branch_records
                ? "--call-graph fp and --call-graph dwarf need none"
                : "branches are recorded with events of CPUs that have branch records, such as "
                  "cycles"};
  if ((error == EACCES || error == EPERM) && (fields & perf_format::kSamplePhysAddr) != 0)
    return {Errc::io,
            fmt::format("{}: physical addresses need more privileges", name),
            {},
            "they need CAP_PERFMON, or kernel.perf_event_paranoid of 1 or less"};
  return counting::refusal({event.encoding, {at.thread, at.cpu}, in_group, at.cgroup >= 0}, error,
                           machine_, options_.setup.roots);
}

/// Opens the event on each of its places. Returns 0, or the errno of the last failure, with its
/// place in `refused`; ESRCH and ENODEV: the places are gone.
int Opener::open_places(OpenEvent& event, const EventRole& role, FirstOpening& first,
                        Place& refused) {
  int error = 0;
  for (const Place& at : places_of(event.encoding, role)) {
    int leader = -1;
    if (!role.leads) {
      const auto found = leaders_.find({at.thread, at.cpu});
      if (found == leaders_.end()) continue;
      leader = found->second;
    }
    const int file =
        event.files.empty() ? first.open(event, at, leader) : open_at(event.attr, at, leader);
    if (file < 0) {
      error = errno;
      refused = at;
      if (error == ESRCH || error == ENODEV) continue;  // it ended, or the CPU went offline
      break;
    }
    event.files.push_back(file);
    event.places.push_back(at);
    if (role.leads) leaders_[{at.thread, at.cpu}] = file;
  }
  return error;
}

Result<void> Opener::open_event(const Encoding& encoding, const EventRole& role,
                                EventOptions& own) {
  out_.events.push_back({encoding, sampling_attr(encoding, role), {}, {}, {}});
  OpenEvent& event = out_.events.back();
  FirstOpening first(machine_, options_, role, own, out_);
  if (encoding.code.has_type == 0 && !first.use_clock(event))
    if (auto problem = counting::known_problem(encoding, machine_, options_.setup.roots))
      return fail(std::move(*problem));
  Place refused;
  const int error = open_places(event, role, first, refused);
  const bool is_gone = error == 0 || error == ESRCH || error == ENODEV;
  if (!event.files.empty() && is_gone) return {};
  event.encoding.modifiers = encoding.modifiers;
  return fail(refusal_of(event, refused, error != 0 ? error : ENODEV, !role.leads));
}

/// Lowers a frequency above `most`, which the kernel would refuse; 0: its limit is not known.
void Opener::limit_frequency(const Encoding& event, std::uint64_t most, EventOptions& own) {
  const std::uint64_t asked = frequency_of(event, own);
  if (most == 0 || asked <= most) return;
  out_.note(fmt::format("{} samples a second: kernel.perf_event_max_sample_rate permits {}", asked,
                        most));
  own.sampling.frequency = most;
}

/// Sets the options of each event: its own terms, then its own options, then the options of all.
Result<void> Opener::choose_options(std::span<const Encoding> events, const SamplerNeeds& needs) {
  const std::uint64_t most = highest_frequency(options_.setup.roots);
  for (std::size_t i = 0; i < events.size(); ++i) {
    auto own = options_of_event(events[i], i < needs.own.size() ? needs.own[i] : options_);
    if (!own) return fail(std::move(own));
    if (i < needs.filters.size()) own->filter = needs.filters[i];
    // Callers are found in stacks by tables that are mapped as data.
    out_.data_mappings |=
        own->setup.data_mappings || own->sampling.chains == CallChains::stack_copies;
    limit_frequency(events[i], most, *own);
    own_.push_back(std::move(*own));
  }
  return {};
}

/// The buffer beside a trace must belong to the event with the trace, so its group is opened first.
/// Readers of traces follow which thread runs on each CPU.
void Opener::prepare_traces(std::vector<Encoding>& events, bool with_times) {
  std::vector<std::size_t> order(events.size()), place(events.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_partition(
      order, [&](std::size_t i) { return machine::is_aux(events[events[i].leader].pmu); });
  for (std::size_t k = 0; k < order.size(); ++k) place[order[k]] = k;
  std::vector<Encoding> ordered;
  std::vector<EventOptions> own;
  for (const std::size_t i : order) {
    Encoding& event = ordered.emplace_back(std::move(events[i]));
    event.leader = place[event.leader];
    EventOptions& its = own.emplace_back(std::move(own_[i]));
    if (machine::is_aux(event.pmu)) set_trace_options(machine_, event, its, with_times);
    if (!options_.per_thread) its.bits |= perf_format::kSampleCpu;
  }
  events = std::move(ordered);
  own_ = std::move(own);
  origins_ = std::move(order);
}

/// Returns true if an event has a trace. Errors: unsupported for a trace that can't be decoded.
Result<bool> Opener::find_traces(std::span<const Encoding> events, bool decodes) const {
  for (const Encoding& event : events)
    if (decodes && machine::is_aux(event.pmu) && !event.pmu.starts_with(kDecodedTrace))
      return fail(Errc::unsupported,
                  fmt::format("{}: PMU {} writes a trace, not samples", event.name, event.pmu), {},
                  fmt::format("evname record -e {} (Recorder) records it", event.name));
  const auto traced = traced_event(events, options_);
  if (!traced) return fail(traced.error());
  return *traced != nullptr;
}

/// Adds the event that is always on and records mappings, names and, with a trace, switches.
Result<void> Opener::add_tracker(std::vector<Encoding>& events, bool has_traces) {
  auto tracker = machine_.resolve(kTracker);
  if (!tracker) return fail(std::move(tracker));
  tracker->front().leader = events.size();
  events.push_back(tracker->front());
  auto own = options_of_event(tracker->front(), options_);
  if (!own) return fail(std::move(own));
  own->sampling.chains = CallChains::none;
  own->bits &= perf_format::kSampleCpu;  // so that its records end as the others'
  if (has_traces && !options_.per_thread) {
    own->bits |= perf_format::kSampleCpu;
    own->switches = true;
  }
  own->sampling.branches = 0;
  own->sampling.period = 1;
  own->samples = true;
  own->thread_counts = false;
  own_.push_back(std::move(*own));
  return {};
}

Result<void> Opener::open(std::span<const Encoding> wanted, const SamplerNeeds& needs) {
  std::vector<Encoding> events(wanted.begin(), wanted.end());
  origins_.resize(events.size());
  std::iota(origins_.begin(), origins_.end(), 0);
  if (auto done = choose_options(wanted, needs); !done) return done;
  const auto has_traces = find_traces(wanted, needs.decodes_traces);
  if (!has_traces) return fail(has_traces.error());
  if (*has_traces) prepare_traces(events, needs.decodes_traces);
  out_.has_own_tracker = *has_traces || needs.tracks_always || options_.early_mappings ||
                         !target_.of_task || needs_tracker(wanted);
  if (out_.has_own_tracker)
    if (auto done = add_tracker(events, *has_traces); !done) return done;
  const std::vector<EventRole> roles = roles_of(events);
  out_.events.reserve(events.size());
  for (std::size_t i = 0; i < events.size(); ++i) {
    if (roles[i].leads) leaders_.clear();
    if (auto done = open_event(events[i], roles[i], own_[i]); !done) {
      if (i < origins_.size()) failed_event_ = origins_[i];
      return done;
    }
    if (auto done = set_filter(out_.events.back(), own_[i].filter); !done) return done;
  }
  return {};
}

/// The processes that already run in the target.
std::vector<int> processes_of(const CountTarget& target, const Roots& roots) {
  std::vector<int> out;
  if (target.kind == CountTarget::Kind::this_thread) out.push_back(static_cast<int>(getpid()));
  if (target.kind == CountTarget::Kind::processes) out = target.ids;
  if (target.kind == CountTarget::Kind::threads)
    for (const int thread : target.ids) out.push_back(process_of(roots, thread));
  sort_stably(out);
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

/// The requested events, and the options and filter of each if they have their own.
struct WantedEvents {
  std::vector<Encoding> events;
  std::vector<RecordOptions> own;
  std::vector<std::string> filters;

  /// Leaves one event out. The first remaining event of its group becomes the leader.
  void erase(std::size_t index);
};

void WantedEvents::erase(std::size_t index) {
  const auto at = static_cast<std::ptrdiff_t>(index);
  std::size_t leader = SIZE_MAX;
  for (std::size_t i = 0; i < events.size(); ++i) {
    if (i == index || events[i].leader != index) continue;
    leader = std::min(leader, i);
    events[i].leader = leader;
  }
  events.erase(events.begin() + at);
  if (index < own.size()) own.erase(own.begin() + at);
  if (index < filters.size()) filters.erase(filters.begin() + at);
  for (Encoding& event : events) event.leader -= event.leader > index ? 1 : 0;
}

/// Opens all events; `failed` becomes the index of the first that can't be opened.
Result<OpenRecording> open_all(const Machine& machine, const WantedEvents& wanted,
                               const CountTarget& target, const RecordOptions& options,
                               SamplerNeeds needs, std::optional<std::size_t>& failed) {
  needs.own = wanted.own;
  needs.filters = wanted.filters;
  auto resolved = counting::ResolvedTarget::find(target, options.setup.roots);
  if (!resolved) return fail(std::move(resolved));
  OpenRecording out;
  out.of_cpus = !resolved->of_task;
  out.online = resolved->online;
  out.processes = processes_of(target, options.setup.roots);
  Opener opener(machine, options, *resolved, out);
  if (auto done = opener.open(wanted.events, needs); !done) {
    failed = opener.failed_event();
    return fail(std::move(done));
  }
  if (auto done = map_buffers(options, out); !done) return fail(std::move(done));
  // Only events of a thread start with a program's execution.
  if (options.setup.enable_on_exec)
    if (auto done = out.order_all(PERF_EVENT_IOC_ENABLE, true); !done) return fail(std::move(done));
  return out;
}

}  // namespace

Result<OpenRecording> open_recording(const Machine& machine, std::span<const Encoding> events,
                                     const CountTarget& target, const RecordOptions& options,
                                     const SamplerNeeds& needs) {
  if (events.empty()) return fail(Errc::invalid_argument, "no events are named");
  if (options.filters.size() > events.size())
    return fail(Errc::invalid_argument, "there are more filters than events");
  WantedEvents wanted{
      {events.begin(), events.end()}, {needs.own.begin(), needs.own.end()}, options.filters};
  std::vector<std::string> left_out;
  std::optional<Error> first;
  for (;;) {
    std::optional<std::size_t> failed;
    auto out = open_all(machine, wanted, target, options, needs, failed);
    if (out) {
      out->warnings.insert(out->warnings.begin(), left_out.begin(), left_out.end());
      return out;
    }
    if (!options.partial || !failed || out.error().code != Errc::unsupported) return out;
    if (!first) first = out.error();
    if (wanted.events.size() == 1) return fail(std::move(*first));
    left_out.push_back(out.error().message + ": left out");
    wanted.erase(*failed);
  }
}

}  // namespace evname::sampling
