// Core PMUs of every architecture, and the PMUs of the kernel itself. Each block names the file of
// Linux 7.3 that defines its format attributes.

#include "events/pmu/layouts.hpp"
#include "evname/attr.hpp"

// Fields that several generations share.
#define INTEL_EVENT                                                                             \
  "event=config:0-7 umask=config:8-15 edge=config:18 pc=config:19 any=config:21 inv=config:23 " \
  "cmask=config:24-31"
// CPUs that list their fields in CPUID leaf 0x23, and those that can reload a counter when another
// overflows.
#define INTEL_EVENT_V6                                                                  \
  "event=config:0-7 umask=config:8-15,40-47 edge=config:18 pc=config:19 inv=config:23 " \
  "cmask=config:24-31 eq=config:36"
#define INTEL_RELOAD INTEL_EVENT_V6 " acr_mask=config2:0-63"
#define INTEL_LDLAT " ldlat=config1:0-15"
#define INTEL_OFFMODULE " offmodule_rsp=config1:0-63" INTEL_LDLAT
#define INTEL_OFFCORE " offcore_rsp=config1:0-63"
#define INTEL_LATENCY INTEL_OFFCORE INTEL_LDLAT
#define INTEL_TSX " in_tx=config:32 in_tx_cp=config:33"
#define INTEL_FRONTEND " frontend=config1:0-23"
#define INTEL_SNOOP " snoop_rsp=config1:0-63"
#define POWER_EVENT                                                            \
  " pmcxsel=config:0-7 mark=config:8 unit=config:12-15 pmc=config:16-19 "      \
  "sample_mode=config:24-28 thresh_sel=config:29-31 thresh_stop=config:32-35 " \
  "thresh_start=config:36-39"

