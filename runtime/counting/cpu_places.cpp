// Where the online CPUs are, as sysfs tells.

#include <algorithm>
#include <string>

#include "base/read_file.hpp"
#include "base/text.hpp"
#include "evname/counters.hpp"

namespace evname {
namespace {

constexpr std::size_t kMaxCpus = 1 << 16;

std::string head_of(const std::string& path) {
  const auto text = read_head(path);
  return text ? std::string(trim(*text)) : std::string();
}

/// -1 if there is no such file, or its number is negative: unknown to the kernel.
int number_in(const std::string& path) {
  const auto number = parse_decimal(head_of(path));
  return number && *number <= INT32_MAX ? static_cast<int>(*number) : -1;
}

void set_nodes(const std::string& devices, std::vector<CpuPlace>& places) {
  for (const std::string& name : list_directory(devices + "/node")) {
    const auto number =
        name.starts_with("node") ? parse_decimal(std::string_view(name).substr(4)) : std::nullopt;
    if (!number || *number > INT32_MAX) continue;
    for (const unsigned cpu :
         parse_cpu_list(head_of(devices + "/node/" + name + "/cpulist"), kMaxCpus)) {
      const auto at = std::ranges::lower_bound(places, cpu, {}, &CpuPlace::cpu);
      if (at != places.end() && at->cpu == cpu) at->node = static_cast<int>(*number);
    }
  }
}

}  // namespace

Result<std::vector<CpuPlace>> online_cpus(const Roots& roots) {
  const std::string devices = roots.sysfs + "/devices/system";
  const std::string file = devices + "/cpu/online";
  std::vector<unsigned> numbers = parse_cpu_list(head_of(file), kMaxCpus);
  if (numbers.empty()) return fail(Errc::not_found, "no list of online CPUs", file);
  std::ranges::sort(numbers);
  std::vector<CpuPlace> places;
  for (const unsigned cpu : numbers) {
    const std::string topology = devices + "/cpu/cpu" + std::to_string(cpu) + "/topology/";
    const int die = number_in(topology + "die_id");
    places.push_back({.cpu = cpu,
                      .socket = number_in(topology + "physical_package_id"),
                      .die = die,
                      .cluster = number_in(topology + "cluster_id"),
                      .core = number_in(topology + "core_id")});
  }
  set_nodes(devices, places);
  return places;
}

}  // namespace evname
