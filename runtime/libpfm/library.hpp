#pragma once
// The state that pfm_initialize() makes: the settings of the environment, the CPU, and the PMUs
// that can be named. Describes events as the structs of libpfm4 do.

#include <bitset>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "events/pfm4/encode_name.hpp"
#include "libpfm/abi.hpp"
#include "libpfm/old_programs.hpp"
#include "libpfm/own_cpu.hpp"

namespace evname::libpfm {

/// The environment variables of libpfm4 at the time of initialization. The texts belong to the
/// environment or to the library.
struct Settings {
  int verbose = 0;                ///< LIBPFM_VERBOSE
  bool uses_stdout = false;       ///< LIBPFM_DEBUG_STDOUT
  bool encodes_inactive = false;  ///< LIBPFM_ENCODE_INACTIVE
  bool is_forced = false;
  std::string_view forced;    ///< LIBPFM_FORCE_PMU
  std::string_view disabled;  ///< LIBPFM_DISABLED_PMUS
  std::string_view cpuinfo;   ///< LIBPFM_PROC_CPUINFO, with a zero byte; "": the CPU at hand

  static Settings of_environment();
  bool operator==(const Settings&) const = default;
  /// Returns true if part of a PMU's name is in the list of disabled ones.
  bool disables(std::string_view pmu) const;
};

/// Indexes of PMUs in the dictionary's order.
class PmuList {
 public:
  void add(std::uint16_t index) {
    if (count_ < kLimit) indexes_[count_++] = index;
  }
  std::span<const std::uint16_t> all() const { return {indexes_, count_}; }

 private:
  static constexpr std::size_t kLimit = kPmuMask + 1;
  std::size_t count_ = 0;
  std::uint16_t indexes_[kLimit];  ///< count_ elements are set
};

/// An initialized library. It never changes, so threads share it without locks.
class Library {
 public:
  /// `settings` must live as long as the library.
  explicit Library(const Settings& settings);

  const Settings& settings() const { return settings_; }
  /// Returns true for kOsNone, and for perf's interfaces if the kernel has perf_event.
  bool has_os(int os) const {
    return os == kOsNone || (os < kOsCount && os > 0 && has_perf_event_);
  }

  /// Returns the PMU with a number of libpfm4's enumeration; nullptr: unknown or disabled.
  const pfm4::Pmu* pmu(unsigned id) const;
  bool is_active(const pfm4::Pmu& pmu) const {
    return active_ids_[pmu.id & kPmuMask] && is_in_sysfs(pmu);
  }
  /// Returns the number that the PMU is shown under (old_programs.hpp).
  int number_of(const pfm4::Pmu& pmu) const { return old_programs_.number_of(pmu); }
  /// Returns true if the PMU is a core's that old programs are shown, and not the machine's first:
  /// PAPI 7.0 of Debian takes two PMUs of cores for a mistake.
  bool is_later_core(const pfm4::Pmu& pmu) const {
    return pmu.type == pfm4::PmuType::core && pmu.id != core_id_ && number_of(pmu) != pmu.id;
  }
  /// Returns the PMUs that a text may mean.
  pfm4::Scope scope() const;
  std::uint8_t levels() const { return levels_; }

 private:
  void add_pmus();
  bool is_forced(const pfm4::Pmu& pmu) const;
  bool is_detected(const pfm4::Pmu& pmu) const;
  bool is_in_sysfs(const pfm4::Pmu& pmu) const;
  static bool is_late(const pfm4::Pmu& pmu);
  void activate(std::uint16_t index);

  Settings settings_;
  bool has_perf_event_ = false;
  Cpus cpus_;
  std::bitset<kPmuMask + 1> active_ids_;
  OldPrograms old_programs_;
  std::uint16_t by_id_[kPmuMask + 1] = {};  ///< indexes of known PMUs plus one; 0: none
  PmuList active_;                          ///< can be named without their own name
  PmuList listed_;                          ///< can be named at all; empty: the same
  unsigned core_id_ = 0;                    ///< of the first core PMU that is active
  std::uint8_t levels_ = pfm4::kKernel | pfm4::kUser | pfm4::kHypervisor;
};

/// Returns the library that is initialized, or nullptr.
const Library* current_library();
/// Makes the library on first use; nullptr: there is no memory.
const Library* initialize_library();
void terminate_library();

/// The events of a libpfm4 table that the machine has are found by CPUID for Intel (ix86arch), by
/// the counter sets of a mainframe (cpum_cf), and by sysfs for events of the kernel (perf).
///
/// Makes the next call of pfm4::live_sets() ask the machine again.
void forget_live_events();

/// The number of counters of the PMU of all Intel CPUs.
struct LiveCounters {
  int generic = 0, fixed = 0;
};
LiveCounters live_counters();

/// Fills all members except `size` and `pmu`. For the levels of generic events see
/// pfm4::AttributeList.
void describe_event(const pfm4::Pmu& pmu, const pfm4::Event& event, EventInfo& info);
/// Fills all members except `size` and `idx`.
void describe_attribute(const pfm4::Pmu& pmu, const pfm4::Event& event, pfm4::Attribute attribute,
                        AttributeInfo& info);
/// The event that stands for every code of the PMU of raw codes.
extern const pfm4::Event kRawCodeEvent;

}  // namespace evname::libpfm
