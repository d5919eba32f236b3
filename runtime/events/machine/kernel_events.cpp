#include "events/machine/kernel_events.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <tuple>

#include "base/glob.hpp"
#include "base/read_file.hpp"
#include "base/sorting.hpp"
#include "base/text.hpp"
#include "events/machine/machine_state.hpp"
#include "events/syntax/kernel_names.hpp"
#include "evname/attr.hpp"
#include "evname/encoding.hpp"

namespace evname::machine {
namespace {

struct ImpliedPmu {
  std::string_view name;
  std::uint32_t type;
};
// Source: perf_pmus__… of util/pmus.c, which adds them without reading sysfs, and util/pmu.h.
constexpr ImpliedPmu kImpliedPmus[] = {{"software", kTypeSoftware},
                                       {"tracepoint", kTypeTracepoint},
                                       {"breakpoint", kTypeBreakpoint},
                                       {"tool", kTypeTool}};

/// Returns true if perf has this tool event on machines of this architecture. Source:
/// tool_pmu__skip_event.
bool has_tool_event(std::string_view event, std::string_view arch) {
  if (event == "slots") return arch == "arm64";
  return event != "system_tsc_freq" || arch == "x86";
}

std::vector<pmu::SysfsEvent> implied_events(std::uint32_t type, std::string_view arch) {
  constexpr std::uint64_t kLastClock = 1;  // cpu-clock and task-clock count nanoseconds
  constexpr std::uint64_t kLastTime = 3;   // so do duration_time, user_time and system_time
  std::vector<pmu::SysfsEvent> out;
  const auto events = type == kTypeSoftware ? syntax::software_events()
                      : type == kTypeTool   ? syntax::tool_events()
                                            : std::span<const tables::NamedNumber>();
  out.reserve(events.size());
  for (const tables::NamedNumber& event : events) {
    if (type == kTypeTool && !has_tool_event(event.name, arch)) continue;
    pmu::SysfsEvent& added = out.emplace_back();
    added.name = event.name;
    added.terms = fmt::format("config={:#x}", event.number);
    added.implied = true;
    if (type == kTypeTool && event.number <= kLastTime) added.unit = "ns";
    if (type != kTypeSoftware || event.number > kLastClock) continue;
    added.scale = 1e-6;
    added.unit = "msec";
  }
  sort_stably_by(out, &pmu::SysfsEvent::name);
  return out;
}

/// A '[' alone does not make a glob, but is special in one (util/parse-events.c).
bool is_glob(std::string_view text) { return text.find_first_of("*?") != text.npos; }

bool matches(const std::string& part, std::string_view name) {
  return is_glob(part) ? glob_match(part, name) : part == name;
}

/// Returns the entries for a part of a name: itself, or the matches of a glob.
std::vector<std::string> matching_entries(const std::string& directory, const std::string& part) {
  if (!is_glob(part)) return {part};
  auto names = list_directory(directory);
  std::erase_if(names, [&](const std::string& name) { return !matches(part, name); });
  return names;
}

Result<std::uint64_t> read_id(const std::string& directory) {
  const auto text = read_head(directory + "/id");
  if (!text) return fail(text);
  if (const auto id = parse_decimal(trim(*text))) return *id;
  return fail(Errc::corrupt, "not a number", directory + "/id");
}

/// Reports a name spelled out that has no readable id. Matches of a glob without id are not
/// tracepoints (such as "enable" and "filter").
Result<std::vector<Tracepoint>> in_tracefs(const std::string& root, const std::string& system,
                                           const std::string& event) {
  const std::string events = root + "/events";
  std::vector<Tracepoint> found;
  std::string why;
  for (const std::string& first : matching_entries(events, system))
    for (const std::string& second : matching_entries(events + "/" + first, event)) {
      if (const auto id = read_id(fmt::format("{}/{}/{}", events, first, second)))
        found.push_back({first + ":" + second, *id});
      else
        why = id.error().text();
    }
  if (!found.empty()) return found;
  if (is_glob(system) || is_glob(event)) why.clear();
  if (!is_directory(events)) why = events + ": tracefs is not mounted there, or not for this user";
  return fail(Errc::not_found, fmt::format("no id of tracepoint '{}:{}'", system, event), {}, why);
}

Result<std::vector<Tracepoint>> in_recording(const TracepointSource& source,
                                             const std::string& system, const std::string& event) {
  std::vector<Tracepoint> found;
  for (const auto& [id, name] : source.recorded) {
    const auto colon = name.find(':');
    if (colon == name.npos || !matches(system, name.substr(0, colon)) ||
        !matches(event, name.substr(colon + 1)))
      continue;
    found.push_back({name, id});
  }
  sort_stably(found, [](const Tracepoint& a, const Tracepoint& b) {
    return std::tie(a.name, a.id) < std::tie(b.name, b.id);
  });
  if (!found.empty()) return found;
  if (source.recorded.empty())
    return fail(Errc::unsupported,
                fmt::format("the recording does not have the number of tracepoint '{}:{}': it has "
                            "no TRACING_DATA, which perf writes where a tracepoint is recorded",
                            system, event));
  return fail(Errc::not_found,
              fmt::format("no tracepoint '{}:{}' in the recording's TRACING_DATA", system, event));
}

class KernelLister {
 public:
  explicit KernelLister(std::string_view glob) : glob_(to_lower(glob)) {}

