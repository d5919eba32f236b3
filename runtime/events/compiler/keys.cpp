#include "events/compiler/keys.hpp"

#include <vector>

#include <tsl/robin_map.h>

#include "base/nearest_names.hpp"
#include "base/text.hpp"

namespace evname::compiler {
namespace {

using enum KeyKind;

constexpr Key kKeys[] = {
    {"EventName", name, "", 0},
    {"ArchStdEvent", name, "", 0},
    {"EventCode", head, "", 64},
    {"ExtSel", head, "", 8},
    {"ConfigCode", head, "", 64},
    {"EventidCode", head, "", 64},
    {"LegacyConfigCode", head, "", 64},
    {"LegacyCacheCode", head, "", 64},
    {"AnyThread", field, "any", 1},
    {"PortMask", field, "ch_mask", 12},
    {"CounterMask", field, "cmask", 8},
    {"EdgeDetect", field, "edge", 1},
    {"FCMask", field, "fc_mask", 3},
    {"Invert", field, "inv", 1},
    {"SampleAfterValue", field, "period", 63},
    {"UMask", field, "umask", 56},
    {"NodeType", field, "type", 16},
    {"RdWrMask", field, "rdwrmask", 2},
    {"EnAllCores", field, "enallcores", 1},
    {"EnAllSlices", field, "enallslices", 1},
    {"SliceId", field, "sliceid", 4},
    {"ThreadMask", field, "threadmask", 8},
    {"UMaskExt", special, "", 48},
    {"Filter", special, "", 0},
    {"MSRIndex", special, "", 0},
    {"MSRValue", special, "", 64},
    {"Unit", fact, "", 0},
    {"ScaleUnit", fact, "", 0},
    {"PerPkg", fact, "", 1},
    {"Deprecated", fact, "", 1},
    {"Compat", fact, "", 0},
    {"Counter", fact, "", 0},
    {"CountersNumFixed", fact, "", 0},
    {"CountersNumGeneric", fact, "", 0},
    {"Errata", fact, "", 0},
    {"PEBS", fact, "", 0},
    {"Data_LA", fact, "", 0},
    {"Experimental", fact, "", 1},
    {"BriefDescription", prose, "", 0},
    {"PublicDescription", prose, "", 0},
    {"MetricName", metric, "", 0},
    {"MetricExpr", metric, "", 0},
    {"MetricGroup", metric, "", 0},
    {"MetricThreshold", metric, "", 0},
    {"MetricConstraint", metric, "", 0},
    {"MetricgroupNoGroup", metric, "", 0},
    {"DefaultMetricgroupName", metric, "", 0},
    {"AggregationMode", metric, "", 0},
    {"DefaultShowEvents", metric, "", 0},
    {"SampleEvents", metric, "", 0},
    {"ShareOf", metric, "", 0},
    // Keys of vendor files that are neither encoded nor shown.
    {"CollectPEBSRecord", ignored, "", 0},
    {"CounterHTOff", ignored, "", 0},
    {"CounterType", ignored, "", 0},
    {"Counters", ignored, "", 0},
    {"DESCRIPTION", prose, "", 0},
    {"ELLC", ignored, "", 0},
    {"Equal", ignored, "", 0},
    {"FILTER_VALUE", ignored, "", 0},
    {"L1_Hit_Indication", ignored, "", 0},
    {"NewThreshold", ignored, "", 0},
    {"MATRIX_REGISTER", ignored, "", 0},
    {"MATRIX_REQUEST", ignored, "", 0},
    {"MATRIX_RESPONSE", ignored, "", 0},
    {"MATRIX_VALUE", ignored, "", 0},
    {"Offcore", ignored, "", 0},
    {"Offmodule", ignored, "", 0},
    {"PDIR_COUNTER", ignored, "", 0},
    {"PDISTCounter", ignored, "", 0},
    {"PEBScounters", ignored, "", 0},
    {"PRECISE_STORE", ignored, "", 0},
    {"Precise", ignored, "", 0},
    {"ProgrammingRestriction", ignored, "", 0},
    {"RetirementLatencyMax", fact, "", 0},
    {"RetirementLatencyMean", fact, "", 0},
    {"RetirementLatencyMin", fact, "", 0},
    {"Speculative", ignored, "", 0},
    {"TakenAlone", ignored, "", 0},
};

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
    {"software", "software"},
    {"tool", "tool"},
};

}  // namespace

std::span<const Key> keys() { return kKeys; }

const Key* find_key(std::string_view name) {
  static const auto kByName = [] {
    tsl::robin_map<std::string_view, const Key*> out;
    for (const Key& key : kKeys) out[key.name] = &key;
    return out;
  }();
  const auto at = kByName.find(name);
  return at == kByName.end() ? nullptr : at->second;
}

std::string_view near_key(std::string_view name) {
  if (name.size() > 64) return {};
  std::vector<std::string_view> names;
  for (const Key& key : kKeys) names.push_back(key.name);
  return nearest_within(name, names, name.size() / 4);
}

std::string pmu_of_unit(std::string_view unit) {
  for (const UnitRow& row : kUnits)
    if (row.unit == unit) return std::string(row.pmu);
  return "uncore_" + to_lower(unit);
}

}  // namespace evname::compiler
