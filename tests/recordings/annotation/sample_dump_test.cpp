// What a dump says of the parts of a sample, as perf script 7.3 -D prints it.

#include "base/text.hpp"
#include "recordings/annotation/perf_script.hpp"

namespace evname::sample_dump_test {
namespace {

using namespace test;

constexpr std::uint64_t kUser = -512, kKernel = -128;

/// The lines about samples. The shell does the same with perf's.
std::string about_samples(const std::string& dump) {
  std::string out;
  for (const std::string_view line : split(dump, '\n')) {
    const std::size_t at = line.find("PERF_RECORD_SAMPLE");
    if (at != line.npos)
      out += std::string(line.substr(at)) + '\n';
    else if (line.starts_with("...") || line.starts_with(" . ") || line.starts_with(" .. "))
      out += std::string(line) + '\n';
  }
  return out;
}

class SampleDumps : public PerfScript {
 protected:
  void compare(PerfFile& file) {
    file.feature(3, BytesOut().string("host").str()).feature(6, BytesOut().string("x86_64").str());
    const std::string path = dir.write("perf.data", file.file());
    const auto opened = Recording::open(path);
    ASSERT_TRUE(opened);
    const std::string expected =
        perf(path, "comm -D", " | grep -oE 'PERF_RECORD_SAMPLE.*|^(\\.\\.\\.| \\. | \\.\\. ).*'");
    EXPECT_FALSE(expected.empty());
    annotation::ScriptOptions options{{.names = NameStyle::recorded}};
    options.dump.emplace([](std::size_t) { return std::string(); },
                         [](std::uint64_t) { return std::string(); }, false);
    EXPECT_EQ(about_samples(written(*opened, options)), expected);
  }
};

// READ, CALLCHAIN, BRANCH_STACK, REGS_USER, STACK_USER, WEIGHT_STRUCT, DATA_SRC, TRANSACTION,
// REGS_INTR, PHYS_ADDR, DATA_PAGE_SIZE and CODE_PAGE_SIZE.
TEST_F(SampleDumps, HaveAllParts) {
  PerfFile file;
  file.event({.sample_type = 1 | 2 | 4 | 8 | 1 << 4 | 1 << 5 | 1 << 8 | 1 << 11 | 1 << 12 |
                             1 << 13 | 1 << 24 | 1 << 15 | 1 << 17 | 1 << 18 | 1 << 19 | 1 << 22 |
                             1 << 23,
              .read_format = 1 | 2 | 4 | 16,
              .branch_type = 8,
              .flags = {18},
              .regs_user = 1 << 8,
              .regs_intr = 3,
              .size = 128,
              .ids = {1}});
  for (const std::uint64_t abi : {2, 1}) {
    BytesOut body;
    body.u64(0x1234).u32(5).u32(6).u64(9).u64(0xabc).u64(77);  // to the period
    body.u64(1000 * (3 - abi)).u64(50).u64(40).u64(1).u64(3);  // values
    body.u64(5).u64(kKernel).u64(0x1234).u64(kUser).u64(0x4000).u64(-2048);
    body.u64(2).u64(0x10).u64(0x20).u64(1 | 4 | 20 << 4 | 4 << 20 | 2 << 24);
    body.u64(0x30).u64(0x40).u64(2 | 8 | 6 << 20);
    body.u64(abi).u64(0x888).u64(16).u64(1).u64(2).u64(8);  // registers, stack
    body.u64(100 | 20ull << 32 | 30ull << 48).u64(0x68100142).u64(0x1234);
    file.record(9, body.u64(abi).u64(0x444).u64(0x555).u64(0xabc040).u64(4096).u64(2 << 20).str(),
                2);
  }
  compare(file);
}

// Values of a group, and a call stack that the CPU recorded in place of user space's callchain.
TEST_F(SampleDumps, HaveGroupsAndRecordedCalls) {
  PerfFile file;
  file.event({.sample_type = 1 | 2 | 4 | 1 << 4 | 1 << 5 | 1 << 11 | 1 << 14 | 0x10000,
              .read_format = 4 | 8,
              .branch_type = 8 | 1 << 11,
              .flags = {18},
              .size = 128,
              .ids = {1}});
  file.event(
      {.config = 1, .sample_type = 1 | 2 | 4 | 0x10000, .flags = {18}, .size = 128, .ids = {2}});
  std::uint64_t value = 0;
  const auto add = [&](const std::vector<std::uint64_t>& branches) {
    BytesOut body;
    value += 1000;
    body.u64(1).u64(0x1234).u32(5).u32(6).u64(9);
    body.u64(2).u64(value).u64(1).u64(2 * value).u64(2);
    body.u64(4).u64(kKernel).u64(0x1234).u64(kUser).u64(0x4000).u64(branches.size() / 3);
    for (const std::uint64_t word : branches) body.u64(word);
    file.record(9, body.u64(7).str(), 1);
  };
  add({0x10, 0x20, 0, 0x30, 0x40, 0});
  add({0x10, 0x20, 0});
  compare(file);
}

}  // namespace
}  // namespace evname::sample_dump_test
