#pragma once
// A PMU of a machine, from any source. Its format fields name the bits of perf_event_attr for the
// value of a term (Documentation/ABI/testing/sysfs-bus-event_source-devices-format of Linux).

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "events/tables/cpu_facts.hpp"

namespace evname::pmu {

/// A file of format/. The field is the set bits of `mask` in config word `word`.
/// Bit 0 of a value goes to the lowest set bit, bit 1 to the next, whatever the order in the file.
struct Format {
  std::string name;
  std::uint8_t word = 0;  ///< 0 config, 1 config1, 2 config2, 3 config3; above: can't be used
  std::uint64_t mask = 0;

  int width() const;
  /// Returns the value spread over the mask's bits; nullopt if it has more bits than width().
  std::optional<std::uint64_t> pack(std::uint64_t value) const;
  /// Returns the field's value in a config word.
  std::uint64_t extract(std::uint64_t config) const;
};

/// A file events/NAME of sysfs with its .scale, .unit, .per-pkg and .snapshot files.
struct SysfsEvent {
  std::string name;   ///< name of the file
  std::string terms;  ///< content, trimmed: "event=0xcd,umask=0x1,ldlat=3"
  double scale = 1.0;
  std::string unit;
  bool per_pkg = false;
  bool snapshot = false;
  bool implied = false;   ///< known to perf, without a file
  std::string desc = {};  ///< of sensors and GPUs; empty for events of the kernel's PMUs
};

enum class Origin : std::uint8_t {
  sysfs,     ///< a directory of bus/event_source/devices
  recorded,  ///< PMU mappings, caps and topology of a perf.data; formats are built-in ones
  builtin,   ///< described by pmus.csv alone
};

struct Pmu {
  std::string name;   ///< "cpu", "uncore_imc_3", "armv8_pmuv3_0"
  std::string alias;  ///< second name (sysfs `alias`), often empty
  std::string unit;   ///< its name in event files if that differs
  /// Of a built-in PMU: further patterns of its instances (tables::is_instance()); often empty.
  std::string instances;
  std::optional<std::uint32_t> type;  ///< nullopt if assigned at boot and not recorded
  std::vector<Format> formats;        ///< sorted by name
  std::uint64_t cleared_bits = 0;     ///< bits of config that the driver clears without an error
  std::vector<SysfsEvent> events;     ///< sorted by name
  std::vector<std::pair<std::string, std::string>> caps;  ///< name and value, each name once
  std::string cpus;        ///< `cpumask`, else `cpus`: "0-3,8"; empty: all online CPUs
  std::string identifier;  ///< uncore only; matched against Compat
  std::string cpuid;       ///< its own CPUID string if CPUs differ; empty: the machine's
  bool is_core = false;
  bool is_uncore = false;
  bool is_implied = false;  ///< perf has it on every machine: see add_implied_pmus()
  Origin origin = Origin::builtin;

  const std::string* find_cap(std::string_view cap_name) const;  ///< its value; nullptr: none
  void set_cap(std::string_view cap_name, std::string value);
  /// Case-sensitive. The tables' "offcore_rsp" is also the field that newer CPUs call
  /// "offmodule_rsp".
  const Format* find_format(std::string_view format_name) const;
  const SysfsEvent* find_event(std::string_view event_name) const;  ///< any case
};

/// Returns "uncore_imc" for "uncore_imc_10". Only `_` and digits count, or more than two
/// hexadecimal digits, so that s390's cpum_cf keeps its name (tools/perf/util/pmus.c,
/// pmu_name_len_no_suffix).
std::string_view sort_stem(std::string_view name);

/// The limit is far above real machines; it stops hostile trees and recordings from exhausting
/// memory.
inline constexpr std::size_t kMostPmus = 16384;

/// Sorts PMUs as perf does: core PMUs first, each part by name without numeric suffix, then by the
/// suffix.
void sort_pmus(std::vector<Pmu>& pmus);

/// Returns true if events of the table PMU ("default_core", "uncore_imc", "hisi_sccl,ddrc") are for
/// this PMU. Suffix rules: tools/perf/util/pmu.c, pmu__name_match. A built-in uncore PMU
/// ("uncore_cbox") stands for all instances of its unit, so "uncore_cbox_0" serves it too.
bool serves(std::string_view table_pmu, const Pmu& pmu);

using tables::matches_ignoring_suffix;

/// Returns true if the user's text ("cbox", "uncore_cb*", "imc_0") means this PMU, as a wildcard,
/// or one of its boxes.
bool matches_wildcard(std::string_view text, const Pmu& pmu);

/// Returns the name of a box, "uncore_imc_0" for "imc_0", if the user's text means one of a
/// built-in PMU, which stands for all boxes of its kind; else "".
std::string box_name(std::string_view text, const Pmu& pmu);

/// Reads "config1:0-7,32-35" as perf does: it skips characters outside of terms, the last of
/// several terms wins, a range with B < A is empty. Returns nullopt if there is no term, or a bit
/// above 63.
std::optional<Format> parse_format(std::string_view name, std::string_view text);

}  // namespace evname::pmu
