// Raw data of AMD's IBS. Bits of capabilities: IBS_CAPS_* of arch/x86/include/asm/perf_event.h;
// registers: arch/x86/include/asm/amd/ibs.h; what perf shows: tools/perf/util/amd-sample-raw.c.

#include "recordings/perf_data/ibs.hpp"

#include <gtest/gtest.h>

#include "evname/recording.hpp"
#include "support/perf_file.hpp"

namespace evname::perf_data {
namespace {

using test::BytesOut;
using test::PerfFile;

constexpr std::uint32_t kAvailable = 1, kBranchTarget = 1 << 5, kFetchExtended = 1 << 9,
                        kZen4 = 1 << 11, kLoadLatency = 1 << 12;
constexpr std::uint64_t kFetchValid = std::uint64_t{3} << 48, kOpValid = 3u << 17;

/// A recording with one event of each kind, and no features beyond the CPU's.
IbsReader reader_on(const char* cpuid) {
  PerfFile file;
  file.event({.type = 10, .sample_type = 1 << 10}).event({.type = 11, .sample_type = 1 << 10});
  file.feature(9, BytesOut().string(cpuid).str());
  file.feature(16, BytesOut().u32(2).u32(10).string("ibs_fetch").u32(11).string("ibs_op").str());
  const std::string bytes = file.file();
  const auto recording = Recording::open(std::vector<std::uint8_t>(bytes.begin(), bytes.end()));
  return IbsReader::of(*recording).value();
}

std::string raw(std::uint32_t caps, std::uint64_t first, std::size_t words) {
  BytesOut out;
  out.u32(caps).u64(first);
  for (std::size_t i = 1; i < words; ++i) out.u64(0);
  return out.str();
}

// perf_ibs_handle_irq of arch/x86/events/amd/ibs.c: 3 registers of a fetch and 7 of an operation,
// and one more with a capability each.
TEST(Ibs, SamplesHaveTheRegistersOfTheirCapabilities) {
  IbsReader reader = reader_on("AuthenticAMD,25,97,2");
  const struct {
    std::size_t event;
    std::uint32_t caps;
    std::size_t words;
    bool is_whole;
  } rows[] = {{0, 0, 3, true},
              {0, 0, 2, false},
              {0, kBranchTarget, 3, true},
              {0, kFetchExtended, 3, false},
              {0, kFetchExtended, 4, true},
              {1, 0, 7, true},
              {1, 0, 6, false},
              {1, kFetchExtended, 7, true},
              {1, kBranchTarget, 7, false},
              {1, kBranchTarget, 8, true}};
  for (const auto& row : rows)
    EXPECT_EQ(reader.read(row.event, raw(kAvailable | row.caps,
                                         row.event == 0 ? kFetchValid : kOpValid, row.words)),
              row.is_whole)
        << row.event << " " << row.caps << " " << row.words;
}

TEST(Ibs, PartsAreThoseOfTheSamplesCapabilities) {
  IbsReader reader = reader_on("AuthenticAMD,25,97,2");
  const std::uint64_t filter = kOpValid | std::uint64_t{5} << 59 | std::uint64_t{1} << 63;
  for (const std::uint32_t caps : {kZen4, kLoadLatency, kZen4 | kLoadLatency}) {
    ASSERT_TRUE(reader.read(1, raw(kAvailable | caps, filter, 7)));
    const auto threshold = reader.value(IbsItem::ibs_ldlat_thrsh);
    EXPECT_EQ(threshold.has_value(), (caps & kLoadLatency) != 0) << caps;
    EXPECT_EQ(threshold.value_or(IbsValue{5}).number, 5u);
  }
}

// On these CPUs the status of a fetch is valid only with a physical address: is_fetch_status_valid
// of tools/perf/util/amd-sample-raw.c. Bit 52: IbsPhyAddrValid.
TEST(Ibs, TheStatusOfAFetchDependsOnTheCpu) {
  const struct {
    const char* cpuid;
    bool depends;
  } rows[] = {{"AuthenticAMD,25,97,2", false},  {"AuthenticAMD,26,68,0", false},
              {"AuthenticAMD,26,79,0", false},  {"AuthenticAMD,26,80,0", true},
              {"AuthenticAMD,26,95,0", true},   {"AuthenticAMD,26,96,0", false},
              {"AuthenticAMD,26,128,0", true},  {"AuthenticAMD,26,175,0", true},
              {"AuthenticAMD,26,191,0", false}, {"AuthenticAMD,26,192,0", true},
              {"AuthenticAMD,26,207,0", true},  {"AuthenticAMD,26,208,0", false},
              {"AuthenticAMD,27,0,0", true}};
  for (const auto& row : rows)
    for (const std::uint64_t address : {std::uint64_t{0}, std::uint64_t{1} << 52}) {
      IbsReader reader = reader_on(row.cpuid);
      ASSERT_TRUE(reader.read(0, raw(kAvailable, kFetchValid | address, 3)));
      EXPECT_EQ(reader.value(IbsItem::ibs_fetch_lat).has_value(), !row.depends || address != 0)
          << row.cpuid << " " << address;
    }
}

}  // namespace
}  // namespace evname::perf_data
