// What can be named on every machine, whatever its tables: the events of the kernel, those that
// perf measures itself, and tracepoints.

#include <algorithm>
#include <tuple>

#include <fmt/format.h>

#include "base/text.hpp"
#include "events/machine/implied_pmus.hpp"
#include "events/machine/state.hpp"
#include "events/machine/tracepoints.hpp"
#include "events/syntax/kernel_names.hpp"
#include "evname/encoding.hpp"

namespace evname::machine {
namespace {

struct Description {
  std::string_view name, text;
};

/// Of what perf_event_open(2) defines; names that perf spells in two ways have the first's.
constexpr Description kDescriptions[] = {
    {"cycles", "CPU cycles; their length varies with the clock frequency"},
    {"instructions", "Instructions that retired"},
    {"cache-references", "Accesses to caches, usually to the last level"},
    {"cache-misses", "Cache misses, usually in the last level"},
    {"branches", "Branch instructions that retired"},
    {"branch-misses", "Mispredicted branch instructions"},
    {"bus-cycles", "Bus cycles, which may differ from CPU cycles"},
    {"stalled-cycles-frontend", "Cycles in which no instruction was issued"},
    {"stalled-cycles-backend", "Cycles in which no instruction retired"},
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
};

std::string description_of(std::string_view name) {
  for (const Description& one : kDescriptions)
    if (one.name == name) return std::string(one.text);
  return {};
}

class KernelLister {
 public:
  explicit KernelLister(std::string_view glob) : glob_(to_lower(glob)) {}

  void add(std::string_view pmu, std::string name, std::string terms, std::string desc) {
    if (!glob_match(glob_, to_lower(name))) return;
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
    const GenericEvent* first = nullptr;
    const auto all = generic_events();
    for (const GenericEvent& event : all) {
      const bool is_new = !first || first->type != event.type || first->config != event.config;
      if (is_new) first = &event;
      const std::string desc =
          is_new ? description_of(event.name) : fmt::format("The same as {}", first->name);
      add(event.pmu, event.name, fmt::format("config={:#x}", event.config), desc);
    }
    for (const syntax::OwnEvent& event : syntax::tool_events())
      if (has_tool_event(event.name, arch))
        add(syntax::kToolPmu, std::string(event.name), fmt::format("config={:#x}", event.config),
            description_of(event.name));
  }

  void add_tracepoints(const detail::MachineState& state) {
    if (const auto all = find_tracepoints(state, "*", "*"))
      for (const Tracepoint& one : *all)
        add(kTracepoints, one.name, fmt::format("config={:#x}", one.id), {});
  }

  std::vector<EventInfo> take() {
    std::ranges::sort(out_, [](const EventInfo& a, const EventInfo& b) {
      return std::tie(a.pmu, a.name) < std::tie(b.pmu, b.name);
    });
    return std::move(out_);
  }

 private:
  static constexpr std::string_view kTracepoints = "tracepoint";

  std::string glob_;
  std::vector<EventInfo> out_;
};

}  // namespace

}  // namespace evname::machine

namespace evname {

std::vector<EventInfo> Machine::kernel_events(std::string_view glob) const {
  machine::KernelLister lister(glob);
  lister.add_generic(state_->cpu.arch);
  lister.add_tracepoints(*state_);
  return lister.take();
}

}  // namespace evname
