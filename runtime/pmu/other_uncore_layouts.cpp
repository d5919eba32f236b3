// Uncore units of AMD, arm64 and s390. Each block names its driver in Linux 6.12.

#include "pmu/layouts.hpp"

namespace evname::pmu {
namespace {

constexpr Layout amd(std::string_view pmu, std::string_view cpuid, std::string_view formats) {
  return {pmu, "x86", cpuid, "", Kind::uncore, -1, formats};
}

constexpr Layout arm64(std::string_view pmu, std::string_view models, std::string_view formats) {
  return {pmu, "arm64", "", models, Kind::uncore, -1, formats};
}

/// Families 17h and 18h; 19h without PerfMonV2 (Zen 3 and 3+: models 00-0F, 20-5F).
constexpr std::string_view kFamily17h = "AuthenticAMD-23-*|HygonGenuine-24-*";
constexpr std::string_view kZen3 =
    "AuthenticAMD-25-?-*|AuthenticAMD-25-[245]?-*|AuthenticAMD-25-?|AuthenticAMD-25-[245]?";

constexpr Layout kRows[] = {
    // arch/x86/events/amd/uncore.c
    amd("amd_l3", kFamily17h,
        "event=config:0-7 umask=config:8-15 threadmask=config:56-63 slicemask=config:48-51"),
    amd("amd_l3", "",
        "event=config:0-7 umask=config:8-15 threadmask=config:56-57 coreid=config:42-44 "
        "enallslices=config:46 enallcores=config:47 sliceid=config:48-50"),
    amd("amd_df", kFamily17h, "event=config:0-7,32-35,59-60 umask=config:8-15"),
    amd("amd_df", kZen3, "event=config:0-7,32-35,59-60 umask=config:8-15"),
    amd("amd_df", "", "event=config:0-7,32-37 umask=config:8-15,24-27"),
    amd("amd_umc", "", "event=config:0-7 rdwrmask=config:8-9"),
    amd("amd_nb|amd_l2", "", "event=config:0-7,32-35 umask=config:8-15"),
    // drivers/perf/hisilicon/hisi_uncore_*_pmu.c; the first DDRC of hip08 has five event bits
    arm64("hisi_sccl*ddrc*", "hisilicon/hip08", "event=config:0-4"),
    arm64("hisi_sccl*ddrc*", "", "event=config:0-7"),
    arm64("hisi_sccl*hha*", "",
          "event=config:0-7 srcid_cmd=config1:0-10 srcid_msk=config1:11-21 "
          "tracetag_en=config1:22 datasrc_skt=config1:23"),
    arm64("hisi_sccl*sllc*", "",
          "event=config:0-7 tgtid_min=config1:0-10 tgtid_max=config1:11-21 "
          "srcid_cmd=config1:22-32 srcid_msk=config1:33-43 tracetag_en=config1:44"),
    arm64("hisi_sccl*l3c*", "",
          "event=config:0-7 tt_core=config1:0-7 tt_req=config1:8-10 datasrc_cfg=config1:11-15 "
          "datasrc_skt=config1:16"),
    arm64("hisi_sccl*uc*", "",
          "event=config:0-7 rd_req_en=config1:0 uring_channel=config1:4-5 srcid=config1:6-19 "
          "srcid_en=config1:20"),
    arm64("hisi_sicl*cpa*", "", "event=config:0-15"),
    arm64("hisi_sicl*pa*", "",
          "event=config:0-7 tgtid_cmd=config1:0-10 tgtid_msk=config1:11-21 "
          "srcid_cmd=config1:22-32 srcid_msk=config1:33-43 tracetag_en=config1:44"),
    // drivers/perf/fsl_imx8_ddr_perf.c, fsl_imx9_ddr_perf.c
    arm64("imx8_ddr", "",
          "event=config:0-7 axi_id=config1:0-15 axi_mask=config1:16-31 axi_port=config2:0-2 "
          "axi_channel=config2:3"),
    arm64("imx9_ddr", "",
          "event=config:0-7,16-23 counter=config:8-15 axi_id=config1:0-17 axi_mask=config2:0-17"),
    // drivers/perf/alibaba_uncore_drw_pmu.c: ali_drw_ADDRESS
    arm64("ali_drw*", "", "event=config:0-7"),
    // drivers/perf/arm-cmn.c, arm_dsu_pmu.c
    arm64("arm_cmn", "",
          "type=config:0-15 eventid=config:16-26 occupid=config:27-30 bynodeid=config:31 "
          "nodeid=config:32-47 wp_dev_sel=config:48-50 wp_chn_sel=config:51-55 "
          "wp_grp=config:56-57 wp_exclusive=config:58 wp_combine=config:27-30 "
          "wp_val=config1:0-63 wp_mask=config2:0-63"),
    arm64("arm_dsu", "", "event=config:0-31"),
    // arch/s390/kernel/perf_pai_crypto.c, perf_pai_ext.c: neither has a cpumask
    {"pai_crypto|pai_ext", "s390", "", "", Kind::other, -1, "event=config:0-63"},
};

}  // namespace

std::span<const Layout> other_uncore_layouts() { return kRows; }

}  // namespace evname::pmu
