// Names of libpfm4 and PAPI where names of events are taken. Codes: libpfm4's tests and tables,
// without the bits that the kernel sets itself; the makers' files.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <string>
#include <vector>

#include "base/text.hpp"
#include "events/machine/code_lists.hpp"
#include "events/pfm4/dictionary.hpp"
#include "evname/machine.hpp"
#include "support/output_of.hpp"

namespace evname {
namespace {

struct Pfm4Texts : testing::Test {
  void SetUp() override {
    if (pfm4::dictionary().pmus.empty()) GTEST_SKIP() << "built without libpfm4's names";
  }
};

/// "PMU config[,config1] modifiers" of each encoding, joined by " + "; an error's message.
std::string answer(const Machine& machine, std::string_view text) {
  const auto encodings = machine.resolve(text);
  if (!encodings) return encodings.error().message;
  std::string out;
  for (const Encoding& e : *encodings)
    out += fmt::format("{}{} {:#x}{}{}{}", out.empty() ? "" : " + ", e.pmu, e.code.config[0],
                       e.code.config[1] != 0 ? fmt::format(",{:#x}", e.code.config[1]) : "",
                       e.modifiers.empty() ? "" : " ", e.modifiers);
  return out;
}

std::string answer(const char* cpu, std::string_view text) {
  const auto machine = Machine::named(cpu);
  return machine ? answer(*machine, text) : machine.error().text();
}

/// Energy that Linux 7.3 counts on the models of Intel: rapl_model_match of arch/x86/events/rapl.c,
/// and drivers/powercap/intel_rapl_msr.c and intel_rapl_tpmi.c. libpfm4's codes are the driver's.
TEST_F(Pfm4Texts, OfRaplResolveOnEachModelThatHasTheCounters) {
  constexpr std::string_view kCores = "RAPL_ENERGY_CORES", kPackage = "RAPL_ENERGY_PKG",
                             kGpu = "RAPL_ENERGY_GPU";
  const std::map<std::string_view, std::vector<std::string_view>> kEvents = {
      {"cores pkg gpu", {kCores, kPackage, kGpu}},
      {"cores pkg", {kCores, kPackage}},
      {"pkg", {kPackage}}};
  std::map<std::string_view, std::string_view> models;
  for (const auto& [events, names] : std::map<std::string_view, std::string_view>{
           {"cores pkg gpu",
            "sandybridge ivybridge haswell broadwell goldmont goldmontplus skylake icelake "
            "tigerlake alderlake alderlaken meteorlake arrowlake lunarlake pantherlake"},
           {"cores pkg",
            "jaketown ivytown haswellx broadwellx broadwellde skylakex cascadelakex icelakex "
            "sapphirerapids emeraldrapids"},
           {"pkg", "knightslanding graniterapids sierraforest clearwaterforest"}})
    for (const std::string_view name : split(names, ' ')) models[name] = events;
  std::size_t found = 0;
  for (const ModelInfo& model : evname::models()) {
    if (model.arch != "x86") continue;
    const auto here = models.find(model.name);
    const auto machine = Machine::named(model.name);
    ASSERT_TRUE(machine) << model.name;
    for (const std::string_view event : {kCores, kPackage, kGpu}) {
      const bool has =
          here != models.end() && std::ranges::count(kEvents.at(here->second), event) != 0;
      const std::string code = event == kCores ? "0x1" : event == kPackage ? "0x2" : "0x4";
      for (const std::string prefix : {"", "rapl::"}) {
        const std::string got = answer(*machine, prefix + std::string(event));
        const bool is_amd = model.name.starts_with("amd");
        if (is_amd && event == kPackage && prefix.empty()) continue;  // amd64_rapl
        EXPECT_EQ(got == "power " + code, has)
            << model.name << ' ' << prefix << event << ": " << got;
        found += has;
      }
    }
  }
  EXPECT_EQ(found, 2 * (15 * 3 + 10 * 2 + 4));
  EXPECT_EQ(answer("zen4", "amd64_rapl::RAPL_ENERGY_PKG"), "power 0x2");
  EXPECT_EQ(answer("zen4", "RAPL_ENERGY_PKG"), "power 0x2");
  EXPECT_EQ(answer("13600k", "rapl::RAPL_ENERGY_PKG"), "power 0x2");
}

/// The architectural events of Intel's SDM, volume 3, table "Architectural Performance Events",
/// counted by the core PMU that raw codes go to.
TEST_F(Pfm4Texts, OfTheArchitecturalPmuResolveOnEachModelOfIntel) {
  const std::pair<const char*, const char*> kEvents[] = {
      {"UNHALTED_CORE_CYCLES", "0x3c"},
      {"INSTRUCTION_RETIRED", "0xc0"},
      {"UNHALTED_REFERENCE_CYCLES", "0x13c"},
      {"LLC_REFERENCES", "0x4f2e"},
      {"LLC_MISSES", "0x412e"},
      {"BRANCH_INSTRUCTIONS_RETIRED", "0xc4"},
      {"MISPREDICTED_BRANCH_RETIRED", "0xc5"},
  };
  std::size_t models = 0;
  for (const ModelInfo& model : evname::models()) {
    if (model.arch != "x86") continue;
    const bool is_intel = !model.name.starts_with("amd");
    models += is_intel;
    const auto machine = Machine::named(model.name);
    ASSERT_TRUE(machine) << model.name;
    for (const auto& [event, code] : kEvents) {
      const std::string got = answer(*machine, std::string("ix86arch::") + event);
      const bool resolves =
          got == std::string("cpu ") + code || got == std::string("cpu_core ") + code;
      EXPECT_EQ(resolves, is_intel) << model.name << ' ' << event << ": " << got;
    }
  }
  EXPECT_GE(models, 40u);
  EXPECT_EQ(answer("skx", "ix86arch::INSTRUCTION_RETIRED:u:c=1"), "cpu 0x10000c0 u");
}

TEST_F(Pfm4Texts, AreNamesOfEvents) {
  struct Row {
    const char* cpu;
    const char* text;
    const char* want;
  };
  static const Row kRows[] = {
      {"skx", "skx::MEM_LOAD_RETIRED:L3_MISS:u", "cpu 0x20d1 u"},
      {"skx", "MEM_LOAD_RETIRED:L3_MISS", "cpu 0x20d1"},
      {"skx", "mem_load_retired.l3_miss.u=1.k=0", "cpu 0x20d1 u"},
      {"skx", "SKX::mem_load_retired:L3_MISS:k=n", "cpu 0x20d1"},
      {"skx", "INST_RETIRED:ANY_P:e:c=1", "cpu 0x10400c0"},
      {"skx", "INST_RETIRED:ANY_P:i=1:c=0x10", "cpu 0x108000c0"},
      {"skx", "MEM_LOAD_RETIRED:L2_MISS:L1_MISS", "cpu 0x18d1"},
      {"skx", "UOPS_ISSUED:0x1:c=1:i=1", "cpu 0x180010e"},
      {"skx", "UNHALTED_CORE_CYCLES:k=1:u=0", "cpu 0x3c k"},
      {"skx", "DECODE:LCP:intx", "cpu 0x100000187"},
      {"skx", "DECODE:LCP:intx=0:intxcp", "cpu 0x200000187"},
      {"skx", "skx::offcore_response_0:snp_any", "cpu 0x1b7,0x3f800185b7"},
      {"skx", "skx::MEM_TRANS_RETIRED:LOAD_LATENCY:ldlat=0x40:precise=2", "cpu 0x1cd,0x40 pp"},
      {"skx", "{skx::L1D:REPLACEMENT,INST_RETIRED:ANY_P}:u", "cpu 0x151 u + cpu 0xc0 u"},
      {"skx", "perf::PERF_COUNT_HW_INSTRUCTIONS:u", "hardware 0x1 u"},
      {"skx", "perf::PERF_COUNT_HW_INSTRUCTIONS:u:excl=1:pinned=1", "hardware 0x1 uDe"},
      {"skx", "skx::OFFCORE_RESPONSE_0:SNP_ANY:excl=1:u", "cpu 0x1b7,0x3f800185b7 ue"},
      {"skx", "skx_unc_imc0::UNC_M_CAS_COUNT:RD", "uncore_imc_0 0x304"},
      {"skx", "UNC_M_CAS_COUNT:RD", "uncore_imc 0x304"},
      {"zen4", "amd64_fam19h_zen4::RETIRED_INSTRUCTIONS", "cpu 0xc0"},
      {"zen4", "RETIRED_SSE_AVX_FLOPS:ADD_SUB_FLOPS:MULT_FLOPS:u", "cpu 0x303 u"},
      {"n1", "arm_n1::L1D_CACHE_REFILL:u", "armv8_pmuv3_0 0x3 u"},
      {"power9", "power9::PM_RUN_CYC", "cpu 0x200f4"},
      {"adl", "adl_glc::INST_RETIRED:ANY_P", "cpu_core 0xc0"},
      {"adl", "adl_grt::INST_RETIRED:ANY_P:u", "cpu_atom 0xc0 u"},
      // CPUs that libpfm4 has no tables of: the makers' names in its spelling.
      {"lnl", "MEM_LOAD_RETIRED:L3_MISS:u", "cpu_core 0x20d1 u"},
      {"lnl", "lnl::MEM_LOAD_RETIRED:L3_MISS", "cpu_core 0x20d1"},
      {"srf", "srf::LONGEST_LAT_CACHE:MISS:e:c=2", "cpu 0x204412e"},
      // PAPI's presets.
      {"skx", "skx::INST_RETIRED:ANY_P:excl=1", "cpu 0xc0 e"},
      {"skx", "skx::INST_RETIRED:ANY_P:pinned=1:precise=1:u", "cpu 0xc0 Dpu"},
      {"skx", "PAPI_TOT_CYC", "hardware 0x0"},
      {"skx", "PAPI_L3_TCM:u", "cpu 0x412e u"},
      {"n1", "PAPI_L3_TCM", "armv8_pmuv3_0 0x2a"},
      {"skx", "papi_br_ucn", "cpu 0xc4 + cpu 0x1c4"},
  };
  for (const Row& row : kRows)
    EXPECT_EQ(answer(row.cpu, row.text), row.want) << row.cpu << " " << row.text;
}

TEST_F(Pfm4Texts, HaveErrorsOfTheirOwn) {
  const std::pair<const char*, const char*> kRows[] = {
      {"skx::MEM_LOAD_RETIRED:NO_SUCH", "no such unit mask or modifier"},
      {"hsw::INST_RETIRED:ANY_P", "has no PMU 'hsw' of libpfm4"},
      {"INST_RETIRED:ANY_P:c=256", "too big for term 'cmask'"},
      {"UNHALTED_CORE_CYCLES:c=256", "out of range"},
      {"MEM_LOAD_RETIRED", "it needs a unit mask"},
      {"skx::NO_SUCH_EVENT:u", "expected modifiers after ':'"},
      {"skx::PAPI_TOT_CYC", "expected modifiers after ':'"},  // a preset has no PMU
      {"PAPI_L3_TCM:nonsense", "is a tracepoint"},
      // libpfm4: numbers need a value, and flags are 0 or 1.
      {"DECODE:LCP:c", "modifiers"},
      {"DECODE:LCP:freq", "modifiers"},
      {"DECODE:LCP:cpu", "modifiers"},
      {"DECODE:LCP:precise", "modifiers"},
      {"DECODE:LCP:intx=2", "modifiers"},
      {"no_such_system:no_such_event", "is a tracepoint"},
      {":cycles", "expected an event"},  // perf 7.3: "Unrecognized input"
      {"::cpu-clock", "expected an event"},
      {":MEM_LOAD_RETIRED:L3_MISS", "expected an event"},
  };
  for (const auto& [text, part] : kRows)
    EXPECT_NE(answer("skx", text).find(part), std::string::npos)
        << text << ": " << answer("skx", text);
}

TEST_F(Pfm4Texts, AreReadToTheEndHoweverManyModifiersTheyHave) {
  std::string many = "DECODE:LCP";
  for (int i = 0; i < 40; ++i) many += ":u";
  EXPECT_EQ(answer("skx", many), "cpu 0x187 u");
  EXPECT_NE(answer("skx", many + ":nonsense").find("modifiers"), std::string::npos)
      << answer("skx", many + ":nonsense");
}

/// PMUs that libpfm4 lacks have the codes of the machine's tables, which are the makers' as the
/// kernel takes them.
TEST_F(Pfm4Texts, OfNewCpusHaveTheCodesOfTheTables) {
  for (const char* cpu :
       {"lnl", "arl", "ptl", "srf", "glp", "c1-ultra", "cortex-a34", "ampereone", "cortex-a5"}) {
    const auto machine = Machine::named(cpu);
    ASSERT_TRUE(machine) << cpu;
    unsigned count = 0;
    std::string different;
    for (const machine::Pfm4Name& name : machine::pfm4_names(*machine)) {
      const pfm4::Pmu* pmu = pfm4::find_pmu(name.name.substr(0, name.name.find("::")));
      if (pmu == nullptr || pmu->id < pfm4::kFirstOwnId) continue;
      const auto found = machine->resolve(name.name);
      ++count;
      // The least latency of loads is a modifier with another default.
      const bool has_same = found && found->front().code.config[0] == name.code.config[0] &&
                            (found->front().code.config[1] == name.code.config[1] ||
                             name.name.ends_with(":LOAD_LATENCY"));
      if (!has_same) different += fmt::format("{} {}\n", name.name, answer(cpu, name.name));
    }
    EXPECT_GT(count, 20u) << cpu;
    EXPECT_EQ(different, "") << cpu;
  }
}

/// Each listed name resolves to its code on its PMU. The makers' names of PMUs that libpfm4 lacks
/// begin with the short name of the CPU.
TEST_F(Pfm4Texts, ThatAreListedHaveTheirPmuTypeAndCode) {
  for (const auto& [cpu, listed] :
       {std::pair{"lnl",
                  "lnl_atom=cpu_atom lnl_core=cpu_core lnl_unc_imc=uncore_imc "
                  "lnl_unc_santa=uncore_santa perf=hardware "},
        {"bullet", "bullet=cpu perf=hardware "},
        {"dubhe-80", "dubhe_80=cpu perf=hardware "},
        {"n1", "arm_n1=armv8_pmuv3_0 perf=hardware "}}) {
    const auto machine = Machine::named(cpu);
    ASSERT_TRUE(machine) << cpu;
    std::map<std::string, std::string> pmus;
    const std::vector<PmuInfo> known = machine->pmus();
    for (const machine::Pfm4Name& name : machine::pfm4_names(*machine)) {
      pmus.try_emplace(name.name.substr(0, name.name.find("::")), name.pmu);
      const auto at = std::ranges::find(known, name.pmu, &PmuInfo::name);
      if (at == known.end()) continue;
      EXPECT_EQ(name.code.has_type, at->type.has_value()) << name.name;
      EXPECT_EQ(name.code.type, at->type.value_or(0)) << name.name;
      if (name.name.find("_unc_") == name.name.npos && name.name.find("bullet") != 0) continue;
      const auto found = machine->resolve(name.name);
      ASSERT_TRUE(found) << name.name << found.error().text();
      EXPECT_EQ(words_of(found->front().code), words_of(name.code)) << name.name;
    }
    std::string text;
    for (const auto& [prefix, pmu] : pmus) text += prefix + "=" + pmu + " ";
    EXPECT_EQ(text, listed) << cpu;
  }
}

TEST_F(Pfm4Texts, OfCpusThatAreOnlyNamedAreThoseOfTheirCores) {
  EXPECT_EQ(answer("cortex-a76", "arm_ac76::CPU_CYCLES"), "armv8_pmuv3_0 0x11");
  EXPECT_EQ(answer("cortex-a34", "arm_a34::L1D_CACHE"), "armv8_pmuv3_0 0x4");
  EXPECT_EQ(answer("zen6", "amd64_fam1ah_zen6::RETIRED_INSTRUCTIONS"), "cpu 0xc0");
}

/// Each name of these PMUs has libpfm4's code, or the code of the maker's event of the same name.
TEST_F(Pfm4Texts, OfWholePmusHaveTheirCodes) {
  const char* shared = std::getenv("EVNAME_SHARED");
  if (shared == nullptr) GTEST_SKIP() << "EVNAME_SHARED is not set";
  const std::map<std::string_view, const char*> kPmus = {{"skx", "skx"},
                                                         {"clx", "clx"},
                                                         {"icx", "icx"},
                                                         {"spr", "spr"},
                                                         {"gnr", "gnr"},
                                                         {"hsw", "hsw"},
                                                         {"bdw_ep", "bdx"},
                                                         {"snb", "snb"},
                                                         {"nhm", "GenuineIntel-6-1A-5"},
                                                         {"arm_n1", "n1"},
                                                         {"power9", "power9"},
                                                         {"arm_v2", "0x00000000410fd4f0"},
                                                         {"amd64_fam19h_zen4", "zen4"},
                                                         {"amd64_fam17h_zen2", "zen2"},
                                                         {"amd64_fam1ah_zen5", "zen5"}};
  std::map<std::string_view, Machine> machines;
  for (const auto& [pmu, cpu] : kPmus) {
    auto machine = Machine::named(cpu);
    ASSERT_TRUE(machine) << cpu;
    machines.emplace(pmu, std::move(*machine));
  }
  // Levels, enable and interrupt of x86; levels of Arm; guests of AMD.
  constexpr std::uint64_t kControl = 0x530000 | std::uint64_t{3} << 40, kArmControl = 0xc8000000;
  unsigned same = 0, own = 0, failed = 0;
  std::string examples;
  const std::string text = test::output_of(fmt::format("xz -dc '{}/libpfm4/names.tsv.xz'", shared));
  for (const std::string_view line : split(text, '\n')) {
    const auto cells = split(line, '\t');
    if (cells.size() < 6 || !machines.contains(cells[1])) continue;
    const auto code = parse_number(split(cells[5], ' ').front());
    if (!code) continue;  // an event that needs more
    const bool is_arm = cells[0] != "x86";
    const pfm4::Pmu* pmu = pfm4::find_pmu(cells[1]);
    const int event = pfm4::find_event(*pmu, cells[2]);
    if (event < 0) continue;
    const auto& entry = pfm4::dictionary().events_of(*pmu)[static_cast<std::size_t>(event)];
    const std::string_view alias =
        pfm4::dictionary().text(pfm4::dictionary().traits_of(entry).alias);
    const bool has_mask = !cells[3].empty() && alias != cells[3];
    const auto name = fmt::format("{}::{}{}{}", cells[1], cells[2], has_mask ? ":" : "",
                                  has_mask ? cells[3] : "");
    const auto got = machines.at(cells[1]).resolve(name);
    if (!got || got->size() != 1) {
      if (++failed < 10) examples += "\n" + name + (got ? "" : ": " + got.error().text());
      continue;
    }
    const std::uint64_t want = *code & ~(is_arm ? kArmControl : kControl);
    (got->front().code.config[0] == want ? same : own) += 1;
    if (got->front().code.config[0] != want)
      examples += fmt::format("\n{} {:#x} {:#x}", name, got->front().code.config[0], want);
  }
  EXPECT_EQ(failed, 0u) << examples;
  EXPECT_GT(same, 5000u);
  EXPECT_LT(own, same / 50) << examples;
  RecordProperty("same", static_cast<int>(same));
  if (std::getenv("EVNAME_PFM4_PRINT") != nullptr)
    fmt::print("{} same, {} own, {} failed{}\n", same, own, failed, examples);
}

}  // namespace
}  // namespace evname
