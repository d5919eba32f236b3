#include "counting/count_target.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string>
#include <utility>

#include "base/read_file.hpp"
#include "base/text.hpp"

namespace evname {

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

namespace counting {
namespace {

using Kind = CountTarget::Kind;

Result<void> add_process(int id, const Roots& roots, std::vector<CountPlace>& places) {
  const std::string tasks = roots.procfs + "/" + std::to_string(id) + "/task";
  const std::size_t before = places.size();
  for (const std::string& name : list_directory(tasks))
    if (const auto thread = parse_decimal(name); thread && *thread <= INT32_MAX)
      places.push_back({.thread = static_cast<int>(*thread)});
  if (places.size() != before) return {};
  return fail(Errc::not_found, "there is no process " + std::to_string(id), {},
              "it has ended, or its number is wrong");
}

Result<void> add_cpus(const std::vector<unsigned>& wanted, const std::vector<unsigned>& online,
                      std::vector<CountPlace>& places) {
  for (const unsigned cpu : wanted.empty() ? online : wanted) {
    if (!std::ranges::binary_search(online, cpu))
      return fail(Errc::not_found, "CPU " + std::to_string(cpu) + " is not online");
    places.push_back({.cpu = static_cast<int>(cpu)});
  }
  return {};
}

/// Where cgroups are mounted that perf knows: the hierarchy of version 1 called perf_event, or the
/// one of version 2.
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

Result<int> open_cgroup(const std::string& name, const Roots& roots) {
  std::string path = name;
  if (!path.starts_with('/')) {
    const std::string mount = cgroup_mount(roots);
    if (mount.empty())
      return fail(Errc::unsupported, "no cgroups are mounted that perf could count", name,
                  "mount -t cgroup2 none /sys/fs/cgroup");
    path = mount + "/" + name;
  }
  const int file = open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (file >= 0) return file;
  return fail(Errc::not_found, std::string("no cgroup can be opened: ") + std::strerror(errno),
              path);
}

}  // namespace

Located::Located(Located&& other) noexcept
    : places(std::move(other.places)),
      of_task(other.of_task),
      cgroup_file(std::exchange(other.cgroup_file, -1)),
      online(std::move(other.online)) {}

Located::~Located() {
  if (cgroup_file >= 0) close(cgroup_file);
}

Result<Located> Located::find(const CountTarget& target, const Roots& roots) {
  Located out;
  if (const auto cpus = online_cpus(roots))
    for (const CpuPlace& place : *cpus) out.online.push_back(place.cpu);
  out.of_task = target.kind != Kind::cpus && target.kind != Kind::cgroup;
  Result<void> done;
  switch (target.kind) {
    case Kind::this_thread:
      out.places.push_back({.thread = 0});
      break;
    case Kind::threads:
      for (const int id : target.ids) out.places.push_back({.thread = id});
      break;
    case Kind::processes:
      for (const int id : target.ids)
        if (done) done = add_process(id, roots, out.places);
      break;
    case Kind::cgroup:
      if (auto file = open_cgroup(target.cgroup, roots))
        out.cgroup_file = *file;
      else
        return tl::unexpected<Error>(std::move(file.error()));
      [[fallthrough]];
    case Kind::cpus:
      done = add_cpus(target.cpus, out.online, out.places);
  }
  if (!done) return tl::unexpected<Error>(std::move(done.error()));
  if (out.places.empty()) return fail(Errc::invalid_argument, "nothing is named to count in");
  return out;
}

std::vector<CountPlace> places_of(const Located& target, const std::vector<unsigned>& cpus,
                                  bool is_uncore) {
  if (target.of_task) {
    if (!is_uncore) return target.places;
    std::vector<CountPlace> out;
    for (const unsigned cpu : cpus.empty() ? std::vector<unsigned>{0} : cpus)
      out.push_back({.cpu = static_cast<int>(cpu)});
    return out;
  }
  if (cpus.empty()) return target.places;
  std::vector<CountPlace> out;
  for (const CountPlace& place : target.places)
    if (std::ranges::find(cpus, static_cast<unsigned>(place.cpu)) != cpus.end())
      out.push_back(place);
  return out;
}

}  // namespace counting
}  // namespace evname
