// Functions, files and their addresses in each format of annotate. The text is as perf script 7.3
// prints it for the same recording and the same file.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "recordings/elf/elf_file.hpp"
#include "recordings/profiles/profiles.hpp"
#include "support/written.hpp"

namespace evname::test {
namespace {

class LocationTexts : public testing::Test {
 protected:
  void SetUp() override {
    if (!Symbols::reads_elf()) GTEST_SKIP() << "this build has no elfutils";
    dir.write("bin/app", elf_file({.second_size = 0x30}));
    recorded.event(1, 0, 1).comm(5, "work").map(0x10000, 0x1000, 0, "/bin/app", 0x5a);
    // The second function ends at 0x10470; nothing is mapped at 0x90000.
    recorded.sample(
        {.time = 1000, .chain = {kUserPart, 0x10410, 0x10471, 0x10448, 0x90001}, .ip = 0x10418});
    recorded.sample({.time = 2000, .period = 7, .chain = {kUserPart, 0x10440}, .ip = 0x10418});
    recorded.sample(
        {.time = 3000, .chain = {kUserPart, 0x10410, 0x10471, 0x10448, 0x90001}, .ip = 0x10418});
  }
  std::string text(AnnotateOptions options) {
    const Symbols symbols({.symfs = dir.path()});
    options.symbols = &symbols;
    return written(recorded.open(), options);
  }

  TempDir dir;
  Recorded recorded;
};

TEST_F(LocationTexts, OfCallChainsAreTextAsPerfPrintsIt) {
  const struct {
    const char* fields;
    std::string chain, leaf;
  } cases[] = {
      {"ip,sym",
       "\n\t           10410 first_function\n"
       "\t           10471 [unknown]\n"
       "\t           10448 second_function\n"
       "\t           90001 [unknown]\n\n",
       "\n\t           10440 second_function\n\n"},
      {"ip,dso",
       "\n\t           10410 (/bin/app)\n"
       "\t           10471 (/bin/app)\n"
       "\t           10448 (/bin/app)\n"
       "\t           90001 ([unknown])\n\n",
       "\n\t           10440 (/bin/app)\n\n"},
      {"comm,ip,sym,symoff,dso,srcline",
       "work \n\t           10410 first_function+0x10 (/bin/app)\n  app[401010]\n"
       "\t           10471 [unknown] (/bin/app)\n  app[401071]\n"
       "\t           10448 second_function+0x8 (/bin/app)\n  app[401048]\n"
       "\t           90001 [unknown] ([unknown])\n\n",
       "work \n\t           10440 second_function+0x0 (/bin/app)\n  app[401040]\n\n"},
  };
  for (const auto& c : cases)
    EXPECT_EQ(text({.fields = fields(c.fields)}), c.chain + c.leaf + c.chain) << c.fields;
}

// Without a call chain, the instruction stands in the line of the sample.
TEST_F(LocationTexts, OfTheInstructionAloneStandInItsLine) {
  PerfFile file;
  file.event({.type = 1, .sample_type = 1 | 2 | 4 | 0x10000, .ids = {1}});
  BytesOut map = file.out();
  map.u32(5).u32(5).u64(0x10000).u64(0x1000).u64(0).pad(24).u32(5).u32(2).padded("/bin/app");
  file.record(10, map.u32(5).u32(5).u64(1).u64(1).str(), 2);
  for (const std::uint64_t ip : {0x10418, 0x10447, 0x10480})
    file.record(9, file.out().u64(1).u64(ip).u32(5).u32(5).u64(9).str(), 2);
  const Recording data = Recording::open(dir.write("perf.data", file.file())).value();
  const Symbols symbols({.symfs = dir.path()});
  EXPECT_EQ(written(data, {.fields = fields("ip,sym,symoff,dso"), .symbols = &symbols}),
            "            10418 first_function+0x18 (/bin/app)\n"
            "            10447 second_function+0x7 (/bin/app)\n"
            "            10480 [unknown] (/bin/app)\n");
}

// 0x10418 is where each sample was interrupted; callers are the calls.
TEST_F(LocationTexts, AreCellsAndFramesOfFoldedStacks) {
  EXPECT_EQ(text({.format = Format::folded}),
            "cpu-clock;work;0x90001;second_function;app+0x471;first_function 2\n"
            "cpu-clock;work;second_function 1\n");
  EXPECT_EQ(text({.format = Format::folded, .count_periods = true}),
            "cpu-clock;work;0x90001;second_function;app+0x471;first_function 2\n"
            "cpu-clock;work;second_function 7\n");
  const char* const kFields = "time,ip,sym,symoff,dso";
  std::string json, csv = "time,ip,sym,symoff,dso\n";
  for (const char* time : {"0.000001000", "0.000002000", "0.000003000"}) {
    json += fmt::format(
        "{{\"time\":{},\"ip\":\"0x10418\",\"sym\":\"first_function\","
        "\"symoff\":24,\"dso\":\"/bin/app\"}}\n",
        time);
    csv += fmt::format("{},0x10418,first_function,24,/bin/app\n", time);
  }
  EXPECT_EQ(text({.format = Format::jsonl, .fields = fields(kFields)}), json);
  EXPECT_EQ(text({.format = Format::csv, .fields = fields(kFields)}), csv);
}

}  // namespace
}  // namespace evname::test
