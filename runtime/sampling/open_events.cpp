#include "sampling/open_events.hpp"

#include <sys/ioctl.h>
#include <sys/syscall.h>
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
#include "sampling/map_buffers.hpp"
#include "sampling/sampling_attr.hpp"
#include "sampling/sampling_terms.hpp"

namespace evname::sampling {
namespace {

using counting::AttrBytes;

constexpr std::string_view kTracker = "dummy:u";

int open_at(const AttrBytes& attr, const Place& at, int leader) {
  const unsigned long flags = PERF_FLAG_FD_CLOEXEC | (at.cgroup >= 0 ? PERF_FLAG_PID_CGROUP : 0);
  const int thread = at.cgroup >= 0 ? at.cgroup : at.thread;
  return static_cast<int>(syscall(SYS_perf_event_open, attr.data(), thread, at.cpu, leader, flags));
}

bool names_privileges(const Encoding& event) {
  return event.modifiers.find_first_of("ukhGH") != std::string::npos;
}

/// Returns true for the generic event cycles, also if nothing tells which PMU has it.
bool is_cycles(const Encoding& event) {
  if (event.code.has_type == 0) return event.name == "cycles" || event.name == "cpu-cycles";
  return event.code.type == kTypeHardware && event.code.config[0] == 0;
}

class Opener {
 public:
  Opener(const Machine& machine, const RecordOptions& options, counting::ResolvedTarget& target,
         OpenRecording& out)
      : machine_(machine), options_(options), target_(target), out_(out), pmus_(machine.pmus()) {}

  Result<void> open(std::span<const Encoding> events, const SamplerNeeds& needs);

 private:
  std::vector<Place> places_of(const Encoding& event, const EventRole& role) const;
  bool needs_tracker(std::span<const Encoding> events) const;
  std::vector<EventRole> roles_of(std::span<const Encoding> events) const;
  Result<void> choose_options(std::span<const Encoding> events, const SamplerNeeds& needs);
  void limit_frequency(const Encoding& event, std::uint64_t most, RecordOptions& own);
  Error refusal_of(const OpenEvent& event, const Place& at, int error, bool in_group) const;
  int adapt(OpenEvent& event, const EventRole& role, const Place& at, int leader);
  int give_up_extras(OpenEvent& event, const Place& at, int leader);
  int lower_frequency(OpenEvent& event, const EventRole& role, const Place& at, int leader);
  bool give_up_precision(OpenEvent& event, const EventRole& role);
  bool restrict_to_user_space(OpenEvent& event, const EventRole& role);
  bool use_clock(OpenEvent& event, const EventRole& role);
  Result<void> open_event(OpenEvent event, const EventRole& role);
  Result<void> set_filter(const OpenEvent& event) const;
  void prepare_traces(std::vector<Encoding>& events, bool with_times);

