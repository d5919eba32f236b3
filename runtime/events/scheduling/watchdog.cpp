#include "events/scheduling/watchdog.hpp"

#include <algorithm>
#include <vector>

#include "base/read_file.hpp"
#include "base/text.hpp"

#ifdef __linux__
#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <cerrno>
#endif

namespace evname::scheduling {
namespace {

constexpr std::size_t kLargestConfig = 4 << 20;

bool has_line(std::string_view text, std::string_view wanted) {
  const auto lines = split(text, '\n');
  return std::ranges::find(lines, wanted) != lines.end();
}

/// Returns true if a parameter of the kernel is on: kstrtobool of lib/kstrtox.c.
bool is_switched_on(std::string_view command_line, std::string_view parameter) {
  bool out = false;
  for (const std::string_view word : split(trim(command_line), ' ')) {
    if (!word.starts_with(parameter)) continue;
    std::string_view value = word.substr(parameter.size());
    if (!value.starts_with('=')) continue;
    value.remove_prefix(1);
    out = value.starts_with('1') || value.starts_with('y') || value.starts_with('Y') ||
          value.starts_with('t') || value.starts_with('T') || to_lower(value) == "on";
  }
  return out;
}

/// Returns the configuration of the running kernel; "" if it can't be read. /proc/config.gz is not
/// read: programs that only resolve events would need a decompressor.
std::string kernel_config(const Roots& roots) {
#ifdef __linux__
  utsname system{};
  if (roots.procfs == Roots().procfs && uname(&system) == 0)
    return read_text_file(std::string("/boot/config-") + system.release, kLargestConfig)
        .value_or("");
#endif
  return {};
}

constexpr bool kIsArm =
#ifdef __aarch64__
    true;
#else
    false;
#endif

#ifdef __linux__

/// Open files; the destructor closes members of a group before its leader.
class Files {
 public:
  Files() = default;
  Files(const Files&) = delete;
  ~Files() {
    for (std::size_t i = files_.size(); i-- > 0;) ::close(files_[i]);
  }
  int leader() const { return files_.empty() ? -1 : files_.front(); }
  std::size_t size() const { return files_.size(); }

  /// Opens cycles of this thread in user space, as the leader of a group or a member. Returns false
  /// and sets errno if it is refused.
  bool add_cycles() {
    perf_event_attr attr{};
    attr.size = PERF_ATTR_SIZE_VER0;
    attr.type = PERF_TYPE_HARDWARE;
    attr.config = PERF_COUNT_HW_CPU_CYCLES;
    attr.pinned = files_.empty();
    attr.exclude_kernel = attr.exclude_hv = true;
    const long file = syscall(SYS_perf_event_open, &attr, 0, -1, leader(), PERF_FLAG_FD_CLOEXEC);
    if (file < 0) return false;
    files_.push_back(static_cast<int>(file));
    return true;
  }

 private:
  std::vector<int> files_;
};

#endif

}  // namespace

/// The kernel accepts a group that would fit if all counters were free (validate_group of the PMU's
/// driver, which ignores disabled events). If a counter is taken, the largest such group does not
/// fit, and the kernel puts a pinned group into an error state: reads return nothing
/// (perf_event_open(2), `pinned`).
std::optional<bool> is_counter_taken() {
#ifdef __linux__
  constexpr std::size_t kMostCounters = 64;
  Files files;
  while (files.size() < kMostCounters && files.add_cycles()) {
  }
  if (files.size() == 0 || files.size() == kMostCounters || errno != EINVAL) return std::nullopt;
  std::uint64_t count = 0;
  const auto got = ::read(files.leader(), &count, sizeof count);
  if (got < 0) return std::nullopt;
  return got == 0;
#else
  return std::nullopt;
#endif
}

// Source: lib/Kconfig.debug; arch/arm64/kernel/watchdog_hld.c uses arm_pmu_irq_is_nmi(), which is
// true only with irqchip.gicv3_pseudo_nmi.
bool watchdog_counts(const WatchdogFacts& facts) {
  if (!facts.config.empty() && !has_line(facts.config, "CONFIG_HARDLOCKUP_DETECTOR_PERF=y"))
    return false;
  if (!facts.is_arm) return true;
  if (!facts.config.empty() && !has_line(facts.config, "CONFIG_ARM64_PSEUDO_NMI=y")) return false;
  return is_switched_on(facts.command_line, "irqchip.gicv3_pseudo_nmi");
}

bool watchdog_takes_counter(const Roots& roots) {
  if (text_of_file(roots.procfs + "/sys/kernel/nmi_watchdog") != "1") return false;
  const Roots own;
  if (roots.procfs == own.procfs && roots.sysfs == own.sysfs)
    if (const auto taken = is_counter_taken()) return *taken;
  return watchdog_counts({kIsArm, kernel_config(roots), text_of_file(roots.procfs + "/cmdline")});
}

}  // namespace evname::scheduling
