#include "compiler/units.hpp"

#include "base/text.hpp"

namespace evname::gen {
namespace {

struct UnitRow {
  std::string_view unit;
  std::string_view pmu;
};

// Units whose PMU is not "uncore_" and the unit in lower case.
constexpr UnitRow kUnits[] = {
    {"", "default_core"},
    {"CBO", "uncore_cbox"},
    {"QPI LL", "uncore_qpi"},
    {"SBO", "uncore_sbox"},
    {"iMPH-U", "uncore_arb"},
    {"CPU-M-CF", "cpum_cf"},
    {"CPU-M-SF", "cpum_sf"},
    {"PAI-CRYPTO", "pai_crypto"},
    {"PAI-EXT", "pai_ext"},
    {"UPI LL", "uncore_upi"},
    {"hisi_sicl,cpa", "hisi_sicl,cpa"},
    {"hisi_sccl,ddrc", "hisi_sccl,ddrc"},
    {"hisi_sccl,hha", "hisi_sccl,hha"},
    {"hisi_sccl,l3c", "hisi_sccl,l3c"},
    {"imx8_ddr", "imx8_ddr"},
    {"imx9_ddr", "imx9_ddr"},
    {"ali_drw", "ali_drw"},
    {"arm_cmn", "arm_cmn"},
    {"L3PMC", "amd_l3"},
    {"DFPMC", "amd_df"},
    {"UMCPMC", "amd_umc"},
    {"cpu_core", "cpu_core"},
    {"cpu_atom", "cpu_atom"},
    {"cpu_lowpower", "cpu_lowpower"},
};

}  // namespace

std::string pmu_of_unit(std::string_view unit) {
  for (const UnitRow& row : kUnits)
    if (row.unit == unit) return std::string(row.pmu);
  return "uncore_" + to_lower(unit);
}

}  // namespace evname::gen
