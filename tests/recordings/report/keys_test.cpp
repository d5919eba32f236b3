// The values of every sort key. Words of memory accesses: tools/perf/util/mem-events.c; of
// branches: tools/perf/util/sort.c and branch.c.

#include <fmt/format.h>

#include <map>

#include "evname/report.hpp"
#include "recordings/elf/dwarf.hpp"
#include "recordings/elf/elf_fixture.hpp"
#include "support/perf_file.hpp"
#include "support/tracing_data.hpp"

namespace evname::keys_test {
namespace {

using namespace test;

constexpr std::uint64_t kAddress = ElfParts::kAddress;
// IDENTIFIER, IP, TID, TIME, ADDR, CPU; then a branch stack, WEIGHT_STRUCT, DATA_SRC, PHYS_ADDR and
// CGROUP.
constexpr std::uint64_t kFixed = 0x10000 | 1 | 2 | 4 | 8 | 128;
constexpr std::uint64_t kType = kFixed | 1 << 11 | 1 << 24 | 1 << 15 | 1 << 19 | 1 << 21;

struct Access {
  std::uint64_t ip;
  std::uint32_t pid, tid;
  std::uint64_t address;
  std::uint32_t cpu;
  std::uint64_t from, to, flags;  ///< of a branch
  std::uint64_t weight, source, physical, cgroup;
};

// Bits of the flags: union perf_branch_entry; of the source: union perf_mem_data_src; both of
// include/uapi/linux/perf_event.h. The first branch is a call that was mispredicted in a
// transaction, the second one a return from the kernel that aborted one.
constexpr Access kFirst{.ip = 0x10404,
                        .pid = 5,
                        .tid = 6,
                        .address = 0x10448,
                        .cpu = 3,
                        .from = 0x10408,
                        .to = 0x10444,
                        .flags = 1 | 4 | 20 << 4 | 4 << 20 | 1ull << 30,
                        .weight = 100 | 20ull << 32 | 30ull << 48,
                        .source = 2 | (2 | 8) << 5 | 2 << 19 | 2 << 24 | (2 | 8) << 26 | 2ull << 40,
                        .physical = 0xabc040,
                        .cgroup = 77};
constexpr Access kSecond{
    .ip = 0x10444,
    .pid = 7,
    .tid = 8,
    .address = 0x10410,
    .cpu = 12,
    .from = 0x10450,
    .to = 0x90000,
    .flags = 2 | 8 | 6 << 20 | 2ull << 30,
    .weight = 1,
    .source = 4 | (4 | 0x20) << 5 | 0x10 << 19 | (4ull | 0x10) << 26 | 4ull << 40,
    .physical = 0x1000,
    .cgroup = 88};

class SortKeyValues : public ElfFiles {
 protected:
  void SetUp() override {
    ElfFiles::SetUp();
    if (IsSkipped()) return;
    write_program();
    file_.event({.type = 0, .sample_type = kType, .branch_type = 8 | 1 << 16, .ids = {1}});
    file_.feature(6, BytesOut().string("x86_64").str());
    const std::string trailer = BytesOut().u32(5).u32(6).u64(1).u32(0).u32(0).u64(1).str();
    file_.record(3, BytesOut().u32(5).u32(6).padded("work").raw(trailer).str());
    file_.record(19, BytesOut().u64(77).padded("/a.slice").raw(trailer).str());
    for (const std::uint32_t pid : {5U, 7U})
      file_.record(1,
                   BytesOut()
                       .u32(pid)
                       .u32(pid)
                       .u64(0x10000)
                       .u64(0x1000)
                       .u64(0)
                       .padded(app_)
                       .raw(trailer)
                       .str(),
                   2);
    for (const Access& access : {kFirst, kFirst, kSecond}) add(access);
  }
  /// "value count;" of each row by this key alone.
  std::string rows(SortKey key, const std::vector<std::string>& fields = {}) {
    const Symbols symbols(options());
    Report report({.keys = {key}, .fields = fields, .symbols = &symbols});
    const auto added = report.add(Recording::open(dir_.write("perf.data", file_.file())).value());
    EXPECT_TRUE(added) << added.error().text();
    std::string out;
    for (const Report::Row& row : report.rows())
      out += fmt::format("{} {};", row.keys.at(0), row.samples);
    return out;
  }

  PerfFile file_;
  std::string app_;