  const Machine& machine_;
  const RecordOptions& options_;
  counting::ResolvedTarget& target_;
  OpenRecording& out_;
  std::vector<PmuInfo> pmus_;
  std::vector<RecordOptions> own_;              ///< of each event
  std::map<std::pair<int, int>, int> leaders_;  ///< thread and CPU: the open leader's file
};

/// An inherited event of a thread has no buffer unless it is opened on each CPU. Processes that
/// start on one CPU may be sampled on another, so that their mappings are recorded on all.
std::vector<Place> Opener::places_of(const Encoding& event, const EventRole& role) const {
  const auto pmu = std::ranges::find(pmus_, event.pmu, &PmuInfo::name);
  const auto cpus = pmu != pmus_.end() ? cpu_numbers(pmu->cpus) : std::vector<unsigned>();
  // SPE follows threads, though its PMU names its CPUs as uncore ones do.
  const bool is_uncore =
      pmu != pmus_.end() && pmu->is_uncore && !event.pmu.starts_with(kDecodedTrace);
  std::vector<Place> out;
  if (role.always_on && !target_.of_task && target_.cgroup_file < 0) {
    for (const unsigned cpu : target_.online) out.push_back({-1, static_cast<int>(cpu), -1});
    return out;
  }
  for (const CountPlace& place : counting::places_of(target_, cpus, is_uncore)) {
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

std::vector<EventRole> Opener::roles_of(std::span<const Encoding> events) const {
  std::vector<EventRole> out(events.size());
  for (std::size_t i = 0; i < events.size(); ++i) {
    out[i].is_alone = events.size() == 1;
    out[i].of_cpu = !target_.of_task;
    out[i].leads = events[i].leader == i;
    out[i].reads_group = events[i].modifiers.find('S') != std::string::npos;
    out[i].is_member = out[i].reads_group && !out[i].leads;
  }
  return out;
}

/// `P` asks for the most precise samples that the CPU has; a number is what has to be.
bool Opener::give_up_precision(OpenEvent& event, const EventRole& role) {
  if (event.encoding.modifiers.find('P') == std::string::npos) return false;
  if (event.encoding.bits.precise_ip == 0) return false;
  --event.encoding.bits.precise_ip;
  event.attr = sampling_attr(event.encoding, options_, role);
  return true;
}

bool Opener::restrict_to_user_space(OpenEvent& event, const EventRole& role) {
  if (!options_.user_space_if_refused || names_privileges(event.encoding)) return false;
  event.encoding.bits.exclude_kernel = event.encoding.bits.exclude_hv = true;
  event.encoding.modifiers += 'u';
  event.attr = sampling_attr(event.encoding, options_, role);
  out_.note("the kernel may not be sampled: user space alone is");
  return true;
}

/// Machines without a core PMU have a clock instead of cycles, as perf decides.
bool Opener::use_clock(OpenEvent& event, const EventRole& role) {
  if (!is_cycles(event.encoding)) return false;
  const auto clock = machine_.resolve("cpu-clock");
  if (!clock || clock->empty()) return false;
  const Encoding before = event.encoding;
  event.encoding = clock->front();
  event.encoding.leader = before.leader;
  event.encoding.modifiers = before.modifiers;
  std::erase_if(event.encoding.modifiers,
                [](char letter) { return letter == 'P' || letter == 'p'; });
  event.encoding.bits = attr_bits(event.encoding.modifiers);
  event.attr = sampling_attr(event.encoding, options_, role);
  out_.note(fmt::format("{}: this machine has no core PMU; sampled cpu-clock instead",
                        counting::name_of(before)));
  return true;
}

/// Opens an event for the first time, giving up what this machine refuses. Older kernels refuse
/// bits of the attr that they do not know before anything else.
int Opener::adapt(OpenEvent& event, const EventRole& role, const Place& at, int leader) {
  for (;;) {
    int file = open_at(event.attr, at, leader);
    if (file < 0 && errno == EINVAL) file = give_up_extras(event, at, leader);
    if (file < 0 && errno == EINVAL) file = lower_frequency(event, role, at, leader);
    if (file >= 0) return file;
    const int error = errno;
    bool changed = false;
    if (error == EINVAL || error == EOPNOTSUPP || error == ENOENT)
      changed = give_up_precision(event, role);
    if (!changed && (error == EACCES || error == EPERM))
      changed = restrict_to_user_space(event, role);
    if (!changed && (error == ENOENT || error == ENODEV || error == ENXIO))
      changed = use_clock(event, role);
    errno = error;
    if (!changed) return file;
  }
}

/// Halves a frequency until the kernel takes it, if its limit can't be read. The kernel may refuse
/// the event then for another reason, in errno. If the frequency is not the reason, it stays.
int Opener::lower_frequency(OpenEvent& event, const EventRole& role, const Place& at, int leader) {
  const bool is_limit_known = highest_frequency(options_.roots) != 0;
  errno = EINVAL;
  const std::uint64_t asked = frequency_of(event.encoding, *role.own);
  if (is_limit_known || asked == 0) return -1;
  RecordOptions& own = own_[static_cast<std::size_t>(role.own - own_.data())];
  const std::uint64_t before = own.frequency;
  const AttrBytes whole = event.attr;
  for (own.frequency = asked / 2; own.frequency > 0; own.frequency /= 2) {
    event.attr = sampling_attr(event.encoding, options_, role);
    int file = open_at(event.attr, at, leader);
    if (file < 0 && errno == EINVAL) file = give_up_extras(event, at, leader);
    const int error = errno;
    if (file < 0 && error == EINVAL) continue;
    out_.note(fmt::format("{} samples a second: the kernel permits fewer, and takes {}", asked,
                          own.frequency));
    errno = error;
    return file;
  }
  own.frequency = before;
  event.attr = whole;
  errno = EINVAL;
  return -1;
}

/// Gives up what older kernels refuse, the newest first, and takes back what was not the reason. If
/// the event can't be opened, the attr stays, and errno is the reason that the extras hid.
int Opener::give_up_extras(OpenEvent& event, const Place& at, int leader) {
  const AttrBytes whole = event.attr;
  std::vector<std::size_t> given_up;
  std::vector<std::string_view> names;
  int file = -1;
  for (std::size_t step = 0; file < 0 && errno == EINVAL; ++step) {
    const auto what = give_up(event.attr, step);
    if (!what) break;
    if (!what->had_it) continue;
    given_up.push_back(step);
    names.push_back(what->what);
    file = open_at(event.attr, at, leader);
  }
  if (file < 0) {
    event.attr = whole;
    return file;
  }
  for (std::size_t i = 0; i + 1 < given_up.size();) {
    OpenEvent more = event;
    more.attr = whole;
    for (const std::size_t step : given_up)
      if (step != given_up[i]) (void)give_up(more.attr, step);
    const int other = open_at(more.attr, at, leader);
    if (other < 0) {
      ++i;
      continue;
    }
    ::close(std::exchange(file, other));
    event.attr = more.attr;
    given_up.erase(given_up.begin() + static_cast<std::ptrdiff_t>(i));
    names.erase(names.begin() + static_cast<std::ptrdiff_t>(i));
  }
  for (const std::string_view name : names)
    out_.note(fmt::format("the kernel has no {}: left out", name));
  return file;
}

/// Explains a refusal by what only samples have, or as that of a count.
Error Opener::refusal_of(const OpenEvent& event, const Place& at, int error, bool in_group) const {
  perf_event_attr attr{};
  std::memcpy(&attr, event.attr.data(), std::min(sizeof attr, event.attr.size()));
  const std::string name = counting::name_of(event.encoding);
  const bool is_refused = error == EOPNOTSUPP || error == EINVAL || error == ENOENT;
  if (is_refused && (attr.sample_type & PERF_SAMPLE_BRANCH_STACK) != 0)
    return {Errc::unsupported,
            fmt::format("{}: the PMU {} records no branches, or not of these types", name,
                        event.encoding.pmu),
            {},
            options_.chains == CallChains::branch_records
                ? "--call-graph fp and --call-graph dwarf need none"
                : "branches are recorded with events of CPUs that have branch records, such as "
                  "cycles"};
  if ((error == EACCES || error == EPERM) && (attr.sample_type & PERF_SAMPLE_PHYS_ADDR) != 0)
    return {Errc::io,
            fmt::format("{}: physical addresses are not for everybody", name),
            {},
            "they need CAP_PERFMON, or kernel.perf_event_paranoid of 1 or less"};
  return counting::refusal({event.encoding, {at.thread, at.cpu}, in_group, at.cgroup >= 0}, error,
                           machine_, options_.roots);
}

Result<void> Opener::open_event(OpenEvent event, const EventRole& role) {
  const std::string asked_modifiers = event.encoding.modifiers;
  if (event.encoding.code.has_type == 0 && !use_clock(event, role))
    if (auto problem = counting::known_problem(event.encoding, machine_, options_.roots))
      return fail(std::move(*problem));
  const std::vector<Place> places = places_of(event.encoding, role);
  int error = ENODEV;
  Place refused;
  for (const Place& at : places) {
    int leader = -1;
    if (!role.leads) {
      const auto found = leaders_.find({at.thread, at.cpu});
      if (found == leaders_.end()) continue;
      leader = found->second;
    }
    const int file =
        event.files.empty() ? adapt(event, role, at, leader) : open_at(event.attr, at, leader);
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
  const bool is_gone = error == ESRCH || error == ENODEV;
  out_.events.push_back(std::move(event));
  OpenEvent& kept = out_.events.back();
  if (!kept.files.empty() && is_gone) return {};
  kept.encoding.modifiers = asked_modifiers;
  return fail(refusal_of(kept, refused, error, !role.leads));
}

/// Lowers a frequency above `most`, which the kernel would refuse; 0: its limit is not known.
void Opener::limit_frequency(const Encoding& event, std::uint64_t most, RecordOptions& own) {
  const std::uint64_t asked = frequency_of(event, own);
  if (most == 0 || asked <= most) return;
  out_.note(fmt::format("{} samples a second: kernel.perf_event_max_sample_rate permits {}", asked,
                        most));
  own.frequency = most;
}

/// Sets the options of each event: its own terms, then what is asked of it, then of all.
Result<void> Opener::choose_options(std::span<const Encoding> events, const SamplerNeeds& needs) {
  const std::uint64_t most = highest_frequency(options_.roots);
  for (std::size_t i = 0; i < events.size(); ++i) {
    auto own = options_of_event(events[i], i < needs.own.size() ? needs.own[i] : options_);
    if (!own) return fail(std::move(own));
    // Callers are found in stacks by tables that are mapped as data.
    out_.data_mappings |= own->data_mappings || own->chains == CallChains::stack_copies;
    limit_frequency(events[i], most, *own);
    own_.push_back(std::move(*own));
  }
  return {};
}

/// The buffer with a trace beside it has to be that of the event with the trace: its group is
/// opened first. Readers of traces follow which thread runs on each CPU.
void Opener::prepare_traces(std::vector<Encoding>& events, bool with_times) {
  std::vector<std::size_t> order(events.size()), place(events.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_partition(
      order, [&](std::size_t i) { return machine::is_aux(events[events[i].leader].pmu); });
  for (std::size_t k = 0; k < order.size(); ++k) place[order[k]] = k;
  std::vector<Encoding> ordered;
  std::vector<RecordOptions> own;
  for (const std::size_t i : order) {
    Encoding& event = ordered.emplace_back(std::move(events[i]));
    event.leader = place[event.leader];
    RecordOptions& its = own.emplace_back(std::move(own_[i]));
    if (machine::is_aux(event.pmu)) set_trace_options(machine_, event, its, with_times);
    if (!options_.per_thread) its.fields |= PERF_SAMPLE_CPU;
  }
  events = std::move(ordered);
  own_ = std::move(own);
}

Result<void> Opener::open(std::span<const Encoding> wanted, const SamplerNeeds& needs) {
  std::vector<Encoding> events(wanted.begin(), wanted.end());
  if (auto done = choose_options(wanted, needs); !done) return done;
  const auto is_traced = [](const Encoding& e) { return machine::is_aux(e.pmu); };
  const bool has_traces = std::ranges::any_of(wanted, is_traced);
  const auto of_trace = std::ranges::find_if(
      wanted, [&](const Encoding& e) { return is_traced(e) && !e.pmu.starts_with(kDecodedTrace); });
  if (needs.decodes_traces && of_trace != wanted.end())
    return fail(Errc::unsupported,
                fmt::format("{}: what the PMU {} writes are no samples but a trace", of_trace->name,
                            of_trace->pmu),
                {}, fmt::format("evname record -e {} (Recorder) records it", of_trace->name));
  if (auto traced = traced_event(wanted, options_); !traced) return fail(std::move(traced));
  if (has_traces) prepare_traces(events, needs.decodes_traces);
  out_.has_own_tracker = has_traces || needs.tracks_always || options_.early_mappings ||
                         !target_.of_task || needs_tracker(wanted);
  if (out_.has_own_tracker) {
    auto tracker = machine_.resolve(kTracker);
    if (!tracker) return fail(std::move(tracker));
    tracker->front().leader = events.size();
    events.push_back(tracker->front());
    RecordOptions of_tracker = options_;
    of_tracker.chains = CallChains::none;
    of_tracker.fields &= PERF_SAMPLE_CPU;  // as the records of the others end
    if (has_traces && !options_.per_thread) {
      of_tracker.fields |= PERF_SAMPLE_CPU;
      of_tracker.switches = true;
    }
    of_tracker.branches = 0;
    of_tracker.period = 1;
    of_tracker.samples = true;
    of_tracker.thread_counts = false;
    own_.push_back(std::move(of_tracker));
  }
  std::vector<EventRole> roles = roles_of(events);
  EventRole& tracking = out_.has_own_tracker ? roles.back() : roles.front();
  tracking.tracks = true;
  tracking.always_on = out_.has_own_tracker;
  for (std::size_t i = 0; i < roles.size(); ++i) {
    roles[i].own = &own_[i];
    roles[i].traces = machine::is_aux(events[i].pmu);
    own_[i].data_mappings = out_.data_mappings;
  }
  for (std::size_t i = 0; i < events.size(); ++i) {
    if (roles[i].leads) leaders_.clear();
    OpenEvent event{events[i], sampling_attr(events[i], options_, roles[i]), {}, {}, {}};
    if (auto done = open_event(std::move(event), roles[i]); !done) return done;
    if (auto done = set_filter(out_.events.back()); !done) return done;
  }
  return {};
}

Result<void> Opener::set_filter(const OpenEvent& event) const {
  if (options_.filter.empty() || event.encoding.code.type != kTypeTracepoint ||
      event.encoding.code.has_type == 0)
    return {};
  for (const int file : event.files)
    if (ioctl(file, PERF_EVENT_IOC_SET_FILTER, options_.filter.c_str()) != 0)
      return fail(Errc::invalid_argument,
                  fmt::format("{}: the kernel can't filter by '{}': {}", event.encoding.name,
                              options_.filter, std::strerror(errno)),
                  {}, "its fields are listed in events/SYSTEM/EVENT/format of tracefs");
  return {};
}

/// The processes that run in the target already.
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

/// Returns the size of what sample_id_all adds to each record that is no sample.
std::size_t id_size(const AttrBytes& bytes) {
  perf_event_attr attr{};
  std::memcpy(&attr, bytes.data(), std::min(sizeof attr, bytes.size()));
  constexpr std::uint64_t kInTrailer[] = {PERF_SAMPLE_TID, PERF_SAMPLE_TIME,
                                          PERF_SAMPLE_ID,  PERF_SAMPLE_STREAM_ID,
                                          PERF_SAMPLE_CPU, PERF_SAMPLE_IDENTIFIER};
  std::size_t out = 0;
  for (const std::uint64_t bit : kInTrailer) out += (attr.sample_type & bit) != 0 ? 8 : 0;
  return out;
}

}  // namespace

void OpenRecording::note(std::string text) {
  if (std::ranges::count(notes, text) == 0) notes.push_back(std::move(text));
}

OpenRecording::~OpenRecording() {
  rings.clear();
  for (const OpenEvent& event : events)
    for (const int file : event.files) ::close(file);
}

std::vector<RecordedEvent> OpenRecording::recorded_events() const {
  std::uint32_t size = 0;
  for (const OpenEvent& event : events)
    size = std::max(size, load<std::uint32_t>(event.attr.data() + 4, std::endian::native));
  std::vector<RecordedEvent> out;
  for (const OpenEvent& event : events)
    out.push_back({{reinterpret_cast<const char*>(event.attr.data()), size},
                   counting::name_of(event.encoding),
                   event.ids,
                   event.encoding.leader});
  return out;
}

Result<void> OpenRecording::order_all(unsigned long request) const {
  for (std::size_t i = 0; i + (has_own_tracker ? 1 : 0) < events.size(); ++i) {
    if (events[i].encoding.leader != i) continue;
    for (const int file : events[i].files)
      if (ioctl(file, request, PERF_IOC_FLAG_GROUP) != 0)
        return fail(Errc::io, std::strerror(errno));
  }
  return {};
}

Result<void> OpenRecording::order(std::size_t event, unsigned long request) const {
  if (event >= events.size()) return fail(Errc::invalid_argument, "there is no such event");
  for (const int file : events[event].files)
    if (ioctl(file, request, 0) != 0) return fail(Errc::io, std::strerror(errno));
  return {};
}

bool OpenRecording::samples_kernel() const {
  return std::ranges::any_of(
      events, [](const OpenEvent& event) { return !event.encoding.bits.exclude_kernel; });
}

void OpenRecording::existing_records(const RecordOptions& options, const RecordSink& sink,
                                     BuildIds* build_ids, bool of_kernel) {
  const MadeRecords how{id_size(events.front().attr), data_mappings, &options.roots, build_ids};
  if (of_kernel && !kernel_records(how, sink) && samples_kernel()) {
    const std::string_view why =
        is_directory(options.roots.procfs + "/self")
            ? "the kernel keeps its addresses to itself (kernel.kptr_restrict): its functions have "
              "no names"
            : "no procfs is mounted: functions of the kernel have no names";
    note(std::string(why));
  }
  if (options.cgroups) cgroup_records(how, sink);
  if (options.enable_on_exec)  // its mappings and its own name come with the execution
    for (const int process : processes)
      sink(name_record(how, process, process, name_of_thread(options.roots, process)));
  else
    process_records(how, of_cpus ? std::span<const int>() : processes, sink);
}

Result<OpenRecording> open_recording(const Machine& machine, std::span<const Encoding> events,
                                     const CountTarget& target, const RecordOptions& options,
                                     const SamplerNeeds& needs) {
  if (events.empty()) return fail(Errc::invalid_argument, "no events are named");
  auto resolved = counting::ResolvedTarget::find(target, options.roots);
  if (!resolved) return fail(std::move(resolved));
  OpenRecording out;
  out.of_cpus = !resolved->of_task;
  out.online = resolved->online;
  out.processes = processes_of(target, options.roots);
  Opener opener(machine, options, *resolved, out);
  if (auto done = opener.open(events, needs); !done) return fail(std::move(done));
  if (auto done = map_buffers(options, out); !done) return fail(std::move(done));
  return out;
}

}  // namespace evname::sampling
