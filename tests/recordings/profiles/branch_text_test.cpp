// The formats of compilers, counted by hand. bolt: bolt/docs/profiles.md of LLVM; profgen:
// writeUnsymbolizedProfile of llvm/tools/llvm-profgen/PerfReader.cpp; autofdo:
// TextSampleReaderWriter::Write of sample_reader.cc.

#include "recordings/elf/elf_file.hpp"
#include "recordings/profiles/profiles.hpp"

namespace evname::branch_text_test {
namespace {

using namespace test;

constexpr std::uint64_t kCode = ElfParts::kAddress, kOutside = 0x90000,
                        kKernel = 0xffffffff81000000;
using Branch = std::array<std::uint64_t, 3>;  // from, to and flags

/// A recording of a program at its own addresses.
class BranchTexts : public testing::Test {
 protected:
  BranchTexts() {
    binary_ = dir_.write("app", elf_file());
    file_.event({.sample_type = 0x10000 | 1 | 2 | 4 | 1 << 11, .branch_type = 8, .ids = {1}});
    BytesOut map;
    map.u32(5).u32(5).u64(kCode).u64(0x1000).u64(ElfParts::kText).u8(20).u8(0).u16(0);
    map.raw(std::string(20, '\x5a')).u32(5).u32(5).padded(binary_);
    file_.record(10, map.u32(5).u32(5).u64(1).u64(1).str(), 2 | 1 << 14);
  }
  /// `branches`: newest first.
  void sample(const std::vector<Branch>& branches, std::uint64_t ip = kCode,
              std::uint32_t pid = 5) {
    BytesOut body;
    body.u64(1).u64(ip).u32(pid).u32(pid).u64(time_++).u64(branches.size());
    for (const Branch& branch : branches)
      for (const std::uint64_t word : branch) body.u64(word);
    file_.record(9, body.str(), 2);
  }
  std::string text(ProfileOptions options) {
    options.binary = binary_;
    const Recording file = Recording::open(dir_.write("perf.data", file_.file())).value();
    return exported({&file, 1}, options, &tally_);
  }
  TempDir dir_;
  PerfFile file_;
  std::string binary_;
  std::uint64_t time_ = 1000;
  ProfileTally tally_;
};

// A call that was mispredicted and its return, twice; code that was entered from outside, and left;
// a return from the kernel; a branch elsewhere; a process without the file.
class BranchFormatTexts : public BranchTexts {
 protected:
  BranchFormatTexts() {
    for (int i = 0; i < 2; ++i)
      sample({{kCode + 0x44, kCode + 9, 2}, {kCode + 4, kCode + 0x40, 1}});
    sample({{kCode + 0x18, kOutside, 2}, {kOutside, kCode + 0x10, 2}});
    sample({{kKernel, kCode, 2}});
    sample({{kOutside, kOutside + 4, 2}});
    sample({{kCode + 0x44, kCode + 9, 2}}, kCode, 7);
  }
  void expect_tally(std::uint64_t branches, std::uint64_t outside) const {
    EXPECT_EQ(tally_.samples, 5u);
    EXPECT_EQ(tally_.branches, branches);
    EXPECT_EQ(tally_.outside, outside);
    EXPECT_EQ(tally_.other_samples, 1u);
  }
};

// T: from, to, end of the code that ran then, count. B: from, to, count without an end,
// mispredictions.
TEST_F(BranchFormatTexts, Bolt) {
  EXPECT_EQ(text({.format = ProfileFormat::bolt}),
            "T 0 401010 401018 1\n"
            "T 401004 401040 401044 2\n"
            "B 401004 401040 0 2\n"
            "B 401018 0 1 0\n"
            "B 401044 401009 2 0\n");
  expect_tally(8, 2);
  EXPECT_EQ(text({.format = ProfileFormat::bolt, .plain = true}), "E cycles:\nS 401000 5\n");
  expect_tally(0, 0);
}

// Ranges and branches, each after their number, from the page of the code. A branch from outside
// comes from address 1.
TEST_F(BranchFormatTexts, Profgen) {
  EXPECT_EQ(text({.format = ProfileFormat::profgen}),
            "2\n10-18:1\n40-44:2\n"
            "4\nffffffffffbff001->0:1\nffffffffffbff001->10:1\n4->40:2\n44->9:2\n");
  expect_tally(8, 1);
}

// Ranges, samples and branches, by their offset in the file. A target outside is left out.
TEST_F(BranchFormatTexts, Autofdo) {
  EXPECT_EQ(text({.format = ProfileFormat::autofdo}),
            "2\n410-418:1\n440-444:2\n1\n400:5\n2\n404->440:2\n444->409:2\n");
  expect_tally(8, 2);
  EXPECT_EQ(text({.format = ProfileFormat::autofdo, .plain = true}), "0\n1\n400:5\n0\n");
}

// PERF_BR_SPEC_WRONG_PATH is 1 in bits 24 and 25: such branches are skipped, and the newest ones
// have no code behind them.
TEST_F(BranchTexts, OfAutofdoLackWrongPaths) {
  constexpr std::uint64_t kWrong = 1 << 24, kRight = 3 << 24;
  sample({{kCode + 0x70, kCode + 0x60, kWrong},
          {kCode + 0x44, kCode + 9, kRight},
          {kCode + 0x50, kCode + 0x48, kWrong},
          {kCode + 4, kCode + 0x40, kRight}});
  EXPECT_EQ(text({.format = ProfileFormat::autofdo}),
            "1\n440-450:1\n1\n400:1\n2\n404->440:1\n444->409:1\n");
}

// Code that would end before it began, as in damaged stacks, is no range for two of the readers;
// AutoFDO leaves out the branch, too.
TEST_F(BranchTexts, OfRangesThatEndBeforeTheyBegin) {
  sample({{kCode + 0x10, kCode + 0x30, 2}, {kCode + 4, kCode + 0x20, 2}});
  EXPECT_EQ(text({.format = ProfileFormat::bolt}),
            "T 401004 401020 401010 1\nB 401010 401030 1 0\n");
  EXPECT_EQ(text({.format = ProfileFormat::profgen}), "0\n2\n4->20:1\n10->30:1\n");
  EXPECT_EQ(text({.format = ProfileFormat::autofdo}), "0\n1\n400:1\n1\n410->430:1\n");
}

// Counts of several recordings are added up.
TEST_F(BranchTexts, OfSeveralRecordings) {
  sample({{kCode + 0x44, kCode + 9, 1}});
  const Recording file = Recording::open(dir_.write("perf.data", file_.file())).value();
  const Recording files[] = {file, file, file};
  EXPECT_EQ(exported(files, {.format = ProfileFormat::bolt, .binary = binary_}, &tally_),
            "B 401044 401009 3 3\n");
  EXPECT_EQ(tally_.branches, 3u);
  EXPECT_EQ(tally_.files.size(), 3u);
}

}  // namespace
}  // namespace evname::branch_text_test
