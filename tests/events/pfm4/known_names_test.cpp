// libpfm4's event texts: codes, fully qualified texts and errors, compared with its own test suite
// (tests/data/pfm4-names.tsv has some rows), and with its answers for each of its names
// (EVNAME_SHARED/libpfm4).

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <numeric>
#include <string>
#include <vector>

#include "base/text.hpp"
#include "events/pfm4/encode_name.hpp"
#include "support/output_of.hpp"
#include "support/recordings.hpp"

namespace evname::pfm4 {
namespace {

/// A text and libpfm4's answer for the levels kernel and user.
struct Answer {
  Error error = Error::none;
  std::string codes;  ///< "0x5320d1"
  std::string text;   ///< fully qualified
};

Scope every_pmu() {
  static const std::vector<std::uint16_t> all = [] {
    std::vector<std::uint16_t> out(dictionary().pmus.size());
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = static_cast<std::uint16_t>(i);
    return out;
  }();
  return {all, true};
}

Answer answer_of(std::string_view text, Os os = Os::none) {
  Encoded encoded;
  Answer out;
  out.error = encode(every_pmu(), text, kKernel | kUser, os, encoded);
  if (out.error != Error::none) return out;
  for (int i = 0; i < encoded.count; ++i)
    out.codes += fmt::format("{}{:#x}", i == 0 ? "" : " ", encoded.codes[i]);
  out.text = fmt::format("{}::{}", dictionary().text(encoded.pmu->name), encoded.text);
  return out;
}

/// The rows of a text by tabs.
std::vector<std::vector<std::string>> rows_of(std::string_view text) {
  std::vector<std::vector<std::string>> out;
  for (const std::string_view line : split(text, '\n')) {
    if (line.empty()) continue;
    const auto cells = split(line, '\t');
    out.emplace_back(cells.begin(), cells.end());
    out.back().resize(8);
  }
  return out;
}

/// The rows of a file of EVNAME_SHARED/libpfm4, without the heading.
std::vector<std::vector<std::string>> shared_rows(const std::string& command, const char* file) {
  const char* shared = std::getenv("EVNAME_SHARED");
  if (shared == nullptr) return {};
  auto out = rows_of(test::output_of(fmt::format("{} '{}/libpfm4/{}'", command, shared, file)));
  if (!out.empty()) out.erase(out.begin());
  return out;
}

std::string same_numbers(std::string_view numbers) {
  std::string out;
  for (const std::string_view number : split(numbers, ' '))
    if (const auto value = parse_number(number))
      out += fmt::format("{}{:#x}", out.empty() ? "" : " ", *value);
  return out;
}

const std::map<std::string_view, Error> kErrors = {{"PFM_SUCCESS", Error::none},
                                                   {"PFM_ERR_INVAL", Error::invalid},
                                                   {"PFM_ERR_NOTFOUND", Error::not_found},
                                                   {"PFM_ERR_FEATCOMB", Error::combination},
                                                   {"PFM_ERR_UMASK", Error::mask},
                                                   {"PFM_ERR_ATTR", Error::attribute},
                                                   {"PFM_ERR_ATTR_VAL", Error::attribute_value},
                                                   {"PFM_ERR_ATTR_SET", Error::attribute_set},
                                                   {"PFM_ERR_NOTSUPP", Error::not_supported},
                                                   {"PFM_ERR_TOOMANY", Error::too_many}};

class Pfm4Names : public testing::Test {
 protected:
  void SetUp() override {
    if (dictionary().pmus.empty()) GTEST_SKIP() << "built without libpfm4's names";
  }
};

/// Compares with rows of a text, the name of libpfm4's answer, its codes and its full text.
void expect_as_libpfm4(const std::vector<std::vector<std::string>>& rows) {
  for (const auto& row : rows) {
    const Answer got = answer_of(row[0]);
    ASSERT_TRUE(kErrors.contains(row[1])) << row[1];
    EXPECT_EQ(got.error, kErrors.at(row[1])) << row[0];
    if (got.error != Error::none) continue;
    EXPECT_EQ(got.codes, same_numbers(row[2])) << row[0];
    if (!row[3].empty()) {
      EXPECT_EQ(got.text, row[3]) << row[0];
    }
  }
}

// At least one row for each family of PMUs with each modifier and error that libpfm4's test suite
// has for it.
TEST_F(Pfm4Names, AreEncodedAsLibpfm4Does) {
  auto rows = rows_of(test::read_all(std::string(std::getenv("EVNAME_SOURCE_ROOT")) +
                                     "/tests/data/pfm4-names.tsv"));
  ASSERT_GE(rows.size(), 1000u);
  rows.push_back({"netburst::BPU_fetch_request:TCMISS", "PFM_SUCCESS", "0x600020f 0x31000",
                  "netburst::BPU_fetch_request:TCMISS:k=1:u=1:e=0:cmpl=0:thr=0"});
  rows.push_back({"skx::L1D:REPLACEMENT, x", "PFM_ERR_INVAL"});
  // intel_x86_entry_t: the MSRs of Westmere have 16 bits, later ones 38.
  for (const auto& [text, error] : {std::pair{"skx::INST_RETIRED:c", "PFM_ERR_ATTR_VAL"},
                                    {"skx::INST_RETIRED:c=", "PFM_ERR_ATTR_VAL"},
                                    {"snb::offcore_response_0:0x4000000000", "PFM_ERR_ATTR"},
                                    {"wsm::offcore_response_0:0x10000", "PFM_ERR_ATTR"},
                                    {"wsm_dp::offcore_response_0:0x10000", "PFM_ERR_ATTR"},
                                    {"skx::UOPS_ISSUED:0x100", "PFM_ERR_ATTR"},
                                    {"perf::PERF_COUNT_HW_CACHE_L1D:READ:WRITE", "PFM_ERR_UMASK"},
                                    {"perf::PERF_COUNT_HW_CACHE_L1D:u", "PFM_ERR_ATTR"}})
    rows.push_back({text, error});
  for (const auto& [text, codes, full] :
       {std::tuple{"snb::offcore_response_0:0x3fffffffff", "0x5301b7 0x3fffffffff", ""},
        {"wsm::offcore_response_0:0xffff", "0x5301b7 0xffff",
         "wsm::OFFCORE_RESPONSE_0:0xffff:k=1:u=1:e=0:i=0:c=0:t=0"},
        {"skx_unc_cha0::UNC_C_TOR_OCCUPANCY:ALL", "0x3736 0x0 0x3b",
         "skx_unc_cha0::UNC_C_TOR_OCCUPANCY:ALL:e=0:i=0:t=0:isoc=0:nc=0:loc=1:rem=1:lmem=1:rmem="
         "1"},
        {"mips_74k::CYCLES", "0xa 0xf", "mips_74k::CYCLES:k=1:u=1:s=0:e=0"},
        {"mips_74k::JR_31_MISPREDICTIONS", "0x4a 0xa",
         "mips_74k::JR_31_MISPREDICTIONS:k=1:u=1:s=0:e=0"},
        {"mips_74k::PREDICTED_JR_31", "0x4a 0x5", "mips_74k::PREDICTED_JR_31:k=1:u=1:s=0:e=0"}})
    rows.push_back({text, "PFM_SUCCESS", codes, full});
  expect_as_libpfm4(rows);
}

TEST_F(Pfm4Names, OfItsTestSuiteHaveItsCodesAndTexts) {
  auto rows = shared_rows("cat", "validate.tsv");
  if (rows.empty()) GTEST_SKIP() << "EVNAME_SHARED is not set";
  for (auto& row : rows) row.erase(row.begin());
  expect_as_libpfm4(rows);
}

TEST_F(Pfm4Names, OfAllPmusHaveItsCodes) {
  const auto rows = shared_rows("xz -dc", "names.tsv.xz");
  if (rows.empty()) GTEST_SKIP() << "EVNAME_SHARED is not set";
  static const std::map<std::string_view, Error> kTexts = {
      {"invalid event attribute", Error::attribute},
      {"invalid or missing unit mask", Error::mask},
      {"invalid combination of model specific features", Error::combination}};
  for (const auto& row : rows) {
    const Pmu* pmu = find_pmu(row[1]);
    ASSERT_NE(pmu, nullptr) << row[1];
    const int event = find_event(*pmu, row[2]);
    if (event < 0) {
      EXPECT_EQ(row[2], "r0000");  // what a raw event looks like
      continue;
    }
    // The column of an event that stands for another one has that.
    const std::string_view alias = dictionary().text(
        dictionary()
            .traits_of(dictionary().events_of(*pmu)[static_cast<std::size_t>(event)])
            .alias);
    const bool is_alias = !alias.empty() && alias == row[3];
    const Answer got =
        answer_of(row[1] + "::" + row[2] + (row[3].empty() || is_alias ? "" : ":" + row[3]));
    if (const auto error = kTexts.find(row[5]); error != kTexts.end()) {
      EXPECT_EQ(got.error, error->second) << row[1] << "::" << row[2] << ":" << row[3];
      continue;
    }
    EXPECT_EQ(got.codes, same_numbers(row[5])) << row[1] << "::" << row[2] << ":" << row[3];
    if (!row[6].empty()) {
      EXPECT_EQ(got.text, row[6]) << row[1] << "::" << row[2] << ":" << row[3];
    }
  }
}

TEST_F(Pfm4Names, OfPmusHaveItsNumbersAndCounts) {
  const auto rows = shared_rows("cat", "pmus.tsv");
  if (rows.empty()) GTEST_SKIP() << "EVNAME_SHARED is not set";
  for (const auto& row : rows) {
    const Pmu* pmu = find_pmu(row[2]);
    ASSERT_NE(pmu, nullptr) << row[2];
    EXPECT_EQ(std::to_string(pmu->id), row[1]) << row[2];
    EXPECT_EQ(std::to_string(static_cast<int>(pmu->type)), row[4]) << row[2];
    int events = 0;
    for (int event = next_event(*pmu, 0); event >= 0;
         event = next_event(*pmu, static_cast<unsigned>(event) + 1))
      ++events;
    const bool depends_on_machine = (pmu->flags & kLive) != 0 || row[2] == "perf";
    if (pmu->layout != Layout::raw && !depends_on_machine) {
      EXPECT_EQ(std::to_string(events), row[3]) << row[2];
    }
  }
}

/// Type, config words and other members: "4 0xc0 0x0 0x0 period=5 -uG". Excluded levels follow "-":
/// user, kernel, hypervisor, guest (G), host (H).
std::string attr_text(const OsAttr& attr) {
  std::string out =
      fmt::format("{} {:#x} {:#x} {:#x}", attr.type, attr.config, attr.config1, attr.config2);
  if (attr.sample_period != 0) out += fmt::format(" period={}", attr.sample_period);
  if (attr.freq) out += " freq";
  if (attr.precise_ip != 0) out += fmt::format(" precise={}", attr.precise_ip);
  if (attr.exclusive) out += " exclusive";
  if (attr.pinned) out += " pinned";
  out += fmt::format(" -{}{}{}{}{}", attr.exclude_user ? "u" : "", attr.exclude_kernel ? "k" : "",
                     attr.exclude_hv ? "h" : "", attr.exclude_guest ? "G" : "",
                     attr.exclude_host ? "H" : "");
  return attr.cpu < 0 ? out : out + fmt::format(" cpu={}", attr.cpu);
}

// What pfm_get_os_event_encoding of libpfm4 4.13 writes into attrs for PFM_OS_PERF_EVENT_EXT.
TEST_F(Pfm4Names, OfAttrs) {
  const struct {
    const char *text, *attr;
    Error error = Error::none;
  } kRows[] = {
      {"skx::MEM_LOAD_RETIRED:L3_MISS:u:precise=2:period=0x100",
       "4 0x20d1 0x0 0x0 period=256 precise=2 -kG"},
      {"skx::INST_RETIRED:freq=1000", "4 0xc0 0x0 0x0 period=1000 freq -G"},
      {"skx::INST_RETIRED:freq=1000:period=10", "", Error::attribute_value},
      {"skx::INST_RETIRED:period=10:freq=1000", "", Error::attribute_value},
      {"skx::INST_RETIRED:period=0", "", Error::attribute_value},
      {"skx::INST_RETIRED:freq=0", "", Error::attribute_value},
      {"skx::INST_RETIRED:cpu=3", "4 0xc0 0x0 0x0 -G cpu=3"},
      {"skx::INST_RETIRED:cpu=2147483647", "", Error::attribute_value},
      {"skx::INST_RETIRED:cpu=2147483646", "4 0xc0 0x0 0x0 -G cpu=2147483646"},
      {"skx::INST_RETIRED:pinned", "4 0xc0 0x0 0x0 pinned -G"},
      {"skx::INST_RETIRED:excl=1", "4 0xc0 0x0 0x0 exclusive -G"},
      {"skx::INST_RETIRED:excl=0", "4 0xc0 0x0 0x0 -G"},
      {"skx::INST_RETIRED:precise=3", "4 0xc0 0x0 0x0 precise=3 -G"},
      {"skx::INST_RETIRED:precise=4", "", Error::attribute_value},
      {"skx::INST_RETIRED:k", "4 0xc0 0x0 0x0 -uG"},
      {"skx::INST_RETIRED:u:k:h", "", Error::attribute},
      {"skx::INST_RETIRED:h", "", Error::attribute},
      {"skx::INST_RETIRED:mg=1", "4 0xc0 0x0 0x0 -H"},
      {"skx::INST_RETIRED:mh=1", "4 0xc0 0x0 0x0 -G"},
      {"skx::INST_RETIRED:mg=1:mh=1", "4 0xc0 0x0 0x0 -"},
      {"skx::INST_RETIRED:c=2:i:e", "4 0x28400c0 0x0 0x0 -G"},
      {"skx::INST_RETIRED:hw_smpl", "", Error::attribute},
      {"skx::OFFCORE_RESPONSE_0:DMND_DATA_RD:L3_MISS:SNP_ANY", "4 0x1b7 0x3f84000001 0x0 -G"},
      {"skx::FRONTEND_RETIRED:IDQ_4_BUBBLES:fe_thres=5", "4 0x1c6 0x400506 0x0 -G"},
      {"skx::CYCLE_ACTIVITY:CYCLES_L2_MISS", "4 0x10001a3 0x0 0x0 -G"},
      {"skx::UNHALTED_REFERENCE_CYCLES", "4 0x300 0x0 0x0 -G"},
      {"amd64_fam17h_zen2::RETIRED_INSTRUCTIONS:u", "4 0xc0 0x0 0x0 -khG"},
      {"amd64_fam17h_zen2::RETIRED_INSTRUCTIONS:k:c=1", "4 0x10000c0 0x0 0x0 -uhG"},
      {"amd64_fam19h_zen4::RETIRED_INSTRUCTIONS:h", "4 0xc0 0x0 0x0 -ukG"},
      {"amd64_fam10h_barcelona::DISPATCHED_FPU:ALL", "4 0x3f00 0x0 0x0 -hG"},
      {"hsw::OFFCORE_RESPONSE_0:ANY_REQUEST", "4 0x1b7 0x18fff 0x0 -G"},
      {"netburst::BPU_fetch_request:TCMISS", "4 0x200020f00031000 0x0 0x0 -G"},
      {"atom::INST_RETIRED:ANY_P", "4 0xc0 0x0 0x0 -G"},
      {"core::INST_RETIRED:ANY_P", "4 0xc0 0x0 0x0 -G"},
      {"wsm::MEM_INST_RETIRED:LATENCY_ABOVE_THRESHOLD:ldlat=30", "4 0x100b 0x1e 0x0 -G"},
      {"spr::TOPDOWN:SLOTS", "4 0x400 0x0 0x0 -G"},
      {"skx::MEM_TRANS_RETIRED:LOAD_LATENCY:ldlat=200", "4 0x1cd 0xc8 0x0 -G"},
      {"perf_raw::r1234:u", "4 0x1234 0x0 0x0 -khG"},
      {"perf::PERF_COUNT_HW_CACHE_L1D:READ:MISS:k", "3 0x10000 0x0 0x0 -uhG"},
      {"mips_74k::CYCLES", "4 0x0 0x0 0x0 -hG"},
      {"mips_74k::JR_31_MISPREDICTIONS", "4 0x82 0x0 0x0 -hG"},
  };
  for (const auto& row : kRows) {
    Encoded out;
    EXPECT_EQ(encode(every_pmu(), row.text, kUser | kKernel, Os::perf_event_ext, out), row.error)
        << row.text;
    if (row.error == Error::none) {
      EXPECT_EQ(attr_text(out.attr), row.attr) << row.text;
    }
  }
}

// pfmlib_perf_event_pmu.c: a modifier of the kernel stands behind the modifiers of the PMU, with
// the value that the attr has.
TEST_F(Pfm4Names, FullTextsEndWithTheKernelsModifiers) {
  const std::pair<const char*, const char*> kRows[] = {
      {"skx::INST_RETIRED:ANY_P",
       "INST_RETIRED:ANY_P:e=0:i=0:c=0:t=0:intx=0:intxcp=0:u=1:k=1:precise=0:excl=0:mg=0:mh=1"},
      {"skx::INST_RETIRED:ANY_P:mg=1:u:precise=2:excl",
       "INST_RETIRED:ANY_P:e=0:i=0:c=0:t=0:intx=0:intxcp=0:u=1:k=0:precise=2:excl=1:mg=1:mh=0"},
      {"skx_unc_imc0::UNC_M_CAS_COUNT:RD", "UNC_M_CAS_COUNT:RD:e=0:i=0:t=0:excl=0"},
      {"amd64_fam17h_zen2::RETIRED_INSTRUCTIONS:k:c=2",
       "RETIRED_INSTRUCTIONS:e=0:i=0:c=2:g=0:u=0:k=1:excl=0:mg=0:mh=1"},
      {"perf::PERF_COUNT_HW_CACHE_L1D:READ:MISS:u:h",
       "PERF_COUNT_HW_CACHE_L1D:READ:MISS:u=1:k=0:h=1:precise=0:excl=0:mg=0:mh=1"}};
  for (const auto& [text, full] : kRows) {
    Encoded out;
    ASSERT_EQ(encode(every_pmu(), text, kUser | kKernel, Os::perf_event_ext, out), Error::none)
        << text;
    EXPECT_STREQ(out.text, full);
  }
}

// find_pmu_type_by_name of pfmlib_perf_event_pmu.c: boxes and PMUs of sysfs need their type there.
// A PMU with several names in sysfs has the type of the first that is there.
TEST_F(Pfm4Names, WithoutItsTypeAPmuOfSysfsHasNoAttr) {
  const struct {
    const char* text;
    Error without;
    std::uint32_t type;  ///< with a PMU "armv8_pmuv3_0" of type 77
  } kRows[] = {{"skx::INST_RETIRED:ANY_P", Error::none, 4},
               {"netburst::BPU_fetch_request:TCMISS", Error::none, 4},
               {"ix86arch::INSTRUCTION_RETIRED", Error::none, 4},
               {"skx_unc_imc0::UNC_M_CAS_COUNT:RD", Error::not_supported, 0},
               {"skx_unc_cha0::UNC_C_TOR_OCCUPANCY:ALL", Error::not_supported, 0},
               {"nhm_unc::UNC_CLK_UNHALTED", Error::not_found, 0},
               {"amd64_fam19h_zen3_l3::UNC_L3_REQUESTS", Error::not_supported, 0},
               {"arm_ac72::CPU_CYCLES", Error::not_supported, 77}};
  for (const auto& row : kRows) {
    Scope scope = every_pmu();
    Encoded out;
    scope.find_type = [](std::string_view) { return -1; };
    EXPECT_EQ(encode(scope, row.text, kUser, Os::perf_event_ext, out), row.without) << row.text;
    scope.find_type = [](std::string_view name) { return name == "armv8_pmuv3_0" ? 77 : -1; };
    const Error error = encode(scope, row.text, kUser, Os::perf_event_ext, out);
    EXPECT_EQ(error == Error::none, row.type != 0) << row.text;
    if (error == Error::none) {
      EXPECT_EQ(out.attr.type, row.type) << row.text;
    }
  }
}

// LIBPFM_ENCODE_INACTIVE: without it, a text may only name a PMU of the machine.
TEST_F(Pfm4Names, OfPmusThatAreNotThereAreUnknown) {
  const auto index = [](std::string_view name) {
    return static_cast<std::uint16_t>(find_pmu(name) - dictionary().pmus.data());
  };
  const std::vector<std::uint16_t> active = {index("skx")}, named = {index("hsw")};
  const auto error_of = [](const Scope& scope, std::string_view text) {
    Encoded out;
    return encode(scope, text, kUser, Os::none, out);
  };
  EXPECT_EQ(error_of({active}, "skx::INST_RETIRED:ANY_P"), Error::none);
  EXPECT_EQ(error_of({active}, "INST_RETIRED:ANY_P"), Error::none);
  EXPECT_EQ(error_of({active}, "hsw::INST_RETIRED:ANY_P"), Error::not_found);
  EXPECT_EQ(error_of({active, true}, "hsw::INST_RETIRED:ANY_P"), Error::none);
  Scope both{active};
  both.named = named;
  EXPECT_EQ(error_of(both, "hsw::INST_RETIRED:ANY_P"), Error::none);
  EXPECT_EQ(error_of(both, "skx::INST_RETIRED:ANY_P"), Error::not_found);
  EXPECT_EQ(error_of(both, "INST_RETIRED:ANY_P"), Error::none);
}

// The codes are of libpfm4's tests (validate_x86.c has OPC_ITOM of TOR_INSERTS, 35H: 0x135 0x0
// 0x1c800000); where they are in an attr is in pfmlib_intel_snbep_unc_perf_event.c: the second
// filter joins the first in config1 for 34H to 36H of C-boxes and CHAs.
TEST_F(Pfm4Names, FiltersOfTheTorJoinInOneWord) {
  const std::pair<const char*, const char*> kRows[] = {
      {"hswep_unc_cbo0::UNC_C_TOR_INSERTS:OPCODE:OPC_ITOM", "0x135 0x1c80000000000000 0x0"},
      {"hswep_unc_cbo0::UNC_C_TOR_OCCUPANCY:OPCODE:OPC_ITOM", "0x136 0x1c80000000000000 0x0"},
      {"skx_unc_cha0::UNC_C_TOR_INSERTS:IRQ:OPC0_RFO:OPC1_RFO", "0x135 0x1004000000000000 0x0"},
      {"skx_unc_cha0::UNC_C_TOR_OCCUPANCY:IRQ:OPC0_RFO:OPC1_RFO", "0x136 0x1004000000000000 0x0"},
  };
  for (const auto& [text, words] : kRows) {
    Encoded out;
    ASSERT_EQ(encode(every_pmu(), text, kUser | kKernel, Os::perf_event_ext, out), Error::none)
        << text;
    EXPECT_EQ(fmt::format("{:#x} {:#x} {:#x}", out.attr.config, out.attr.config1, out.attr.config2),
              words)
        << text;
  }
}

/// The types of a machine that has every PMU: tests/data/README.md has the command that makes it.
int type_by_letters(std::string_view name) {
  return std::accumulate(name.begin(), name.end(), 1000);
}

// Attrs and the number of attributes of libpfm4 4.13, where it knows the event.
TEST_F(Pfm4Names, HaveTheAttrsAndAttributesOfLibpfm4) {
  const auto rows = rows_of(test::read_all(std::string(std::getenv("EVNAME_SOURCE_ROOT")) +
                                           "/tests/data/pfm4-names.tsv"));
  Scope scope = every_pmu();
  scope.find_type = type_by_letters;
  scope.levels = kKernel | kUser;  // of the core where libpfm4 was asked
  std::size_t compared = 0;
  for (const auto& row : rows) {
    if (row[4].empty()) continue;
    ++compared;
    Encoded out;
    ASSERT_EQ(encode(scope, row[0], kUser | kKernel, Os::perf_event_ext, out), Error::none)
        << row[0];
    EXPECT_EQ(attr_text(out.attr), row[4]) << row[0];
    if (row[5].empty() || out.pmu->layout == Layout::raw) continue;  // which has no events
    const Event& event = dictionary().events_of(*out.pmu)[out.event];
    const auto attributes = [&](Os os) {
      return AttributeList(*out.pmu, event, os, scope.levels).size();
    };
    EXPECT_EQ(fmt::format("{} {}", attributes(Os::none), attributes(Os::perf_event_ext)), row[5])
        << row[0];
  }
  EXPECT_GE(compared, 500u);
}

TEST_F(Pfm4Names, CpusHaveThePmusOfTheirNumbers) {
  // Families, models and steppings of Intel's and AMD's manuals, parts of Arm's, versions of POWER.
  const struct {
    const char *cpuid, *pmu;
    bool has;
  } kRows[] = {{"GenuineIntel-6-55-4", "skx", true},
               {"GenuineIntel-6-55-7", "skx", false},
               {"GenuineIntel-6-55-7", "clx", true},
               {"GenuineIntel-6-55", "skx", true},
               {"AuthenticAMD-6-55-4", "skx", false},
               {"GenuineIntel-6-9E-A", "skl", true},
               {"AuthenticAMD-25-61-2", "amd64_fam19h_zen4", true},
               {"AuthenticAMD-25-21-0", "amd64_fam19h_zen4", false},
               {"0x00000000410fd0c0", "arm_n1", true},
               {"0x00000000413fd0c1", "arm_n1", true},
               {"0x00000000410fd0d0", "arm_n1", false},
               {"0x004e1202", "power9", true},
               {"0x00800200", "power9", false},
               {"0x00800200", "power10", true},
               {"", "skx", false},
               {"GenuineIntel", "skx", false},
               {"GenuineIntel-6-x-1", "skx", false},
               {"0x", "power9", false}};
  for (const auto& row : kRows) {
    const Pmu* pmu = find_pmu(row.pmu);
    ASSERT_NE(pmu, nullptr) << row.pmu;
    EXPECT_EQ(is_of_cpu(*pmu, cpu_number(row.cpuid)), row.has) << row.cpuid << ' ' << row.pmu;
  }
}

TEST_F(Pfm4Names, NamesAreFoundWithoutRegardToCase) {
  for (const std::string_view name :
       {"skx", "SKX", "Skx", "amd64_fam19h_zen4", "AMD64_FAM19H_Zen4"})
    EXPECT_NE(find_pmu(name), nullptr) << name;
  for (const std::string_view name : {"", "s", "skxx", "skx ", "amd64_fam19h_zen", "amd64\x7f"})
    EXPECT_EQ(find_pmu(name), nullptr) << name;
  const Pmu& skx = *find_pmu("skx");
  EXPECT_GE(find_event(skx, "mem_LOAD_retired"), 0);
  EXPECT_EQ(find_event(skx, "MEM_LOAD_RETIRED"), find_event(skx, "mem_load_retired"));
  EXPECT_EQ(find_event(skx, "MEM\x7fLOAD\x7fRETIRED"), -1);  // differs in the bit of lower case
  // The strings of the dictionary follow each other with zero bytes between them.
  EXPECT_EQ(find_event(skx, std::string_view("MEM_LOAD_RETIRED\0L3_MISS", 24)), -1);
  EXPECT_EQ(find_event(skx, std::string_view("MEM_LOAD_RETIRED\0", 17)), -1);
  for (const Pmu& pmu : dictionary().pmus) {
    EXPECT_EQ(find_pmu(dictionary().text(pmu.name)), &pmu);
    for (int i = next_event(pmu, 0); i >= 0; i = next_event(pmu, static_cast<unsigned>(i + 1))) {
      const Event& event = dictionary().events_of(pmu)[static_cast<std::size_t>(i)];
      const int found = find_event(pmu, dictionary().text(event.name));
      ASSERT_TRUE(found >= 0 && found <= i) << dictionary().text(event.name);
    }
  }
}

}  // namespace
}  // namespace evname::pfm4
