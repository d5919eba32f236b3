#pragma once
// One PMU of a machine, whichever source it was read from.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "events/pmu/format.hpp"
#include "events/tables/cpu_facts.hpp"

namespace evname::pmu {

/// events/NAME of sysfs with its .scale, .unit, .per-pkg and .snapshot files.
struct SysfsEvent {
  std::string name;   ///< as the file is called
  std::string terms;  ///< content, trimmed: "event=0xcd,umask=0x1,ldlat=3"
  double scale = 1.0;
  std::string unit;
  bool per_pkg = false;
  bool snapshot = false;
  bool implied = false;   ///< in no file: of a PMU that perf itself knows
  std::string desc = {};  ///< of sensors and GPUs; empty for events of the kernel's PMUs
};

enum class Origin : std::uint8_t {
  sysfs,     ///< a directory of bus/event_source/devices
  recorded,  ///< PMU mappings, caps and topology of a perf.data; formats are built-in ones
  builtin,   ///< nothing but this build's own description
};

struct Pmu {
  std::string name;                   ///< "cpu", "uncore_imc_3", "armv8_pmuv3_0"
  std::string alias;                  ///< second name (sysfs `alias`), often empty
  std::optional<std::uint32_t> type;  ///< nullopt where it is given out at boot and not recorded
  std::vector<Format> formats;        ///< sorted by name
  std::vector<SysfsEvent> events;     ///< sorted by name
  std::vector<std::pair<std::string, std::string>> caps;  ///< name and value, each name once
  std::string cpus;        ///< `cpumask`, else `cpus`: "0-3,8"; empty: all online CPUs
  std::string identifier;  ///< uncore only; matched against Compat
  std::string cpuid;       ///< this PMU's own CPUID string where CPUs differ; empty: the machine's
  bool is_core = false;
  bool is_uncore = false;
  bool is_implied = false;  ///< not found anywhere, but there all the same: see add_implied_pmus()
  Origin origin = Origin::builtin;

  const std::string* find_cap(std::string_view cap_name) const;  ///< its value; nullptr: none
  void set_cap(std::string_view cap_name, std::string value);
  /// Case-sensitive. The tables' "offcore_rsp" is also the field that newer CPUs call
  /// "offmodule_rsp".
  const Format* find_format(std::string_view format_name) const;
  const SysfsEvent* find_event(std::string_view event_name) const;  ///< any case
};

/// "uncore_imc_10" -> "uncore_imc". Only `_` and digits count, or more than two hexadecimal digits,
/// so that s390's cpum_cf keeps its name (tools/perf/util/pmus.c, pmu_name_len_no_suffix).
std::string_view sort_stem(std::string_view name);

/// Far above what real machines have: against trees and recordings made up to exhaust memory.
inline constexpr std::size_t kMostPmus = 16384;

/// perf's order: core PMUs first, each part sorted by name without numeric suffix, then the suffix.
void sort_pmus(std::vector<Pmu>& pmus);

/// What the kernel calls the PMU of a Unit of event files, where it is neither "uncore_" and the
/// unit nor told by compiler/keys.cpp; else the name itself. perf finds no PMU for these.
std::string_view kernel_name(std::string_view table_pmu, std::string_view model);

/// Does the table PMU name ("default_core", "uncore_imc", "hisi_sccl,ddrc") serve this PMU?
/// Suffix rules: tools/perf/util/pmu.c, pmu__name_match. A built-in uncore PMU ("uncore_cbox")
/// stands for all instances of its unit, so "uncore_cbox_0" serves it too.
bool serves(std::string_view table_pmu, const Pmu& pmu);

using tables::matches_ignoring_suffix;

/// Does the user's text ("cbox", "uncore_cb*", "imc_0") mean this PMU, as a wildcard? "imc_0" means
/// a built-in "uncore_imc" too.
bool matches_wildcard(std::string_view text, const Pmu& pmu);

}  // namespace evname::pmu
