#include "events/cpu/codenames.hpp"

#include <algorithm>

#include "base/text.hpp"

namespace evname::cpu {
namespace {

/// `name` of intel_pmu_init (arch/x86/events/intel/core.c), shown as caps/pmu_name, where it is not
/// the directory's. One capability serves client and server parts; the client's events stand for
/// both, since they have the same core.
constexpr NameRow kCapabilities[] = {
    {"nehalem", "nehalemep"},           {"westmere", "westmereep-dp"},
    {"tremont", "elkhartlake"},         {"gracemont", "alderlaken"},
    {"crestmont", "sierraforest"},      {"alderlakehybrid", "alderlake"},
    {"meteorlakehybrid", "meteorlake"}, {"lunarlakehybrid", "lunarlake"},
};

/// What engineers write: the names of Intel's perfmon repository, of its drivers and manuals, and
/// the last part of Arm's product names.
constexpr NameRow kShortNames[] = {
    {"adl", "alderlake"},
    {"adln", "alderlaken"},
    {"aml", "skylake"},
    {"arl", "arrowlake"},
    {"bdw", "broadwell"},
    {"bdwde", "broadwellde"},
    {"bdx", "broadwellx"},
    {"bnl", "bonnell"},
    {"cfl", "skylake"},
    {"clx", "cascadelakex"},
    {"cml", "skylake"},
    {"cpx", "cascadelakex"},
    {"cwf", "clearwaterforest"},
    {"ehl", "elkhartlake"},
    {"emr", "emeraldrapids"},
    {"glm", "goldmont"},
    {"glp", "goldmontplus"},
    {"gnr", "graniterapids"},
    {"grr", "grandridge"},
    {"hsw", "haswell"},
    {"hsx", "haswellx"},
    {"icl", "icelake"},
    {"icx", "icelakex"},
    {"ivb", "ivybridge"},
    {"ivt", "ivytown"},
    {"ivx", "ivytown"},
    {"jkt", "jaketown"},
    {"jsl", "elkhartlake"},
    {"kbl", "skylake"},
    {"knl", "knightslanding"},
    {"knm", "knightslanding"},
    {"lnl", "lunarlake"},
    {"mtl", "meteorlake"},
    {"nhm", "nehalemep"},
    {"nhmep", "nehalemep"},
    {"nhmex", "nehalemex"},
    {"nvl", "novalake"},
    {"ptl", "pantherlake"},
    {"rkl", "rocketlake"},
    {"rpl", "alderlake"},
    {"skl", "skylake"},
    {"skx", "skylakex"},
    {"slm", "silvermont"},
    {"snb", "sandybridge"},
    {"snbep", "jaketown"},
    {"snr", "snowridgex"},
    {"snx", "jaketown"},
    {"spr", "sapphirerapids"},
    {"srf", "sierraforest"},
    {"tgl", "tigerlake"},
    {"wcl", "pantherlake"},
    {"whl", "skylake"},
    {"wsm", "westmereep-dp"},
    {"wsmepdp", "westmereep-dp"},
    {"wsmepsp", "westmereep-sp"},
    {"wsmex", "westmereex"},
    {"a34", "arm/cortex-a34"},
    {"a35", "arm/cortex-a35"},
    {"a53", "arm/cortex-a53"},
    {"a55", "arm/cortex-a55"},
    {"a57", "arm/cortex-a57-a72"},
    {"a65", "arm/cortex-a65-e1"},
    {"a72", "arm/cortex-a57-a72"},
    {"a73", "arm/cortex-a73"},
    {"a75", "arm/cortex-a75"},
    {"a76", "arm/cortex-a76"},
    {"a77", "arm/cortex-a77"},
    {"a78", "arm/cortex-a78"},
    {"a510", "arm/cortex-a510"},
    {"a710", "arm/cortex-a710"},
    {"e1", "arm/cortex-a65-e1"},
    {"n1", "arm/neoverse-n1"},
    {"n2", "arm/neoverse-n2-v2"},
    {"v1", "arm/neoverse-v1"},
    {"v2", "arm/neoverse-n2-v2"},
    {"x1", "arm/cortex-x1"},
    {"x2", "arm/cortex-x2"},
    {"n3", "arm/neoverse-n3"},
    {"v3", "arm/neoverse-v3"},
    {"a715", "arm/cortex-a715"},
    {"a720", "arm/cortex-a720"},
    {"a520", "arm/cortex-a520"},
    {"x3", "arm/cortex-x3"},
    {"x4", "arm/cortex-x4"},
    {"tx2", "cavium/thunderx2"},
    {"p8", "power8"},
    {"p9", "power9"},
    {"p10", "power10"},
    {"p11", "power10"},
};

/// Names of GCC's and LLVM's -march/-mcpu, of product lines and of linux/arch/x86 intel-family.h.
constexpr NameRow kCodenames[] = {
    {"nehalem", "nehalemep"},
    {"corei7", "nehalemep"},
    {"westmere", "westmereep-dp"},
    {"sandybridgeep", "jaketown"},
    {"sandybridgex", "jaketown"},
    {"corei7avx", "sandybridge"},
    {"ivybridgeep", "ivytown"},
    {"ivybridgex", "ivytown"},
    {"coreavxi", "ivybridge"},
    {"haswellep", "haswellx"},
    {"haswellserver", "haswellx"},
    {"coreavx2", "haswell"},
    {"broadwellep", "broadwellx"},
    {"broadwellserver", "broadwellx"},
    {"broadwelld", "broadwellde"},
    {"skylakesp", "skylakex"},
    {"skylakeserver", "skylakex"},
    {"skylakeavx512", "skylakex"},
    {"kabylake", "skylake"},
    {"coffeelake", "skylake"},
    {"whiskeylake", "skylake"},
    {"amberlake", "skylake"},
    {"cometlake", "skylake"},
    {"cascadelake", "cascadelakex"},
    {"cascadelakesp", "cascadelakex"},
    {"cooperlake", "cascadelakex"},
    {"icelakeclient", "icelake"},
    {"icelakeserver", "icelakex"},
    {"icelakesp", "icelakex"},
    {"icelaked", "icelakex"},
    {"raptorlake", "alderlake"},
    {"gracemont", "alderlaken"},
    {"twinlake", "alderlaken"},
    {"sapphirerapidssp", "sapphirerapids"},
    {"sapphirerapidsx", "sapphirerapids"},
    {"emeraldrapidsx", "emeraldrapids"},
    {"graniterapidsx", "graniterapids"},
    {"graniterapidsd", "graniterapids"},
    {"sierraforestx", "sierraforest"},
    {"darkmont", "clearwaterforest"},
    {"arrowlakeh", "arrowlake"},
    {"arrowlakes", "arrowlake"},
    {"wildcatlake", "pantherlake"},
    {"atom", "bonnell"},
    {"airmont", "silvermont"},
    {"tremont", "elkhartlake"},
    {"snowridge", "snowridgex"},
    {"jacobsville", "snowridgex"},
    {"jasperlake", "elkhartlake"},
    {"knightsmill", "knightslanding"},
    {"zen", "amdzen1"},
    {"zen1", "amdzen1"},
    {"zenplus", "amdzen1"},
    {"znver1", "amdzen1"},
    {"naples", "amdzen1"},
    {"zen2", "amdzen2"},
    {"znver2", "amdzen2"},
    {"rome", "amdzen2"},
    {"zen3", "amdzen3"},
    {"znver3", "amdzen3"},
    {"milan", "amdzen3"},
    {"zen4", "amdzen4"},
    {"znver4", "amdzen4"},
    {"genoa", "amdzen4"},
    {"bergamo", "amdzen4"},
    {"zen5", "amdzen5"},
    {"znver5", "amdzen5"},
    {"turin", "amdzen5"},
    {"zen6", "amdzen6"},
    {"znver6", "amdzen6"},
    {"venice", "amdzen6"},
    {"cortexa57", "arm/cortex-a57-a72"},
    {"cortexa72", "arm/cortex-a57-a72"},
    {"cortexa65", "arm/cortex-a65-e1"},
    {"neoversee1", "arm/cortex-a65-e1"},
    {"ares", "arm/neoverse-n1"},
    {"graviton2", "arm/neoverse-n1"},
    {"altra", "arm/neoverse-n1"},
    {"zeus", "arm/neoverse-v1"},
    {"graviton3", "arm/neoverse-v1"},
    {"perseus", "arm/neoverse-n2-v2"},
    {"neoversen2", "arm/neoverse-n2-v2"},
    {"neoversev2", "arm/neoverse-n2-v2"},
    {"demeter", "arm/neoverse-n2-v2"},
    {"graviton4", "arm/neoverse-n2-v2"},
    {"grace", "arm/neoverse-n2-v2"},
    {"cobalt100", "arm/neoverse-n2-v2"},
    {"olympus", "nvidia/t410"},
    {"vera", "nvidia/t410"},
    {"thunderx2t99", "cavium/thunderx2"},
    {"vulcan", "cavium/thunderx2"},
    {"tsv110", "hisilicon/hip08"},
    {"kunpeng920", "hisilicon/hip08"},
    {"ampere1", "ampere/ampereone"},
    {"ampere1a", "ampere/ampereonex"},
    {"xgene3", "ampere/emag"},
    {"pwr8", "power8"},
    {"pwr9", "power9"},
    {"pwr10", "power10"},
    {"power11", "power10"},
    {"pwr11", "power10"},
    {"z10", "cf_z10"},
    {"z196", "cf_z196"},
    {"z114", "cf_z196"},
    {"zec12", "cf_zec12"},
    {"z13", "cf_z13"},
    {"z14", "cf_z14"},
    {"z15", "cf_z15"},
    {"z16", "cf_z16"},
    {"z17", "cf_z17"},
    {"sifive7series", "sifive/bullet"},
    {"sifiveu74", "sifive/bullet"},
    {"c906", "thead/c900-legacy"},
    {"c910", "thead/c900-legacy"},
    {"theadc906", "thead/c900-legacy"},
    {"theadc910", "thead/c900-legacy"},
};

std::string_view directory_in(std::span<const NameRow> rows, std::string_view name) {
  const std::string wanted = bare_name(name);
  for (const NameRow& row : rows)
    if (row.name == wanted) return row.directory;
  return {};
}

}  // namespace

std::string bare_name(std::string_view name) {
  std::string out = to_lower(name);
  std::erase_if(out, [](char c) { return c == '_' || c == '-' || c == ' '; });
  return out;
}

std::span<const NameRow> capability_rows() { return kCapabilities; }

std::span<const NameRow> codename_rows() { return kCodenames; }

std::span<const NameRow> short_name_rows() { return kShortNames; }

std::string_view directory_of_capability(std::string_view pmu_name) {
  return directory_in(kCapabilities, pmu_name);
}

std::string_view directory_of_codename(std::string_view name) {
  const std::string_view directory = directory_in(kShortNames, name);
  return directory.empty() ? directory_in(kCodenames, name) : directory;
}

}  // namespace evname::cpu
