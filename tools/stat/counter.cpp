#include "stat/counter.hpp"

#include <fmt/format.h>
#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "evname/perf_event.hpp"
#include "text.hpp"

namespace evname::tools {
namespace {

constexpr std::size_t kSizeWithConfig3 = 136, kAttrSize = 144;
constexpr std::size_t kMaxCpus = 4096;

/// Headers older than Linux 6.3 have no config3, so the attr is built in a buffer that has.
using AttrBytes = std::array<unsigned char, kAttrSize>;

/// `P` asks for the most that a sampling counter can do; for plain counts perf leaves it out.
unsigned precision(const Encoding& e) {
  return e.modifiers.find('P') == e.modifiers.npos ? e.bits.precise_ip : 0;
}

/// A member of a group runs whenever its leader does.
AttrBytes attr_of(const Encoding& e, bool of_task, bool member) {
  perf_event_attr attr{};
  attr.size = e.code.config[4]   ? kAttrSize
              : e.code.config[3] ? kSizeWithConfig3
                                 : PERF_ATTR_SIZE_VER7;
  attr.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
  attr.disabled = !member;
  attr.inherit = of_task;
  attr.enable_on_exec = of_task && !member;
  AttrBytes bytes{};
  std::memcpy(bytes.data(), &attr, std::min(sizeof attr, bytes.size()));
  Encoding event = e;
  if (e.modifiers.empty()) event.bits = attr_bits({});  // as perf stat does
  event.bits.precise_ip = static_cast<std::uint8_t>(precision(e));
  (void)fill_attr(event, bytes.data(), bytes.size());  // the type is known, the size right
  return bytes;
}

std::string reason(int error) {
  const auto paranoid = read_text_file("/proc/sys/kernel/perf_event_paranoid");
  switch (error) {
    case EACCES:
    case EPERM:
      return fmt::format(
          "not permitted (kernel.perf_event_paranoid is {}; event:u counts user space only, root's "
          "`sysctl kernel.perf_event_paranoid=-1` permits all)",
          paranoid ? trim(*paranoid) : "unknown");
    case ENOENT:
    case ENODEV:
    case EOPNOTSUPP:
      return "the PMU or the kernel does not support this event";
    default:
      return std::strerror(error);
  }
}

/// Uncore counters belong to a CPU of their cpumask, not to a task.
std::vector<unsigned> cpus_of(const PmuInfo* pmu) {
  if (pmu == nullptr || !pmu->is_uncore) return {};
  return cpu_numbers(pmu->cpus, kMaxCpus);
}

}  // namespace

double Count::scaled() const {
  if (running == 0) return 0;
  return static_cast<double>(value) * static_cast<double>(enabled) / static_cast<double>(running);
}

Result<Counter> Counter::open(const Encoding& encoding, const PmuInfo* pmu, pid_t task,
                              const Counter* leader) {
  Counter counter;
  counter.cpus_ = leader ? leader->cpus_ : cpus_of(pmu);
  AttrBytes attr = attr_of(encoding, counter.cpus_.empty(), leader != nullptr);
  const std::size_t places = std::max<std::size_t>(counter.cpus_.size(), 1);
  bool opened = false;
  for (std::size_t i = 0; i < places; ++i) {
    const bool of_task = counter.cpus_.empty();
    const int group = leader ? leader->files_[i] : -1;
    const long file =
        syscall(SYS_perf_event_open, attr.data(), of_task ? task : -1,
                of_task ? -1 : static_cast<int>(counter.cpus_[i]), group, PERF_FLAG_FD_CLOEXEC);
    opened |= file >= 0;
    counter.files_.push_back(static_cast<int>(file));
  }
  if (!opened) return fail(Errc::unsupported, reason(errno), std::string(encoding.pmu));
  return counter;
}

Counter::~Counter() {
  for (const int file : files_)
    if (file >= 0) ::close(file);
}

// Counters of a task start with its exec; enabling them here would count evname's own fork.
void Counter::start() const {
  if (cpus_.empty()) return;
  for (const int file : files_)
    if (file >= 0) ioctl(file, PERF_EVENT_IOC_ENABLE, 0);
}

void Counter::stop() const {
  for (const int file : files_)
    if (file >= 0) ioctl(file, PERF_EVENT_IOC_DISABLE, 0);
}

Result<Count> Counter::read() const {
  Count sum;
  for (const int file : files_) {
    if (file < 0) continue;
    std::uint64_t words[3] = {};  // read_format: value, time_enabled, time_running
    if (::read(file, words, sizeof words) != sizeof words)
      return fail(Errc::io, std::strerror(errno));
    sum.value += words[0];
    sum.enabled += words[1];
    sum.running += words[2];
  }
  return sum;
}

}  // namespace evname::tools
