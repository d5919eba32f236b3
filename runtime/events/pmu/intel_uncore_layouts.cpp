// Intel uncore units. Source: arch/x86/events/intel/uncore_snbep.c (servers), uncore_snb.c
// (clients), uncore_discovery.c (what a unit has if the driver does not say more), Linux 7.3.
// The first row that holds counts, so a group's "everything else" is its last row.

#include "events/pmu/layouts.hpp"

#define EVENT "event=config:0-7 "
#define UMASK "umask=config:8-15 "
#define EDGE "edge=config:18 "
#define INV "inv=config:23 "
#define THRESH "thresh=config:24-31"
#define GENERIC EVENT UMASK EDGE INV THRESH
#define THRESH5 EVENT UMASK EDGE INV "thresh=config:24-28"
#define RAW EVENT "umask=config:8-15,32-55 " EDGE INV THRESH
#define FREE_RUNNING EVENT UMASK
#define PCU_SNBEP                                                                        \
  EVENT "occ_sel=config:14-15 " EDGE                                                     \
        "thresh=config:24-28 occ_invert=config:30 occ_edge=config:14-51 "                \
        "filter_band0=config1:0-7 filter_band1=config1:8-15 filter_band2=config1:16-23 " \
        "filter_band3=config1:24-31"
#define QPI_SNBEP                                                                          \
  "event=config:0-7,21 " UMASK EDGE THRESH                                                 \
  " match_rds=config1:48-51 match_rnid30=config1:32-35 match_rnid4=config1:31 "            \
  "match_dnid=config1:13-17 match_mc=config1:9-12 match_opc=config1:5-8 "                  \
  "match_vnw=config1:3-4 match0=config1:0-31 match1=config1:32-63 mask_rds=config2:48-51 " \
  "mask_rnid30=config2:32-35 mask_rnid4=config2:31 mask_dnid=config2:13-17 "               \
  "mask_mc=config2:9-12 mask_opc=config2:5-8 mask_vnw=config2:3-4 mask0=config2:0-31 "     \
  "mask1=config2:32-63"
#define CBOX_FILTERS                                                        \
  "filter_nid=config1:32-47 filter_opc=config1:52-60 filter_nc=config1:62 " \
  "filter_c6=config1:61 filter_isoc=config1:63 "
#define CHA_ICX \
  EVENT "umask=config:8-15,32-57 tid_en=config:19 filter_tid=config1:0-9 " EDGE INV THRESH
#define PCU_SKX                                                            \
  GENERIC                                                                  \
  " occ_invert=config:30 occ_edge_det=config:31 filter_band0=config1:0-7 " \
  "filter_band1=config1:8-15 filter_band2=config1:16-23 filter_band3=config1:24-31"

