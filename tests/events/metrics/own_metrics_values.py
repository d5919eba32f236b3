"""Counts, and the values that our own metrics have for them, computed by hand."""

# What two million instructions in a million cycles did on an Intel core.
INTEL = {"INST_RETIRED.ANY": 2_000_000, "CPU_CLK_UNHALTED.THREAD": 1_000_000, "CPU_CLK_UNHALTED.CORE": 1_000_000,
         "BR_INST_RETIRED.ALL_BRANCHES": 400_000, "BR_MISP_RETIRED.ALL_BRANCHES": 20_000,
         "ICACHE.MISSES": 3_000, "ICACHE_64B.IFTAG_MISS": 3_000,
         "LONGEST_LAT_CACHE.MISS": 500, "DTLB_LOAD_MISSES.WALK_COMPLETED": 1_500,
         "DTLB_STORE_MISSES.WALK_COMPLETED": 500, "ITLB_MISSES.WALK_COMPLETED": 100}
INTEL_RATES = {"ipc": "2per_cycle", "cpi": "0.5per_insn", "branch_misprediction_rate": "5%", "branch_mpki": "10MPKI",
               "l1i_mpki": "1.5MPKI"}
INTEL_L3_TLB = {"l3_mpki": "0.25MPKI", "dtlb_walk_mpki": "1MPKI", "itlb_walk_mpki": "0.05MPKI"}
BIG_CORE = {"L1D.REPLACEMENT": 40_000, "L2_LINES_IN.ALL": 8_000}
BIG_CORE_MPKI = {"l1d_mpki": "20MPKI", "l2_mpki": "4MPKI"}
ATOM_LOADS = {"MEM_LOAD_UOPS_RETIRED.L1_MISS": 24_000, "MEM_LOAD_UOPS_RETIRED.L2_MISS": 6_000}
ATOM_LOADS_MPKI = {"l1d_mpki": "12MPKI", "l2_mpki": "3MPKI"}
# 20 % of the slots empty for want of operations, 30 % for want of room, 10 % thrown away, 40 % retired.
TOPDOWN = {"frontend_bound": "20%", "backend_bound": "30%", "bad_speculation": "10%", "retiring": "40%"}
# In two seconds; 64 * 25e6 / 1e9 / 2 = 0.8 and 64 * 10e6 / 1e9 / 2 = 0.32.
CAS = {"UNC_M_CAS_COUNT.RD": 25_000_000, "UNC_M_CAS_COUNT.WR": 10_000_000, "duration_time": 2}
BANDWIDTH = {"memory_bandwidth": "1.12GB/s", "memory_read_bandwidth": "0.8GB/s", "memory_write_bandwidth": "0.32GB/s"}

TREMONT_SLOTS = {"TOPDOWN_FE_BOUND.ALL": 800_000, "TOPDOWN_BE_BOUND.ALL": 1_200_000,
                 "TOPDOWN_BAD_SPECULATION.ALL": 400_000, "TOPDOWN_RETIRING.ALL": 1_600_000}
GRACEMONT = INTEL | {
    "MEM_LOAD_UOPS_RETIRED.L1_MISS": 14_000, "MEM_LOAD_UOPS_RETIRED.L2_MISS": 5_000,
    "MEM_LOAD_UOPS_RETIRED.L2_HIT": 9_000, "MEM_LOAD_UOPS_RETIRED.L3_HIT": 4_000, "MEM_LOAD_UOPS_RETIRED.DRAM_HIT": 1_000,
    "TOPDOWN_FE_BOUND.ALL": 1_000_000, "TOPDOWN_BE_BOUND.ALL": 1_500_000, "TOPDOWN_BAD_SPECULATION.ALL": 500_000,
    "TOPDOWN_RETIRING.ALL": 2_000_000}
GRACEMONT_RATES = INTEL_RATES | INTEL_L3_TLB | TOPDOWN | {"l1d_mpki": "7MPKI", "l2_mpki": "2.5MPKI"}
METRICS_OF_SLOTS = {"slots": 5_000_000, "topdown-fe-bound": 1_000_000, "topdown-be-bound": 1_500_000,
                    "topdown-bad-spec": 500_000, "topdown-retiring": 2_000_000}
FREE_RUNNING = {"UNC_MC0_RDCAS_COUNT_FREERUN": 15_000_000, "UNC_MC1_RDCAS_COUNT_FREERUN": 10_000_000,
                "UNC_MC0_WRCAS_COUNT_FREERUN": 6_000_000, "UNC_MC1_WRCAS_COUNT_FREERUN": 4_000_000, "duration_time": 2}
