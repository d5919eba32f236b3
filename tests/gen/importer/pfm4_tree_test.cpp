#include "importer/pfm4_tree.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "importer/import.hpp"
#include "support/environment.hpp"
#include "support/temp_dir.hpp"

namespace evname::importer {
namespace {

/// A tree as libpfm4 lays it out, with one PMU.
class Pfm4Tree : public testing::Test {
 protected:
  void SetUp() override {
    from_.write("include/perfmon/pfmlib.h",
                "typedef enum { PFM_PMU_NONE = 0, PFM_PMU_OLD = 4, PFM_PMU_NEW } pfm_pmu_t;\n");
    from_.write(
        "lib/pfmlib_priv.h",
        "#include <stdint.h>\n#include <stdio.h>\n#include <stdlib.h>\n"
        "#include <perfmon/pfmlib.h>\n"
        "#define LIBPFM_ARRAY_SIZE(a) (sizeof(a) / sizeof(*(a)))\n"
        "enum { PFM_OS_NONE, PFM_OS_MAX = 4 };\n"
        "typedef struct { int x; } pfmlib_event_desc_t;\n"
        "typedef struct {\n  const char *desc, *name, *perf_name;\n  pfm_pmu_t pmu;\n"
        "  int pme_count, max_encoding, flags, pmu_rev, num_cntrs, num_fixed_cntrs,\n"
        "      supported_plm, type, cpu_family;\n  const void *pe;\n  const int *cpu_models;\n"
        "  int (*get_event_encoding[PFM_OS_MAX])(void *, pfmlib_event_desc_t *);\n"
        "} pfmlib_pmu_t;\nextern pfmlib_pmu_t new_support;\n");
    from_.write("lib/pfmlib_intel_x86_priv.h",
                "typedef struct {\n  const char *uname, *uequiv;\n  uint64_t ucode, ufilters[3];\n"
                "  unsigned uflags, umodel, grpid, modhw, umodmsk_req;\n} intel_x86_umask_t;\n"
                "typedef struct {\n  const char *name, *desc, *equiv;\n"
                "  unsigned code, numasks, flags, modmsk, modmsk_req, ngrp, model;\n"
                "  const intel_x86_umask_t *umasks;\n} intel_x86_entry_t;\n"
                "int pfm_intel_x86_get_encoding(void *, pfmlib_event_desc_t *);\n");
    from_.write("lib/pfmlib_common.c",
                "#include \"pfmlib_priv.h\"\n"
                "static pfmlib_pmu_t *pfmlib_pmus[] = {\n#ifdef CONFIG_PFMLIB_ARCH_X86\n"
                "  &new_support,\n#endif\n};\n");
    from_.write(
        "lib/events/new.h",
        "#define ATTRS ((1<<0)|(1<<1)|(1<<2))\n"
        "static const intel_x86_umask_t new_loads[] = {\n"
        " { .uname = \"ALL\", .ucode = 0x8300, .uflags = 0x1 | 0x8, },\n"
        " { .uname = \"SLOW\", .ucode = 0x1000100, .uflags = 0x1 | 0x4, .modhw = 1<<4,\n"
        "   .uequiv = \"ALL:c=1\", .grpid = 1, },\n"
        " { .uname = \"FAR\", .ucode = 0x2000, .uflags = 1<<15, .grpid = 0x102, .modhw = 1<<1,\n"
        "   .umodmsk_req = 1<<2, .ufilters = { 0x10, 0x20 }, },\n};\n"
        "static const intel_x86_entry_t new_pe[] = {\n"
        " { .name = \"CYCLES\", .desc = \"Cycles, of the core\", .modmsk = ATTRS, .code = 0x3c },\n"
        " { .name = \"LOADS\", .code = 0xd0, .ngrp = 2, .modmsk = ATTRS, .flags = 0x4,\n"
        "   .numasks = LIBPFM_ARRAY_SIZE(new_loads), .umasks = new_loads },\n};\n");
    from_.write(
        "lib/pfmlib_new.c",
        "#include \"pfmlib_priv.h\"\n#include \"pfmlib_intel_x86_priv.h\"\n#include "
        "\"events/new.h\"\n"
        "int pfm_intel_x86_get_encoding(void *pmu, pfmlib_event_desc_t *e) { return !pmu == !e; }\n"
        "static const int models[] = { 0x8f, 207, 0 };\n"
        "pfmlib_pmu_t new_support = { .name = \"new\", .desc = \"New, fast\", .pmu = PFM_PMU_NEW,\n"
        " .pme_count = LIBPFM_ARRAY_SIZE(new_pe), .type = 1, .supported_plm = 1|8, .num_cntrs = "
        "8,\n"
        " .max_encoding = 2, .pe = new_pe, .flags = 0x4, .cpu_family = 6, .cpu_models = models,\n"
        " .get_event_encoding[PFM_OS_NONE] = pfm_intel_x86_get_encoding };\n");
    from_.write("lib/pfmlib_unused.c", "#include \"of another system.h\"\n");
  }

