// Names on boxes and in /proc/cpuinfo. The models are from the makers' product lists.

#include <gtest/gtest.h>

#include "base/text.hpp"
#include "evname/machine.hpp"
#include "evname/metric.hpp"

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

/// Returns what tells a core in a CPUID string from another: without the stepping of x86, which
/// some models need, and the revision of Power.
std::string core_in(std::string_view cpuid) {
  const bool is_power = cpuid.starts_with("0x") && cpuid.size() == 10;
  if (is_power) return std::string(cpuid.substr(0, 6));
  const bool of_x86 = cpuid.starts_with("GenuineIntel-") || cpuid.starts_with("AuthenticAMD-");
  return std::string(of_x86 ? cpuid.substr(0, cpuid.rfind('-')) : cpuid);
}

/// Directories that several CPUs share. Sources of Linux 7.3: arch/arm64/include/asm/cputype.h,
/// arch/x86/include/asm/intel-family.h, arch/x86/kernel/cpu/amd.c, arch/powerpc/include/asm/reg.h;
/// Arm's telemetry files (E1); machine types of IBM Z.
TEST(Products, AreTheCpusThatTheyName) {
  const struct {
    const char *cpuid, *names;
  } cases[] = {
      {"0x00000000410fd030", "a53|cortex-a53|Raspberry Pi 3 Model B+|ls1043a"},
      {"0x00000000420f1000", "brahma-b53"},
      {"0x00000000410fd070", "a57|cortex-a57|Jetson Nano|armv8_cortex_a57"},
      {"0x00000000410fd080",
       "a72|cortex-a72|armv8_cortex_a72|graviton|a1.metal|Raspberry Pi 4 Model "
       "B|bcm2711|rk3399|lx2160a|"
       "ls1046a|BlueField-2|kunpeng 916"},
      {"0x00000000410fd060", "a65|cortex-a65"},
      {"0x00000000410fd4a0", "e1|neoverse-e1"},
      {"0x00000000410fd490", "n2|neoverse-n2|perseus|yitian 710|octeon 10|arm/neoverse-n2-v2"},
      {"0x00000000410fd4f0",
       "v2|neoverse-v2|demeter|graviton4|grace|NVIDIA Grace|Grace Hopper|GH200|GB200|Google "
       "Axion|"
       "axion c4a|armv9_neoverse_v2"},
      {"0x000000006d0fd490", "cobalt100|Azure Cobalt 100|Microsoft Cobalt 100"},
      {"0x00000000430f0af0", "tx2|thunderx2t99|ThunderX2 CN9980"},
      {"0x00000000420f5160", "vulcan"},
      {"0x00000000480fd010", "tsv110|kunpeng 920"},
      {"0x00000000410fd840", "graviton5|cobalt 200|v3"},
      {"0x00000000410fd8e0", "n3|axion n4a"},
      {"0x00000000410fd400", "graviton3|graviton3e|v1|zeus"},
      {"0x00000000410fd0c0", "graviton2|altra|ares|n1"},
      {"GenuineIntel-6-97", "adl|i9-12900K|i5-12400|golden cove|Pentium G7400"},
      {"GenuineIntel-6-9A", "i7-1260P|i5-1235U|i7-12700H"},
      {"GenuineIntel-6-B7", "rpl|raptorlake|13900k|i9-14900KS|raptor cove|i9-13980HX|xeon e-2488"},
      {"GenuineIntel-6-BA", "i7-1360P|i7-13700H|Core 7 150U|Core i3-1315U"},
      {"GenuineIntel-6-BF", "i5-13400|i3-14100"},
      {"GenuineIntel-6-C6", "arrowlake-s|core ultra 9 285k|Core Ultra 9 275HX"},
      {"GenuineIntel-6-C5", "arrowlake-h|Core Ultra 7 265H"},
      {"GenuineIntel-6-AA", "mtl|Core Ultra 7 155H|redwood cove"},
      {"GenuineIntel-6-B5", "Core Ultra 7 265U"},
      {"GenuineIntel-6-CC", "ptl|Core Ultra X9 388H|cougar cove"},
      {"GenuineIntel-6-D5", "wcl|wildcat lake"},
      {"GenuineIntel-6-AD", "gnr|xeon 6980p|graniterapids-x"},
      {"GenuineIntel-6-AE", "graniterapids-d|Xeon 6726P-B"},
      {"GenuineIntel-6-6A", "icx|icelake-server|Xeon Platinum 8380|Xeon W-3375"},
      {"GenuineIntel-6-6C", "icelake-d|Xeon D-2796NT"},
      {"GenuineIntel-6-7E", "icl|icelake-client|i7-1065G7|sunny cove"},
      {"GenuineIntel-6-8C", "tgl|i7-1165G7|willow cove"},
      {"GenuineIntel-6-8D", "i7-11800H|Xeon W-11955M"},
      {"GenuineIntel-6-96", "ehl|tremont|Atom x6425E|Celeron J6412"},
      {"GenuineIntel-6-9C", "jsl|jasper lake|Celeron N5105"},
      {"GenuineIntel-6-57", "knl|Xeon Phi 7250"},
      {"GenuineIntel-6-85", "knm|knights mill|Xeon Phi 7295"},
      {"GenuineIntel-6-5E", "skl|i7-6700K|Xeon E3-1270 v5|Pentium G4400"},
      {"GenuineIntel-6-4E", "i7-6600U|core m7-6y75"},
      {"GenuineIntel-6-9E",
       "kbl|kabylake|cfl|coffeelake|i7-7700K|i7-8700K|i9-9900K|Xeon E-2288G|Xeon E3-1505M "
       "v6|Pentium G4560"},
      {"GenuineIntel-6-8E", "whl|amberlake|i7-8650U|i7-8565U|i7-7500U|i5-10210U|core m3-7y30"},
      {"GenuineIntel-6-A5", "cml|cometlake|i9-10900K|i7-10750H|Xeon W-1290P"},
      {"GenuineIntel-6-A6", "i7-10710U"},
      {"GenuineIntel-6-3C", "hsw|i7-4790|i7-4700MQ"},
      {"GenuineIntel-6-45", "i5-4200U|i5-4300Y"},
      {"GenuineIntel-6-46", "i7-4770R|i7-4980HQ"},
      {"GenuineIntel-6-3D", "bdw|i5-5200U|core m-5y71"},
      {"GenuineIntel-6-47", "i7-5775C|i7-5700HQ|Xeon E3-1285 v4"},
      {"GenuineIntel-6-1A", "nhm|bloomfield|gainestown|i7-920|Xeon X5570"},
      {"GenuineIntel-6-1E", "lynnfield|i7-870|i5-750|Xeon X3470|i7-720QM"},
      {"GenuineIntel-6-37", "slm|bay trail|Celeron J1900|Atom E3845"},
      {"GenuineIntel-6-4C", "airmont|braswell|cherry trail|Celeron N3060"},
      {"GenuineIntel-6-4D", "avoton|rangeley|Atom C2750"},
      {"GenuineIntel-6-4A", "merrifield|Atom Z3480"},
      {"GenuineIntel-6-5A", "anniedale|moorefield|Atom Z3580"},
      {"GenuineIntel-6-5C", "glm|apollo lake|Celeron N3350"},
      {"GenuineIntel-6-5F", "denverton|Atom C3758"},
      {"GenuineIntel-6-1C", "bnl|diamondville|pineview|Atom N270"},
      {"GenuineIntel-6-26", "silverthorne|lincroft"},
      {"GenuineIntel-6-27", "penwell"},
      {"GenuineIntel-6-35", "cloverview"},
      {"GenuineIntel-6-36", "saltwell|cedarview|Atom N2800"},
      {"GenuineIntel-18-1", "nvl|coyote cove"},
      {"AuthenticAMD-23-1", "zen|zen1|naples|summit ridge"},
      {"AuthenticAMD-23-8", "zenplus|pinnacle ridge"},
      {"AuthenticAMD-23-31", "zen2|rome|castle peak"},
      {"AuthenticAMD-23-71", "matisse"},
      {"AuthenticAMD-25-1", "zen3|milan|milan-x"},
      {"AuthenticAMD-25-21", "vermeer"},
      {"AuthenticAMD-25-11", "zen4|genoa|genoa-x"},
      {"AuthenticAMD-25-A0", "bergamo|siena|zen4c"},
      {"AuthenticAMD-26-2", "zen5|turin"},
      {"AuthenticAMD-26-11", "turin dense|zen5c"},
      {"AuthenticAMD-26-44", "granite ridge"},
      {"AuthenticAMD-26-50", "zen6|venice"},
      {"0x004c", "power8nvl|power8+"},
      {"0x004d", "p8|pwr8|S824"},
      {"0x0080", "p10|pwr10|E1080"},
      {"0x0082", "p11|power11|E1180"},
      {"IBM,2817,000,1.1,1", "z196|2817"},
      {"IBM,2818,000,1.1,1", "z114|2818"},
      {"IBM,8562,000,3.6,1", "z15 t02|8562"},
      {"IBM,3932,000", "z16 a02|LinuxONE Rockhopper 4"},
  };
  for (const auto& [cpuid, names] : cases)
    for (const std::string_view name : split(names, '|')) {
      const auto machine = Machine::named(name, {}, {}, UserEvents::leave_out);
      ASSERT_TRUE(machine) << name;
      EXPECT_EQ(core_in(machine->cpu().cpuid), cpuid) << name;
    }
}

