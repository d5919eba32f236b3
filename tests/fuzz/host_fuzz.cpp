// The facts in sysfs, procfs and tracefs other than PMUs: the CPU model, places of CPUs, sensors,
// GPUs, cgroups, tracepoints. Files hold the pieces of the input between NULs; the last piece is a
// tracepoint's name in a recording.

#include "counting/places.hpp"
#include "events/cpu/live_cpu.hpp"
#include "events/machine/kernel_events.hpp"
#include "events/pmu/sysfs.hpp"
#include "fuzz/file_tree.hpp"
#include "fuzz/input.hpp"
#include "fuzz/target.hpp"

namespace evname::fuzz::host_target {

namespace {

constexpr const char* kFiles[] = {
    "proc/cpuinfo",
    "proc/sysinfo",
    "proc/service_levels",
    "proc/self/mounts",
    "proc/7/fdinfo/3",
    "proc/7/task/8",
    "sys/devices/system/cpu/online",
    "sys/devices/system/cpu/cpu1/regs/identification/midr_el1",
    "sys/devices/system/cpu/cpu1/topology/die_id",
    "sys/devices/system/cpu/cpu1/topology/core_id",
    "sys/devices/system/cpu/cpu1/topology/physical_package_id",
    "sys/devices/system/node/node0/cpulist",
    "sys/class/hwmon/hwmon0/name",
    "sys/class/hwmon/hwmon0/temp1_input",
    "sys/class/hwmon/hwmon0/temp1_label",
    "sys/class/hwmon/hwmon0/fan0_input",
    "tracing/events/sched/sched_switch/id",
    "tracing/events/sched/sched_wakeup/id",
};

}  // namespace

FUZZ_TARGET(host, data, size) {
  static fuzz::FileTree tree(kFiles);
  static const Roots kRoots{.sysfs = tree.path("sys"), .procfs = tree.path("proc")};
  fuzz::Pieces pieces(data, size);
  tree.fill(pieces);
  cpu::live_identity(kRoots);
  (void)counting::online_cpus(kRoots);
  pmu::hwmon_pmus(kRoots.sysfs);
  pmu::drm_pmus(kRoots.procfs);
  for (const CountTarget& target : {CountTarget::in_cgroup("group"), CountTarget::on_cpus({1}),
                                    CountTarget::process(7), CountTarget::this_thread()}) {
    const auto found = counting::ResolvedTarget::find(target, kRoots);
    if (!found) continue;
    for (const bool is_uncore : {false, true}) {
      counting::places_of(*found, {}, is_uncore);
      counting::places_of(*found, {0, 1}, is_uncore);
    }
  }
  detail::MachineState state;
  state.tracepoints.from = machine::TracepointSource::From::tracefs;
  state.tracepoints.tracefs = tree.path("tracing");
  machine::find_tracepoints(state, "sched", "sched_switch");
  machine::find_tracepoints(state, "s*", "*");
  machine::TracepointIndex().names(state, 316);
  state.tracepoints.from = machine::TracepointSource::From::recording;
  state.tracepoints.recorded = {{316, std::string(pieces.rest())}};
  machine::find_tracepoints(state, "s*", "*");
  return 0;
}

}  // namespace evname::fuzz::host_target
