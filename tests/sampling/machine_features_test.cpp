// A recording has features of its machine, from a sysfs and a procfs that are made here. Layouts:
// perf.data-file-format.txt of tools/perf/Documentation.

#include "sampling/machine_features.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <ctime>
#include <string>

#include "perf_format/features.hpp"
#include "support/bytes_out.hpp"
#include "support/fake_machine.hpp"
#include "support/temp_dir.hpp"

namespace evname::sampling {
namespace {

using perf_format::Feature;
using test::BytesOut;
using test::TempDir;

/// Attr of a software event with samples of a time.
std::string software_attr(std::uint64_t config) {
  std::string out = BytesOut(std::endian::native).u32(1).u32(64).u64(config).u64(1).u64(4).str();
  out.resize(64);
  return out;
}

/// A machine that is made here, and the features of its recording as they are read again.
struct MadeMachine {
  TempDir dir;
  RecordOptions options;
  RecordedFacts facts;
  std::string attrs[3] = {software_attr(2), software_attr(3), software_attr(4)};
  std::vector<std::uint64_t> ids[3] = {{1}, {21, 22}, {}};
  FeatureSections sections;

  MadeMachine() {
    options.setup.roots = {.sysfs = dir.path("sys"), .procfs = dir.path("proc")};
    facts.events = {{attrs[0], "page-faults", ids[0], 0}};
  }

  /// Writes a file of the machine, which ends its line.
  void write(const std::string& path, const std::string& text) { dir.write(path, text + "\n"); }