BROADWELL = INTEL | BIG_CORE | CAS | {
    "IDQ_UOPS_NOT_DELIVERED.CORE": 800_000, "UOPS_ISSUED.ANY": 1_800_000, "UOPS_RETIRED.RETIRE_SLOTS": 1_600_000,
    "INT_MISC.RECOVERY_CYCLES": 50_000, "INT_MISC.RECOVERY_CYCLES_ANY": 100_000,
    "CPU_CLK_UNHALTED.THREAD_ANY": 2_000_000}

AMD = {"ex_ret_instr": 4_000_000, "ls_not_halted_cyc": 2_000_000, "ex_ret_brn": 800_000, "ex_ret_brn_misp": 8_000,
       "l2_cache_req_stat.ic_dc_miss_in_l2": 20_000, "ic_cache_fill_l2": 6_000, "ic_cache_fill_sys": 2_000}
AMD_RATES = {"ipc": "2per_cycle", "cpi": "0.5per_insn", "branch_misprediction_rate": "1%", "branch_mpki": "2MPKI",
             "l1i_mpki": "2MPKI", "l2_mpki": "5MPKI"}
ZEN_4_AND_5 = AMD | {"ls_any_fills_from_sys.all": 120_000, "l3_lookup_state.l3_miss": 4_000,
                     "ls_l1_d_tlb_miss.all_l2_miss": 1_000, "bp_l1_tlb_miss_l2_tlb_miss.all": 200,
                     "umc_cas_cmd.rd": 25_000_000, "umc_cas_cmd.wr": 10_000_000, "duration_time": 2}
ZEN_4_AND_5_MPKI = {"l1d_mpki": "30MPKI", "l3_mpki": "1MPKI", "dtlb_walk_mpki": "0.25MPKI", "itlb_walk_mpki": "0.05MPKI"}

ARM = {"inst_retired": 3_000_000, "cpu_cycles": 2_000_000, "l1d_cache_refill": 60_000, "l1i_cache_refill": 15_000,
       "l2d_cache_refill": 12_000}
ARM_RATES = {"ipc": "1.5per_cycle", "cpi": "0.666667per_insn", "l1d_mpki": "20MPKI", "l1i_mpki": "5MPKI", "l2_mpki": "4MPKI"}
# Two million cycles of five slots: of the ten million, four stalled; 90 % of what was issued retired.
ARM_SLOTS = ARM | {
    "br_retired": 500_000, "br_mis_pred_retired": 15_000, "l3d_cache_refill": 6_000, "ll_cache_miss_rd": 3_000,
    "dtlb_walk": 1_500, "itlb_walk": 300, "stall_frontend": 100_000, "stall_backend": 500_000, "#slots": 5,
    "stall_slot": 4_000_000, "stall_slot_frontend": 1_000_000, "stall_slot_backend": 3_000_000,
    "op_spec": 6_000_000, "op_retired": 5_400_000}
ARM_SLOTS_RATES = ARM_RATES | {
    "branch_misprediction_rate": "3%", "branch_mpki": "5MPKI", "l3_mpki": "2MPKI", "llc_read_mpki": "1MPKI",
    "dtlb_walk_mpki": "0.5MPKI", "itlb_walk_mpki": "0.1MPKI", "frontend_stalled_cycles": "5%",
    "backend_stalled_cycles": "25%"}
ARM_TOPDOWN = {"frontend_bound": "10%", "backend_bound": "30%", "bad_speculation": "6%", "retiring": "54%"}

