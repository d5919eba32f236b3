// All registers of AMD's IBS, in the text of perf script 7.3: every part of them with values of
// many kinds, on CPUs that show different parts.

#include "base/text.hpp"
#include "recordings/annotation/perf_script.hpp"

namespace evname::ibs_text_test {
namespace {

using namespace test;

constexpr std::uint64_t kFetchValid = std::uint64_t{3} << 48, kOpValid = 3U << 17;
constexpr std::size_t kFetchWords = 4, kOpWords = 8;

/// Raw data: capabilities of the sample, and random words.
std::string registers(std::size_t words, std::uint64_t valid, std::uint64_t& random) {
  BytesOut out;
  out.u32(0xffffffff);
  for (std::size_t i = 0; i < words; ++i) {
    random = random * 6364136223846793005 + 1442695040888963407;
    out.u64((random ^ random >> 29) | (i == 0 ? valid : 0));
  }
  return out.str();
}

/// A file with an event of each kind, 10 and 11, on this CPU.
PerfFile ibs_file(const char* cpuid, const std::vector<const char*>& caps) {
  PerfFile file;
  for (const std::uint32_t type : {10U, 11U})  // TID, TIME, RAW, IDENTIFIER
    file.event(
        {.type = type, .sample_type = 2 | 4 | 1 << 10 | 0x10000, .size = 128, .ids = {type}});
  file.feature(3, BytesOut().string("host").str()).feature(6, BytesOut().string("x86_64").str());
  file.feature(9, BytesOut().string(cpuid).str());
  file.feature(16, BytesOut().u32(2).u32(10).string("ibs_fetch").u32(11).string("ibs_op").str());
  BytesOut of_pmus;  // PMU_CAPS
  of_pmus.u32(1).u32(static_cast<std::uint32_t>(caps.size()));
  for (const char* cap : caps) of_pmus.string(cap).string("1");
  return file.feature(31, of_pmus.string("ibs_op").str());
}

void add_sample(PerfFile& file, std::uint64_t id, std::uint64_t time, const std::string& raw) {
  BytesOut body;
  body.u64(id).u32(5).u32(5).u64(time).u32(static_cast<std::uint32_t>(raw.size()));
  file.record(9, body.raw(raw).str());
}

class IbsTexts : public PerfScript {};

TEST_F(IbsTexts, AreThoseOfPerf) {
  const struct {
    const char* cpuid;
    std::vector<const char*> caps;
  } cpus[] = {{"AuthenticAMD,23,49,0", {}},
              {"AuthenticAMD,25,1,1", {"dtlb_pgsize"}},
              {"AuthenticAMD,25,97,2", {"zen4_ibs_extensions"}},
              {"AuthenticAMD,26,80,0",
               {"zen4_ibs_extensions", "ldlat", "dtlb_pgsize", "rmtsocket", "strmst"}}};
  for (const auto& cpu : cpus) {
    PerfFile file = ibs_file(cpu.cpuid, cpu.caps);
    std::uint64_t random = 1;
    for (std::uint64_t time = 1; time <= 6; time += 2) {
      add_sample(file, 10, time, registers(kFetchWords, kFetchValid, random));
      add_sample(file, 11, time + 1, registers(kOpWords, kOpValid, random));
    }
    const std::string path = dir.write("perf.data", file.file());
    const std::string expected =
        perf(path, "comm -D", fmt::format(" | grep -E '^(ibs|Ibs|ic_)' # {}", cpu.cpuid));
    EXPECT_FALSE(expected.empty());
    EXPECT_EQ(ours(*Recording::open(path), "ibs"), expected) << cpu.cpuid;
  }
}

// Bits 0 to 2, 6 and 7 of ibs_op_data2, and bits 22 to 25 of ibs_op_data3.
TEST_F(IbsTexts, SourcesAndWidthsAreThoseOfPerf) {
  for (const bool extended : {false, true}) {
    PerfFile file = ibs_file("AuthenticAMD,25,97,2", extended ? std::vector{"zen4_ibs_extensions"}
                                                              : std::vector<const char*>{});
    for (std::uint64_t i = 0; i < 32; ++i)
      add_sample(file, 11, i + 1,
                 BytesOut()
                     .u32(0)
                     .u64(kOpValid)
                     .u64(0)
                     .u64(0)
                     .u64((i & 7) | (i >> 3) << 6)
                     .u64((i & 15) << 22)
                     .pad(24)
                     .str());
    const std::string path = dir.write("perf.data", file.file());
    const std::string expected =
        perf(path, "comm -D", fmt::format(" | grep '^ibs_op_data[23]' # {}", extended));
    const std::string text = ours(*Recording::open(path), "ibs");
    std::string found;
    for (const std::string_view line : split(text, '\n'))
      if (line.starts_with("ibs_op_data2") || line.starts_with("ibs_op_data3"))
        found += std::string(line) + '\n';
    EXPECT_EQ(found, expected);
  }
}

}  // namespace
}  // namespace evname::ibs_text_test