  void add(std::string_view pmu, std::string name, std::string terms, std::string desc) {
    if (!glob_.matches(to_lower(name))) return;
    EventInfo info;
    info.name = std::move(name);
    info.pmu = pmu;
    info.topic = pmu == kTracepoints ? info.name.substr(0, info.name.find(':')) : "generic";
    info.terms = std::move(terms);
    info.desc = std::move(desc);
    info.source = Source::kernel;
    out_.push_back(std::move(info));
  }

  void add_generic(std::string_view arch) {
    const syntax::GenericEvent* first = nullptr;
    const auto all = syntax::generic_events();
    for (const syntax::GenericEvent& event : all) {
      const bool is_new = !first || first->type != event.type || first->config != event.config;
      if (is_new) first = &event;
      const std::string desc =
          is_new ? kernel_description(event) : fmt::format("The same as {}", first->name);
      add(event.pmu, event.name, fmt::format("config={:#x}", event.config), desc);
    }
    for (const tables::NamedNumber& event : syntax::tool_events())
      if (has_tool_event(event.name, arch))
        add(syntax::kToolPmu, std::string(event.name), fmt::format("config={:#x}", event.number),
            std::string(kernel_description(event.name)));
  }

  void add_tracepoints(const detail::MachineState& state) {
    if (const auto all = find_tracepoints(state, "*", "*"))
      for (const Tracepoint& one : *all)
        add(kTracepoints, one.name, fmt::format("config={:#x}", one.id), {});
  }

  std::vector<EventInfo> take() {
    sort_stably(out_, [](const EventInfo& a, const EventInfo& b) {
      return std::tie(a.pmu, a.name) < std::tie(b.pmu, b.name);
    });
    return std::move(out_);
  }

 private:
  static constexpr std::string_view kTracepoints = "tracepoint";

