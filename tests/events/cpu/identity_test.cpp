#include "events/cpu/identity.hpp"

#include <gtest/gtest.h>

namespace evname::cpu {
namespace {

TEST(CpuidArch, IsToldByTheFormOfTheString) {
  const struct {
    const char *cpuid, *arch;
  } cases[] = {
      {"GenuineIntel-6-55-4", "x86"},
      {"GenuineIntel,6,85,4", "x86"},
      {"AuthenticAMD-25-61-2", "x86"},
      {"AuthenticAMD-25-61", "x86"},
      {"  Shanghai  -7-3B-0", "x86"},
      {"0x00000000410fd0c0", "arm64"},
      {"0x410fd0c0", "arm64"},
      {"0x410fc0f0", "arm"},  // Cortex-A15
      {"0x410fb760", "arm"},  // ARM1176
      {"0x410fd010", "arm"},  // Cortex-A32
      {"0x410fd110", "arm64"},
      {"0x510fc0f0", "arm64"},        // of another implementer
      {"0x00000000411fd130", "arm"},  // Cortex-R52
      {"0x004e1202", "powerpc"},
      {"78,4610", "powerpc"},
      {"IBM,3906,704,M03,3.6,002f", "s390"},
      {"QEMU,8561,QEMU", "s390"},
      {"0x489-0x8000000000000007-0x20181004", "riscv"},
      {"Loongson-3A5000", "loongarch"},
      {"skylakex", ""},
      {"arm/neoverse-n1", ""},
      {"westmereep-dp", ""},
      {"", ""},
      {"0x", ""},
      {"-6-55-4", ""},
      {"Maker-x-55", ""},
      {"Maker-6x-55", ""},
      {"Maker-x6-55", ""},
      {"Maker,6,8x,4", ""},
      {"Maker-6-5x", ""},
      {"0x12-6-55", ""},
      {"Maker,x,85,4", ""},
      {"12,3906,704", ""},
  };
  for (const auto& c : cases) EXPECT_EQ(arch_of_cpuid(c.cpuid), c.arch) << c.cpuid;
}

TEST(LookupCpuid, HeaderSpellingBecomesTheSpellingOfTheMapfiles) {
  const struct {
    const char *arch, *header, *lookup;
  } cases[] = {
      {"x86", "GenuineIntel,6,85,4", "GenuineIntel-6-55-4"},
      {"x86", "AuthenticAMD,25,97,2", "AuthenticAMD-25-61-2"},
      {"x86", "GenuineIntel,6,158,10", "GenuineIntel-6-9E-A"},
      {"x86", "GenuineIntel-6-55-4", "GenuineIntel-6-55-4"},
      {"x86", "GenuineIntel,6,x,4", "GenuineIntel,6,x,4"},
      {"x86", "GenuineIntel,6,99999999999,4", "GenuineIntel,6,99999999999,4"},
      {"powerpc", "78,4610", "0x004e1202"},
      {"powerpc", "128,512", "0x00800200"},
      {"powerpc", "0x004e1202", "0x004e1202"},
      {"powerpc", "78,70000", "78,70000"},
      {"powerpc", "65535,65535", "0xffffffff"},
      {"powerpc", "65536,1", "65536,1"},
      {"powerpc", "1,65536", "1,65536"},
      {"arm64", "0x00000000410fd0c0", "0x00000000410fd0c0"},
      {"arm64", "0x410fd0c0", "0x00000000410fd0c0"},
      {"arm", "0x413fc082", "0x00000000413fc082"},
      {"s390", "IBM,3906,704,M03,3.6,002f", "IBM,3906,704,M03,3.6,002f"},
      {"s390", "0x12", "0x12"},
      {"riscv", "0x489-0x8000000000000007-0x1", "0x489-0x8000000000000007-0x1"},
      {"loongarch", "Loongson-3A5000", "Loongson-3A5000"},
      {"x86", "", ""},
  };
  for (const auto& c : cases) EXPECT_EQ(lookup_cpuid(c.arch, c.header), c.lookup) << c.header;
}

TEST(TablesArch, FollowsTheMachineNameOfUname) {
  const struct {
    const char *machine, *arch;
  } cases[] = {{"x86_64", "x86"},
               {"i686", "x86"},
               {"aarch64", "arm64"},
               {"armv7l", "arm"},
               {"ppc64le", "powerpc"},
               {"ppc64", "powerpc"},
               {"s390x", "s390"},
               {"riscv64", "riscv"},
               {"loongarch64", "loongarch"},
               {"sparc64", "sparc64"},
               {"", ""}};
  for (const auto& c : cases) EXPECT_EQ(tables_arch(c.machine), c.arch) << c.machine;
}

}  // namespace
}  // namespace evname::cpu
