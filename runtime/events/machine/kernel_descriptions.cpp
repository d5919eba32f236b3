// Describes the events that the kernel and perf name. Sources: perf_event_open(2) and perf's
// Documentation/perf-list.txt. Events of drivers are in event-descriptions.csv.

#include <fmt/format.h>

#include <algorithm>

#include "events/machine/kernel_events.hpp"
#include "evname/attr.hpp"
#include "evname/encoding.hpp"

namespace evname::machine {
namespace {

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

std::string kernel_description(const GenericEvent& event) {
  if (event.type == kTypeHwCache) return cache_description(event.config);
  return std::string(kernel_description(event.name));
}

}  // namespace evname::machine
