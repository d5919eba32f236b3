// Functions of recordings of simpleperf: those that it recorded, at the addresses of samples.

#include <gtest/gtest.h>

#include "recordings/profiles/profiles.hpp"
#include "support/simpleperf.hpp"
#include "support/tracing_data.hpp"
#include "support/written.hpp"

namespace evname::simpleperf_test {
namespace {

using namespace test;

constexpr std::uint64_t kKernel = 0xffffff8000081000;
constexpr std::uint32_t kByAddress = 0x4000;  // PROT_JIT_SYMFILE_MAP of thread_tree.h
constexpr std::endian kOrder = std::endian::little;

class OfSimpleperf : public testing::Test {
 protected:
  OfSimpleperf() { recorded.event(0, 0, 1).comm(5, "app"); }

  void map(std::uint64_t start, std::uint64_t offset, std::string_view name,
           std::uint32_t protection = 5, std::uint16_t mode = 2) {
    BytesOut body = recorded.file.out();
    body.u32(5).u32(5).u64(start).u64(0x1000).u64(offset).pad(24).u32(protection).u32(2);
    body.padded(name).u32(5).u32(5).u64(1).u32(0).u32(0).u64(1);
    recorded.file.record(10, body.str(), mode);
  }
  void sample(std::uint64_t address, std::uint16_t mode = 2) {
    recorded.sample({.chain = {}, .ip = address, .mode = mode});
  }
  /// Returns the function and the file of each sample.
  std::string functions(const SymbolOptions& options = {.cache = "/nonexistent"}) {
    const Symbols symbols(options);
    return written(recorded.open(),
                   {.format = Format::csv, .fields = fields("sym,dso"), .symbols = &symbols});
  }

  Recorded recorded;
};

TEST_F(OfSimpleperf, FunctionsAreAtTheirPlacesInFiles) {
  recorded.file.feature(
      132, file_messages(kOrder,
                         {{"/none/a.so", kOfElf, 0x12000, 0x2000, {{0x12010, 8, "_Z5func2ii"}}},
                          {"/none/b.vdex", kOfDex, 0, {}, {{0x3010, 4, "com.example.A.run"}}},
                          {"/none/base.apk!/lib/c.so", kOfElf, 0, 0, {{0x10, 4, "__dl__ZN1A1bEv"}}},
                          {"/none/jit:0-100", kOfElf, 0x100, 0x40, {{0x50010, 4, "compiled"}}},
                          {"[kernel.kallsyms]", kOfKernel, 0, {}, {{kKernel + 16, 8, "schedule"}}},
                          {"/none/m.ko", kOfModule, 0x100, 0x200, {{0x110, 8, "probe"}}}}));
  map(0x10000, 0x2000, "/none/a.so");
  map(0x20000, 0x3000, "/none/b.vdex");
  map(0x30000, 0, "/none/base.apk!/lib/c.so");
  map(0x50000, 0, "/none/jit:0-100", 5 | kByAddress);
  map(kKernel, 0, "[kernel.kallsyms]", 5, 1);
  map(kKernel + 0x1000, 0, "/none/m.ko", 5, 1);
  for (const std::uint64_t address : {0x10017, 0x10018, 0x20010, 0x30012, 0x50010}) sample(address);
  for (const std::uint64_t offset : {0x10, 0x1210}) sample(kKernel + offset, 1);
  EXPECT_EQ(functions(),
            "sym,dso\n"
            "\"func2(int, int)\",/none/a.so\n"
            ",/none/a.so\n"
            "com.example.A.run,/none/b.vdex\n"
            "[linker]A::b(),/none/base.apk!/lib/c.so\n"
            "compiled,/none/jit:0-100\n"
            "schedule,[kernel.kallsyms]\n"
            "probe,[m]\n");
}

TEST_F(OfSimpleperf, FunctionsWithoutAPlaceCountFromTheMapping) {
  recorded.file.feature(
      128, file_list(kOrder, {{"/none/t2", kOfElf, 0x400400, {}, {{0x400404, 4, "main"}}}}));
  map(0x10000, 0x7000, "/none/t2");
  sample(0x10004);
  EXPECT_EQ(functions(), "sym,dso\nmain,/none/t2\n");
}

TEST_F(OfSimpleperf, CodeMadeAtRunTimeNeedsNoMapping) {
  recorded.file.feature(
      128, file_list(kOrder, {{"perf-5.map", kOfSymbolMap, 0, {}, {{0x70010, 4, "jit_one"}}}}));
  sample(0x70012);
  sample(0x70014);
  EXPECT_EQ(functions(), "sym,dso\njit_one,/tmp/perf-5.map\n,/tmp/perf-5.map\n");
}

TEST_F(OfSimpleperf, FunctionsStayIfFilesThatAreNamedAreNotThere) {
  recorded.file.feature(128,
                        file_list(kOrder, {{"/none/a.so", kOfElf, 0, 0, {{0x10, 4, "first"}}}}));
  map(0x10000, 0, "/none/a.so");
  sample(0x10010);
  EXPECT_EQ(functions({.symfs = "/nonexistent"}), "sym,dso\nfirst,/none/a.so\n");
}

// Formats of tracepoints have the size of a record of perf's, and are inside it.
TEST_F(OfSimpleperf, SamplesAfterFormatsOfTracepointsAreRead) {
  const std::string data = tracing_data(kOrder, "sched", {{91, "sched_switch"}});
  PerfFile file;
  file.event({.type = 2, .config = 91, .sample_type = kProfileType, .ids = {1}});
  file.record(66, BytesOut()
                      .u32(static_cast<std::uint32_t>(data.size()))
                      .raw(data)
                      .pad(64 - data.size() % 64)
                      .str());
  recorded.file = file;
  sample(0x10);
  sample(0x20);
  EXPECT_EQ(written(recorded.open(), {.format = Format::csv, .fields = fields("event")}),
            "event\nsched:sched_switch\nsched:sched_switch\n");
}

// `simpleperf merge` adds the ids of the later recordings in front of their records.
TEST_F(OfSimpleperf, MergedRecordingsHaveMoreIds) {
  recorded.event(0, 1, 2).sample({.id = 1, .chain = {}, .ip = 0x10});
  recorded.file.record(32774, BytesOut().u64(1).u64(1).u64(77).str());
  recorded.sample({.id = 77, .chain = {}, .ip = 0x20});
  constexpr char kInfo[] = "event_type_info\0cpu-cycles,0,0\ninstructions,0,1";
  recorded.file.feature(129, std::string_view(kInfo, sizeof kInfo));
  EXPECT_EQ(written(recorded.open(), {.format = Format::csv, .fields = fields("event")}),
            "event\ncpu-cycles\ninstructions\n");
}

}  // namespace
}  // namespace evname::simpleperf_test