  ImportReport import(bool check = false) {
    return import_events({.from = {from_.path()}, .into = into_.path(), .check = check});
  }

  test::TempDir from_, into_;
};

TEST_F(Pfm4Tree, BecomesTheDictionary) {
  const ImportReport report = import();
  EXPECT_EQ(report.errors, 0u) << report.summary;
  EXPECT_EQ(into_.read("pfm4/new.csv"),
            "event,mask,code,group,flags,modifiers,required,only,alias,filter0,filter1\n"
            "CYCLES,,0x3c,,,k u e\n"
            "LOADS,,0xd0,2,pebs,k u e\n"
            ",ALL,0x8300,,ncombo dfl\n"
            ",SLOW,0x1000100,1,ncombo pebs,c,,,ALL:c=1\n"
            ",FAR,0x2000,2/1,grp_req,u,e,,,0x10,0x20\n");  // lib/pfmlib_intel_x86_priv.h
  EXPECT_EQ(
      into_.read("pfm4/pmus.csv"),
      "id,name,label,arch,table,events,layout,type,levels,counters,fixed,words,flags,revision,"
      "cpu,perf\n"
      "5,new,\"New, fast\",x86,new,2,intel,core,ku,8,0,2,raw-masks,,\"GenuineIntel-6-8f,cf\",\n");
  EXPECT_NE(report.summary.find("new is new, its codes are like 'intel'"), std::string::npos)
      << report.summary;
}

// The functions are libpfm4's; types and privilege levels as in include/perfmon/pfmlib.h: PLM0 is
// 1, PLM3 8, PLMH 16.
struct MadePmu {
  const char *function, *members, *row;
};
const MadePmu kMade[] = {
    {"pfm_nhm_unc_get_encoding",
     ".type = 2, .supported_plm = 0, .num_cntrs = 8, .num_fixed_cntrs = 1, .perf_name = "
     "\"uncore\"",
     "nehalem-uncore,uncore,,8,1,0,,,,uncore"},
    {"pfm_intel_snbep_unc_get_encoding", ".type = 2, .max_encoding = 3",
     "uncore,uncore,,0,0,3,,,,"},
    {"pfm_netburst_get_encoding", ".type = 1, .supported_plm = 1", "netburst,core,k,0,0,0,,,,"},
    {"pfm_amd64_get_encoding", ".type = 1, .supported_plm = 1|8|16, .pmu_rev = 9, .flags = 0x4",
     "amd,core,kuh,0,0,0,raw-masks,9,,"},
    {"pfm_arm_get_encoding", ".type = 1, .supported_plm = 8", "arm,core,u,0,0,0,,,,"},
    {"pfm_tx2_unc_get_event_encoding", ".type = 2", "arm-uncore,uncore,,0,0,0,,,,"},
    {"pfm_kunpeng_unc_get_event_encoding", ".type = 2", "arm-uncore,uncore,,0,0,0,,,,"},
    {"pfm_torrent_get_encoding", ".type = 2", "torrent,uncore,,0,0,0,,,,"},
    {"pfm_mips_get_encoding", ".type = 1", "mips,core,,0,0,0,,,,"},
    {"pfm_perf_get_encoding", ".type = 3", "generic,generic,,0,0,0,,,,"},
    {"pfm_perf_raw_get_encoding", ".type = 3", "raw,generic,,0,0,0,,,,"},
    {"pfm_gen_powerpc_get_encoding", ".type = 0, .flags = 0x48",
     "plain,unknown,,0,0,0,arch-default deprecated,,,"}};

TEST_F(Pfm4Tree, TellsLayoutsByTheFunctionsThatMakeCodes) {
  std::string source = "#include \"pfmlib_priv.h\"\n", list, wanted;
  for (const MadePmu& pmu : kMade) {
    const std::string number = std::to_string(100 + (&pmu - kMade));
    source += std::string("int ") + pmu.function +
              "(void *p, pfmlib_event_desc_t *e) { return !p == !e; }\n" + "pfmlib_pmu_t more" +
              number + " = { .name = \"m" + number + "\", .desc = \"D\", .pmu = " + number + ", " +
              pmu.members + ", .get_event_encoding[PFM_OS_NONE] = " + pmu.function + " };\n";
    list += "extern pfmlib_pmu_t more" + number + ";\n";
    wanted += number + ",m" + number + ",D,x86,,," + pmu.row + "\n";
  }
  list += "static pfmlib_pmu_t *pfmlib_pmus[] = {\n#ifdef CONFIG_PFMLIB_ARCH_X86\n";
  for (std::size_t i = 0; i < std::size(kMade); ++i)
    list += "  &more" + std::to_string(100 + i) + ",\n";
  from_.write("lib/pfmlib_common.c", "#include \"pfmlib_priv.h\"\n" + list + "#endif\n};\n");
  from_.write("lib/pfmlib_more.c", source);
  const ImportReport report = import();
  EXPECT_EQ(report.errors, 0u) << (report.notes.empty() ? "" : report.notes.front());
  EXPECT_EQ(into_.read("pfm4/pmus.csv"),
            "id,name,label,arch,table,events,layout,type,levels,counters,fixed,words,flags,"
            "revision,cpu,perf\n" +
                wanted);
}

TEST_F(Pfm4Tree, KeepsWhatOnlyFunctionsSay) {
  into_.write(
      "pfm4/pmus.csv",
      "id,name,label,arch,table,events,layout,type,levels,counters,fixed,words,flags,revision,"
      "cpu,perf\n"
      "5,new,New,x86,new,1,intel,core,ku,8,0,2,raw-masks edge-cmask,,GenuineIntel-6-1,p\n"
      "4,old,Old,x86,old,1,intel,core,ku,8,0,2,,,GenuineIntel-6-2,\n");
  const ImportReport report = import();
  EXPECT_NE(into_.read("pfm4/pmus.csv").find("raw-masks edge-cmask,,GenuineIntel-6-1,p\n"),
            std::string::npos);
  EXPECT_NE(into_.read("pfm4/pmus.csv").find("\n4,old,Old,x86,old,1,"), std::string::npos);
  EXPECT_NE(report.summary.find("old is not in these sources; it is kept"), std::string::npos);
}

TEST_F(Pfm4Tree, ACheckWritesNothing) {
  EXPECT_EQ(import(true).changes, 2u);
  EXPECT_FALSE(into_.has("pfm4/new.csv"));
  import();
  EXPECT_EQ(import(true).changes, 0u);
}

TEST_F(Pfm4Tree, WithoutItsListIsAnError) {
  from_.write("lib/pfmlib_common.c", "int x;\n");
  EXPECT_EQ(import().errors, 1u);
}

// A source that a PMU of the list is in is needed.
TEST_F(Pfm4Tree, ThatDoesNotCompileIsAnError) {
  from_.write("lib/pfmlib_new.c", "#include \"missing.h\"\n");
  EXPECT_EQ(import().errors, 1u);
  EXPECT_FALSE(into_.has("pfm4/pmus.csv"));
}

TEST_F(Pfm4Tree, WithoutACompilerIsAnError) {
  const test::Environment compiler("CC", "/nonexistent/cc");
  EXPECT_EQ(import().errors, 1u);
}

// EVNAME_LIBPFM4_SOURCE: libpfm4's sources, those that arch/pfm4 is from.
TEST(Pfm4Sources, AreWhatTheDictionaryIsFrom) {
  const char* source = std::getenv("EVNAME_LIBPFM4_SOURCE");
  if (source == nullptr) GTEST_SKIP() << "EVNAME_LIBPFM4_SOURCE is not set";
  const test::TempDir into;
  std::filesystem::copy(std::string(std::getenv("EVNAME_SOURCE_ROOT")) + "/arch/pfm4",
                        into.path() + "/pfm4");
  const ImportReport report = import_events({.from = {source}, .into = into.path(), .check = true});
  EXPECT_EQ(report.changes, 0u) << report.summary;
}

}  // namespace
}  // namespace evname::importer
