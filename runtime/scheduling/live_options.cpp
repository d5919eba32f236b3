// ScheduleOptions::live: what the machine at hand tells of its counters.
#include <string>

#include "base/small_file.hpp"
#include "base/text.hpp"
#include "evname/schedule.hpp"

#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#endif

namespace evname {
namespace {

/// 0 or 1 in a file of one line; `missing` if it says something else, or is not there.
bool read_switch(const std::string& path, bool missing) {
  const auto text = read_head(path);
  const std::string_view value = text ? trim(*text) : std::string_view();
  return value == "1" || (value != "0" && missing);
}

/// Generic counters of each hardware thread. Intel SDM, leaf 0AH: EAX bits 7:0 version, 15:8
/// counters; AMD APM, leaf 80000022H: EAX bit 0 PerfMonV2, EBX bits 3:0 counters.
std::optional<unsigned> cpuid_counters() {
#if defined(__x86_64__) || defined(__i386__)
  unsigned a = 0, b = 0, c = 0, d = 0;
  if (__get_cpuid_count(0x0a, 0, &a, &b, &c, &d) && (a & 0xff) != 0 && (a >> 8 & 0xff) != 0)
    return a >> 8 & 0xff;
  if (__get_cpuid_count(0x80000022, 0, &a, &b, &c, &d) && (a & 1) != 0 && (b & 0xf) != 0)
    return b & 0xf;
#endif
  return std::nullopt;
}

}  // namespace

ScheduleOptions ScheduleOptions::live(const Roots& roots) {
  ScheduleOptions out;
  out.nmi_watchdog = read_switch(roots.procfs + "/sys/kernel/nmi_watchdog", false);
  out.smt = read_switch(roots.sysfs + "/devices/system/cpu/smt/active", true);
  const Roots own;
  if (roots.sysfs == own.sysfs && roots.procfs == own.procfs)
    out.generic_counters = cpuid_counters();
  return out;
}

}  // namespace evname
