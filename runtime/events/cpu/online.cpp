#include "events/cpu/online.hpp"

#include "base/read_file.hpp"
#include "base/sorting.hpp"
#include "base/text.hpp"

namespace evname::cpu {
namespace {

/// Returns the CPUs of lines "cpu3 …". The kernel prints one for each that is online
/// (fs/proc/stat.c, show_stat).
std::vector<unsigned> cpus_of_stat(const std::string& text) {
  std::vector<unsigned> out;
  for (const std::string_view line : split(text, '\n')) {
    if (!line.starts_with("cpu")) break;
    const auto number = parse_decimal(line.substr(3, line.find(' ') - 3));
    if (number && *number < kMostCpus) out.push_back(static_cast<unsigned>(*number));
  }
  return out;
}

}  // namespace

std::vector<unsigned> online_numbers(const Roots& roots) {
  const std::string list = text_of_file(roots.sysfs + "/devices/system/cpu/online");
  std::vector<unsigned> out = parse_cpu_list(list);
  const bool same_machine = (roots.sysfs == Roots().sysfs) == (roots.procfs == Roots().procfs);
  if (list.empty() && same_machine)
    out = cpus_of_stat(read_text_file(roots.procfs + "/stat").value_or(""));
  sort_stably(out);
  return out;
}

}  // namespace evname::cpu
