// Finds the CPU of a live machine. Each probe detects its architecture by the content of sysfs and
// procfs trees, so that trees from another machine work anywhere.

#include "events/cpu/live_cpu.hpp"

#include <fmt/format.h>
#include <sys/utsname.h>

#include <optional>

#include "base/read_file.hpp"
#include "base/sorting.hpp"
#include "base/text.hpp"

namespace evname::cpu {
namespace {

/// The files for the probes, read once.
struct Tree {
  const Roots& roots;
  std::string cpuinfo;         ///< head of <procfs>/cpuinfo
  std::string sysinfo;         ///< <procfs>/sysinfo (s390)
  std::string service_levels;  ///< <procfs>/service_levels (s390)
  std::string online;          ///< <sysfs>/devices/system/cpu/online
};

/// Returns the value of the first "key : value" line; exactly one space after the colon is dropped,
/// because vendor strings may begin with spaces ("  Shanghai  ").
std::optional<std::string_view> field(std::string_view text, std::string_view key) {
  for (const std::string_view line : split(text, '\n')) {
    const auto colon = line.find(':');
    if (colon == std::string_view::npos || trim(line.substr(0, colon)) != key) continue;
    std::string_view value = line.substr(colon + 1);
    if (value.starts_with(' ')) value.remove_prefix(1);
    return value;
  }
  return std::nullopt;
}

std::optional<std::uint64_t> number_field(std::string_view text, std::string_view key) {
  const auto value = field(text, key);
  return value ? parse_number(trim(*value)) : std::nullopt;
}

std::string last_word(std::string_view text) {
  const auto space = trim(text).rfind(' ');
  return std::string(trim(text).substr(space == std::string_view::npos ? 0 : space + 1));
}

/// Returns MIDR_EL1 from the fields that the kernel prints of it (arch/arm64/kernel/cpuinfo.c,
/// c_show).
std::string midr_of_cpuinfo(std::string_view cpuinfo) {
  const auto implementer = number_field(cpuinfo, "CPU implementer");
  const auto variant = number_field(cpuinfo, "CPU variant");
  const auto part = number_field(cpuinfo, "CPU part");
  const auto revision = number_field(cpuinfo, "CPU revision");
  if (!implementer || !variant || !part || !revision) return {};
  if (*implementer > 0xff || *variant > 0xf || *part > 0xfff || *revision > 0xf) return {};
  return fmt::format("{:#018x}", *implementer << 24 | *variant << 20 | std::uint64_t{0xf} << 16 |
                                     *part << 4 | *revision);
}

/// Returns the value after `key` up to white space, in the "CPU-MF:" line of service_levels.
std::string counter_facility(std::string_view levels, std::string_view key) {
  const auto line = field(levels, "CPU-MF");
  const auto at = line ? line->find(key) : std::string_view::npos;
  if (at == std::string_view::npos) return {};
  const std::string_view rest = line->substr(at + key.size());
  return std::string(rest.substr(0, rest.find_first_of(" \t\r\n,")));
}

// Each probe returns the CPU of the tree if it is of that architecture. The CPUID string may be
// empty.

std::optional<Identity> probe_arm64(const Tree& tree) {
  const std::string cpus = tree.online.empty() ? "0" : tree.online;
  const std::string midr = first_midr(tree.roots.sysfs, cpus);
  if (!midr.empty()) return Identity{"arm64", midr};
  const auto generation = number_field(tree.cpuinfo, "CPU architecture");
  if (!generation) return std::nullopt;
  if (*generation < 8) return Identity{"arm", midr_of_cpuinfo(tree.cpuinfo)};
  return Identity{"arm64", midr_of_cpuinfo(tree.cpuinfo)};
}

std::optional<Identity> probe_x86(const Tree& tree) {
  const auto vendor = field(tree.cpuinfo, "vendor_id");
  const auto family = number_field(tree.cpuinfo, "cpu family");
  const auto model = number_field(tree.cpuinfo, "model");
  if (!vendor || !family || !model) return std::nullopt;
  // "unknown" is printed for a stepping of zero on very old CPUs.
  const std::uint64_t stepping = number_field(tree.cpuinfo, "stepping").value_or(0);
  return Identity{"x86", fmt::format("{}-{}-{:X}-{:X}", *vendor, *family, *model, stepping)};
}

std::optional<Identity> probe_powerpc(const Tree& tree) {
  const auto revision = field(tree.cpuinfo, "revision");
  if (!revision) return std::nullopt;
  constexpr std::string_view kMark = "(pvr ";
  const auto at = revision->find(kMark);
  if (at == std::string_view::npos) return std::nullopt;
  std::string_view pvr = revision->substr(at + kMark.size());  // "004e 1202)"
  pvr = pvr.substr(0, pvr.find(')'));
  const auto space = pvr.find(' ');
  if (space == std::string_view::npos) return std::nullopt;
  const auto version = parse_hex(pvr.substr(0, space)), rest = parse_hex(pvr.substr(space + 1));
  if (!version || !rest || *version > 0xffff || *rest > 0xffff) return std::nullopt;
  return Identity{"powerpc", fmt::format("{:#010x}", *version << 16 | *rest)};
}

std::optional<Identity> probe_s390(const Tree& tree) {
  const auto manufacturer = field(tree.sysinfo, "Manufacturer"), type = field(tree.sysinfo, "Type");
  if (!manufacturer || !type) {
    const auto vendor = field(tree.cpuinfo, "vendor_id");
    if (vendor && trim(*vendor) == "IBM/S390") return Identity{"s390", ""};
    return std::nullopt;
  }
  std::string cpuid = fmt::format("{},{}", last_word(*manufacturer), last_word(*type));
  for (const std::string_view word : split(field(tree.sysinfo, "Model").value_or(""), ' '))
    if (!trim(word).empty()) cpuid += fmt::format(",{}", trim(word));
  const std::string version = counter_facility(tree.service_levels, "version=");
  const std::string authorization = counter_facility(tree.service_levels, "authorization=");
  if (!version.empty() && !authorization.empty()) cpuid += "," + version + "," + authorization;
  return Identity{"s390", cpuid};
}

std::optional<Identity> probe_riscv(const Tree& tree) {
  const auto vendor = field(tree.cpuinfo, "mvendorid"), arch = field(tree.cpuinfo, "marchid"),
             implementation = field(tree.cpuinfo, "mimpid");
  if (vendor && arch && implementation)
    return Identity{"riscv", fmt::format("{}-{}-{}", last_word(*vendor), last_word(*arch),
                                         last_word(*implementation))};
  if (field(tree.cpuinfo, "isa").value_or("").starts_with("rv")) return Identity{"riscv", ""};
  return std::nullopt;
}

std::optional<Identity> probe_loongarch(const Tree& tree) {
  const auto name = field(tree.cpuinfo, "Model Name");
  if (!name) return std::nullopt;
  return Identity{"loongarch", last_word(*name)};
}

/// Returns the architecture that alone has a core PMU of this name; for trees without procfs or CPU
/// registers.
std::string arch_of_pmus(const std::string& sysfs) {
  struct Row {
    const char *pmu, *arch;
  };
  constexpr Row kRows[] = {{"armv8_pmuv3_0", "arm64"},
                           {"armv8_pmuv3", "arm64"},
                           {"cpum_cf", "s390"},
                           {"cpu_core", "x86"},
                           {"cpu/format/umask", "x86"},
                           {"cpu/format/pmcxsel", "powerpc"},
                           {"cpu/format/firmware", "riscv"}};
  for (const Row& row : kRows) {
    const std::string path = fmt::format("{}/bus/event_source/devices/{}", sysfs, row.pmu);
    if (is_directory(path) || read_head(path)) return row.arch;
  }
  return {};
}

std::string own_arch() {
  utsname names{};
  return uname(&names) == 0 ? tables_arch(names.machine) : std::string();
}

constexpr std::optional<Identity> (*kProbes[])(const Tree&) = {
    probe_arm64, probe_x86, probe_powerpc, probe_s390, probe_riscv, probe_loongarch};

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

std::string first_midr(const std::string& sysfs, std::string_view cpus) {
  constexpr std::size_t kMostAsked = 4096;
  constexpr std::size_t kMidrText = 18;  // "0x" and 16 digits: all that perf reads
  for (const unsigned number : parse_cpu_list(cpus, kMostAsked)) {
    const auto text = read_head(
        fmt::format("{}/devices/system/cpu/cpu{}/regs/identification/midr_el1", sysfs, number),
        kMidrText);
    if (text && text->starts_with("0x")) return std::string(trim(*text));
  }
  return {};
}

Result<Identity> live_identity(const Roots& roots) {
  const bool is_this_machine = roots.sysfs == Roots().sysfs && roots.procfs == Roots().procfs;
  if (!is_this_machine && !is_directory(roots.sysfs) && !is_directory(roots.procfs))
    return fail(Errc::not_found, "neither a sysfs nor a procfs tree is there", roots.sysfs);
  const auto read = [](const std::string& path, std::size_t limit) {
    return read_head(path, limit).value_or("");
  };
  // Only the first CPU of cpuinfo is used; with feature lists it takes a few KiB.
  const Tree tree{roots, read(roots.procfs + "/cpuinfo", 1 << 16),
                  read(roots.procfs + "/sysinfo", 1 << 16),
                  read(roots.procfs + "/service_levels", 1 << 16),
                  read(roots.sysfs + "/devices/system/cpu/online", 4096)};
  const std::string sysfs_arch = arch_of_pmus(roots.sysfs);
  for (const auto probe : kProbes) {
    auto identity = probe(tree);
    // With this machine's procfs and another machine's sysfs, the PMUs decide.
    if (identity && (sysfs_arch.empty() || sysfs_arch == identity->arch)) return *identity;
  }
  return Identity{sysfs_arch.empty() ? own_arch() : sysfs_arch, ""};
}

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