# Model, Unit, counts and facts, and every metric that the model has there with its printed value.
VALUES = [
    ("x86/broadwellde", "", BROADWELL | {"#smt_on": 0},
     INTEL_RATES | INTEL_L3_TLB | BIG_CORE_MPKI | BANDWIDTH | TOPDOWN),
    # One of two threads; each had half of the core's two million cycles.
    ("x86/broadwellde", "", BROADWELL | {"#smt_on": 1, "CPU_CLK_UNHALTED.THREAD": 2_000_000},
     INTEL_RATES | INTEL_L3_TLB | BIG_CORE_MPKI | BANDWIDTH | TOPDOWN | {"ipc": "1per_cycle", "cpi": "1per_insn"}),
    ("x86/tigerlake", "", INTEL | BIG_CORE | METRICS_OF_SLOTS | FREE_RUNNING,
     INTEL_RATES | INTEL_L3_TLB | BIG_CORE_MPKI | BANDWIDTH | TOPDOWN),
    ("x86/alderlake", "cpu_core", INTEL | BIG_CORE | METRICS_OF_SLOTS,
     {name: value for name, value in (INTEL_RATES | INTEL_L3_TLB | BIG_CORE_MPKI | TOPDOWN).items()
      if name != "l1i_mpki"}),
    ("x86/alderlake", "cpu_atom", GRACEMONT, GRACEMONT_RATES),
    ("x86/alderlake", "", FREE_RUNNING, BANDWIDTH),
    ("x86/alderlaken", "",
     GRACEMONT | {"UNC_MC0_RDCAS_COUNT_FREERUN": 25_000_000, "UNC_MC0_WRCAS_COUNT_FREERUN": 10_000_000, "duration_time": 2},
     GRACEMONT_RATES | BANDWIDTH),
    ("x86/elkhartlake", "", INTEL | ATOM_LOADS | TREMONT_SLOTS,
     INTEL_RATES | INTEL_L3_TLB | ATOM_LOADS_MPKI | TOPDOWN),
    ("x86/grandridge", "",
     INTEL | ATOM_LOADS | {
         "TOPDOWN_FE_BOUND.ALL": 600_000, "TOPDOWN_BE_BOUND.ALL": 3_000_000, "TOPDOWN_BAD_SPECULATION.ALL": 900_000,
         "TOPDOWN_RETIRING.ALL": 1_500_000, "UNC_M_CAS_COUNT_SCH0.RD": 15_000_000, "UNC_M_CAS_COUNT_SCH1.RD": 10_000_000,
         "UNC_M_CAS_COUNT_SCH0.WR": 3_000_000, "UNC_M_CAS_COUNT_SCH1.WR": 7_000_000, "duration_time": 2},
     INTEL_RATES | INTEL_L3_TLB | ATOM_LOADS_MPKI | BANDWIDTH | {
         "frontend_bound": "10%", "backend_bound": "50%", "bad_speculation": "15%", "retiring": "25%"}),
    ("x86/lunarlake", "cpu_atom",
     INTEL | ATOM_LOADS | {"TOPDOWN_FE_BOUND.ALL": 2_000_000, "TOPDOWN_BE_BOUND.ALL": 1_000_000,
                           "TOPDOWN_BAD_SPECULATION.ALL": 3_000_000, "TOPDOWN_RETIRING.ALL": 2_000_000},
     INTEL_RATES | INTEL_L3_TLB | ATOM_LOADS_MPKI | {
         "frontend_bound": "25%", "backend_bound": "12.5%", "bad_speculation": "37.5%", "retiring": "25%"}),
    ("x86/goldmont", "",
     INTEL | ATOM_LOADS | {"UOPS_NOT_DELIVERED.ANY": 600_000, "UOPS_ISSUED.ANY": 1_300_000, "UOPS_RETIRED.ANY": 1_200_000,
                           "ISSUE_SLOTS_NOT_CONSUMED.RECOVERY": 200_000},
     INTEL_RATES | ATOM_LOADS_MPKI | {
         "frontend_bound": "20%", "backend_bound": "30%", "bad_speculation": "10%", "retiring": "40%"}),
    ("x86/goldmontplus", "",
     INTEL | ATOM_LOADS | {
         "UOPS_NOT_DELIVERED.ANY": 800_000, "UOPS_ISSUED.ANY": 1_700_000, "UOPS_RETIRED.ANY": 1_600_000,
         "ISSUE_SLOTS_NOT_CONSUMED.RECOVERY": 300_000, "DTLB_LOAD_MISSES.WALK_COMPLETED_4K": 1_000,
         "DTLB_LOAD_MISSES.WALK_COMPLETED_2M_4M": 200, "DTLB_LOAD_MISSES.WALK_COMPLETED_1GB": 40,
         "DTLB_STORE_MISSES.WALK_COMPLETED_4K": 600, "DTLB_STORE_MISSES.WALK_COMPLETED_2M_4M": 150,
         "DTLB_STORE_MISSES.WALK_COMPLETED_1GB": 10, "ITLB_MISSES.WALK_COMPLETED_4K": 70,
         "ITLB_MISSES.WALK_COMPLETED_2M_4M": 20, "ITLB_MISSES.WALK_COMPLETED_1GB": 10},
     INTEL_RATES | ATOM_LOADS_MPKI | TOPDOWN | {"dtlb_walk_mpki": "1MPKI", "itlb_walk_mpki": "0.05MPKI"}),
    ("x86/knightslanding", "",
     INTEL | CAS | {"MEM_UOPS_RETIRED.L1_MISS_LOADS": 24_000, "MEM_UOPS_RETIRED.L2_MISS_LOADS": 6_000,
                    "PAGE_WALKS.D_SIDE_WALKS": 2_000, "PAGE_WALKS.I_SIDE_WALKS": 100},
     INTEL_RATES | ATOM_LOADS_MPKI | BANDWIDTH | {"dtlb_walk_mpki": "1MPKI", "itlb_walk_mpki": "0.05MPKI"}),
    ("x86/amdzen1", "",
     AMD | {"l2_cache_accesses_from_dc_misses": 100_000, "l3_misses": 4_000, "l2_dtlb_misses": 1_000, "l2_itlb_misses": 200},
     AMD_RATES | {"l1d_mpki": "25MPKI", "l3_mpki": "1MPKI", "dtlb_walk_mpki": "0.25MPKI", "itlb_walk_mpki": "0.05MPKI"}),
    ("x86/amdzen3", "",
     AMD | {"l1_data_cache_fills_all": 100_000, "l3_misses": 4_000, "l2_dtlb_misses": 1_000, "bp_l1_tlb_miss_l2_tlb_miss": 200},
     AMD_RATES | {"l1d_mpki": "25MPKI", "l3_mpki": "1MPKI", "dtlb_walk_mpki": "0.25MPKI", "itlb_walk_mpki": "0.05MPKI"}),
    # Twelve million slots.
    ("x86/amdzen4", "",
     ZEN_4_AND_5 | {
         "de_no_dispatch_per_slot.no_ops_from_frontend": 3_000_000, "de_no_dispatch_per_slot.backend_stalls": 1_800_000,
         "de_no_dispatch_per_slot.smt_contention": 1_200_000, "de_src_op_disp.all": 6_000_000, "ex_ret_ops": 5_400_000},
     AMD_RATES | ZEN_4_AND_5_MPKI | BANDWIDTH | {
         "frontend_bound": "25%", "backend_bound": "15%", "smt_contention": "10%", "bad_speculation": "5%",
         "retiring": "45%"}),
    # Sixteen million slots.
    ("x86/amdzen5", "",
     ZEN_4_AND_5 | {
         "de_no_dispatch_per_slot.no_ops_from_frontend": 4_000_000, "de_no_dispatch_per_slot.backend_stalls": 3_200_000,
         "de_no_dispatch_per_slot.smt_contention": 800_000, "de_src_op_disp.all": 8_000_000, "ex_ret_ops": 6_400_000},
     AMD_RATES | ZEN_4_AND_5_MPKI | BANDWIDTH | {
         "frontend_bound": "25%", "backend_bound": "20%", "smt_contention": "5%", "bad_speculation": "10%",
         "retiring": "40%"}),
    ("arm64/arm/cortex-a34", "", ARM | {"br_pred": 500_000, "br_mis_pred": 30_000},
     ARM_RATES | {"branch_misprediction_rate": "6%", "branch_mpki": "10MPKI"}),
    ("arm64/arm/cortex-a710", "", ARM_SLOTS, ARM_SLOTS_RATES | ARM_TOPDOWN),
    # A Neoverse V2 and an N2 r0p3 count as others do; an N2 r0p0, which Microsoft's N2 is based on, one front end slot too
    # many each cycle.
    *(("arm64/arm/neoverse-n2-v2", "", ARM_SLOTS | {"0x410fd490": r0p0, "0x410fd493": r0p3, "0x6d0fd490": microsoft} | (
        {"stall_slot": 6_000_000, "stall_slot_frontend": 3_000_000} if r0p0 - r0p3 + microsoft else {}),
       ARM_SLOTS_RATES | ARM_TOPDOWN) for r0p0, r0p3, microsoft in ((0, 0, 0), (1, 1, 0), (1, 0, 0), (0, 0, 1))),
    # 64 * 50e6 / 1e9 / 2
    ("arm64/arm/cmn/sys", "arm_cmn", {"hnf_mc_reqs": 50_000_000, "duration_time": 2}, {"memory_bandwidth": "1.6GB/s"}),
]
