// All records, typed: the content and the identity of each, in both byte orders, with and without
// sample_id_all. The bytes follow include/uapi/linux/perf_event.h and, from type 64 on,
// tools/lib/perf/include/perf/event.h; the expected values are those that were written.

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>

#include <fmt/format.h>

#include "base/text.hpp"
#include "evname/decoded.hpp"
#include "evname/recording.hpp"
#include "support/perf_file.hpp"
#include "support/recordings.hpp"

namespace evname::records_test {
namespace {

using test::BytesOut;
using test::PerfFile;

Recording open_bytes(const std::string& bytes) {
  return Recording::open(std::vector<std::uint8_t>(bytes.begin(), bytes.end())).value();
}

std::string words_text(const SampleWords& words) {
  std::string text;
  for (std::size_t i = 0; i < words.size(); ++i)
    text += fmt::format("{}{}", i ? "," : "", words[i]);
  return text;
}

std::string hex(Record::Bytes bytes) { return hex_text(bytes); }

struct Show {
  std::string operator()(const Record::Other& r) const { return "bytes " + hex(r.bytes); }
  std::string operator()(const Sample* r) const { return fmt::format("sample {:x}", *r->ip()); }
  std::string operator()(const Record::Map& r) const {
    return fmt::format("{}/{} {:x}+{:x}@{:x} {}:{} {} {} {} {} {} [{}] {}", r.pid, r.tid, r.start,
                       r.size, r.offset, r.device_major, r.device_minor, r.inode, r.generation,
                       r.protection, r.flags, r.is_data, hex(r.build_id), r.file);
  }
  std::string operator()(const Record::Lost& r) const {
    return fmt::format("id {} lost {}", r.id, r.lost);
  }
  std::string operator()(const Record::Comm& r) const {
    return fmt::format("{}/{} {} {}", r.pid, r.tid, r.is_exec, r.name);
  }
  std::string operator()(const Record::Task& r) const {
    return fmt::format("{}/{} of {}/{} {} at {}", r.pid, r.tid, r.parent_pid, r.parent_tid,
                       r.is_exec, r.time);
  }
  std::string operator()(const Record::Throttle& r) const {
    return fmt::format("{} {} {}", r.time, r.id, r.stream_id);
  }
  std::string operator()(const Record::Read& r) const {
    return fmt::format("{}/{} {}", r.pid, r.tid, words_text(r.values));
  }
  std::string operator()(const Record::Aux& r) const {
    return fmt::format("{:x}+{:x} {}", r.offset, r.size, r.flags);
  }
  std::string operator()(const Record::ItraceStart& r) const {
    return fmt::format("{}/{}", r.pid, r.tid);
  }
  std::string operator()(const Record::LostSamples& r) const {
    return fmt::format("lost {} {}", r.lost, r.by_bpf);
  }
  std::string operator()(const Record::Switch& r) const {
    return fmt::format("{} {} {}/{}", r.is_out, r.is_preempted, r.other_pid, r.other_tid);
  }
  std::string operator()(const Record::Namespaces& r) const {
    return fmt::format("{}/{} {}", r.pid, r.tid, words_text(r.links));
  }
  std::string operator()(const Record::Ksymbol& r) const {
    return fmt::format("{:x}+{} {} {} {} {}", r.address, r.size, r.kind, r.flags, r.is_gone,
                       r.name);
  }
  std::string operator()(const Record::BpfEvent& r) const {
    return fmt::format("{} {} {} {:016x}", r.kind, r.flags, r.id, r.tag);
  }
  std::string operator()(const Record::Cgroup& r) const {
    return fmt::format("{} {}", r.id, r.path);
  }
  std::string operator()(const Record::TextPoke& r) const {
    return fmt::format("{:x} {}>{}", r.address, hex(r.old_bytes), hex(r.new_bytes));
  }
  std::string operator()(const Record::AuxOutputHwId& r) const {
    return fmt::format("{}", r.hw_id);
  }
  std::string operator()(const Record::CallchainDeferred& r) const {
    return fmt::format("{} {}", r.cookie, words_text(r.callchain));
  }
  std::string operator()(const Record::AuxtraceInfo& r) const {
    return fmt::format("{} {}", r.kind, words_text(r.words));
  }
  std::string operator()(const Record::Auxtrace& r) const {
    return fmt::format("{} {} {} {} {} {} [{}]", r.size, r.offset, r.reference, r.index, r.tid,
                       r.cpu, hex(r.data));
  }
  std::string operator()(const Record::AuxtraceError& r) const {
    return fmt::format("{} {} {} {}/{} {:x} at {} {}", r.kind, r.code, r.cpu, r.pid, r.tid,
                       r.address, r.time, r.message);
  }
  std::string operator()(const Record::BuildId& r) const {
    return fmt::format("{} {} {}", r.pid, hex(r.build_id), r.file);
  }
};

constexpr std::uint32_t kNone = UINT32_MAX;  // -1

BytesOut two(std::endian order, std::uint32_t first, std::uint32_t second) {
  BytesOut out(order);
  out.u32(first).u32(second);
  return out;
}
BytesOut range(std::endian order) { return two(order, 5, 6).u64(0x1000).u64(0x2000).u64(0x3000); }
BytesOut twenty(BytesOut out) {
  for (std::uint8_t i = 1; i <= 20; ++i) out.u8(i);
  return out;
}
BytesOut error_of(std::endian order, std::uint32_t format) {
  return two(order, 1, 7).u32(2).u32(5).u32(6).u32(format).u64(0x77);
}

struct Row {
  std::uint32_t type;
  std::uint16_t misc;
  BytesOut (*body)(std::endian order);
  const char* shown;
};

using Order = std::endian;
const Row kRows[] = {
    {1, 0, [](Order o) { return range(o).padded("/bin/a"); },
     "5/6 1000+2000@3000 0:0 0 0 4 0 false [] /bin/a"},
    {1, 1 << 13, [](Order o) { return range(o).padded("//anon"); },
     "5/6 1000+2000@3000 0:0 0 0 0 0 true [] //anon"},
    {1, 0,
     [](Order o) { return two(o, kNone, 0).u64(1).u64(2).u64(3).padded("[kernel.kallsyms]"); },
     "-1/0 1+2@3 0:0 0 0 4 0 false [] [kernel.kallsyms]"},
    {10, 0,
     [](Order o) {
       return range(o).u32(253).u32(1).u64(77).u64(88).u32(5).u32(2).padded("/bin/a");
     },
     "5/6 1000+2000@3000 253:1 77 88 5 2 false [] /bin/a"},
    {10, 1 << 14,
     [](Order o) { return twenty(range(o).u8(4).pad(3)).u32(5).u32(2).padded("/bin/a"); },
     "5/6 1000+2000@3000 0:0 0 0 5 2 false [01020304] /bin/a"},
    {10, 1 << 14,
     [](Order o) { return twenty(range(o).u8(20).pad(3)).u32(5).u32(2).padded("/bin/a"); },
     "5/6 1000+2000@3000 0:0 0 0 5 2 false [0102030405060708090a0b0c0d0e0f1011121314] /bin/a"},
    {2, 0, [](Order o) { return BytesOut(o).u64(3).u64(44); }, "id 3 lost 44"},
    {3, 0, [](Order o) { return two(o, 5, 6).padded("work"); }, "5/6 false work"},
    {3, 1 << 13, [](Order o) { return two(o, 5, 6).padded("exactly8"); }, "5/6 true exactly8"},
    {7, 0, [](Order o) { return two(o, 7, 5).u32(8).u32(6).u64(9); }, "7/8 of 5/6 false at 9"},
    {7, 1 << 13, [](Order o) { return two(o, 7, 5).u32(8).u32(6).u64(9); }, "7/8 of 5/6 true at 9"},
    {4, 0, [](Order o) { return two(o, 7, 5).u32(8).u32(6).u64(9); }, "7/8 of 5/6 false at 9"},
    {5, 0, [](Order o) { return BytesOut(o).u64(9).u64(3).u64(4); }, "9 3 4"},
    {6, 0, [](Order o) { return BytesOut(o).u64(9).u64(3).u64(4); }, "9 3 4"},
    {8, 0, [](Order o) { return two(o, 5, 6).u64(100).u64(200); }, "5/6 100,200"},
    {11, 0, [](Order o) { return BytesOut(o).u64(0x100).u64(0x20).u64(5); }, "100+20 5"},
    {12, 0, [](Order o) { return two(o, 5, 6); }, "5/6"},
    {13, 0, [](Order o) { return BytesOut(o).u64(44); }, "lost 44 false"},
    {13, 1 << 15, [](Order o) { return BytesOut(o).u64(44); }, "lost 44 true"},
    {14, 0, [](Order o) { return BytesOut(o); }, "false false -1/-1"},
    {14, 3 << 13, [](Order o) { return BytesOut(o); }, "true true -1/-1"},
    {15, 1 << 13, [](Order o) { return two(o, 7, 8); }, "true false 7/8"},
    {16, 0, [](Order o) { return two(o, 5, 6).u64(2).u64(1).u64(11).u64(2).u64(22); },
     "5/6 1,11,2,22"},
    {16, 0, [](Order o) { return two(o, 5, 6).u64(99).u64(1).u64(11); }, nullptr},
    {17, 0,
     [](Order o) { return BytesOut(o).u64(0xc000).u32(64).u16(1).u16(1).padded("bpf_prog"); },
     "c000+64 1 1 true bpf_prog"},
    {18, 0,
     [](Order o) {
       return BytesOut(o).u16(1).u16(2).u32(33).raw("\x01\x23\x45\x67\x89\xab\xcd\xef");
     },
     "1 2 33 0123456789abcdef"},
    {19, 0, [](Order o) { return BytesOut(o).u64(42).padded("/user.slice"); }, "42 /user.slice"},
    {20, 0, [](Order o) { return BytesOut(o).u64(0xc000).u16(2).u16(3).raw("abxyz").pad(7); },
     "c000 6162>78797a"},
    {20, 0, [](Order o) { return BytesOut(o).u64(0xc000).u16(0).u16(3).raw("xyz").pad(1); },
     "c000 >78797a"},
    {21, 0, [](Order o) { return BytesOut(o).u64(7); }, "7"},
    {22, 0, [](Order o) { return BytesOut(o).u64(9).u64(2).u64(0x10).u64(0x20); }, "9 16,32"},
    {67, 1 << 15,
     [](Order o) { return twenty(BytesOut(o).u32(kNone)).u8(4).pad(3).padded("/bin/a"); },
     "-1 01020304 /bin/a"},
    {67, 0, [](Order o) { return twenty(BytesOut(o).u32(5)).pad(4).padded("/bin/a"); },
     "5 0102030405060708090a0b0c0d0e0f1011121314 /bin/a"},
    {70, 0, [](Order o) { return two(o, 1, 0).u64(8).u64(9); }, "1 8,9"},
    {72, 0, [](Order o) { return error_of(o, 1).u64(99).padded("bad packet").pad(48); },
     "1 7 2 5/6 77 at 99 bad packet"},
    {72, 0, [](Order o) { return error_of(o, 0).padded("bad packet").pad(48); },
     "1 7 2 5/6 77 at 0 bad packet"},
    {68, 0, [](Order o) { return BytesOut(o); }, "bytes "},
    {79, 0, [](Order o) { return BytesOut(o).raw("timeconv"); }, "bytes 74696d65636f6e76"},
    {200, 0, [](Order o) { return BytesOut(o).raw("whatever"); }, "bytes 7768617465766572"},
    // Too short for their types:
    {2, 0, [](Order o) { return BytesOut(o).u64(3); }, nullptr},
    {18, 0, [](Order o) { return BytesOut(o).u64(3); }, nullptr},
    {22, 0, [](Order o) { return BytesOut(o).u64(9).u64(2).u64(0x10); }, nullptr},
};

/// Returns the records of a file with this one, whose event samples IP, TID, TIME, ID and CPU.
std::string records_of(const Row& row, std::endian order, bool has_identity, bool in_pipe) {
  constexpr std::uint64_t kSampled = 1 | 2 | 4 | 64 | 128;
  PerfFile file(order);
  file.event({.type = 1,
              .sample_type = kSampled,
              .flags = has_identity ? std::vector<int>{18} : std::vector<int>{},
              .ids = {3}});
  BytesOut body = row.body(order);
  if (has_identity && row.type < 64) body.u32(50).u32(60).u64(1000).u64(3).u32(2).u32(0);
  file.record(row.type, body.str(), row.misc);
  const auto opened = open_bytes(in_pipe ? file.pipe() : file.file());
  std::string text;
  SampleRange range = opened.samples();
  while (const Record* record = range.next_record()) {
    if (record->type == 64) continue;  // ATTR of a pipe
    EXPECT_EQ(record->misc, row.misc);
    text += std::visit(Show(), record->content);
    if (record->event) text += " e" + record->event->recorded_name;
    if (record->pid) text += fmt::format(" in {}/{}", *record->pid, *record->tid);
    if (record->time)
      text += fmt::format(" at {} id {} cpu {}", *record->time, *record->id, *record->cpu);
  }
  return text;
}

TEST(Records, HaveTheContentAndTheIdentityThatWasWritten) {
  for (const Row& row : kRows)
    for (const std::endian order : {std::endian::little, std::endian::big})
      for (const bool has_identity : {true, false})
        for (const bool in_pipe : {true, false}) {
          if (row.shown == nullptr) continue;
          const bool is_kernels = row.type < 64;
          const std::string expected =
              row.shown + std::string(is_kernels ? " ecpu-clock" : "") +
              (is_kernels && has_identity ? " in 50/60 at 1000 id 3 cpu 2" : "");
          EXPECT_EQ(records_of(row, order, has_identity, in_pipe), expected)
              << row.type << (order == std::endian::big ? " big" : " little") << has_identity
              << in_pipe;
        }
}

TEST(Records, ThatAreTooShortAreBytes) {
  for (const Row& row : kRows) {
    if (row.shown != nullptr || row.type == 16) continue;
    EXPECT_EQ(records_of(row, std::endian::little, false, false).substr(0, 6), "bytes ")
        << row.type;
  }
}

// The count of a NAMESPACES record may be a lie.
TEST(Records, HaveNoMoreItemsThanBytes) {
  for (const Row& row : kRows) {
    if (row.shown != nullptr || row.type != 16) continue;
    EXPECT_EQ(records_of(row, std::endian::big, false, false), "5/6 1,11 ecpu-clock");
  }
}

TEST(Records, OfTracesHaveTheirData) {
  PerfFile file;
  file.event({.type = 1, .sample_type = 1});
  file.record(71, BytesOut().u64(8).u64(16).u64(3).u32(1).u32(kNone).u32(2).u32(0).str())
      .raw("tracedat")
      .record(68, "");
  SampleRange range = open_bytes(file.file()).samples();
  const Record* const record = range.next_record();
  ASSERT_TRUE(record && record->as<Record::Auxtrace>());
  EXPECT_EQ(Show()(*record->as<Record::Auxtrace>()), "8 16 3 1 -1 2 [7472616365646174]");
  ASSERT_TRUE(range.next_record());
  EXPECT_EQ(range.next_record(), nullptr);
}

/// Records of two events out of order; the identity of the second has id 8.
PerfFile several() {
  PerfFile file;
  for (const std::uint64_t id : {7, 8})
    file.event({.type = 1, .config = id - 7, .sample_type = 1 | 4 | (1 << 16), .ids = {id}});
  file.record(9, BytesOut().u64(8).u64(0xa).u64(30).str());
  file.record(3, BytesOut().u32(5).u32(6).padded("work").u64(20).u64(8).str());
  file.record(9, BytesOut().u64(7).u64(0xb).u64(10).str());
  file.record(9, BytesOut().u64(99).u64(0xc).u64(15).str());  // of no event
  file.record(13, BytesOut().u64(2).u64(5).u64(99).str());    // of no event
  return file;
}

std::string all(SampleRange range) {
  std::string text;
  while (const Record* record = range.next_record())
    text += std::visit(Show(), record->content) +
            (record->event ? fmt::format(" e{}", record->event->attr) : " ?") +
            (record->time ? fmt::format("@{}; ", *record->time) : "; ");
  return text;
}

TEST(Records, ComeInOrderOfTimeOrOfTheFile) {
  const Recording file = open_bytes(several().file());
  EXPECT_EQ(all(file.samples()),
            "lost 2 false ?; sample b e0@10; 5/6 false work e1@20; sample a e1@30; ");
  EXPECT_EQ(all(file.samples({.file_order = true})),
            "sample a e1@30; 5/6 false work e1@20; sample b e0@10; lost 2 false ?; ");
}

// next() and next_record() move the same pass.
TEST(Records, AndSamplesMayBeMixed) {
  const Recording file = open_bytes(several().file());
  SampleRange range = file.samples({.file_order = true});
  EXPECT_EQ(range.next()->ip(), 0xau);
  EXPECT_TRUE(range.next_record()->as<Record::Comm>());
  EXPECT_EQ(range.next()->ip(), 0xbu);
  range.stop();
  EXPECT_EQ(range.next_record(), nullptr);
  EXPECT_EQ(range.tally().samples, 2u);
}

/// Returns the counts of perf report --stats, by the names of types.
std::map<std::string, std::uint64_t> counts_of_perf(const std::string& stats) {
  std::map<std::string, std::uint64_t> counts;
  const std::string_view all = std::string_view(stats).substr(0, stats.find("stats:\n", 20));
  for (std::string_view line : split(all, '\n')) {
    const auto at = line.find(" events:");
    if (at == line.npos || line.find("TOTAL") != line.npos) continue;
    const std::string_view count = trim(line.substr(at + 8));
    counts[std::string(trim(line.substr(0, at)))] =
        parse_decimal(count.substr(0, count.find(' '))).value_or(0);
  }
  return counts;
}

TEST(Records, AreAsManyOfEachTypeAsPerfCounts) {
  if (test::shared_dir().empty()) GTEST_SKIP() << "EVNAME_SHARED is not set";
  std::size_t compared = 0;
  for (const std::string& path : test::all_recordings()) {
    const auto expected =
        counts_of_perf(test::read_all(path.substr(0, path.size() - 5) + ".stats.txt"));
    const auto file = Recording::open(path);
    const bool has_values =  // perf counts the records
        file && std::ranges::any_of(file->events(), [&](const RecordedEvent& event) {
          return file->attr(event.attr).samples(perf_format::kSampleRead);
        });
    if (!file || expected.empty() || has_values) continue;
    std::map<std::string, std::uint64_t> counted;
    SampleRange range = file->samples();
    while (const Record* record = range.next_record()) {
      ++counted[std::string(record_name(record->type))];
      const bool is_known = !record->as<Record::Other>();
      EXPECT_EQ(is_known, record->type < 64 || (record->type >= 70 && record->type <= 72) ||
                              record->type == 67)
          << path << record->type;
    }
    for (const auto& [name, count] : expected) {
      if (name.ends_with("COMPRESSED") || name.ends_with("COMPRESSED2")) continue;
      EXPECT_EQ(counted[name], count) << path << " " << name;
      ++compared;
    }
  }
  EXPECT_GT(compared, 200u);
}

// Of the bits of union perf_mem_data_src and struct perf_branch_entry.
TEST(Decoded, DataSourceHasItsPartsAndTheTextsOfPerf) {
  const DataSource load(0x2 | 0xau << 5 | 1u << 20 | 0x1au << 26);
  EXPECT_EQ(load.op, 2u);
  EXPECT_EQ(load.level, 0xau);  // hit, L1
  EXPECT_EQ(load.snoop, 2u);
  EXPECT_EQ(load.tlb, 0x1au);  // hit, L1, L2
  EXPECT_EQ(load.text(), "|OP LOAD|LVL L1 hit|SNP None|TLB L1 or L2 hit|LCK No|BLK  N/A");
  const DataSource far(0x4 | 4u << 5 | 0x10u << 19 | 2u << 24 | std::uint64_t{13} << 33 |
                       std::uint64_t{1} << 37 | std::uint64_t{2} << 38 | std::uint64_t{6} << 40 |
                       std::uint64_t{3} << 43 | std::uint64_t{7} << 46);
  EXPECT_EQ(far.op_text(), "STORE");
  EXPECT_EQ(far.level_number, 13u);
  EXPECT_EQ(far.hops, 3u);
  EXPECT_EQ(far.remote, 1u);
  EXPECT_EQ(far.level_text(), "Remote socket, same board RAM miss");
  EXPECT_EQ(far.snoop_text(), "HitM or Peer");
  EXPECT_EQ(far.lock_text(), "Yes");
  EXPECT_EQ(far.blocked_text(), " Data Addr");
  EXPECT_EQ(far.text().substr(far.text().rfind('|')), "|REG MMIO");
}

TEST(Decoded, BranchHasItsFlagsAndTheTextsOfPerf) {
  const Branch call(1, 2, 0x2 | 7u << 4 | 4u << 20 | 3u << 24 | std::uint64_t{2} << 30);
  EXPECT_TRUE(call.predicted && !call.mispredicted && !call.abort && !call.in_transaction);
  EXPECT_EQ(call.cycles, 7u);
  EXPECT_EQ(call.type, 4u);
  EXPECT_EQ(call.speculation_text(), "SPEC_CORRECT_PATH");
  EXPECT_EQ(call.privilege_text(), "kernel");
  EXPECT_EQ(call.text(), "/P/-/-/7/CALL/SPEC_CORRECT_PATH");
  const Branch other(1, 2, 0x1 | 4 | 8 | 15u << 20 | 5u << 26 | std::uint64_t{1} << 33);
  EXPECT_EQ(other.text("aarch64"), "/MN/X/A/0/ARM64_DEBUG_EXIT/-");
  EXPECT_EQ(other.text("x86_64"), "/MN/X/A/0/ARCH_3/-");
}

/// TRACING_DATA with the format of one tracepoint.
std::string tracing_data(std::endian order) {
  const std::string format =
      "name: switch\nID: 7\nformat:\n"
      "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n\n"
      "\tfield:int prio;\toffset:4;\tsize:4;\tsigned:1;\n"
      "\tfield:unsigned long state;\toffset:8;\tsize:8;\tsigned:0;\n"
      "\tfield:char comm[8];\toffset:16;\tsize:8;\tsigned:0;\n"
      "\tfield:s16 pair[2];\toffset:24;\tsize:4;\tsigned:1;\n"
      "\tfield:__data_loc char[] name;\toffset:28;\tsize:4;\tsigned:0;\n";
  BytesOut out(order);
  out.raw("\x17\x08\x44tracing").raw(std::string_view("0.6\0", 4));
  out.u8(order == std::endian::big).u8(8).u32(4096);
  out.raw(std::string_view("header_page\0", 12)).u64(2).raw("ab");
  out.raw(std::string_view("header_event\0", 13)).u64(0);
  out.u32(0).u32(1).raw(std::string_view("sched\0", 6)).u32(1).u64(format.size()).raw(format);
  return out.str();
}

class Fields : public testing::TestWithParam<std::endian> {};
INSTANTIATE_TEST_SUITE_P(Orders, Fields, testing::Values(std::endian::little, std::endian::big));

TEST_P(Fields, OfTracepointsHaveTypes) {
  PerfFile input(GetParam());
  input.event({.type = 2, .config = 7, .sample_type = 1 << 10});
  input.feature(1, tracing_data(GetParam()));
  BytesOut raw(GetParam());
  raw.u16(7).u16(0).u32(static_cast<std::uint32_t>(-20)).u64(1ull << 63).raw("work").pad(4);
  raw.u16(static_cast<std::uint16_t>(-1))
      .u16(2)
      .u32(4 << 16 | 32)
      .raw(std::string_view("abc\0", 4));
  input.record(9,
               input.out().u32(static_cast<std::uint32_t>(raw.size())).raw(raw.str()).pad(4).str());
  input.record(9, input.out().u32(12).raw(raw.str().substr(0, 12)).str());
  const Recording file = open_bytes(input.file());
  SampleRange range = file.samples();
  const Sample* sample = range.next();
  ASSERT_TRUE(sample);
  EXPECT_EQ(sample->field("prio"), TraceValue(std::int64_t{-20}));
  EXPECT_EQ(sample->field("state"), TraceValue(std::uint64_t{1} << 63));
  EXPECT_EQ(sample->field("comm"), TraceValue(std::string_view("work")));
  EXPECT_EQ(sample->field("pair"), TraceValue(std::vector<std::int64_t>{-1, 2}));
  EXPECT_EQ(sample->field("name"), TraceValue(std::string_view("abc")));
  EXPECT_EQ(sample->field("common_type"), TraceValue(std::uint64_t{7}));
  EXPECT_EQ(sample->field("other"), std::nullopt);
  sample = range.next();
  ASSERT_TRUE(sample);
  EXPECT_EQ(sample->field("prio"), TraceValue(std::int64_t{-20}));
  EXPECT_EQ(sample->field("state"), std::nullopt);
}

}  // namespace
}  // namespace evname::records_test