namespace evname::pmu {
namespace {

constexpr int kAny = -1;
constexpr std::string_view kDiamondRapids = "GenuineIntel-19-1-*|GenuineIntel-19-1";
constexpr std::string_view kNovaLake = "GenuineIntel-18-[13]-*|GenuineIntel-18-[13]";
constexpr std::string_view kZen5 = "AuthenticAMD-26-*";
constexpr std::string_view kAmd = "AuthenticAMD-*|HygonGenuine-*";

constexpr Layout kCoreRows[] = {
    // arch/x86/events/amd/core.c
    {"cpu", "x86", kAmd, "", Kind::core, kTypeRaw,
     "event=config:0-7,32-35 umask=config:8-15 edge=config:18 inv=config:23 cmask=config:24-31"},
    // arch/x86/events/zhaoxin/core.c
    {"cpu", "x86", "CentaurHauls-*|  Shanghai  -*", "", Kind::core, kTypeRaw,
     "event=config:0-7 umask=config:8-15 edge=config:18 inv=config:23 cmask=config:24-31"},
    // arch/x86/events/intel/core.c, intel_pmu_init. The TSX fields are there where TSX is enabled.
    {"cpu", "x86", "", "bonnell", Kind::core, kTypeRaw, INTEL_EVENT},
    {"cpu", "x86", "",
     "nehalemep|nehalemex|westmereep-dp|westmereep-sp|westmereex|sandybridge|jaketown|ivybridge|"
     "ivytown|alderlaken",
     Kind::core, kTypeRaw, INTEL_EVENT INTEL_LATENCY},
    {"cpu", "x86", "", "silvermont|goldmont|goldmontplus|elkhartlake|snowridgex|knightslanding",
     Kind::core, kTypeRaw, INTEL_EVENT INTEL_OFFCORE},
    {"cpu", "x86", "", "haswell|haswellx|broadwell|broadwellde|broadwellx", Kind::core, kTypeRaw,
     INTEL_EVENT INTEL_LATENCY INTEL_TSX},
    {"cpu", "x86", "", "sierraforest|grandridge", Kind::core, kTypeRaw,
     INTEL_EVENT INTEL_LATENCY INTEL_SNOOP},
    {"cpu", "x86", "", "clearwaterforest", Kind::core, kTypeRaw,
     INTEL_RELOAD INTEL_LATENCY INTEL_SNOOP},
    {"cpu", "x86", kDiamondRapids, "", Kind::core, kTypeRaw,
     INTEL_RELOAD INTEL_OFFMODULE INTEL_TSX INTEL_FRONTEND},
    {"cpu", "x86", "", "", Kind::core, kTypeRaw,
     INTEL_EVENT INTEL_LATENCY INTEL_TSX INTEL_FRONTEND},
    {"cpu_core", "x86", kNovaLake, "", Kind::core, kTypeRaw,
     INTEL_RELOAD INTEL_OFFMODULE INTEL_TSX INTEL_FRONTEND},
    {"cpu_core", "x86", "", "alderlake|meteorlake", Kind::core, kTypeRaw,
     INTEL_EVENT INTEL_LATENCY INTEL_TSX INTEL_FRONTEND},
    {"cpu_core", "x86", "", "", Kind::core, kTypeRaw,
     INTEL_EVENT_V6 INTEL_LATENCY INTEL_TSX INTEL_FRONTEND},
    {"cpu_atom", "x86", kNovaLake, "", Kind::core, kAny, INTEL_RELOAD INTEL_OFFMODULE INTEL_SNOOP},
    {"cpu_atom", "x86", "", "alderlake", Kind::core, kAny, INTEL_EVENT INTEL_LATENCY},
    {"cpu_atom", "x86", "", "meteorlake", Kind::core, kAny, INTEL_EVENT INTEL_LATENCY INTEL_SNOOP},
    {"cpu_atom", "x86", "", "", Kind::core, kAny, INTEL_RELOAD INTEL_LATENCY INTEL_SNOOP},
    {"cpu_lowpower", "x86", "", "", Kind::core, kAny, INTEL_EVENT INTEL_LATENCY INTEL_SNOOP},
    // drivers/perf/arm_pmuv3.c, on 32-bit kernels too
    {"armv8_*|armv9_*", "", "", "", Kind::core, kAny,
     "event=config:0-15 long=config1:0 rdpmc=config1:1 threshold_count=config1:2 "
     "threshold_compare=config1:3-4 threshold=config1:5-16"},
    // drivers/perf/apple_m1_cpu_pmu.c
    {"apple_*_pmu", "arm64", "", "", Kind::core, kAny, "event=config:0-7"},
    // drivers/perf/arm_v7_pmu.c; arm_v6_pmu.c and arm_xscale_pmu.c have no fields
    {"armv7_*|ARMv7 *", "arm", "", "", Kind::core, kAny, "event=config:0-7"},
    {"armv6_*|xscale*", "arm", "", "", Kind::core, kAny, ""},
    // arch/powerpc/perf/power10-pmu.c, power9-pmu.c, isa207-common.c (power8), power7-pmu.c
    {"cpu", "powerpc", "0x0080*|0x0082*", "", Kind::core, kTypeRaw,
     "event=config:0-59" POWER_EVENT
     " combine=config:10-11 cache_sel=config:20-21 sdar_mode=config:22-23 l2l3_sel=config:40-44 "
     "src_sel=config:45-46 invert_bit=config:47 src_mask=config:48-53 src_match=config:54-59 "
     "radix_scope=config:9 thresh_cmp=config1:0-17"},
    {"cpu", "powerpc", "0x004e*", "", Kind::core, kTypeRaw,
     "event=config:0-51" POWER_EVENT
     " combine=config:10-11 cache_sel=config:20-23 thresh_cmp=config:40-49 sdar_mode=config:50-51"},
    {"cpu", "powerpc", "0x004b*|0x004c*|0x004d*|0x0066*", "", Kind::core, kTypeRaw,
     "event=config:0-49" POWER_EVENT
     " combine=config:11 cache_sel=config:20-23 thresh_cmp=config:40-49"},
    {"cpu", "powerpc", "0x003f*|0x004a*", "", Kind::core, kTypeRaw, "event=config:0-19"},
    {"cpu", "powerpc", "0x00ffffff", "", Kind::core, kTypeRaw,
     "event=config:0-19 pmcxsel=config:0-7 pmc=config:16-19"},
    // arch/powerpc/perf/generic-compat-pmu.c is the narrowest; an unknown CPU gets the widest
    {"cpu", "powerpc", "", "", Kind::core, kTypeRaw, "event=config:0-59"},
    // arch/s390/kernel/perf_cpum_cf.c, perf_cpum_sf.c
    {"cpum_cf", "s390", "", "", Kind::core, kAny, "event=config:0-63"},
    {"cpum_sf", "s390", "", "", Kind::other, kTypeRaw, "event=config:0-63"},
    {"cpum_cf_diag", "s390", "", "", Kind::other, kAny, "event=config:0-63"},
    // drivers/perf/riscv_pmu_sbi.c
    {"cpu", "riscv", "", "", Kind::core, kTypeRaw, "event=config:0-55 firmware=config:62-63"},
    {"cpu", "", "", "", Kind::core, kTypeRaw, ""},
    // kernel/events/core.c, hw_breakpoint.c; PERF_TYPE_SOFTWARE, _TRACEPOINT, _BREAKPOINT
    {"software", "", "", "", Kind::other, kTypeSoftware, ""},
    {"tracepoint", "", "", "", Kind::other, kTypeTracepoint, ""},
    {"breakpoint", "", "", "", Kind::other, kTypeBreakpoint, ""},
    {"kprobe", "", "", "", Kind::other, kAny, "retprobe=config:0"},
    {"uprobe", "", "", "", Kind::other, kAny, "retprobe=config:0 ref_ctr_offset=config:32-63"},
    // arch/x86/events/msr.c, rapl.c, intel/cstate.c, intel/pt.c, amd/ibs.c
    {"msr", "x86", "", "", Kind::other, kAny, "event=config:0-63"},
    {"power|power_core", "x86", "", "", Kind::uncore, kAny, "event=config:0-7"},
    {"cstate_core|cstate_pkg|cstate_module", "x86", "", "", Kind::uncore, kAny,
     "event=config:0-63"},
    {"intel_pt", "x86", "", "", Kind::other, kAny,
     "pt=config:0 cyc=config:1 pwr_evt=config:4 fup_on_ptw=config:5 mtc=config:9 tsc=config:10 "
     "noretcomp=config:11 ptw=config:12 branch=config:13 mtc_period=config:14-17 "
     "cyc_thresh=config:19-22 psb_period=config:24-27 event=config:31 notnt=config:55"},
    {"ibs_fetch", "x86", kZen5, "", Kind::other, kAny,
     "rand_en=config:57 l3missonly=config:59 fetchlat=config1:0-10 swfilt=config2:0"},
    {"ibs_op", "x86", kZen5, "", Kind::other, kAny,
     "cnt_ctl=config:19 l3missonly=config:16 ldlat=config1:0-11 strmst=config1:12 "
     "swfilt=config2:0"},
    {"ibs_fetch", "x86", "", "", Kind::other, kAny, "rand_en=config:57 l3missonly=config:59"},
    {"ibs_op", "x86", "", "", Kind::other, kAny, "cnt_ctl=config:19 l3missonly=config:16"},
};

}  // namespace

std::span<const Layout> core_layouts() { return kCoreRows; }

}  // namespace evname::pmu
