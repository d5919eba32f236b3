#include "stat/options.hpp"
#include "counting/places.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <map>

#include "base/enum_table.hpp"
#include "base/read_file.hpp"
#include "base/text.hpp"
#include "input/number_list.hpp"

namespace evname::tools {

namespace {

using Key = std::array<int, 4>;

/// Returns 0 for a number that the kernel does not report, as perf does.
int known(int number) { return std::max(number, 0); }

/// The cache of a CPU: its level, and the number of its first CPU; -1: unknown. Source of the
/// files: Documentation/ABI/testing/sysfs-devices-system-cpu.
struct Cache {
  int level = -1, id = -1;
};

/// Returns the cache of that level, or the last one if `level` is 0.
Cache cache_of(unsigned cpu, unsigned level) {
  Cache out;
  for (unsigned index = 0;; ++index) {
    const std::string folder =
        fmt::format("/sys/devices/system/cpu/cpu{}/cache/index{}/", cpu, index);
    const auto found = number_of_file(folder + "level");
    if (!found) return out;
    if (level != 0 ? *found != level : static_cast<int>(*found) <= out.level) continue;
    std::vector<unsigned> sharers;
    append_numbers(std::string(trim(text_of_file(folder + "shared_cpu_list"))), sharers);
    out = {static_cast<int>(*found), static_cast<int>(sharers.empty() ? cpu : sharers.front())};
  }
}

struct Named {
  Key key;
  std::string name;
};

/// Returns the name of a part; a CPU without a known cluster is in cluster 0.
Named name_of(Per per, const counting::CpuPlace& at, unsigned cache_level) {
  const int socket = known(at.socket), die = known(at.die);
  switch (per) {
    case Per::cpu:
      return {{static_cast<int>(at.cpu)}, fmt::format("CPU{}", at.cpu)};
    case Per::core:
      return {{socket, die, known(at.core)},
              fmt::format("S{}-D{}-C{}", socket, die, known(at.core))};
    case Per::cluster:
      return {{socket, die, known(at.cluster)},
              fmt::format("S{}-D{}-CLS{}", socket, die, known(at.cluster))};
    case Per::cache: {
      const Cache cache = cache_of(at.cpu, cache_level);
      return {{socket, die, cache.level, cache.id},
              fmt::format("S{}-D{}-L{}-ID{}", socket, die, cache.level, cache.id)};
    }
    case Per::die:
      return {{socket, die}, fmt::format("S{}-D{}", socket, die)};
    case Per::socket:
      return {{socket}, fmt::format("S{}", socket)};
    case Per::node:
      return {{known(at.node)}, fmt::format("N{}", known(at.node))};
    default:
      return {{}, ""};
  }
}

std::string thread_name(int thread) {
  const auto name = read_text_file(fmt::format("/proc/{}/comm", thread));
  return fmt::format("{}-{}", name ? std::string(trim(*name)) : "?", thread);
}

}  // namespace

const PerShape& shape_of(Per per) {
  static constexpr auto kShapes = enum_table<&PerShape::per>({{Per::all, "", 0, false},
                                                              {Per::cpu, "cpu", 7, false},
                                                              {Per::core, "core", 18, true},
                                                              {Per::cluster, "cluster", 20, true},
                                                              {Per::cache, "cache", 22, true},
                                                              {Per::die, "die", 12, true},
                                                              {Per::socket, "socket", 6, true},
                                                              {Per::node, "node", 6, true},
                                                              {Per::thread, "thread", 24, false}});
  return kShapes[per];
}

bool is_by_part(Per per) { return per != Per::cpu && per != Per::thread; }

std::vector<Part> parts_of(Per per, std::span<const Counters::Place> places,
                           std::span<const counting::CpuPlace> cpus, unsigned cache_level) {
  if (per == Per::all) {
    Part part;
    for (std::size_t i = 0; i < places.size(); ++i) part.places.push_back(i);
    return {std::move(part)};
  }
  std::map<Key, Part> parts;
  std::vector<Part> threads;
  for (std::size_t i = 0; i < places.size(); ++i) {
    if (places[i].cpu < 0) {
      threads.push_back({thread_name(places[i].thread), {i}});
      continue;
    }
    const auto cpu = static_cast<unsigned>(places[i].cpu);
    const auto at = std::ranges::find(cpus, cpu, &counting::CpuPlace::cpu);
    const Named named =
        name_of(per, at == cpus.end() ? counting::CpuPlace{.cpu = cpu} : *at, cache_level);
    Part& part = parts[named.key];
    part.name = named.name;
    part.places.push_back(i);
  }
  for (auto& [key, part] : parts) threads.push_back(std::move(part));
  return threads;
}

namespace {

/// Returns true if the CPUs include all threads of each core, or none of them. Source: perf,
/// util/cputopo.c, cpu_topology__core_wide.
bool are_whole_cores(const std::string& cpus, std::span<const counting::CpuPlace> places) {
  std::vector<unsigned> chosen;
  append_numbers(cpus, chosen);
  // Of a core: a thread is chosen; a thread is not chosen.
  std::map<std::array<int, 3>, std::array<bool, 2>> cores;
  for (const counting::CpuPlace& at : places)
    cores[{at.socket, at.die, at.core}][std::ranges::find(chosen, at.cpu) == chosen.end()] = true;
  return std::ranges::none_of(cores,
                              [](const auto& core) { return core.second[0] && core.second[1]; });
}

}  // namespace

void StatOptions::add_to(MetricFacts& facts) const {
  if (!of_cpus()) return;
  facts.set("#target_cpu", 1);
  const auto places = counting::online_cpus();
  if (cpus.empty() || (places && are_whole_cores(cpus, *places))) facts.set("#core_wide", 1);
}

Per StatOptions::per() const {
  if (per_thread) return Per::thread;
  if (per_cpu) return Per::cpu;
  if (per_core) return Per::core;
  if (per_cluster) return Per::cluster;
  if (!cache.empty()) return Per::cache;
  if (per_die) return Per::die;
  if (per_socket) return Per::socket;
  return per_node ? Per::node : Per::all;
}

std::string start_problem(const std::string& delay) {
  const auto number = parse_decimal(delay);
  return delay == "-1" || (number && *number <= UINT32_MAX)
             ? ""
             : "'" + delay + "' is neither a number of ms nor -1";
}

std::string cache_problem(const std::string& level) {
  const bool is_level =
      level.size() == 2 && to_lower(level[0]) == 'l' && level[1] >= '1' && level[1] <= '4';
  return is_level || level == "last" ? "" : "'" + level + "' is none of L1, L2, L3 and L4";
}

/// The faults of options for the output.
std::string StatOptions::output_mistake() const {
  if (append && output.empty() && log_file == 0) return "--append needs -o or --log-fd";
  if (openmetrics && (json || !separator.empty() || append))
    return "--openmetrics is a format of its own: without --json, -x and --append";
  if (json && !separator.empty()) return "--json and -x exclude each other";
  if (openmetrics && repeat != 1) return "--openmetrics counts one run";
  if (openmetrics && metric_only) return "--openmetrics has counts, --metric-only has none";
  if (!output.empty() && log_file != 0) return "-o and --log-fd exclude each other";
  if (run_table && repeat == 1) return "--table shows the runs of -r";
  if (clears && (interval == 0 || !output.empty() || log_file != 0 || isatty(STDERR_FILENO) == 0))
    return "--interval-clear clears a terminal before each interval of -I";
  if (interval_count != 0 && interval == 0) return "--interval-count needs -I";
  return "";
}

std::string StatOptions::mistake() const {
  const bool of_others = !pids.empty() || !tids.empty();
  if (of_others && of_cpus()) return "-p and -t count threads, -a, -C and -G CPUs: not both";
  if (!pids.empty() && !tids.empty()) return "-p and -t exclude each other";
  if (per_cpu + per_core + per_cluster + !cache.empty() + per_die + per_socket + per_node +
          per_thread >
      1)
    return "only one of -A and the --per options can be given";
  if (per() == Per::thread && !of_others && !all_cpus)
    return "--per-thread counts threads of -p, -t or, with -a, all that there are";
  if (per() != Per::all && per() != Per::thread && of_others)
    return "-A and --per options count CPUs: add -a or -C, not -p or -t";
  if (repeat != 1 && (command.empty() || interval != 0))
    return "-r runs a command again, without -I";
  if (records && repeat != 1) return "stat record has one run, without -r";
  if (delay == "-1" && control.empty()) return "-D -1 needs --control";
  if (all_user && all_kernel) return "--all-user and --all-kernel exclude each other";
  if (!cgroups.empty() && !each_cgroup.empty())
    return "-G and --for-each-cgroup exclude each other";
  if (topdown_level != 0 && !topdown) return "--td-level needs --topdown";
  if (each_cgroup.find_first_of("{}[]()|*+?^$") != std::string::npos)
    return "--for-each-cgroup takes names of cgroups, no patterns";
  return output_mistake();
}

}  // namespace evname::tools
