#pragma once
// Numbers under which programs find PMUs that are newer than the header they were compiled with.
//
// Such a program asks pfm_get_pmu_info() for one number after the other, up to the PFM_PMU_MAX of
// its header. PAPI of Debian 12 and of Ubuntu 24.04 (papi_avail, papi_native_avail and
// all that is linked with libpapi) were compiled with libpfm4 4.13, whose last number is 516: they
// would never see a later CPU. A PMU of the machine with a later number is therefore shown under a
// number of Itanium, MIPS or SPARC, which libpfm4 has no PMUs for here. Under its own number it is
// there, but not present, so that programs with a newer header do not see it twice. Events keep
// their numbers.

#include <cstddef>
#include <cstdint>
#include <iterator>

#include "events/pfm4/dictionary.hpp"

namespace evname::libpfm {

class OldPrograms {
 public:
  /// Shows a PMU under the next number that is free if its own is too high for these programs.
  template <class IsFree>
  void show(const pfm4::Pmu& pmu, IsFree&& is_free) {
    if (pmu.id < kEnd) return;
    while (next_ < std::size(kSpare) && !is_free(kSpare[next_])) ++next_;
    if (next_ < std::size(kSpare)) shown_[next_++] = &pmu;
  }

  /// Returns the PMU that is shown under a number; nullptr: none is.
  const pfm4::Pmu* find(unsigned number) const {
    for (std::size_t i = 0; i < next_; ++i)
      if (kSpare[i] == number) return shown_[i];
    return nullptr;
  }

  /// Returns the number that the PMU is shown under, which is its own for most.
  int number_of(const pfm4::Pmu& pmu) const {
    for (std::size_t i = 0; i < next_; ++i)
      if (shown_[i] == &pmu) return kSpare[i];
    return pmu.id;
  }

 private:
  static constexpr unsigned kEnd = 517;
  static constexpr std::uint16_t kSpare[] = {1,  2,  3,  4,  19, 20, 21, 22, 23, 25, 26, 27,
                                             28, 29, 30, 31, 36, 37, 38, 39, 40, 41, 42};

  const pfm4::Pmu* shown_[std::size(kSpare)] = {};
  std::size_t next_ = 0;
};

}  // namespace evname::libpfm