  perf_format::Features features(const Machine& machine) {
    sections = features_of(machine, options, facts);
    perf_format::Features out;
    perf_format::Warnings warnings;
    for (const auto& [feature, content] : sections)
      perf_format::decode_feature(
          static_cast<std::uint64_t>(feature),
          {reinterpret_cast<const std::uint8_t*>(content.data()), content.size()},
          std::endian::native, 0, out, warnings);
    EXPECT_EQ(warnings.take(), std::vector<std::string>());
    return out;
  }
  perf_format::Features features() { return features(test::skylakex_machine()); }
};

TEST(MachineFeatures, NodesHaveTheirMemoryAndBlocks) {
  MadeMachine one;
  const std::string nodes = "sys/devices/system/node/";
  one.write("sys/devices/system/memory/block_size_bytes", "8000000");
  for (const char* block : {"node0/memory0", "node0/memory2", "node0/memory64", "node1/memory3"})
    one.write(nodes + block + "/state", "online");
  one.write(nodes + "node0/meminfo", "Node 0 MemTotal:  500 kB\nNode 0 MemFree:  200 kB");
  one.write(nodes + "node1/meminfo", "Node 1 MemTotal:  90 kB\nNode 1 MemFree:  10 kB");
  one.write(nodes + "node0/cpulist", "0-1");
  const perf_format::Features found = one.features();
  ASSERT_EQ(found.numa.size(), 2u);
  EXPECT_EQ(found.numa[0].total, 500u);
  EXPECT_EQ(found.numa[0].free, 200u);
  EXPECT_EQ(found.numa[0].cpus, "0-1");
  EXPECT_EQ(found.numa[1].node, 1u);
  EXPECT_EQ(found.numa[1].total, 90u);
  EXPECT_EQ(found.numa[1].free, 10u);
  EXPECT_EQ(found.memory_block_size, 0x8000000u);
  ASSERT_EQ(found.memory.size(), 2u);
  EXPECT_EQ(found.memory[0].bits, 65u);
  EXPECT_EQ(found.memory[0].bitmap, (std::vector<std::uint64_t>{5, 1}));
  EXPECT_EQ(found.memory[1].node, 1u);
  EXPECT_EQ(found.memory[1].bitmap, std::vector<std::uint64_t>{8});
}

// perf writes the version and the revision of a PVR as numbers: get_cpuid of arch/powerpc/util;
// family, model and stepping in decimal: arch/x86/util/header.c. CPUINFO_PROC of util/header.c has
// the words for the description.
TEST(MachineFeatures, NamesOfTheCpu) {
  const struct {
    const char *cpuinfo, *cpuid, *description;
  } rows[] = {
      {"processor\t: 0\ncpu\t\t: POWER9, altivec supported\nrevision\t: 2.2 (pvr 004e 1202)",
       "78,4610", "POWER9, altivec supported"},
      {"processor\t: 0\nvendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t\t: 85\nmodel name\t: "
       "Intel(R) Xeon(R): "
       "Gold\nstepping\t: 11\n\nprocessor\t: 1\nvendor_id\t: GenuineIntel\nmodel name\t: another",
       "GenuineIntel,6,85,11", "Intel(R) Xeon(R): Gold"},
      {"nothing", "", ""},
  };
  for (const auto& row : rows) {
    MadeMachine one;
    one.write("proc/cpuinfo", row.cpuinfo);
    const perf_format::Features found = one.features();
    EXPECT_EQ(found.cpuid, row.cpuid);
    EXPECT_EQ(found.cpu_desc, row.description);
  }
}

TEST(MachineFeatures, MemoryWordsAndTimes) {
  MadeMachine one;
  one.write("proc/meminfo", "MemTotal:       16384000 kB\nMemFree:          812340 kB");
  one.options.command_line = {"evname", "record", std::string(64, 'x')};
  one.facts.first_time = 5;
  one.facts.last_time = 9;
  one.options.clock = CLOCK_MONOTONIC;
  one.options.compression = 3;
  one.options.sampling.branches = 8;
  const std::uint64_t places[] = {0x100, 0x200};
  one.facts.trace_places = places;
  const perf_format::Features found = one.features();
  EXPECT_EQ(found.total_memory, 16384000u);
  EXPECT_EQ(found.command_line, one.options.command_line);
  EXPECT_EQ(found.sample_time, (std::array<std::uint64_t, 2>{5, 9}));
  EXPECT_GT(found.clockid_resolution, 0u);
  ASSERT_TRUE(found.clock);
  EXPECT_EQ(found.clock->version, 1u);
  EXPECT_EQ(found.clock->clockid, 1u);
  EXPECT_GT(found.clock->wall_clock,
            found.clock->clock);  // years since 1970, and since this machine started
  ASSERT_TRUE(found.compression);
  EXPECT_EQ(fmt::format("{} {} {}", found.compression->version, found.compression->type,
                        found.compression->level),
            "0 1 3");
  EXPECT_TRUE(one.sections.contains(Feature::branch_stack));
  EXPECT_TRUE(one.sections.contains(Feature::auxtrace));

  MadeMachine other;
  other.facts.last_time = 9;  // and no sample was the first
  other.options.sampling.chains = CallChains::branch_records;
  EXPECT_EQ(other.features().sample_time, (std::array<std::uint64_t, 2>{0, 9}));
  EXPECT_TRUE(other.sections.contains(Feature::branch_stack));
  MadeMachine none;
  EXPECT_FALSE(none.features().sample_time);
  for (const Feature feature :
       {Feature::clockid, Feature::clock_data, Feature::compressed, Feature::branch_stack,
        Feature::auxtrace, Feature::tracing_data, Feature::group_desc, Feature::cpu_topology,
        Feature::cache, Feature::numa_topology, Feature::mem_topology, Feature::hybrid_topology})
    EXPECT_FALSE(none.sections.contains(feature)) << static_cast<std::uint64_t>(feature);
}

TEST(MachineFeatures, EventsAndGroups) {
  MadeMachine one;
  one.facts.events = {{one.attrs[0], "page-faults", one.ids[0], 0},
                      {one.attrs[1], "context-switches:u", one.ids[1], 1},
                      {one.attrs[2], "cpu-migrations", one.ids[2], 1}};
  const perf_format::Features found = one.features();
  ASSERT_EQ(found.event_desc.size(), 3u);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(found.event_desc[i].name, one.facts.events[i].name);
    EXPECT_EQ(found.event_desc[i].ids, one.ids[i]);
    EXPECT_EQ(found.event_desc[i].attr.code.config[0], i + 2);
  }
  ASSERT_EQ(found.groups.size(), 1u);
  EXPECT_EQ(found.groups[0].name, "{anon_group}");
  EXPECT_EQ(found.groups[0].leader, 1u);
  EXPECT_EQ(found.groups[0].members, 2u);
}

// Two CPUs that are threads of one core; the second has no names of its own for lists, as kernels
// before 5.3 had.
TEST(MachineFeatures, TopologyAndCaches) {
  if (sysconf(_SC_NPROCESSORS_CONF) < 2) GTEST_SKIP() << "this machine has one CPU";
  MadeMachine one;
  const auto cpu = [](int number) { return fmt::format("sys/devices/system/cpu/cpu{}/", number); };
  for (const int number : {0, 1}) {
    const std::string names[2][2] = {{"package_cpus_list", "core_cpus_list"},
                                     {"core_siblings_list", "thread_siblings_list"}};
    one.write(cpu(number) + "topology/" + names[number][0], "0-1");
    one.write(cpu(number) + "topology/" + names[number][1], number == 0 ? "0" : "1");
    one.write(cpu(number) + "topology/die_cpus_list", "0-1");
    one.write(cpu(number) + "topology/core_id", std::to_string(7 + number));
    one.write(cpu(number) + "topology/physical_package_id", "3");
    one.write(cpu(number) + "topology/die_id", std::to_string(number));
    const auto cache = [&](const char* index, const char* level, const char* type,
                           const char* cpus) {
      const std::string at = cpu(number) + "cache/" + index + "/";
      one.write(at + "level", level), one.write(at + "type", type), one.write(at + "size", "32K");
      one.write(at + "shared_cpu_list", cpus),
          one.write(at + "coherency_line_size", *level == '1' ? "64" : "128");
      one.write(at + "number_of_sets", "1024"), one.write(at + "ways_of_associativity", "8");
    };
    cache("index0", "3", "Unified", "0-1");
    cache("index1", "1", "Data", number == 0 ? "0" : "1");
    one.write(cpu(number) + "cache/uevent", "");
  }
  const perf_format::Features found = one.features();
  EXPECT_EQ(
      fmt::format("{} {} {}", found.topology.packages, found.topology.threads, found.topology.dies),
      "[\"0-1\"] [\"0\", \"1\"] [\"0-1\"]");
  ASSERT_EQ(found.topology.cpus.size(), static_cast<std::size_t>(sysconf(_SC_NPROCESSORS_CONF)));
  EXPECT_EQ(found.cpus_available, found.topology.cpus.size());
  for (const int number : {0, 1}) {
    const auto& place = found.topology.cpus[static_cast<std::size_t>(number)];
    EXPECT_EQ(fmt::format("{} {} {}", place.core, place.socket, place.die),
              fmt::format("{} 3 {}", 7 + number, number));
  }
  std::string caches;
  for (const auto& cache : found.caches)
    caches += fmt::format("{} {} {} {} {} {} {}\n", cache.level, cache.line_size, cache.sets,
                          cache.ways, cache.type, cache.size, cache.cpus);
  EXPECT_EQ(caches,
            "1 64 1024 8 Data 32K 0\n1 64 1024 8 Data 32K 1\n3 128 1024 8 Unified 32K 0-1\n");
  EXPECT_EQ(found.cacheline_size, 64u);
}

TEST(MachineFeatures, PmusOfAHybridCpuAndTheirCaps) {
  MadeMachine one;
  const std::string devices = "sys/bus/event_source/devices/";
  const struct {
    const char *pmu, *type, *cpus, *branches;
  } pmus[] = {{"cpu_core", "4", "0-3", "32"}, {"cpu_atom", "10", "4-7", "16"}};
  for (const auto& pmu : pmus) {
    const std::string at = devices + pmu.pmu + "/";
    one.write(at + "type", pmu.type), one.write(at + "cpus", pmu.cpus),
        one.write(at + "caps/branches", pmu.branches);
    one.write(at + "format/event", "config:0-7");
  }
  one.write(devices + "software/type", "1");
  const auto machine = Machine::named("GenuineIntel-6-9A-3", one.dir.path("sys"));
  ASSERT_TRUE(machine) << machine.error().text();
  const perf_format::Features found = one.features(*machine);
  std::string text;
  for (const auto& [type, name] : found.pmu_mappings) text += fmt::format("{}={} ", name, type);
  for (const auto& [name, cpus] : found.hybrid) text += fmt::format("{}:{} ", name, cpus);
  for (const auto& caps : found.caps)
    for (const auto& [name, value] : caps.values)
      text += fmt::format("{}/{}={} ", caps.pmu, name, value);
  EXPECT_EQ(text,
            "cpu_atom=10 cpu_core=4 software=1 cpu_atom:4-7 cpu_core:0-3 cpu_atom/branches=16 "
            "cpu_core/branches=32 ");
}

TEST(MachineFeatures, CapsOfTheOneCorePmu) {
  MadeMachine one;
  const std::string at = "sys/bus/event_source/devices/";
  one.write(at + "cpu/type", "4"), one.write(at + "cpu/caps/max_precise", "3"),
      one.write(at + "cpu/caps/pmu_name", "skylake");
  one.write(at + "arm/type", "9"), one.write(at + "arm/caps/slots", "8");
  const auto machine = Machine::named("GenuineIntel-6-55-4", one.dir.path("sys"));
  ASSERT_TRUE(machine) << machine.error().text();
  const perf_format::Features found = one.features(*machine);
  std::string text;
  for (const auto& caps : found.caps)
    for (const auto& [name, value] : caps.values)
      text += fmt::format("{}/{}={} ", caps.pmu, name, value);
  EXPECT_EQ(text, "cpu/max_precise=3 cpu/pmu_name=skylake arm/slots=8 ");
  EXPECT_TRUE(one.sections.contains(Feature::cpu_pmu_caps));
  EXPECT_FALSE(one.sections.contains(Feature::hybrid_topology));
}

// Layout 0.6 of util/trace-event-info.c; events of the system ftrace have a section of their own.
TEST(MachineFeatures, FormatsOfTracepoints) {
  for (const char* root : {"sys/kernel/tracing/", "sys/kernel/debug/tracing/"}) {
    MadeMachine one;
    const std::string format =
        "name: waking\nID: 77\nformat:\n\tfield:int pid;\toffset:8;\tsize:4;\tsigned:1;\n\nprint "
        "fmt: \"%d\", REC->pid";
    one.write(root + std::string("events/header_page"),
              "\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;");
    one.write(root + std::string("events/sched/waking/format"), format);
    Encoding events[2];
    events[0].name = "sched:waking", events[0].code.type = 2, events[0].code.has_type = 1;
    events[1].name = "cpu:clock", events[1].code.type = 1, events[1].code.has_type = 1;
    one.facts.encodings = events;
    const perf_format::Features found = one.features();
    EXPECT_EQ(found.tracing.version, "0.6");
    EXPECT_EQ(found.tracing.long_size, sizeof(long));
    EXPECT_EQ(found.tracing.page_size, static_cast<std::uint32_t>(sysconf(_SC_PAGESIZE)));
    ASSERT_EQ(found.tracing.formats.size(), 1u) << root;
    const auto& waking = found.tracing.formats[0];
    EXPECT_EQ(fmt::format("{}:{} {}", waking.system, waking.name, waking.id), "sched:waking 77");
    ASSERT_EQ(waking.fields.size(), 1u);
    EXPECT_EQ(waking.fields[0].name, "pid");
    EXPECT_EQ(waking.print, "\"%d\", REC->pid");
  }
}

}  // namespace
}  // namespace evname::sampling
