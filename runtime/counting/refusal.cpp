#include "counting/refusal.hpp"

#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/read_file.hpp"
#include "base/text.hpp"
#include "evname/attr.hpp"
#include "evname/schedule.hpp"

namespace evname::counting {
namespace {

std::string setting(const Roots& roots, const char* name) {
  const auto text = read_head(roots.procfs + "/sys/kernel/" + name);
  return text ? std::string(trim(*text)) : "unknown";
}

bool is_virtual(const Roots& roots) {
  const auto info = read_text_file(roots.procfs + "/cpuinfo", 1 << 22);
  return info && info->find("hypervisor") != std::string::npos;
}

bool has_core(std::span<const PmuInfo> pmus) {
  return std::ranges::any_of(pmus,
                             [](const PmuInfo& pmu) { return pmu.is_core && pmu.is_present; });
}

std::string lack_of_core_pmu(const Roots& roots) {
  return fmt::format("this {} has no core PMU", is_virtual(roots) ? "virtual machine" : "machine");
}

struct Reason {
  Errc code;
  std::string why, hint;
};

/// A request that needs a kernel.perf_event_paranoid of `most` or less, or CAP_PERFMON.
struct Permission {
  std::string_view what;
  std::uint64_t most;
};

Permission permission_for(const Refused& refused) {
  if (refused.place.cpu >= 0 && refused.place.thread < 0) return {"what runs on a CPU", 0};
  if (!refused.event.bits.exclude_kernel) return {"the kernel", 1};
  return {"user space", 2};
}

/// Returns true if a thread belongs to another user, or only root may look at it: root owns the
/// procfs files of a process that was started with other rights, and procfs may hide it (proc(5)).
bool is_of_other(int thread, const Roots& roots) {
  if (thread <= 0) return false;
  struct stat file {};
  if (::stat(fmt::format("{}/{}", roots.procfs, thread).c_str(), &file) == 0)
    return file.st_uid != geteuid();
  return is_directory(roots.procfs + "/self");
}

/// The kernel asks for ptrace access to another's process whatever perf_event_paranoid is
/// (perf_check_permission of kernel/events/core.c).
Reason not_accessible(const Refused& refused, std::uint64_t level) {
  const Permission needed = permission_for(refused);
  std::string hint =
      "CAP_PERFMON permits it, as does ptrace access to the process (CAP_SYS_PTRACE)";
  if (level > needed.most)
    hint += fmt::format(" with kernel.perf_event_paranoid of {} or less", needed.most);
  return {Errc::io,
          fmt::format("not permitted (thread {} is another user's, or runs with other rights)",
                      refused.place.thread),
          std::move(hint)};
}

Reason not_permitted(const Refused& refused, const Roots& roots) {
  const std::string level = setting(roots, "perf_event_paranoid");
  const auto number = parse_decimal(level);
  const Permission needed = permission_for(refused);
  const bool is_forbidden = number && *number > needed.most;
  if (is_of_other(refused.place.thread, roots)) return not_accessible(refused, number.value_or(0));
  std::string why = fmt::format("not permitted (kernel.perf_event_paranoid is {}", level);
  if (is_forbidden) why += fmt::format("; {} needs {} or less", needed.what, needed.most);
  why += ")";
  std::string hint;
  const bool of_thread = refused.place.thread >= 0;
  if (number == 2 && of_thread && !refused.event.bits.exclude_kernel)
    hint = fmt::format("{}:u counts user space alone; ", refused.event.name);
  if (!is_forbidden) hint += "a container's seccomp filter may forbid perf_event_open";
  if (level != "-1")
    hint += fmt::format(
        "{}as root, sysctl kernel.perf_event_paranoid={} permits it, as does CAP_PERFMON",
        is_forbidden ? "" : "; ", is_forbidden ? static_cast<int>(needed.most) : -1);
  return {Errc::io, std::move(why), std::move(hint)};
}

Reason not_valid(const Refused& refused, const Roots& roots) {
  if (refused.event.bits.precise_ip != 0 && refused.event.modifiers.find('P') == std::string::npos)
    return {Errc::unsupported, "the PMU does not support this precise level",
            "leave out the modifier p; counting needs none"};
  if (refused.in_group)
    return {Errc::unsupported, "the PMU can't count it together with the events before it",
            watchdog_counts(roots)
                ? "make the group smaller, or sysctl kernel.nmi_watchdog=0, which frees a counter"
                : "make the group smaller, or end it with :W to count its events singly then"};
  if (refused.place.thread < 0 && refused.event.modifiers.find_first_of("ukh") != std::string::npos)
    return {Errc::unsupported, "the PMU can't leave out user space or the kernel",
            "leave out the modifiers"};
  return {Errc::unsupported, "the PMU does not support this event as it is asked for", ""};
}

Reason lacking(const Encoding& e) {
  return {Errc::unsupported, fmt::format("the kernel or the PMU {} does not support it", e.pmu),
          ""};
}

/// Each event takes a file on each CPU or thread.
Reason too_many_files(int error, const Roots& roots) {
  if (error == ENFILE) {
    const auto most = read_head(roots.procfs + "/sys/fs/file-max");
    return {Errc::io,
            most ? fmt::format("too many open files: the system has at most {}", trim(*most))
                 : "too many open files in the system",
            "sysctl fs.file-max permits more"};
  }
  rlimit limit{};
  getrlimit(RLIMIT_NOFILE, &limit);
  return {
      Errc::io,
      fmt::format("too many open files: a process may have {}, and each event takes one on each "
                  "CPU or thread",
                  limit.rlim_cur),
      "ulimit -n permits more, or name fewer events or CPUs"};
}

Reason reason_of(const Refused& refused, int error, const Roots& roots) {
  switch (error) {
    case EACCES:
    case EPERM:
      return not_permitted(refused, roots);
    case ENOENT:
    case EOPNOTSUPP:
      return lacking(refused.event);
    case ENODEV:
      if (refused.place.cpu < 0) return lacking(refused.event);
      return {Errc::not_found, fmt::format("CPU {} is not online", refused.place.cpu), ""};
    case EINVAL:
      return not_valid(refused, roots);
    case EBUSY:
      return {Errc::io, "the counter is taken",
              watchdog_counts(roots) ? "sysctl kernel.nmi_watchdog=0 frees one"
                                     : "another program counts exclusively"};
    case ESRCH:
      return {Errc::not_found, fmt::format("there is no thread {}", refused.place.thread), ""};
    case EMFILE:
    case ENFILE:
      return too_many_files(error, roots);
    case ENOSPC:
      return {Errc::io, "all breakpoint registers are taken", "count fewer breakpoints"};
    case E2BIG:
      return {Errc::unsupported, "the kernel is too old for config words of this event", ""};
    case ENOSYS:
      return {Errc::unsupported, "this kernel has no perf events", ""};
    case EBADF:
      if (refused.of_cgroup)
        return {Errc::not_found, "the cgroup is in no hierarchy that perf counts",
                "name a cgroup of version 2, or of the hierarchy perf_event"};
      [[fallthrough]];
    default:
      return {Errc::io, std::strerror(error), ""};
  }
}

}  // namespace

std::string name_of(const Encoding& event) { return event.written(); }

bool watchdog_counts(const Roots& roots) { return ScheduleOptions::live(roots).nmi_watchdog; }

Error refusal(const Refused& refused, int error, const Machine& machine, const Roots& roots) {
  if (error == ENOENT || error == ENODEV)
    if (auto known = known_problem(refused.event, machine, roots)) return std::move(*known);
  Reason reason = reason_of(refused, error, roots);
  return {reason.code,
          fmt::format("{}: {}", name_of(refused.event), reason.why),
          {},
          std::move(reason.hint)};
}

std::optional<Error> no_core_pmu(const Machine& machine, const Roots& roots) {
  // Without sysfs nobody knows.
  if (has_core(machine.pmus()) || !is_directory(roots.sysfs + "/bus/event_source/devices"))
    return std::nullopt;
  return Error(Errc::unsupported, lack_of_core_pmu(roots));
}

std::optional<Error> known_problem(const Encoding& event, const Machine& machine,
                                   const Roots& roots) {
  const std::vector<PmuInfo> pmus = machine.pmus();
  const auto own = std::ranges::find(pmus, event.pmu, &PmuInfo::name);
  const bool needs_core =
      event.pmu == "hardware" || event.pmu == "hw_cache" || (own != pmus.end() && own->is_core);
  if (needs_core && !has_core(pmus))
    return Error(
        Errc::unsupported, fmt::format("{}: {}", name_of(event), lack_of_core_pmu(roots)), {},
        is_virtual(roots) ? "the host can give it one; software events can be counted without it"
                          : "");
  if (event.code.has_type != 0) return std::nullopt;
  return Error(Errc::unsupported,
               fmt::format("{}: this machine has no PMU {}", name_of(event), event.pmu), {}, "");
}

}  // namespace evname::counting