  Glob glob_;
  std::vector<EventInfo> out_;
};

struct Description {
  std::string_view name, text;
};

/// If perf has two names for one event, the first has a row.
constexpr Description kDescriptions[] = {
    {"cycles", "CPU cycles; their length varies with the clock frequency"},
    {"instructions", "Instructions that retired"},
    {"cache-references", "Accesses to caches, usually to the last level"},
    {"cache-misses", "Cache misses, usually in the last level"},
    {"branches", "Branch instructions that retired"},
    {"branch-misses", "Mispredicted branch instructions"},
    {"bus-cycles", "Bus cycles, which may differ from CPU cycles"},
    {"stalled-cycles-frontend",
     "Cycles in which the front end delivered no operation, as the CPU's own event defines them"},
    {"stalled-cycles-backend",
     "Cycles in which the back end accepted or retired nothing, as the CPU's own event defines "
     "them"},
    {"ref-cycles", "Cycles of a fixed frequency, whatever the clock frequency is"},

    {"cpu-clock", "Time by a high-resolution timer of the CPU"},
    {"task-clock", "Time during which the task ran"},
    {"page-faults", "Page faults"},
    {"context-switches", "Context switches"},
    {"cpu-migrations", "Moves of the process to another CPU"},
    {"minor-faults", "Page faults that needed no disk access"},
    {"major-faults", "Page faults that needed a disk access"},
    {"alignment-faults", "Unaligned memory accesses that the kernel had to handle"},
    {"emulation-faults", "Instructions that the kernel had to emulate"},
    {"dummy", "Counts nothing; records what the kernel reports besides samples"},
    {"bpf-output", "Data that BPF programs write"},
    {"cgroup-switches", "Context switches to a task of another cgroup"},

    {"duration_time", "Wall-clock time, measured by perf itself"},
    {"user_time", "Time in user space, measured by perf itself"},
    {"system_time", "Time in the kernel, measured by perf itself"},
    {"has_pmem", "1 if the machine has persistent memory, else 0"},
    {"num_cores", "Number of cores of the machine"},
    {"num_cpus", "Number of CPUs of the machine, hardware threads of a core counted one by one"},
    {"num_cpus_online", "Number of CPUs that are switched on"},
    {"num_dies", "Number of dies of the machine"},
    {"num_packages", "Number of CPU packages (sockets) of the machine"},
    {"slots",
     "Operations that an Arm core can issue in a cycle; on Intel the issue slots that went by"},
    {"smt_on", "1 if cores run several hardware threads, else 0"},
    {"system_tsc_freq", "Frequency of the time stamp counter in Hz"},
    {"core_wide", "1 if counts are of whole cores, by perf stat's system-wide counting, else 0"},
    {"target_cpu", "1 if counts are of CPUs rather than of tasks, else 0"},
};

struct CacheWords {
  std::string_view looked_up, missed;
  bool is_of_code = false;
};

/// By their numbers in enum perf_hw_cache_id.
constexpr CacheWords kCaches[] = {
    {"looked up the L1 data cache", "missed the L1 data cache"},
    {"looked up the L1 instruction cache", "missed the L1 instruction cache", true},
    {"looked up the last-level cache", "missed the last-level cache"},
    {"looked up the data TLB", "missed the data TLB"},
    {"looked up the instruction TLB", "missed the instruction TLB", true},
    {"used the branch predictor", "the branch predictor missed"},
    {"went to memory of the own NUMA node", "went to memory of another NUMA node"},
};
constexpr std::size_t kBranches = 5;  // PERF_COUNT_HW_CACHE_BPU

/// By their numbers in enum perf_hw_cache_op_id.
constexpr std::string_view kDataAccesses[] = {"Loads", "Stores", "Prefetches"};
constexpr std::string_view kCodeAccesses[] = {"Instruction fetches", "", "Instruction prefetches"};

/// The config of a generic cache event has the cache, the operation and the result in its bytes
/// (perf_event_open(2)).
std::string cache_description(std::uint64_t config) {
  const std::size_t cache = config & 0xff, operation = config >> 8 & 0xff;
  if (cache >= std::size(kCaches) || operation >= std::size(kDataAccesses)) return {};
  const CacheWords& words = kCaches[cache];
  const std::string_view who = cache == kBranches ? "Branches that"
                               : words.is_of_code ? kCodeAccesses[operation]
                                                  : kDataAccesses[operation];
  return fmt::format("{}{} {}", who, cache == kBranches ? "" : " that",
                     config >> 16 != 0 ? words.missed : words.looked_up);
}

}  // namespace

void add_implied_pmus(std::string_view arch, std::vector<pmu::Pmu>& pmus) {
  for (const ImpliedPmu& row : kImpliedPmus) {
    auto at = std::find_if(pmus.begin(), pmus.end(),
                           [&](const pmu::Pmu& pmu) { return pmu.name == row.name; });
    if (at == pmus.end()) {
      at = pmus.emplace(at);
      at->name = row.name;
      at->is_implied = true;
    }
    if (!at->type) at->type = row.type;
    if (at->events.empty()) at->events = implied_events(row.type, arch);
  }
  pmu::sort_pmus(pmus);
}

Result<std::vector<Tracepoint>> find_tracepoints(const detail::MachineState& state,
                                                 const std::string& system,
                                                 const std::string& event) {
  const TracepointSource& source = state.tracepoints;
  if (source.from == TracepointSource::From::recording) return in_recording(source, system, event);
  if (source.from == TracepointSource::From::tracefs)
    return in_tracefs(source.tracefs, system, event);
  return fail(Errc::unsupported,
              fmt::format("'{}:{}' is a tracepoint: only the live machine or a recording knows its "
                          "number",
                          system, event));
}

std::vector<std::string> TracepointIndex::names(const detail::MachineState& state,
                                                std::uint64_t id) const {
  const auto& by_id = by_id_.get([&] {
    auto all = find_tracepoints(state, "*", "*").value_or(std::vector<Tracepoint>());
    sort_stably_by(all, &Tracepoint::id);
    return all;
  });
  std::vector<std::string> names;
  auto at = std::lower_bound(by_id.begin(), by_id.end(), id,
                             [](const Tracepoint& a, std::uint64_t b) { return a.id < b; });
  for (; at != by_id.end() && at->id == id; ++at) names.push_back(at->name);
  return names;
}

std::string_view kernel_description(std::string_view name) {
  const auto found = std::ranges::find(kDescriptions, name, &Description::name);
  return found == std::end(kDescriptions) ? std::string_view() : found->text;
}

std::string_view kernel_description(const detail::MachineState& state, std::string_view pmu,
                                    std::string_view name) {
  for (const tables::CpuFacts& facts : state.facts)
    for (const tables::EventTextFact& row : facts.event_texts)
      if (tables::holds(facts, row.scope, {state.cpu.arch, pmu, {}, {}}) &&
          tables::matches_any(facts.text(row.events), name))
        return facts.text(row.description);
  return kernel_description(name);
}

std::string kernel_description(const syntax::GenericEvent& event) {
  if (event.type == kTypeHwCache) return cache_description(event.config);
  return std::string(kernel_description(event.name));
}

}  // namespace evname::machine

namespace evname {

std::vector<EventInfo> Machine::kernel_events(std::string_view glob) const {
  machine::KernelLister lister(glob);
  lister.add_generic(state_->cpu.arch);
  lister.add_tracepoints(*state_);
  return lister.take();
}

}  // namespace evname
