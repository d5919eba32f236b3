#include "cpu/midr.hpp"

#include <fmt/format.h>

#include "base/cpu_list.hpp"
#include "base/small_file.hpp"
#include "base/text.hpp"

namespace evname::cpu {

std::string first_midr(const std::string& sysfs, std::string_view cpus) {
  constexpr std::size_t kMostCpus = 4096;
  constexpr std::size_t kMidrText = 18;  // "0x" and 16 digits: all that perf reads
  for (const unsigned number : parse_cpu_list(cpus, kMostCpus)) {
    const auto text = read_head(
        fmt::format("{}/devices/system/cpu/cpu{}/regs/identification/midr_el1", sysfs, number),
        kMidrText);
    if (text && text->starts_with("0x")) return std::string(trim(*text));
  }
  return {};
}

}  // namespace evname::cpu
