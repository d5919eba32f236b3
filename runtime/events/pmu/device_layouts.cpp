// Uncore units of AMD, arm64 and s390, and PMUs of buses, memory controllers, trace units and
// hypervisors, which belong to no CPU model. Each block names its driver in Linux 7.3.

#include "events/pmu/layouts.hpp"

namespace evname::pmu {
namespace {

/// Every row's type is given out at boot. Kind::uncore: the driver has a `cpumask` file.
constexpr Layout device(std::string_view pmu, std::string_view arch, Kind kind,
                        std::string_view formats) {
  return {pmu, arch, "", "", kind, -1, formats};
}

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

constexpr Layout kDeviceRows[] = {
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
          "event=config:0-7 ext=config:16-17 tt_core_deprecated=config1:0-7 tt_req=config1:8-10 "
          "datasrc_cfg=config1:11-15 datasrc_skt=config1:16 tt_core=config2:0-15"),
    arm64("hisi_sccl*uc*", "",
          "event=config:0-7 rd_req_en=config1:0 uring_channel=config1:4-5 srcid=config1:6-19 "
          "srcid_en=config1:20"),
    arm64("hisi_sicl*cpa*", "", "event=config:0-15"),
    arm64("hisi_scl*mn*", "", "event=config:0-7"),
    arm64("hisi_scl*noc*", "", "event=config:0-7 ch=config1:0-2 tt_en=config1:3"),
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
    // drivers/perf/arm_spe_pmu.c
    device("arm_spe", "arm64", Kind::uncore,
           "ts_enable=config:0 pa_enable=config:1 pct_enable=config:2 jitter=config:16 "
           "branch_filter=config:32 load_filter=config:33 store_filter=config:34 discard=config:35 "
           "branch_filter_mask=config:36 load_filter_mask=config:37 store_filter_mask=config:38 "
           "simd_filter=config:39 simd_filter_mask=config:40 float_filter=config:41 "
           "float_filter_mask=config:42 event_filter=config1:0-63 min_latency=config2:0-11 "
           "inv_event_filter=config3:0-63 inv_data_src_filter=config4:0-63"),
    // drivers/hwtracing/coresight/coresight-etm-perf.{c,h}; in older kernels bit 28 is `timestamp`
    device("cs_etm", "", Kind::other,
           "preset=config:0-3 branch_broadcast=config:8 cycacc=config:12 contextid=config:14 "
           "contextid1=config:14 contextid2=config:15 timestamp=config:4-7 "
           "deprecated_timestamp=config:28 retstack=config:29 sinkid=config2:0-31 "
           "configid=config2:32-63 cc_threshold=config3:0-11"),
    // drivers/hwtracing/ptt/hisi_ptt.c
    device("hisi_ptt*", "arm64", Kind::uncore,
           "filter=config:0-19 direction=config:20-23 type=config:24-31 format=config:32-35"),
    // drivers/perf/arm_smmuv3_pmu.c, arm_dmc620_pmu.c, arm-ccn.c, arm-cci.c, arm-ni.c
    device("smmuv3_pmcg", "arm64", Kind::uncore,
           "event=config:0-15 filter_stream_id=config1:0-31 filter_span=config1:32 "
           "filter_enable=config1:33"),
    device("arm_dmc620", "arm64", Kind::uncore,
           "mask=config:0-44 match=config1:0-44 invert=config2:0 incr=config2:1-2 "
           "event=config2:3-8 clkdiv2=config2:9"),
    device("ccn", "", Kind::uncore,
           "node=config:0-7 xp=config:0-7 type=config:8-15 event=config:16-23 port=config:24-25 "
           "bus=config:24-25 vc=config:26-28 dir=config:29 mask=config:30-33 cmp_l=config1:0-62 "
           "cmp_h=config2:0-59"),
    device("CCI_400|CCI_400_r1", "", Kind::uncore, "event=config:0-4 source=config:5-7"),
    device("CCI_500|CCI_550", "", Kind::uncore, "event=config:0-4 source=config:5-8"),
    device("arm_ni*", "arm64", Kind::uncore,
           "type=config:0-15 nodeid=config:16-31 eventid=config:32-47"),
    // drivers/perf/arm_cspmu/*.c
    device("nvidia_pcie_pmu_*_rc_*", "arm64", Kind::uncore,
           "event=config:0-32 src_rp_mask=config1:0-7 src_bdf=config1:8-23 src_bdf_en=config1:24 "
           "dst_loc_cmem=config2:0 dst_loc_gmem=config2:1 dst_loc_pcie_p2p=config2:2 "
           "dst_loc_pcie_cxl=config2:3 dst_rem=config2:4"),
    device("nvidia_pcie_tgt_pmu_*", "arm64", Kind::uncore,
           "event=config:0-2 dst_rp_mask=config:3-10 dst_addr_en=config:11 "
           "dst_addr_base=config1:0-63 dst_addr_mask=config2:0-63"),
    device("nvidia_ucf_pmu", "arm64", Kind::uncore,
           "event=config:0-32 src_loc_noncpu=config1:0 src_loc_cpu=config1:1 src_rem=config1:2 "
           "dst_loc_cmem=config1:8 dst_loc_gmem=config1:9 dst_loc_other=config1:10 "
           "dst_rem=config1:11"),
    device("nvidia_pcie_pmu", "arm64", Kind::uncore, "event=config:0-32 root_port=config1:0-9"),
    device("nvidia_cnvlink_pmu", "arm64", Kind::uncore, "event=config:0-32 rem_socket=config1:0-3"),
    device("nvidia_nvlink_c2c0_pmu|nvidia_nvlink_c2c1_pmu", "arm64", Kind::uncore,
           "event=config:0-32 port=config1:0-1"),
    device("nvidia_scf_pmu", "arm64", Kind::uncore, "event=config:0-32"),
    // drivers/perf/nvidia_t410_c2c_pmu.c, nvidia_t410_cmem_latency_pmu.c, fujitsu_uncore_pmu.c
    device("nvidia_nvlink_c2c_pmu", "arm64", Kind::uncore, "event=config:0-3 gpu_mask=config1:0-1"),
    device("nvidia_nvclink_pmu|nvidia_nvdlink_pmu", "arm64", Kind::uncore, "event=config:0-3"),
    device("nvidia_cmem_latency_pmu", "arm64", Kind::uncore, "event=config:0-1"),
    device("mac_iod*_mac*_ch*|pci_iod*_pci*", "arm64", Kind::uncore, "event=config:0-7"),
    device("ampere_mcu_pmu", "arm64", Kind::uncore,
           "event=config:0-32 threshold=config1:0-7 rank=config1:8-23 bank=config1:24-55"),
    device("nvidia_uncore_pmu|arm_cspmu*", "arm64", Kind::uncore,
           "event=config:0-32 filter=config1:0-31"),
    // drivers/perf/dwc_pcie_pmu.c, cxl_pmu.c
    device("dwc_rootport", "", Kind::uncore,
           "eventid=config:0-15 type=config:16-19 lane=config:20-27"),
    device("cxl_pmu_mem*", "", Kind::uncore,
           "mask=config:0-31 gid=config:32-47 vid=config:48-63 threshold=config1:0-15 "
           "invert=config1:16 edge=config1:17 hdm_filter_en=config1:18 hdm=config2:0-15"),
    // drivers/perf/hisilicon/hisi_pcie_pmu.c, hns3_pmu.c
    device("hisi_pcie*", "arm64", Kind::uncore,
           "event=config:0-16 thr_len=config1:0-3 thr_mode=config1:4 trig_len=config1:5-8 "
           "trig_mode=config1:9 len_mode=config1:10-11 port=config2:0-15 bdf=config2:16-31"),
    device("hns3_pmu_sicl", "arm64", Kind::uncore,
           "subevent=config:0-7 event_type=config:8-15 ext_counter_used=config:16 "
           "port=config1:0-3 tc=config1:4-7 bdf=config1:8-23 queue=config1:24-39 "
           "intr=config1:40-51 global=config1:52"),
    // drivers/perf/marvell_cn10k_ddr_pmu.c, marvell_cn10k_tad_pmu.c, thunderx2_pmu.c
    device("mrvl_pcie_rc_pmu", "arm64", Kind::uncore, "event=config:0-5"),
    device("mrvl_ddr_pmu", "arm64", Kind::uncore, "event=config:0-8"),
    device("tad", "arm64", Kind::uncore, "event=config:0-7"),
    device("uncore_l3c|uncore_dmc", "arm64", Kind::uncore, "event=config:0-4"),
    device("uncore_ccpi2", "arm64", Kind::uncore, "event=config:0-9"),
    // drivers/perf/qcom_l2_pmu.c, qcom_l3_pmu.c, starfive_starlink_pmu.c
    device("l2cache", "arm64", Kind::uncore,
           "l2_group=config:0-3 l2_code=config:4-11 event=config:0-11"),
    device("l3cache*", "arm64", Kind::uncore, "event=config:0-7 lc=config:32"),
    device("starfive_starlink_pmu", "riscv", Kind::uncore, "event=config:0-31"),
    // drivers/dma/idxd/perfmon.c, drivers/iommu/intel/perfmon.c
    device("dsa|iax", "x86", Kind::uncore,
           "event_category=config:0-3 event=config:4-31 filter_wq=config1:0-31 "
           "filter_tc=config1:32-39 filter_pgsz=config1:40-43 filter_sz=config1:44-51 "
           "filter_eng=config1:52-59"),
    device("dmar", "x86", Kind::uncore,
           "event=config:0-27 event_group=config:28-31 filter_requester_id_en=config1:0 "
           "filter_domain_en=config1:1 filter_pasid_en=config1:2 filter_ats_en=config1:3 "
           "filter_page_table_en=config1:4 filter_requester_id=config1:16-31 "
           "filter_domain=config1:32-47 filter_pasid=config2:0-21 filter_ats=config2:24-28 "
           "filter_page_table=config2:32-36"),
    // arch/x86/events/amd/iommu.c
    device("amd_iommu", "x86", Kind::uncore,
           "csource=config:0-7 devid=config:8-23 domid=config:24-39 pasid=config:40-59 "
           "devid_mask=config1:0-15 domid_mask=config1:16-31 pasid_mask=config1:32-51"),
    // arch/powerpc/perf/hv-24x7.c, hv-gpci.c, imc-pmu.c
    device("hv_24x7", "powerpc", Kind::uncore,
           "domain=config:0-3 core=config:16-31 chip=config:16-31 vcpu=config:16-31 "
           "offset=config:32-63 lpar=config1:0-15"),
    device("hv_gpci", "powerpc", Kind::uncore,
           "request=config:0-31 starting_index=config:32-63 phys_processor_idx=config:32-63 "
           "sibling_part_id=config:32-63 hw_chip_id=config:32-63 partition_id=config:32-63 "
           "secondary_index=config1:0-15 counter_info_version=config1:16-23 "
           "length=config1:24-31 offset=config1:32-63"),
    device("nest_*_imc|core_imc", "powerpc", Kind::uncore,
           "event=config:0-61 offset=config:0-31 rvalue=config:32 mode=config:33-40"),
    device("thread_imc", "powerpc", Kind::other,
           "event=config:0-61 offset=config:0-31 rvalue=config:32 mode=config:33-40"),
    device("trace_imc", "powerpc", Kind::other,
           "event=config:0-61 cpmc_reserved=config:0-19 cpmc_event=config:20-27 "
           "cpmc_samplesel=config:28-29 cpmc_load=config:30-61"),
};

}  // namespace

std::span<const Layout> device_layouts() { return kDeviceRows; }

}  // namespace evname::pmu
