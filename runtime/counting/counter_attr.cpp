#include "counting/counter_attr.hpp"

#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

#include "evname/encoding.hpp"

namespace evname::counting {
namespace {

constexpr std::size_t kSizeWithConfig3 = 136, kSizeWithConfig4 = 144;
static_assert(sizeof(AttrBytes) == kSizeWithConfig4);

/// `rdpmc` of armv8_pmuv3: a counter that user space may read, if kernel.perf_user_access is 1.
constexpr std::uint64_t kArmUserAccess = 2;

/// Kernels refuse an attr that is longer than theirs and not zero there; so it is as short as it
/// can be.
std::uint32_t size_for(const Code& code) {
  if (code.config[4] != 0) return kSizeWithConfig4;
  return code.config[3] != 0 ? kSizeWithConfig3 : PERF_ATTR_SIZE_VER7;
}

/// `P` asks for the most that a sampling counter can do; for plain counts perf leaves it out.
std::uint8_t precision(const Encoding& e) {
  return e.modifiers.find('P') == e.modifiers.npos ? e.bits.precise_ip : 0;
}

}  // namespace

AttrBytes attr_bytes(const Encoding& event, const CounterOptions& options,
                     const OpenRequest& request) {
  perf_event_attr attr{};
  attr.size = size_for(event.code);
  attr.read_format =
      PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
  attr.disabled = request.leads;
  attr.pinned = options.pinned && request.leads;
  attr.inherit = options.inherit && request.of_task;
  attr.enable_on_exec = options.enable_on_exec && request.of_task && request.leads;
  AttrBytes bytes{};
  std::memcpy(bytes.data(), &attr, std::min(sizeof attr, bytes.size()));
  Encoding asked = event;
  asked.bits.precise_ip = precision(event);
  if (request.reads_itself) asked.code.config[1] |= kArmUserAccess;
  (void)fill_attr(asked, bytes.data(), bytes.size());  // the type is known, the size right
  return bytes;
}

int open_counter(const AttrBytes& attr, int thread, int cpu, int group, bool of_cgroup) {
  const unsigned long flags = PERF_FLAG_FD_CLOEXEC | (of_cgroup ? PERF_FLAG_PID_CGROUP : 0);
  return static_cast<int>(syscall(SYS_perf_event_open, attr.data(), thread, cpu, group, flags));
}

}  // namespace evname::counting
