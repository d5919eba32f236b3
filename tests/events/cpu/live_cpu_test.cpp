#include <fmt/format.h>
#include <gtest/gtest.h>

#include "events/cpu/live_cpu.hpp"
#include "support/temp_dir.hpp"

namespace evname::cpu {
namespace {

using test::TempDir;

Identity identify(const TempDir& tree, const char* sysfs = "sys", const char* procfs = "proc") {
  const auto identity = live_identity(Roots{tree.path(sysfs), tree.path(procfs)});
  EXPECT_TRUE(identity) << identity.error().text();
  return identity.value_or(Identity{});
}

TEST(LiveIdentity, X86ComesFromCpuinfo) {
  const TempDir tree{{"proc/cpuinfo",
                      "processor\t: 0\nvendor_id\t: GenuineIntel\ncpu family\t: 6\n"
                      "model\t\t: 85\nmodel name\t: Intel(R) Xeon(R)\nstepping\t: 4\n\n"
                      "processor\t: 1\nvendor_id\t: GenuineIntel\nmodel\t\t: 1\n"}};
  EXPECT_EQ(identify(tree).arch, "x86");
  EXPECT_EQ(identify(tree).cpuid, "GenuineIntel-6-55-4");
}

// get_cpuid_str of tools/perf/arch/x86/util/header.c: "%s-%u-%X-%X$".
TEST(LiveIdentity, AnX86SteppingIsHexadecimal) {
  const std::pair<const char*, const char*> kRows[] = {
      {"7", "GenuineIntel-6-55-7"}, {"10", "GenuineIntel-6-55-A"}, {"11", "GenuineIntel-6-55-B"}};
  for (const auto& [stepping, cpuid] : kRows) {
    const TempDir tree{
        {"proc/cpuinfo", fmt::format("vendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t\t: 85\n"
                                     "stepping\t: {}\n",
                                     stepping)}};
    EXPECT_EQ(identify(tree).cpuid, cpuid);
  }
}

TEST(LiveIdentity, SpacesOfAVendorStringStay) {
  const TempDir tree{
      {"proc/cpuinfo",
       "vendor_id\t:   Shanghai  \ncpu family\t: 7\nmodel\t\t: 59\nstepping\t: unknown\n"}};
  EXPECT_EQ(identify(tree).cpuid, "  Shanghai  -7-3B-0");
}

TEST(LiveIdentity, Arm64IsTheMidrOfTheFirstOnlineCpuThatHasOne) {
  const TempDir tree{
      {"sys/devices/system/cpu/online", "1-3\n"},
      {"sys/devices/system/cpu/cpu2/regs/identification/midr_el1", "0x00000000414fd0c1\n"},
      {"sys/devices/system/cpu/cpu3/regs/identification/midr_el1", "0x00000000410fd034\n"}};
  EXPECT_EQ(identify(tree).arch, "arm64");
  EXPECT_EQ(identify(tree).cpuid, "0x00000000414fd0c1");
}

TEST(LiveIdentity, Arm64WithoutAListOfOnlineCpusIsTheFirstOne) {
  const TempDir tree{
      {"sys/devices/system/cpu/cpu0/regs/identification/midr_el1", "0x00000000414fd0c1\n"},
      {"sys/devices/system/cpu/cpu1/regs/identification/midr_el1", "0x00000000410fd034\n"}};
  EXPECT_EQ(identify(tree).cpuid, "0x00000000414fd0c1");
}

// The fields have 8, 4, 12 and 4 bits.
TEST(LiveIdentity, Arm64WithoutRegistersIsPutTogetherFromCpuinfo) {
  const struct {
    const char *implementer, *variant, *part, *revision, *cpuid;
  } kRows[] = {{"0x41", "0x4", "0xd0c", "1", "0x00000000414fd0c1"},
               {"0xff", "0xf", "0xfff", "15", "0x00000000ffffffff"},
               {"0x100", "0x4", "0xd0c", "1", ""},
               {"0x41", "0x10", "0xd0c", "1", ""},
               {"0x41", "0x4", "0x1000", "1", ""},
               {"0x41", "0x4", "0xd0c", "16", ""}};
  for (const auto& row : kRows) {
    const TempDir tree{
        {"proc/cpuinfo", fmt::format("processor\t: 0\nCPU implementer\t: {}\nCPU architecture: 8\n"
                                     "CPU variant\t: {}\nCPU part\t: {}\nCPU revision\t: {}\n",
                                     row.implementer, row.variant, row.part, row.revision)}};
    EXPECT_EQ(identify(tree).cpuid, row.cpuid) << row.part;
  }
}

TEST(LiveIdentity, Arm32HasNoCpuid) {
  const TempDir tree{{"proc/cpuinfo", "CPU implementer\t: 0x41\nCPU architecture: 7\n"}};
  EXPECT_EQ(identify(tree).arch, "arm");
  EXPECT_EQ(identify(tree).cpuid, "");
}

TEST(LiveIdentity, PowerpcIsTheProcessorVersionRegister) {
  const TempDir tree{{"proc/cpuinfo",
                      "processor\t: 0\ncpu\t\t: POWER9, altivec supported\n"
                      "clock\t\t: 3800.000000MHz\nrevision\t: 2.2 (pvr 004e 1202)\n"}};
  EXPECT_EQ(identify(tree).arch, "powerpc");
  EXPECT_EQ(identify(tree).cpuid, "0x004e1202");
}

// The PVR is two numbers of 16 bits.
TEST(LiveIdentity, PowersVersionHasTwoHalves) {
  for (const auto& [pvr, cpuid] :
       {std::pair{"ffff ffff", "0xffffffff"}, {"0080 0200", "0x00800200"}, {"0 0", "0x00000000"}}) {
    const TempDir tree{
        {"proc/cpuinfo", "cpu\t\t: POWER\nrevision\t: 2.2 (pvr " + std::string(pvr) + ")\n"}};
    EXPECT_EQ(identify(tree).cpuid, cpuid) << pvr;
  }
  for (const char* pvr : {"10000 1202", "004e 10000", "004e1202", "x 1"}) {
    const TempDir tree{
        {"proc/cpuinfo", "cpu\t\t: POWER\nrevision\t: 2.2 (pvr " + std::string(pvr) + ")\n"}};
    const auto identity = live_identity(Roots{tree.path("sys"), tree.path("proc")});
    EXPECT_TRUE(!identity || identity->cpuid.empty()) << pvr;
  }
}

TEST(LiveIdentity, S390WithoutSysinfoIsKnownByItsVendor) {
  const TempDir tree{{"proc/cpuinfo", "vendor_id       : IBM/S390\n# processors    : 2\n"}};
  EXPECT_EQ(identify(tree).arch, "s390");
  EXPECT_EQ(identify(tree).cpuid, "");
}

TEST(LiveIdentity, S390JoinsSysinfoAndTheCounterFacility) {
  const char* const sysinfo =
      "Manufacturer:         IBM\nType:                 3906\nLIC Identifier:       1\n"
      "Model:                704 M03\nModel Capacity:       704\n";
  const TempDir tree{{"proc/sysinfo", sysinfo},
                     {"proc/service_levels",
                      "VM: z/VM\nCPU-MF: Counter facility: version=3.6 authorization=002f\n"}};
  EXPECT_EQ(identify(tree).arch, "s390");
  EXPECT_EQ(identify(tree).cpuid, "IBM,3906,704,M03,3.6,002f");
  const TempDir no_counters{{"proc/sysinfo", sysinfo}};
  EXPECT_EQ(identify(no_counters).cpuid, "IBM,3906,704,M03");
  const TempDir unauthorized{{"proc/sysinfo", sysinfo},
                             {"proc/service_levels", "CPU-MF: Counter facility: version=3.6\n"}};
  EXPECT_EQ(identify(unauthorized).cpuid, "IBM,3906,704,M03");
  for (const char* part : {"Manufacturer:         IBM\n", "Type:                 3906\n"}) {
    const TempDir half{{"proc/sysinfo", part}, {"proc/cpuinfo", "vendor_id       : IBM/S390\n"}};
    EXPECT_EQ(identify(half).arch, "s390") << part;
    EXPECT_EQ(identify(half).cpuid, "") << part;
  }
}

TEST(LiveIdentity, RiscvIsTheFirstHart) {
  const TempDir tree{{"proc/cpuinfo",
                      "processor\t: 0\nhart\t\t: 1\nisa\t\t: rv64imafdc\n"
                      "mvendorid\t: 0x489\nmarchid\t\t: 0x8000000000000007\n"
                      "mimpid\t\t: 0x20181004\n\nprocessor\t: 1\nmvendorid\t: 0x1\n"}};
  EXPECT_EQ(identify(tree).arch, "riscv");
  EXPECT_EQ(identify(tree).cpuid, "0x489-0x8000000000000007-0x20181004");
}

TEST(LiveIdentity, RiscvWithoutIdsIsKnownByItsIsa) {
  for (const char* ids : {"", "mvendorid\t: 0x1\nmarchid\t: 0x2\n",
                          "mimpid\t: 0x3\nmarchid\t: 0x2\n", "mvendorid\t: 0x1\nmimpid\t: 0x3\n"}) {
    const TempDir tree{
        {"proc/cpuinfo", std::string("processor\t: 0\nisa\t\t: rv64imafdc\n") + ids}};
    EXPECT_EQ(identify(tree).arch, "riscv") << ids;
    EXPECT_EQ(identify(tree).cpuid, "") << ids;
  }
}

TEST(LiveIdentity, LoongarchIsTheLastWordOfTheModelName) {
  const TempDir tree{{"proc/cpuinfo", "Model Name\t\t: Loongson-3A5000\n"}};
  EXPECT_EQ(identify(tree).arch, "loongarch");
  EXPECT_EQ(identify(tree).cpuid, "Loongson-3A5000");
}

TEST(LiveIdentity, ThePmusOfATreeOutweighTheProcfsOfAnotherMachine) {
  const TempDir tree{
      {"sys/bus/event_source/devices/armv8_pmuv3_0/type", "8\n"},
      {"proc/cpuinfo",
       "vendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t\t: 85\nstepping\t: 4\n"}};
  EXPECT_EQ(identify(tree).arch, "arm64");
  EXPECT_EQ(identify(tree).cpuid, "");
}

TEST(LiveIdentity, WithoutAnyTreeIsAnError) {
  const auto identity = live_identity(Roots{"/nonexistent/sys", "/nonexistent/proc"});
  ASSERT_FALSE(identity);
  EXPECT_EQ(identity.error().code, Errc::not_found);
}

TEST(LiveIdentity, CapturedTreesOfArm64Guests) {
  const struct {
    const char *archive, *cpuid;
  } cases[] = {
      {"recordings/arm64-cortex-a53.sysfs.tgz", "0x00000000410fd034"},
      {"recordings/arm64-max.sysfs.tgz", "0x00000000000f0510"},
      {"recordings/arm64-neoverse-n1-612.sysfs.tgz", "0x00000000414fd0c1"},
  };
  for (const auto& c : cases) {
    const TempDir tree;
    if (!test::unpack_shared(tree, c.archive)) GTEST_SKIP() << "EVNAME_SHARED is not set";
    EXPECT_EQ(identify(tree).arch, "arm64") << c.archive;
    EXPECT_EQ(identify(tree).cpuid, c.cpuid) << c.archive;
  }
}

}  // namespace
}  // namespace evname::cpu
