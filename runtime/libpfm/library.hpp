#pragma once
// What pfm_initialize() finds out: the settings of the environment, the CPU, and with these the
// PMUs that can be named.

#include <array>
#include <bitset>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "events/pfm4/encode_name.hpp"
#include "libpfm/abi.hpp"

namespace evname::libpfm {

/// The environment variables of libpfm4, as they were when the library was initialized.
struct Settings {
  int verbose = 0;                ///< LIBPFM_VERBOSE
  bool uses_stdout = false;       ///< LIBPFM_DEBUG_STDOUT
  bool encodes_inactive = false;  ///< LIBPFM_ENCODE_INACTIVE
  bool is_forced = false;
  std::string forced;    ///< LIBPFM_FORCE_PMU
  std::string disabled;  ///< LIBPFM_DISABLED_PMUS
  std::string cpuinfo;   ///< LIBPFM_PROC_CPUINFO; "": the CPU at hand

  static Settings of_environment();
  bool operator==(const Settings&) const = default;
  /// Returns true if part of a PMU's name is in the list of disabled ones.
  bool disables(std::string_view pmu) const;
};

/// An initialized library. Nothing in it changes, so that threads share it without locks.
class Library {
 public:
  explicit Library(Settings settings);

  const Settings& settings() const { return settings_; }
  /// Returns true if the kernel has perf_event.
  bool has_perf_event() const { return has_perf_event_; }
  bool has_os(int os) const {
    return os == kOsNone || (os < kOsCount && os > 0 && has_perf_event_);
  }

  /// Returns the PMU of a number of libpfm4's enumeration; nullptr: it is none, or disabled.
  const pfm4::Pmu* pmu(unsigned id) const;
  bool is_active(const pfm4::Pmu& pmu) const { return active_ids_.test(pmu.id); }
  /// Returns true if the PMU of this number is shown under a lower one, too.
  bool is_moved(int id) const { return moved_ids_.test(static_cast<std::size_t>(id)); }
  /// Returns true if the PMU is a core's, and not the machine's first.
  bool has_core_before(const pfm4::Pmu& pmu) const {
    return pmu.type == pfm4::PmuType::core && pmu.id != core_id_;
  }
  /// Returns the PMUs that a text may mean.
  pfm4::Scope scope(std::string_view text) const;
  std::uint8_t levels() const { return levels_; }

 private:
  void find_cpu();
  void add_pmus();
  void force_pmu();
  void show_new_pmus();
  bool is_detected(const pfm4::Pmu& pmu);
  void activate(std::uint16_t index);

  Settings settings_;
  bool has_perf_event_ = false;
  std::uint8_t arch_ = 0;            ///< pfm4::ArchBit
  std::vector<std::string> cpuids_;  ///< of the different cores
  std::bitset<kPmuMask + 1> active_ids_, moved_ids_;
  std::array<std::int16_t, kPmuMask + 1> by_id_;  ///< indexes of known PMUs; -1: none
  std::vector<std::uint16_t> active_;             ///< can be named without their own name
  std::vector<std::uint16_t> listed_;             ///< can be named at all; empty: the same
  pfm4::Text asked_cpus_ = 0;  ///< of the PMU before, which mostly has the same, and what was found
  bool has_asked_cpus_ = false;
  unsigned core_id_ = 0;  ///< of the first core PMU that is active
  std::uint8_t levels_ = pfm4::kKernel | pfm4::kUser | pfm4::kHypervisor;
};

/// Returns the library that is initialized, or nullptr.
const Library* current_library();
/// Makes it if there is none.
const Library& initialize_library();
void terminate_library();

}  // namespace evname::libpfm