 private:
  void write_program() {
    const LineTable lines{
        .files = {{"a.c"}, {"b.h"}},
        .rows = {{kAddress, 1, 1}, {kAddress + 0x40, 2, 9}, {kAddress + 0x80, 1, LineTable::kEnd}}};
    Units units;
    units.add(ranged(DW_TAG_compile_unit, 0, 0x80,
                     {text_at(DW_AT_name, "a.c"), offset_at(DW_AT_stmt_list, 0)}));
    app_ = dir_.write("app", elf_file({.second_size = 0x40,
                                       .sections = {{".debug_info", units.info()},
                                                    {".debug_abbrev", units.abbreviations()},
                                                    {".debug_line", lines.str()}}}));
  }
  void add(const Access& access) {
    BytesOut body;
    body.u64(1).u64(access.ip).u32(access.pid).u32(access.tid).u64(10).u64(access.address);
    body.u32(access.cpu).u32(0).u64(1).u64(access.from).u64(access.to).u64(access.flags);
    body.u64(access.weight).u64(access.source).u64(access.physical).u64(access.cgroup);
    file_.record(9, body.str(), 2);
  }
};

TEST_F(SortKeyValues, OfTwoSamples) {
  const std::map<std::string_view, std::string> expected = {
      {"event", "cycles 3;"},
      {"file", dir_.path("perf.data") + " 3;"},
      {"pmu", "hardware 3;"},
      {"comm", "work 2;:8 1;"},
      {"pid", "5 2;7 1;"},
      {"tid", "6 2;8 1;"},
      {"cpu", "3 2;12 1;"},
      {"cgroup", "/a.slice 2;88 1;"},
      {"state", "- 3;"},  // of waits
      {"sym", "first_function 2;second_function 1;"},
      {"dso", app_ + " 3;"},
      {"srcfile", "a.c 2;b.h 1;"},
      {"srcline", "a.c:1 2;b.h:9 1;"},
      {"op", "LOAD 2;STORE 1;"},
      {"mem", "L1 hit 2;L2 miss 1;"},
      {"snoop", "None 2;HitM 1;"},
      {"tlb", "L1 hit 2;L2 miss 1;"},
      {"locked", "Yes 2;No 1;"},
      {"blocked", "Data 2;Addr 1;"},
      {"simd", "- 3;"},  // of Arm's SPE
      {"latency", "64-127 2;1 1;"},
      {"local_weight", "100 2;1 1;"},
      {"local_ins_lat", "20 2;0 1;"},
      {"local_retire_lat", "30 2;0 1;"},
      {"symbol_daddr", "second_function+0x8 2;first_function+0x10 1;"},
      {"data_sym", "second_function 2;first_function 1;"},
      {"dso_daddr", app_ + " 3;"},
      {"dcacheline", "app+0x440 2;app+0x400 1;"},
      {"phys_daddr", "0xabc040 2;0x1000 1;"},
      {"sym_from", "first_function 2;second_function 1;"},
      {"sym_to", "second_function 2;0x90000 1;"},
      {"dso_from", app_ + " 3;"},
      {"dso_to", app_ + " 2;- 1;"},
      {"srcline_from", "a.c:1 2;b.h:9 1;"},
      {"srcline_to", "b.h:9 2;- 1;"},
      {"addr_from", "first_function+0x8 2;second_function+0x10 1;"},
      {"addr_to", "second_function+0x4 2;0x90000 1;"},
      {"mispredict", "Y 2;N 1;"},
      {"in_tx", "T 2;. 1;"},
      {"abort", ". 2;A 1;"},
      {"cycles", "20 2;- 1;"},
      {"branch_type", "CALL 2;RET 1;"},
      {"priv", "user 2;kernel 1;"},
  };
  std::size_t compared = 0;
  for (const SortKeyInfo& info : sort_keys()) {
    using enum SortKeyInfo::Of;
    if (info.of == tracepoints || info.of == ibs) continue;
    const auto at = expected.find(info.name);
    ASSERT_NE(at, expected.end()) << info.name;
    EXPECT_EQ(rows(info.key), at->second) << info.name;
    ++compared;
  }
  EXPECT_EQ(compared, expected.size());
}

// Two tracepoints; one of them has no such field.
TEST(SortKeys, OfFieldsOfTracepoints) {
  constexpr std::uint64_t kSampled = 0x10000 | 2 | 4 | 1 << 10;  // with TID, TIME and RAW
  PerfFile file;
  file.event({.type = 2, .config = 42, .sample_type = kSampled, .ids = {1}});
  file.event({.type = 2, .config = 43, .sample_type = kSampled, .ids = {2}});
  file.feature(
      1, tracing_data(std::endian::little, "sched", {{42, "sched_switch"}, {43, "sched_waking"}},
                      "\tfield:char comm[4];\toffset:4;\tsize:4;\tsigned:0;\n"
                      "\tfield:int next;\toffset:8;\tsize:4;\tsigned:1;\n"));
  const auto sample = [&](std::uint64_t id, std::string_view comm, std::uint32_t next) {
    BytesOut body;
    body.u64(id).u32(5).u32(5).u64(10).u32(12).u32(42).raw(comm).u32(next);
    file.record(9, body.str());
  };
  for (const std::uint64_t id : {1, 1, 2}) sample(id, std::string_view("ab\0\0", 4), -3);
  sample(1, std::string_view("cd\0\0", 4), 7);
  const TempDir dir;
  const auto recording = Recording::open(dir.write("perf.data", file.file())).value();
  const auto rows = [&](std::string_view field) {
    Report report(
        {.keys = {SortKey::field1, SortKey::field0}, .fields = {"next", std::string(field)}});
    const auto added = report.add(recording);
    if (!added) return added.error().message;
    std::string out = report.is_number(SortKey::field1) ? "number: " : "text: ";
    EXPECT_TRUE(report.is_number(SortKey::field0));
    for (const Report::Row& row : report.rows())
      out += fmt::format("{} {} {};", row.keys[0], row.keys[1], row.samples);
    return out;
  };
  EXPECT_EQ(rows("comm"), "text: ab -3 3;cd 7 1;");
  EXPECT_EQ(rows("sched:sched_switch.comm"), "text: ab -3 2;- -3 1;cd 7 1;");
  EXPECT_EQ(rows("sched_waking.next"), "number: - -3 2;- 7 1;-3 -3 1;");
  EXPECT_EQ(rows("waking.next"), "no key 'waking.next'");
  EXPECT_EQ(rows("none"), "no key 'none'");
}

TEST(SortKeys, SayWhichSamplesHaveThemAndIfTheyAreNumbers) {
  std::map<SortKeyInfo::Of, std::string> names, numbers, others;
  for (const SortKeyInfo& info : sort_keys()) {
    if (info.of == SortKeyInfo::Of::ibs) continue;
    names[info.of] += std::string(info.name) + ' ';
    if (info.is_number) numbers[info.of] += std::string(info.name) + ' ';
    if (!info.other_name.empty())
      others[info.of] += fmt::format("{}={} ", info.other_name, info.name);
  }
  using enum SortKeyInfo::Of;
  EXPECT_EQ(names[samples],
            "event file pmu comm pid tid cpu cgroup state sym dso srcfile srcline ");
  EXPECT_TRUE(names[memory].starts_with("op ") && names[memory].ends_with(" phys_daddr "));
  EXPECT_TRUE(names[branches].starts_with("sym_from ") && names[branches].ends_with(" priv "));
  EXPECT_EQ(names[tracepoints], std::string(8, ' '));
  EXPECT_EQ(numbers[samples], "pid tid cpu ");
  EXPECT_EQ(numbers[memory], "local_weight local_ins_lat local_retire_lat ");
  EXPECT_EQ(numbers[branches], "cycles ");
  EXPECT_EQ(others[samples], "thread=comm function=sym library=dso file:line=srcline ");
  EXPECT_EQ(others.size(), 1u);
}

TEST(SortKeys, AreParsedOnceEach) {
  std::vector<std::string> fields;
  EXPECT_EQ(parse_sort_keys("thread,sym,function,a,b,a,file:line", fields).value(),
            (std::vector{SortKey::comm, SortKey::sym, SortKey::field0, SortKey::field1,
                         SortKey::srcline}));
  EXPECT_EQ(fields, (std::vector<std::string>{"a", "b"}));
  for (const char* word : {"", "1a", "a b", "a\"", "field0,", "a,,b"})
    EXPECT_FALSE(parse_sort_keys(word, fields)) << word;
  fields.clear();
  EXPECT_EQ(parse_sort_keys("a,b,c,d,e,f,g,sched:x.y_Z-9", fields).value().back(), SortKey::field7);
  const auto more = parse_sort_keys("i", fields);
  ASSERT_FALSE(more);
  EXPECT_EQ(more.error().message, "'i': at most 8 fields of tracepoints can be keys");
  const auto unknown = parse_sort_keys("symbol");
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().message, "no key 'symbol'");
  EXPECT_TRUE(unknown.error().hint.starts_with("event, file, pmu, comm, pid, "));
  EXPECT_TRUE(
      unknown.error().hint.ends_with(", branch_type, priv, the fields of annotate that begin with "
                                     "ibs_, and fields of tracepoints"));
}

}  // namespace
}  // namespace evname::keys_test
