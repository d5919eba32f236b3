// The code of functions with samples and branches, counted by hand.

#include "evname/instructions.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>

#include "recordings/elf/elf_file.hpp"
#include "recordings/report/detailed_report.hpp"
#include "support/perf_file.hpp"
#include "support/temp_dir.hpp"

namespace evname::instruction_report_test {
namespace {

using namespace test;

constexpr std::uint64_t kCode = ElfParts::kAddress;
using Entry = std::array<std::uint64_t, 3>;  // from, to and flags

/// Of x86: a push, a move, a call of the second function, a conditional jump, two nops and a
/// return; the second function is an addition and a return.
std::string program_with_code() {
  std::string file = elf_file({.second_size = 0x5});
  const auto put = [&](std::size_t at, std::string_view bytes) {
    file.replace(ElfParts::kText + at, bytes.size(), bytes);
  };
  put(0, std::string_view("\x55\x48\x89\xe5\xe8\x37\0\0\0\x74\x02\x90\x90\xc3", 14));
  put(0x40, "\x48\x83\xc0\x01\xc3");
  return file;
}

class InstructionReports : public testing::Test {
 protected:
  void SetUp() override {
    if (!Symbols::reads_elf()) GTEST_SKIP() << "this build has no elfutils";
    if (!InstructionReport::decodes()) GTEST_SKIP() << "built without Capstone and LLVM";
    const std::string app = dir_.write("app", program_with_code());
    for (const std::uint64_t id : {1, 2})
      file_.event({.config = id - 1,
                   .sample_type = 0x10000 | 1 | 2 | 4 | 1 << 11,
                   .branch_type = 8,
                   .ids = {id}});
    BytesOut map;
    map.u32(5).u32(5).u64(kCode).u64(0x1000).u64(ElfParts::kText).padded(app);
    file_.record(1, map.u32(5).u32(5).u64(1).u64(1).str(), 2);
  }
  /// `branches`: newest first.
  void sample(std::uint64_t id, std::uint64_t ip, const std::vector<Entry>& branches = {}) {
    BytesOut body;
    body.u64(id).u64(ip).u32(5).u32(5).u64(10).u64(branches.size());
    for (const Entry& branch : branches)
      for (const std::uint64_t word : branch) body.u64(word);
    file_.record(9, body.str(), 2);
  }
  InstructionReport report() {
    InstructionReport report({.symbols = &symbols_});
    (void)report.add(Recording::open(dir_.write("perf.data", file_.file())).value());
    return report;
  }
  /// A line of each instruction with samples or branches: its address, size, samples by event,
  /// branches with mispredicted ones, how often it ran, instructions per cycle; what it leads to.
  static std::string text(const InstructionReport::Code& code) {
    std::string out;
    for (const auto& one : code.instructions) {
      if (one.samples == std::vector<std::uint64_t>(2) && one.branched + one.executed == 0)
        continue;
      out += fmt::format("{:x}+{} {}/{} {}/{} {} {:.2f} {}{}{}{};", one.address - kCode,
                         one.bytes.size(), one.samples.at(0), one.samples.at(1), one.branched,
                         one.branches.mispredicted, one.executed, one.ipc,
                         one.is_call ? "call " : "", one.is_jump ? "jump " : "", one.symbol,
                         one.target ? fmt::format("@{:x}", *one.target - kCode) : "");
    }
    return out;
  }
  Symbols symbols_;
  TempDir dir_;
  PerfFile file_;
};

// perf counts a sample inside of an instruction there. A block is between two branches of a stack;
// perf takes no cycles from a block of one instruction.
TEST_F(InstructionReports, HaveSamplesAndBranches) {
  for (const std::uint64_t at : {4, 4, 0x44}) sample(1, kCode + at);
  for (const std::uint64_t at : {4, 2}) sample(2, kCode + at);
  for (int i = 0; i < 2; ++i)
    sample(1, kCode + 9,
           {{kCode + 0x44, kCode + 9, 2 | 4 << 4}, {kCode + 4, kCode + 0x40, 1 | 3 << 4}});
  sample(1, kCode + 0xb, {{kCode + 9, kCode + 0xb, 2 | 7 << 4}, {kCode + 0x44, kCode + 9, 2}});
  sample(1, kCode + 0xd, {{kCode + 9, kCode + 0xd, 2 | 2 << 4}, {kCode + 0x44, kCode + 4, 1}});
  sample(1, 0x90000);
  const InstructionReport made = report();
  EXPECT_TRUE(made.has_branches());
  std::string all;
  for (const auto& function : made.functions()) {
    const auto code = made.code(function);
    all += fmt::format("{} {} {}/{} {:x} {} {}: {}{}\n", function.name, function.all,
                       function.samples.at(0), function.samples.at(1), code.start,
                       code.timed_instructions, code.timed_cycles, text(code), code.problem);
  }
  EXPECT_EQ(all,
            "first_function 8 6/2 401000 2 2: 1+3 0/1 0/0 0 0.00 ;"
            "4+5 2/1 2/2 1 0.00 call second_function@40;9+2 2/0 2/0 2 1.00 jump @d;"
            "b+1 1/0 0/0 0 0.00 ;d+1 1/0 0/0 0 0.00 ;\n"
            "second_function 1 1/0 401040 4 8: 40+4 0/0 0/0 2 0.00 ;44+1 1/0 4/1 2 0.50 ;\n"
            "unmapped (no name) 1 1/0 0 0 0: ffffffffffc8f000+0 1/0 0/0 0 0.00 ;"
            "no symbol of a file has these addresses, so that their code is not known\n");
}

// Newest first: the loop from 9 to 4 goes round three times, and is left for the return. The last
// turn that went on has no cycles.
TEST_F(InstructionReports, LoopsHaveTheirTurns) {
  for (int i = 0; i < 2; ++i)
    sample(1, kCode,
           {{kCode + 0xd, 0x90000, 2},
            {kCode + 9, kCode + 4, 2 | 3 << 4},
            {kCode + 9, kCode + 4, 2 | 5 << 4},
            {kCode + 0x44, kCode + 9, 2 | 6 << 4},
            {kCode + 4, kCode + 0x40, 2},
            {kCode + 9, kCode + 4, 1 | 9 << 4}});
  report::DetailedReport made({.symbols = &symbols_}, {.branches = true});
  (void)made.add(Recording::open(dir_.write("perf.data", file_.file())).value());
  std::string all;
  for (const report::TakenBranch& one : made.branches())
    all += fmt::format("{}>{} {}/{} {}/{}/{} {}: {} {} {} {};", one.from.address, one.to.address,
                       one.count, one.event, one.sums.predicted, one.sums.mispredicted,
                       one.sums.timed, one.sums.cycles, one.turns.taken, one.turns.again,
                       one.turns.left, fmt::format("{}/{}", one.turns.timed, one.turns.cycles));
  EXPECT_EQ(all,
            "first_function+0xd>0x90000 2/0 2/0/0 0: 0 0 0 0/0;"
            "first_function+0x9>first_function+0x4 6/0 4/2/6 34: 6 4 2 2/6;"
            "second_function+0x4>first_function+0x9 2/0 2/0/2 12: 0 0 0 0/0;"
            "first_function+0x4>second_function+0x0 2/0 2/0/0 0: 0 0 0 0/0;");
}

}  // namespace
}  // namespace evname::instruction_report_test