namespace evname::pmu {
namespace {

constexpr std::string_view kSkx = "skylakex|cascadelakex";
constexpr std::string_view kIcx = "icelakex|snowridgex";
constexpr std::string_view kSpr = "sapphirerapids|emeraldrapids";
constexpr std::string_view kGnr = "graniterapids|sierraforest|grandridge|clearwaterforest";
constexpr std::string_view kSprGnr =
    "sapphirerapids|emeraldrapids|graniterapids|sierraforest|grandridge|clearwaterforest";
constexpr std::string_view kDmr = "GenuineIntel-19-1-*|GenuineIntel-19-1";
constexpr std::string_view kHswBdx = "haswellx|broadwellx|broadwellde";
constexpr std::string_view kAdl = "alderlake|alderlaken";
constexpr std::string_view kMtl = "meteorlake|arrowlake";
constexpr std::string_view kAdlMtl = "alderlake|alderlaken|meteorlake|arrowlake";
constexpr std::string_view kPtl = "pantherlake|novalake";
constexpr std::string_view kSnb =
    "sandybridge|ivybridge|haswell|broadwell|skylake|icelake|rocketlake|tigerlake";

/// A row of this file: all are uncore PMUs of x86 whose type is given out at boot.
constexpr Layout unit(std::string_view pmu, std::string_view models, std::string_view formats) {
  return {pmu, "x86", "", models, Kind::uncore, -1, formats};
}

constexpr Layout dmr(std::string_view pmu, std::string_view formats) {
  return {pmu, "x86", kDmr, "", Kind::uncore, -1, formats};
}

constexpr Layout nhmex(std::string_view pmu, std::string_view formats) {
  return {pmu, "x86", "", "nehalemex|westmereex", Kind::uncore, -1, formats};
}

constexpr Layout kIntelUncoreRows[] = {
    // arch/x86/events/intel/uncore_nhmex.c
    nhmex("uncore_ubox", "event=config:0-7 edge=config:18"),
    nhmex("uncore_cbox|uncore_wbox",
          "event=config:0-7 umask=config:8-15 edge=config:18 inv=config:23 thresh=config:24-31"),
    nhmex("uncore_bbox",
          "event=config:1-5 counter=config:6-7 match=config1:0-63 mask=config2:0-63"),
    nhmex("uncore_sbox",
          "event=config:0-7 umask=config:8-15 edge=config:18 inv=config:23 thresh=config:24-31 "
          "match=config1:0-63 mask=config2:0-63"),
    nhmex("uncore_mbox",
          "count_mode=config:2-3 storage_mode=config:4-5 wrap_mode=config:6 flag_mode=config:7 "
          "inc_sel=config:9-13 set_flag_sel=config:19-21 filter_cfg_en=config2:63 "
          "filter_match=config2:0-33 filter_mask=config2:34-61 dsp=config1:0-31 thr=config1:0-31 "
          "fvc=config1:0-31 pgt=config1:0-31 map=config1:0-31 iss=config1:0-31 pld=config1:32-63"),
    nhmex("uncore_rbox",
          "event=config:1-5 xbr_mm_cfg=config:32-63 xbr_match=config1:0-63 xbr_mask=config2:0-63 "
          "qlx_cfg=config1:0-15 iperf_cfg=config1:0-31"),
    // Free-running counters take the same two fields everywhere.
    unit("uncore_imc_free_running|uncore_iio_free_running", "", FREE_RUNNING),
    // snbep_uncore_*
    unit("uncore_ubox", "jaketown|ivytown|broadwellx|broadwellde|skylakex|cascadelakex|icelakex",
         THRESH5),
    unit("uncore_cbox", "jaketown",
         GENERIC " tid_en=config:19 filter_tid=config1:0-4 filter_nid=config1:10-17 "
                 "filter_state=config1:18-22 filter_opc=config1:23-31"),
    unit("uncore_pcu", "jaketown|haswellx|broadwellx|broadwellde", PCU_SNBEP " " INV),
    unit("uncore_qpi", "jaketown|haswellx|broadwellx|broadwellde", QPI_SNBEP " " INV),
    // ivbep_uncore_*
    unit("uncore_cbox", "ivytown",
         EVENT UMASK EDGE "tid_en=config:19 " THRESH
                          " filter_tid=config1:0-4 filter_link=config1:5-8 "
                          "filter_state=config1:17-22 " CBOX_FILTERS),
    unit("uncore_pcu", "ivytown", PCU_SNBEP),
    unit("uncore_qpi", "ivytown", QPI_SNBEP),
    // hswep_uncore_*, bdx_uncore_*
    unit("uncore_ubox", "haswellx", THRESH5 " filter_tid=config1:0 filter_cid=config1:5"),
    unit("uncore_cbox", kHswBdx,
         EVENT UMASK EDGE "tid_en=config:19 " THRESH
                          " filter_tid=config1:0-5 filter_link=config1:6-8 "
                          "filter_state=config1:17-23 " CBOX_FILTERS),
    unit("uncore_sbox", kHswBdx, GENERIC " tid_en=config:19"),
    // knl_uncore_*
    unit("uncore_ubox", "knightslanding", THRESH5 " tid_en=config:19"),
    unit("uncore_cha", "knightslanding",
         GENERIC " qor=config:16 tid_en=config:19 filter_tid=config1:0-8 filter_link=config1:12 "
                 "filter_state=config1:18-20 filter_local=config1:33 filter_all_op=config1:35 "
                 "filter_nnm=config1:37 filter_opc=config1:41-60 filter_nc=config1:62 "
                 "filter_isoc=config1:63"),
    unit("uncore_pcu", "knightslanding",
         "event=config:0-6 use_occ_ctr=config:7 occ_sel=config:14-15 tid_en=config:19 " EDGE INV
         "thresh=config:24-29 occ_invert=config:30 occ_edge_det=config:31"),
    unit("uncore_irp", "knightslanding", GENERIC " qor=config:16"),
    // skx_uncore_*
    unit("uncore_cha", kSkx,
         GENERIC " tid_en=config:19 filter_tid=config1:0-8 filter_state=config1:17-26 "
                 "filter_rem=config1:32 filter_loc=config1:33 filter_nm=config1:36 "
                 "filter_all_op=config1:35 filter_not_nm=config1:37 filter_opc0=config1:41-50 "
                 "filter_opc1=config1:51-60 filter_nc=config1:62 filter_isoc=config1:63"),
    unit("uncore_iio", kSkx,
         EVENT UMASK EDGE INV "thresh=config:24-35 ch_mask=config:36-43 fc_mask=config:44-46"),
    unit("uncore_pcie3", "snowridgex",
         EVENT UMASK EDGE INV "thresh=config:24-35 ch_mask=config:36-43 fc_mask=config:44-46"),
    unit("uncore_pcu", "skylakex|cascadelakex|icelakex|snowridgex", PCU_SKX),
    unit("uncore_upi", kSkx, EVENT "umask=config:8-15,32-43,45-55 " EDGE INV THRESH),
    // snr_uncore_*, icx_uncore_*
    unit("uncore_cha", kIcx, CHA_ICX),
    unit("uncore_iio", kIcx,
         EVENT UMASK EDGE INV "thresh=config:24-35 ch_mask=config:36-47 fc_mask=config:48-50"),
    unit("uncore_m2m", kIcx, EVENT "umask=config:8-15,32-39 " EDGE INV THRESH),
    unit("uncore_upi", "icelakex", RAW),
    // spr_uncore_*, gnr_uncore_*
    unit("uncore_cha", kSprGnr,
         EVENT "umask=config:8-15,32-63 tid_en=config:16 filter_tid=config1:0-9 " EDGE INV THRESH),
    // The driver has umask=config:8-15 here, but the event files of these models write ch_mask and
    // fc_mask into the umask (0x70ff010): the wide field puts both where the hardware wants them.
    unit("uncore_iio", kSprGnr,
         EVENT "umask=config:8-15,32-55 " EDGE INV
               "thresh=config:24-35 ch_mask=config:36-47 fc_mask=config:48-50"),
    unit("uncore_pcu|uncore_ubox", kSprGnr, GENERIC),
    unit("uncore_b2hot|uncore_mdf_sbo|uncore_chacms", kGnr, GENERIC),
    unit("uncore_*", kSpr, RAW),
    unit("uncore_*", kGnr, RAW),
    // dmr_uncore_*
    dmr("uncore_imc", EVENT UMASK EDGE INV "thresh=config:23-32"),
    dmr("uncore_cxlcm", EVENT UMASK EDGE "inv=config:21 thresh=config:23-31 port_en=config:32-35"),
    dmr("uncore_pcie4|uncore_pcie6",
        GENERIC " thresh_ext=config:32-35 rs3_sel=config:36 rx_sel=config:37 tx_sel=config:38 "
                "iep_sel=config:39 vc_sel=config:40-47 port_sel=config:48-55"),
    dmr("uncore_sca|uncore_hamvf|uncore_cbo|uncore_ula|uncore_dda|uncore_sbo|uncore_ubr|"
        "uncore_cpc|uncore_itc|uncore_otc",
        EVENT "umask=config:8-15,32-63 " EDGE INV THRESH),
    // snb_uncore_*, icl_uncore_*, tgl_uncore_*
    unit("uncore_cbox|uncore_arb", kSnb, EVENT UMASK EDGE INV "cmask=config:24-28"),
    unit("uncore_imc|uncore_clock", kSnb, EVENT),
    // adl_uncore_*, mtl_uncore_*, lnl_uncore_*
    unit("uncore_arb", kAdl, EVENT UMASK EDGE INV "cmask=config:24-28"),
    unit("uncore_clock|uncore_cncu", kAdlMtl, EVENT),
    unit("uncore_sncu", kMtl, EVENT),
    unit("uncore_imc", "alderlake|alderlaken|meteorlake|arrowlake|lunarlake",
         EVENT "chmask=config:8-11 " EDGE),
    unit("uncore_*", kAdlMtl, EVENT UMASK EDGE INV "threshold=config:24-29"),
    unit("uncore_hbo|uncore_sncu", "lunarlake", EVENT UMASK EDGE INV "threshold=config:24-31"),
    unit("uncore_*", "lunarlake", EVENT UMASK EDGE INV "threshold=config:24-29"),
    // ptl_uncore_*, nvl_uncore_*; imc, sncu and hbo are found by discovery
    unit("uncore_cncu", kPtl, EVENT),
    unit("uncore_cbox|uncore_ia_core_bridge|uncore_santa", kPtl,
         EVENT UMASK EDGE INV "threshold=config:24-29"),
    // nhm_uncore
    unit("uncore", "nehalemep|westmereep-dp|westmereep-sp",
         EVENT UMASK EDGE INV "cmask=config:24-31"),
    // skx_uncore_format_group, ivbep_uncore_format_group and discovery agree on these
    unit("uncore_*", "", GENERIC),
};

}  // namespace

std::span<const Layout> intel_uncore_layouts() { return kIntelUncoreRows; }

}  // namespace evname::pmu