// Cascade Lake and Cooper Lake are Skylake-X with other steppings (intel-family.h; CPUID 6-55-7 and
// 6-55-B).
TEST(Products, AreOfTheirStepping) {
  const struct {
    const char *name, *cpuid, *model;
  } cases[] = {{"skx", "GenuineIntel-6-55-4", "skylakex"},
               {"Xeon Gold 6154", "GenuineIntel-6-55-4", "skylakex"},
               {"i9-7900X", "GenuineIntel-6-55-4", "skylakex"},
               {"clx", "GenuineIntel-6-55-7", "cascadelakex"},
               {"xeon gold 6248", "GenuineIntel-6-55-7", "cascadelakex"},
               {"i9-10980XE", "GenuineIntel-6-55-7", "cascadelakex"},
               {"cpx", "GenuineIntel-6-55-B", "cascadelakex"},
               {"Cooper Lake", "GenuineIntel-6-55-B", "cascadelakex"},
               {"Xeon Platinum 8380H", "GenuineIntel-6-55-B", "cascadelakex"},
               {"GenuineIntel,6,85,11", "GenuineIntel-6-55-B", "cascadelakex"}};
  for (const auto& [name, cpuid, model] : cases) {
    const auto machine = Machine::named(name, {}, {}, UserEvents::leave_out);
    ASSERT_TRUE(machine) << name;
    EXPECT_EQ(machine->cpu().cpuid, cpuid) << name;
    EXPECT_EQ(machine->cpu().model, model) << name;
  }
}

// Linux 7.3, arch/x86/events/intel/core.c: Arrow Lake-H alone has a PMU for its low-power cores.
TEST(Products, HaveThePmusOfTheirCpu) {
  const auto has_lowpower = [](const char* name) {
    const auto machine = Machine::named(name, {}, {}, UserEvents::leave_out);
    return machine && machine->resolve("cpu_lowpower/event=0x3c/").has_value();
  };
  for (const char* name : {"arrowlake", "arrowlake-h", "Core Ultra 7 265H"})
    EXPECT_TRUE(has_lowpower(name)) << name;
  for (const char* name : {"arrowlake-s", "core ultra 9 285k", "GenuineIntel-6-C6-2"})
    EXPECT_FALSE(has_lowpower(name)) << name;
  const auto desktop = Machine::named("core ultra 9 285k", {}, {}, UserEvents::leave_out);
  ASSERT_TRUE(desktop);
  for (const MetricInfo& metric : list_metrics(*desktop)) EXPECT_NE(metric.pmu, "cpu_lowpower");
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
