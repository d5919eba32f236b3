#include "counting/places.hpp"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string>
#include <utility>

#include "base/read_file.hpp"
#include "base/text.hpp"
#include "events/cpu/live_cpu.hpp"

namespace evname {
namespace {

/// Returns -1 if there is no such file, or if its number is negative, which means unknown.
int number_in(const std::string& path) {
  const auto number = number_of_file(path);
  return number && *number <= INT32_MAX ? static_cast<int>(*number) : -1;
}

void set_nodes(const std::string& devices, std::vector<counting::CpuPlace>& places) {
  for (const std::string& name : list_directory(devices + "/node")) {
    if (!name.starts_with("node")) continue;
    const auto number = parse_decimal(std::string_view(name).substr(4));
    if (!number || *number > INT32_MAX) continue;
    for (const unsigned cpu :
         parse_cpu_list(text_of_file(devices + "/node/" + name + "/cpulist"))) {
      const auto at = std::ranges::lower_bound(places, cpu, {}, &counting::CpuPlace::cpu);
      if (at != places.end() && at->cpu == cpu) at->node = static_cast<int>(*number);
    }
  }
}

}  // namespace

CountTarget CountTarget::this_thread() { return {}; }

CountTarget CountTarget::thread(int id) {
  CountTarget target;
  target.kind = Kind::threads;
  target.ids = {id};
  return target;
}

CountTarget CountTarget::process(int id) {
  CountTarget target = thread(id);
  target.kind = Kind::processes;
  return target;
}

CountTarget CountTarget::on_cpus(std::vector<unsigned> cpus) {
  CountTarget target;
  target.kind = Kind::cpus;
  target.cpus = std::move(cpus);
  return target;
}

CountTarget CountTarget::in_cgroup(std::string path, std::vector<unsigned> cpus) {
  CountTarget target = on_cpus(std::move(cpus));
  target.kind = Kind::cgroup;
  target.cgroup = std::move(path);
  return target;
}

Result<std::vector<counting::CpuPlace>> counting::online_cpus(const Roots& roots) {
  const std::string devices = roots.sysfs + "/devices/system";
  const std::vector<unsigned> numbers = cpu::online_numbers(roots);
  if (numbers.empty())
    return fail(Errc::not_found, "no list of online CPUs", devices + "/cpu/online");
  std::vector<counting::CpuPlace> places;
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

namespace counting {
std::string cgroup_mount(const Roots& roots) {
  std::string unified;
  const auto mounts = read_text_file(roots.procfs + "/self/mounts");
  if (!mounts) return {};
  for (const std::string_view line : split(*mounts, '\n')) {
    const auto words = split(line, ' ');
    if (words.size() < 4) continue;
    if (words[2] == "cgroup" &&
        (',' + std::string(words[3]) + ',').find(",perf_event,") != std::string::npos)
      return std::string(words[1]);
    if (words[2] == "cgroup2" && unified.empty()) unified = words[1];
  }
  return unified;
}

namespace {

using Kind = CountTarget::Kind;

/// The CPUs that this thread may run on. Used for an empty root directory, which lists no CPUs.
std::vector<unsigned> own_cpus() {
  cpu_set_t mask;
  std::vector<unsigned> out;
  if (sched_getaffinity(0, sizeof mask, &mask) != 0) return out;
  for (unsigned cpu = 0; cpu < CPU_SETSIZE; ++cpu)
    if (CPU_ISSET(cpu, &mask)) out.push_back(cpu);
  return out;
}

Error no_task(const char* kind, int id) {
  return {Errc::not_found,
          "there is no " + std::string(kind) + " " + std::to_string(id),
          {},
          "it has ended, or its number is wrong"};
}

Result<void> add_process(int id, const Roots& roots, std::vector<Counters::Place>& places) {
  const std::string tasks = roots.procfs + "/" + std::to_string(id) + "/task";
  const std::size_t before = places.size();
  for (const std::string& name : list_directory(tasks))
    if (const auto thread = parse_decimal(name); thread && *thread <= INT32_MAX)
      places.push_back({.thread = static_cast<int>(*thread)});
  if (places.size() != before) return {};
  const bool is_listed_nowhere = !is_directory(roots.procfs + "/self");
  if (is_listed_nowhere && id > 0 && (kill(id, 0) == 0 || errno == EPERM)) {
    places.push_back({.thread = id});
    return {};
  }
  return fail(no_task("process", id));
}

Result<void> add_cpus(const std::vector<unsigned>& wanted, const std::vector<unsigned>& online,
                      std::vector<Counters::Place>& places) {
  for (const unsigned cpu : wanted.empty() ? online : wanted) {
    if (!std::ranges::binary_search(online, cpu))
      return fail(Errc::not_found, "CPU " + std::to_string(cpu) + " is not online");
    places.push_back({.cpu = static_cast<int>(cpu)});
  }
  return {};
}

int open_directory(const std::string& path) {
  return open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

/// A name below the mount point may begin with a slash, as in /proc/PID/cgroup. If there is no such
/// cgroup, it is the path of a directory.
Result<int> open_cgroup(const std::string& name, const Roots& roots) {
  const std::string mount = cgroup_mount(roots);
  const bool is_path = name.starts_with('/');
  if (mount.empty() && !is_path)
    return fail(Errc::unsupported, "no cgroups are mounted that perf could count", name,
                "mount -t cgroup2 none /sys/fs/cgroup");
  const std::string below = mount + (is_path ? "" : "/") + name;
  int file = mount.empty() ? -1 : open_directory(below);
  const int error = errno;
  if (file < 0 && is_path) file = open_directory(name);
  if (file >= 0) return file;
  return fail(
      Errc::not_found,
      std::string("no cgroup can be opened: ") + std::strerror(mount.empty() ? errno : error),
      mount.empty() ? name : below);
}

}  // namespace

ResolvedTarget::ResolvedTarget(ResolvedTarget&& other) noexcept
    : places(std::move(other.places)),
      of_task(other.of_task),
      cgroup_file(std::exchange(other.cgroup_file, -1)),
      online(std::move(other.online)) {}

ResolvedTarget::~ResolvedTarget() {
  if (cgroup_file >= 0) close(cgroup_file);
}

Result<ResolvedTarget> ResolvedTarget::find(const CountTarget& target, const Roots& roots) {
  ResolvedTarget out;
  if (const auto cpus = counting::online_cpus(roots))
    for (const counting::CpuPlace& place : *cpus) out.online.push_back(place.cpu);
  else if (roots.sysfs == Roots().sysfs)
    out.online = own_cpus();
  out.of_task = target.kind != Kind::cpus && target.kind != Kind::cgroup;
  Result<void> done;
  switch (target.kind) {
    case Kind::this_thread:
      out.places.push_back({.thread = 0});
      break;
    case Kind::threads:
      for (const int id : target.ids) {
        if (id <= 0)
          return fail(no_task("thread", id));  // the kernel would use this thread, or all
        out.places.push_back({.thread = id});
      }
      break;
    case Kind::processes:
      for (const int id : target.ids)
        if (done) done = add_process(id, roots, out.places);
      break;
    case Kind::cgroup:
      if (auto file = open_cgroup(target.cgroup, roots))
        out.cgroup_file = *file;
      else
        return fail(std::move(file));
      [[fallthrough]];
    case Kind::cpus:
      done = add_cpus(target.cpus, out.online, out.places);
  }
  if (!done) return fail(std::move(done));
  if (out.places.empty()) return fail(Errc::invalid_argument, "nothing is named to count in");
  return out;
}

std::vector<Counters::Place> places_of(const ResolvedTarget& target,
                                       const std::vector<unsigned>& cpus, bool is_uncore) {
  if (target.of_task) {
    if (!is_uncore) return target.places;
    std::vector<Counters::Place> out;
    for (const unsigned cpu : cpus.empty() ? std::vector<unsigned>{0} : cpus)
      out.push_back({.cpu = static_cast<int>(cpu)});
    return out;
  }
  if (cpus.empty()) return target.places;
  std::vector<Counters::Place> out;
  for (const Counters::Place& place : target.places)
    if (std::ranges::find(cpus, static_cast<unsigned>(place.cpu)) != cpus.end())
      out.push_back(place);
  return out;
}

}  // namespace counting
}  // namespace evname
