// The value of every field of annotate in JSON lines: of a sample that has it, and of one that
// lacks it.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <ctime>
#include <map>

#include "recordings/elf/elf_file.hpp"
#include "support/environment.hpp"
#include "support/perf_file.hpp"
#include "support/temp_dir.hpp"
#include "support/written.hpp"

namespace evname::fields_test {
namespace {

using namespace test;

/// All of enum perf_event_sample_format but STREAM_ID, READ, RAW, STACK_USER, WEIGHT and AUX.
constexpr std::uint64_t kAll = 1 | 2 | 4 | 8 | 1 << 5 | 1 << 7 | 1 << 8 | 1 << 11 | 1 << 12 |
                               1 << 15 | 1 << 16 | 1 << 17 | 1 << 18 | 1 << 19 | 1 << 21 | 1 << 22 |
                               1 << 23 | 1 << 24;

class FieldValues : public testing::Test {
 protected:
  void SetUp() override {
    if (!Symbols::reads_elf()) GTEST_SKIP() << "this build has no elfutils";
  }
  FieldValues() {
    app_ = dir_.write("app", elf_file({.second_size = 0x40}));
    file_.event({.type = 4,
                 .config = 0x11,
                 .config1 = 0x22,
                 .sample_type = kAll,
                 .branch_type = 8,
                 .regs_user = 1 << 8,
                 .regs_intr = 3,
                 .ids = {70}});
    file_.feature(6, BytesOut().string("x86_64").str());
    BytesOut clock;  // CLOCK_DATA: version, clock, the wall clock's time, that clock's
    file_.feature(29, clock.u32(1).u32(4).u64(1'600'000'000'000'000'000).u64(1'000'000'000).str());
    BytesOut comm, map;
    comm.u32(5).u32(6).padded("work").raw(trailer());
    file_.record(3, comm.str());
    map.u32(5).u32(5).u64(0x10000).u64(0x1000).u64(0).u8(20).u8(0).u16(0);
    map.raw(std::string(20, '\x5a')).u32(5).u32(2).padded(app_).raw(trailer());
    file_.record(10, map.str(), 2 | 1 << 14);
    BytesOut cgroup;
    file_.record(19, cgroup.u64(99).padded("/a.slice").raw(trailer()).str());
    file_.record(9, whole(), 2);
  }
  /// Adds an event that samples next to nothing, and a sample of it.
  void add_other() {
    file_.event({.type = 1, .config = 2, .sample_type = 0x10000, .period = 4000, .ids = {71}});
    file_.record(9, BytesOut().u64(71).str(), 1);
  }
  /// sample_id_all of the first event.
  static std::string trailer() {
    return BytesOut().u32(5).u32(6).u64(1).u32(0).u32(0).u64(70).str();
  }
  static std::string whole() {
    BytesOut body;
    body.u64(70).u64(0x10404).u32(5).u32(6).u64(2'000'000'123).u64(0x10448).u32(3).u32(0).u64(77);
    body.u64(3).u64(-512).u64(0x10404).u64(0x10450);                        // callchain
    body.u64(1).u64(0x10408).u64(0x10444).u64(2 | 20 << 4 | 4 << 20);       // branches
    body.u64(2).u64(0x888);                                                 // user registers
    body.u64(100 | 20ull << 32 | 30ull << 48).u64(0x68100142).u64(0x1234);  // to transaction
    body.u64(2).u64(0x444).u64(0x555);                                      // interrupt registers
    return body.u64(0xabc040).u64(99).u64(4096).u64(2 << 20).str();
  }
  Recording open() { return Recording::open(dir_.write("perf.data", file_.file())).value(); }
  std::string written(AnnotateOptions options, std::string_view names) {
    const Symbols symbols;
    options.fields = fields(names);
    options.symbols = &symbols;
    return test::written(open(), options);
  }

  TempDir dir_;
  PerfFile file_;
  std::string app_;
};

TEST_F(FieldValues, InJsonLines) {
  add_other();
  const std::string dso = fmt::format("\"{}\"", app_), none = "null";
  const auto frame = [&](const char* ip, const char* sym, int offset) {
    return fmt::format(
        R"({{"ip":"{}","sym":"{}","symoff":{},"dso":{},"srcline":null,"inlined":false}})", ip, sym,
        offset, dso);
  };
  std::string id;
  for (int byte = 0; byte < 20; ++byte) id += "5a";
  const std::string frames = fmt::format("[{},{}]", frame("0x10404", "first_function", 4),
                                         frame("0x10450", "second_function", 16));
  // Of the sample without most fields, and of the other one.
  const std::map<std::string_view, std::array<std::string, 2>> expected = {
      {"comm", {none, R"("work")"}},
      {"pid", {none, "5"}},
      {"tid", {none, "6"}},
      {"cpu", {none, "3"}},
      {"misc", {R"("K")", R"("U")"}},
      {"time", {none, "2.000000123"}},
      {"period", {"4000", "77"}},
      {"event",
       {R"("page-faults","pmu":"software","code":"0x2","attr":1)",
        R"("cpu/event=0x11,config1=0x22/","pmu":"cpu","code":"0x11","config1":"0x22","attr":0)"}},
      {"full_name", {R"("page-faults")", R"("cpu/event=0x11,config1=0x22/")"}},
      {"pmu", {R"("software")", R"("cpu")"}},
      {"code", {R"("0x2")", R"("0x11")"}},
      {"transaction", {none, R"("0x1234")"}},
      {"id", {"71", "70"}},
      {"desc", {R"("Page faults")", R"("")"}},
      {"flags", {none, none}},  // of trace data
      {"addr", {none, R"("0x10448")"}},
      {"data_src", {none, R"("0x68100142")"}},
      {"weight", {none, "100"}},
      {"ins_lat", {none, "20"}},
      {"retire_lat", {none, "30"}},
      {"cgroup", {none, "99"}},
      {"ip", {none, R"("0x10404")"}},
      {"sym", {none, R"("first_function")"}},
      {"symoff", {none, "4"}},
      {"dso", {none, dso}},
      {"srcline", {none, none}},
      {"build_id", {none, fmt::format("\"{}\"", id)}},
      {"frames", {none, frames}},
      {"callchain", {none, R"(["0x10404","0x10450"])"}},
      {"iregs", {none, R"({"AX":"0x444","BX":"0x555"})"}},
      {"uregs", {none, R"({"IP":"0x888"})"}},
      {"brstack",
       {none, R"([{"from":"0x10408","to":"0x10444","predicted":true,"not_taken":false,)"
              R"("in_tx":false,"abort":false,"cycles":20,"type":"CALL","spec":""}])"}},
      {"phys_addr", {none, R"("0xabc040")"}},
      {"data_page_size", {none, "4096"}},
      {"code_page_size", {none, "2097152"}},
  };
  for (const auto& [name, values] : expected) {
    const std::string key = fmt::format("{{\"{}\":", name);
    EXPECT_EQ(written({.format = Format::jsonl}, name),
              key + values[0] + "}\n" + key + values[1] + "}\n");
  }
}

// evname's own fields stand next to the event; those that are not sampled are "-".
TEST_F(FieldValues, InText) {
  add_other();
  EXPECT_EQ(written({}, "event,transaction,id,full_name,pmu,code,desc"),
            "                 page-faults: page-faults software 0x2 - 71 (Page faults) \n"
            "cpu/event=0x11,config1=0x22/: cpu/event=0x11,config1=0x22/ cpu 0x11,config1=0x22 "
            "0x1234 70 () \n");
}

TEST_F(FieldValues, ThatTextAloneHas) {
  const Environment zone("TZ", "UTC");
  ::tzset();
  EXPECT_EQ(written({}, "tod,retire_lat,cgroup,uregs,iregs,phys_addr"),
            "2020-09-13 12:26:41.000000               30 /a.slice ABI:2    AX:0x444    BX:0x555  "
            "ABI:2    IP:0x888           abc040\n");
  for (const char* name : {"tod", "dsoff", "brstacksym", "brstackoff", "insn", "srccode"}) {
    const auto refused = annotate(open(), {.format = Format::csv, .fields = fields(name)},
                                  [](std::string_view) { return true; });
    ASSERT_FALSE(refused) << name;
    EXPECT_EQ(refused.error().message, fmt::format("only text has a field '{}'", name));
  }
}

}  // namespace
}  // namespace evname::fields_test
