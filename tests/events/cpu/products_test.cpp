// Names on boxes and in /proc/cpuinfo. The models are those of the makers' product lists.

#include <gtest/gtest.h>

#include "evname/machine.hpp"

namespace evname {
namespace {

std::string model_of(std::string_view name) {
  const auto machine = Machine::named(name, {}, {}, UserEvents::leave_out);
  return machine ? machine->cpu().model : "error: " + machine.error().text();
}

TEST(Products, AreKnownByTheNamesThatTheyAreSoldUnder) {
  const struct {
    const char *name, *model;
  } cases[] = {
      {"13900k", "alderlake"},
      {"i9-13900K", "alderlake"},
      {"13th Gen Intel(R) Core(TM) i9-13900K", "alderlake"},
      {"core i5-1235U", "alderlake"},
      {"i3-12100", "alderlake"},
      {"i7-14700KF", "alderlake"},
      {"Intel(R) Core(TM) i7-8650U CPU @ 1.90GHz", "skylake"},
      {"i7-2600", "sandybridge"},
      {"i7-3770K", "ivybridge"},
      {"i7-3820", "jaketown"},
      {"i7-3820QM", "ivybridge"},
      {"i7-4790", "haswell"},
      {"i7-4960X", "ivytown"},
      {"i7-5960X", "haswellx"},
      {"i5-5200U", "broadwell"},
      {"i7-6950X", "broadwellx"},
      {"i7-6700HQ", "skylake"},
      {"i9-7900X", "skylakex"},
      {"i7-7700K", "skylake"},
      {"i9-9900X", "skylakex"},
      {"i9-9900K", "skylake"},
      {"i7-1065G7", "icelake"},
      {"i9-10900K", "skylake"},
      {"i9-10980XE", "cascadelakex"},
      {"i9-11900K", "rocketlake"},
      {"i7-11800H", "tigerlake"},
      {"i7-1165G7", "tigerlake"},
      {"i7-920", "nehalemep"},
      {"i7-980X", "westmereep-dp"},
      {"i5-520M", "westmereep-sp"},
      {"core ultra 9 285k", "arrowlake"},
      {"Intel(R) Core(TM) Ultra 7 155H", "meteorlake"},
      {"Core Ultra 7 258V", "lunarlake"},
      {"Core Ultra 7 265U", "meteorlake"},
      {"Core Ultra 7 265H", "arrowlake"},
      {"Core Ultra X9 388H", "pantherlake"},
      {"Core 7 150U", "alderlake"},
      {"N100", "alderlaken"},
      {"Intel(R) N100", "alderlaken"},
      {"i3-N305", "alderlaken"},
      {"Celeron J4125", "goldmontplus"},
      {"Celeron N5105", "elkhartlake"},
      {"Celeron J1900", "silvermont"},
      {"Atom C3758", "goldmont"},
      {"Atom N270", "bonnell"},
      {"Intel(R) Atom(TM) CPU  C2750  @ 2.40GHz", "silvermont"},
      {"Pentium G4560", "skylake"},
      {"xeon 6980p", "graniterapids"},
      {"Xeon 6 6780E", "sierraforest"},
      {"Intel(R) Xeon(R) CPU E5-2680 v4 @ 2.40GHz", "broadwellx"},
      {"Xeon E5-2670", "jaketown"},
      {"Xeon E5-2697 v2", "ivytown"},
      {"Xeon E7-8890 v3", "haswellx"},
      {"Xeon E7-4870", "westmereex"},
      {"Xeon E3-1270 v5", "skylake"},
      {"Xeon E3-1230", "sandybridge"},
      {"Xeon X5570", "nehalemep"},
      {"Xeon X5690", "westmereep-dp"},
      {"Xeon X7560", "nehalemex"},
      {"Xeon W3520", "nehalemep"},
      {"Xeon W-3275M", "cascadelakex"},
      {"Xeon w9-3495X", "sapphirerapids"},
      {"Xeon D-1541", "broadwellde"},
      {"Xeon D-2183IT", "skylakex"},
      {"Xeon D-2796NT", "icelakex"},
      {"Intel(R) Xeon(R) Platinum 8160 CPU @ 2.10GHz", "skylakex"},
      {"Intel(R) Xeon(R) Gold 6248R CPU @ 3.00GHz", "cascadelakex"},
      {"Xeon Platinum 8380H", "cascadelakex"},
      {"Xeon Platinum 8380", "icelakex"},
      {"Intel(R) Xeon(R) Platinum 8375C CPU @ 2.90GHz", "icelakex"},
      {"Xeon Platinum 8480+", "sapphirerapids"},
      {"Xeon Max 9480", "sapphirerapids"},
      {"Xeon Gold 6548Y+", "emeraldrapids"},
      {"Xeon Phi 7250", "knightslanding"},
      {"9950x", "amdzen5"},
      {"AMD Ryzen 9 9950X3D 16-Core Processor", "amdzen5"},
      {"Ryzen 7 1700", "amdzen1"},
      {"Ryzen 9950X", "amdzen5"},
      {"ryzen 9900x", "amdzen5"},
      {"ryzen 7900x", "amdzen4"},
      {"Ryzen 7840U", "amdzen4"},
      {"Ryzen 5800X3D", "amdzen3"},
      {"Ryzen 4500U", "amdzen2"},
      {"Ryzen 5700U", "amdzen2"},
      {"Ryzen 2700", "amdzen1"},
      {"Ryzen 5 2600", "amdzen1"},
      {"Ryzen 5 3400G", "amdzen1"},
      {"Ryzen 7 3700U", "amdzen1"},
      {"Ryzen 7 3700X", "amdzen2"},
      {"AMD Ryzen 7 4800H with Radeon Graphics", "amdzen2"},
      {"Ryzen 7 5700U", "amdzen2"},
      {"Ryzen 7 5800X3D", "amdzen3"},
      {"Ryzen 7 PRO 5850U", "amdzen3"},
      {"Ryzen 7 6800U", "amdzen3"},
      {"Ryzen 5 7520U", "amdzen2"},
      {"Ryzen 7 7730U", "amdzen3"},
      {"Ryzen 9 7940HS w/ Radeon 780M Graphics", "amdzen4"},
      {"7800X3D", "amdzen4"},
      {"Ryzen 7 8845HS", "amdzen4"},
      {"AMD Ryzen AI 9 HX 370 w/ Radeon 890M", "amdzen5"},
      {"Ryzen AI Max+ 395", "amdzen5"},
      {"Threadripper 1950X", "amdzen1"},
      {"AMD Ryzen Threadripper 3970X 32-Core Processor", "amdzen2"},
      {"AMD Ryzen Threadripper PRO 5995WX 64-Cores", "amdzen3"},
      {"Threadripper PRO 7995WX", "amdzen4"},
      {"Threadripper 9980X", "amdzen5"},
      {"AMD EPYC 7601 32-Core Processor", "amdzen1"},
      {"EPYC 7742", "amdzen2"},
      {"EPYC 7R32", "amdzen2"},
      {"EPYC 75F3", "amdzen3"},
      {"EPYC 7773X", "amdzen3"},
      {"EPYC 9654", "amdzen4"},
      {"EPYC 8534P", "amdzen4"},
      {"EPYC 4564P", "amdzen4"},
      {"epyc 9755", "amdzen5"},
      {"EPYC 9575F", "amdzen5"},
      {"7995WX", "amdzen4"},
      {"8700G", "amdzen4"},
      {"Z1 Extreme", "amdzen4"},
      {"Steam Deck", "amdzen2"},
      {"golden cove", "alderlake"},
      {"lion cove", "lunarlake"},
      {"raspberry pi 5", "arm/cortex-a76"},
      {"Raspberry Pi 4 Model B Rev 1.4", "arm/cortex-a57-a72"},
      {"Raspberry Pi 3 Model B+", "arm/cortex-a53"},
      {"graviton", "arm/cortex-a57-a72"},
      {"graviton2", "arm/neoverse-n1"},
      {"Graviton3E", "arm/neoverse-v1"},
      {"graviton4", "arm/neoverse-n2-v2"},
      {"cobalt 100", "arm/neoverse-n2-v2"},
      {"Azure Cobalt 100", "arm/neoverse-n2-v2"},
      {"Pi 5", "arm/cortex-a76"},
      {"Broadcom BCM2712", "arm/cortex-a76"},
      {"Exynos 2400", "arm/cortex-x4"},
      {"CIX P1", "arm/cortex-a720"},
      {"Google Axion", "arm/neoverse-n2-v2"},
      {"Ampere Altra Max", "arm/neoverse-n1"},
      {"Ampere Altra Q80-30", "arm/neoverse-n1"},
      {"NVIDIA Grace", "arm/neoverse-n2-v2"},
      {"AmpereOne A192-32X", "ampere/ampereone"},
      {"Snapdragon 8 Gen 3", "arm/cortex-x4"},
      {"IBM z16", "cf_z16"},
      {"LinuxONE Emperor 4", "cf_z16"},
      {"8561", "cf_z15"},
      {"Power S922", "power9"},
      {"E1080", "power10"},
      {"u74", "sifive/bullet"},
      {"VisionFive 2", "sifive/bullet"},
      {"C920", "thead/c900-legacy"},
      {"e3-1230v5", "skylake"},
      {"E5-2690 v4", "broadwellx"},
      {"gold 6254", "cascadelakex"},
      {"Xeon 6130", "skylakex"},
      {"silver 4510", "emeraldrapids"},
      {"5700G", "amdzen3"},
      {"7735HS", "amdzen3"},
      {"7520U", "amdzen2"},
      {"8845HS", "amdzen4"},
      {"IBM Telum", "cf_z16"},
      {"Telum II", "cf_z17"},
      {"BlueField-3", "arm/cortex-a78"},
      {"Odroid N2+", "arm/cortex-a73"},
      {"Zynq UltraScale+", "arm/cortex-a53"},
      {"Kirin 990", "arm/cortex-a76"},
  };
  for (const auto& c : cases) EXPECT_EQ(model_of(c.name), c.model) << c.name;
}

TEST(Products, NumbersThatAreNotInTheFamilyMatchNothing) {
  for (const char* name : {"i9-15900K",
                           "i9-13900Q",
                           "i4-4770",
                           "i7-1",
                           "13",
                           "980",
                           "2600",
                           "6900",
                           "ryzen 7 9999",
                           "ryzen 9 1950Z",
                           "epyc 7749",
                           "epyc 9556",
                           "xeon gold 6999",
                           "xeon 6980",
                           "xeon e5-2680 v7",
                           "core ultra 9 485k",
                           "core ultra 9 285q",
                           "graviton9",
                           "raspberry pi 9",
                           "raspberry pi",
                           "apple m99",
                           "z99",
                           "threadripper 4970X",
                           "n99",
                           "200k",
                           "cortex",
                           "intel",
                           "amd",
                           "core"})
    EXPECT_NE(model_of(name).find("is neither a CPUID string nor a model"), std::string::npos)
        << name << ": " << model_of(name);
}

TEST(Products, OfOneOtherCharacterAreNamed) {
  const struct {
    const char *name, *hint;
  } cases[] = {{"i9-15900K", "did you mean i9-14900K"},
               {"coree i9-13900k", "did you mean core i9-13900k?"},
               {"raspbery pi 5", "did you mean raspberry pi 5?"},
               {"eypc 9654", "did you mean epyc 9654?"},
               {"8480+", "did you mean xeon 8480+?"},  // and not another product's number
               {"w9-3595x", "did you mean xeon w9-3595x?"},
               {"9754", "did you mean epyc 9754?"},
               {"core 13900k", "did you mean 13900k?"},
               {"xeon 6980", "did you mean xeon 6980e, xeon 6980p?"}};
  for (const auto& c : cases)
    EXPECT_NE(Machine::named(c.name).error().hint.find(c.hint), std::string::npos)
        << Machine::named(c.name).error().hint;
}

/// arch/x86/include/asm/intel-family.h and arch/arm64/include/asm/cputype.h of Linux 7.3.
TEST(Products, WithoutTablesAreNamedByTheirCpuid) {
  const struct {
    const char *name, *cpuid, *note;
  } cases[] = {
      {"diamondrapids", "GenuineIntel-19-1", "the nearest model is graniterapids"},
      {"oryon", "0x00000000510f0010", "Qualcomm publishes no events"},
      {"Snapdragon(R) X Elite - X1E80100 - Qualcomm(R) Oryon(TM) CPU", "0x00000000510f0010", ""},
      {"x925", "0x00000000410fd850", "the nearest model is arm/cortex-x4"},
      {"cortex-a725", "0x00000000410fd870", "the nearest model is arm/cortex-a720"},
  };
  for (const auto& c : cases) {
    const auto machine = Machine::named(c.name, {}, {}, UserEvents::leave_out);
    ASSERT_TRUE(machine) << machine.error().text();
    EXPECT_EQ(machine->cpu().cpuid, c.cpuid) << c.name;
    EXPECT_NE(machine->cpu().note.find(c.note), std::string::npos) << machine->cpu().note;
    EXPECT_TRUE(machine->resolve("cycles")) << c.name;
  }
}

TEST(Products, ThatNothingIsKnownOfAreAnErrorThatSaysWhy) {
  for (const char* name : {"apple m1", "M4 Pro", "Apple M2 Ultra"})
    EXPECT_NE(model_of(name).find("there are no tables of Apple's cores"), std::string::npos);
  for (const char* name : {"9900x", "5500U", "6600U"})
    EXPECT_NE(model_of(name).find("Core and Ryzen have this number"), std::string::npos) << name;
  for (const char* name : {"Opteron 6380", "A10-7850K", "E-350", "Phenom II X4 955", "Q6600",
                           "Pentium 4", "Hygon C86 7285", "Zhaoxin KX-7000"})
    EXPECT_NE(model_of(name).find("there are no tables of"), std::string::npos) << name;
  EXPECT_NE(model_of("power7").find("no tables of POWER7"), std::string::npos);
}

TEST(Products, HaveANoteIfTheyHaveSeveralKindsOfCores) {
  const auto machine = Machine::named("rk3588", {}, {}, UserEvents::leave_out);
  ASSERT_TRUE(machine);
  EXPECT_EQ(machine->cpu().note, "its slow cores are arm/cortex-a55");
}

}  // namespace
}  // namespace evname
