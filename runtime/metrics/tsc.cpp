#include "metrics/tsc.hpp"

#include <charconv>
#include <limits>
#include <string>

#include "base/read_file.hpp"
#include "base/text.hpp"

#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#define HAVE_CPUID 1
#endif

namespace evname::measure {
namespace {

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

/// "key : value" of the first CPU.
std::string cpuinfo_value(std::string_view cpuinfo, std::string_view key) {
  for (const std::string_view line : split(cpuinfo, '\n')) {
    const std::size_t colon = line.find(':');
    if (colon == line.npos || trim(line.substr(0, colon)) != key) continue;
    return std::string(trim(line.substr(colon + 1)));
  }
  return {};
}

/// Intel SDM, CPUID leaf 15H: crystal clock (Hz) times numerator over denominator.
double enumerated_frequency() {
#ifdef HAVE_CPUID
  unsigned denominator = 0, numerator = 0, crystal = 0, unused = 0;
  if (__get_cpuid_max(0, nullptr) < 0x15) return 0;
  __cpuid_count(0x15, 0, denominator, numerator, crystal, unused);
  if (denominator != 0) return static_cast<double>(crystal) * numerator / denominator;
#endif
  return 0;
}

}  // namespace

double named_tsc_frequency(std::string_view cpu_name) {
  if (cpu_name.empty()) return kUnknown;
  if (cpu_name.find("Intel") == cpu_name.npos) return 0;
  const std::size_t at = cpu_name.rfind('@');
  if (at == cpu_name.npos) return kUnknown;
  const std::string_view text = trim(cpu_name.substr(at + 1));
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const std::string_view unit(end, static_cast<std::size_t>(text.data() + text.size() - end));
  if (error != std::errc()) return kUnknown;
  if (unit == "GHz") return number * 1e9;
  return unit == "MHz" ? number * 1e6 : kUnknown;
}

double live_tsc_frequency(const Roots& roots) {
  const std::string path = roots.procfs + "/cpuinfo";
  const auto cpuinfo = read_text_file(path, 16 << 20);
  if (!cpuinfo) return kUnknown;
  if (cpuinfo_value(*cpuinfo, "vendor_id") != "GenuineIntel") return 0;
  if (roots.procfs == Roots().procfs)
    if (const double frequency = enumerated_frequency(); frequency > 0) return frequency;
  return named_tsc_frequency("Intel " + cpuinfo_value(*cpuinfo, "model name"));
}

}  // namespace evname::measure
