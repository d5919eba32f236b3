// Lines that threads share: the counts of c2c_decode_stats() of tools/perf/util/mem-events.c, and
// the lines of tools/perf/builtin-c2c.c.

#include <gtest/gtest.h>

#include <fmt/format.h>
#include <linux/perf_event.h>

#include <algorithm>

#include "evname/report.hpp"
#include "recordings/report/detailed_report.hpp"
#include "support/perf_file.hpp"
#include "support/temp_dir.hpp"

namespace evname::sharing_test {
namespace {

using test::BytesOut;
using test::PerfFile;

constexpr std::uint64_t kLoad = PERF_MEM_S(OP, LOAD), kStore = PERF_MEM_S(OP, STORE),
                        kHit = PERF_MEM_S(LVL, HIT), kMiss = PERF_MEM_S(LVL, MISS),
                        kL1 = PERF_MEM_S(LVL, L1), kLfb = PERF_MEM_S(LVL, LFB),
                        kL2 = PERF_MEM_S(LVL, L2), kL3 = PERF_MEM_S(LVL, L3),
                        kRam = PERF_MEM_S(LVL, LOC_RAM), kFar1 = PERF_MEM_S(LVL, REM_RAM1),
                        kFar2 = PERF_MEM_S(LVL, REM_RAM2), kCache1 = PERF_MEM_S(LVL, REM_CCE1),
                        kCache2 = PERF_MEM_S(LVL, REM_CCE2), kIo = PERF_MEM_S(LVL, IO),
                        kUncached = PERF_MEM_S(LVL, UNC), kNa = PERF_MEM_S(LVL, NA),
                        kShared = PERF_MEM_S(SNOOP, HIT), kModified = PERF_MEM_S(SNOOP, HITM),
                        kNone = PERF_MEM_S(SNOOP, NONE), kPeer = PERF_MEM_S(SNOOPX, PEER),
                        kRemote = PERF_MEM_S(REMOTE, REMOTE), kLocked = PERF_MEM_S(LOCK, LOCKED),
                        kOneHop = std::uint64_t{1} << PERF_MEM_HOPS_SHIFT,
                        kBlockedData = std::uint64_t{2} << 40,
                        kBlockedAddress = std::uint64_t{4} << 40;

class SharingReports : public testing::Test {
 protected:
  SharingReports() {
    // IP, TID, TIME, ADDR, CPU, WEIGHT, DATA_SRC
    file_.event(
        {.type = 4, .config = 0x1cd, .sample_type = 1 | 2 | 4 | 8 | 128 | 1 << 14 | 1 << 15});
  }
  void access(std::uint64_t source, std::uint64_t address = 0x1000, std::uint64_t weight = 0,
              std::uint32_t tid = 5, std::uint32_t cpu = 0, std::uint64_t ip = 0x401000) {
    file_.record(9,
                 BytesOut()
                     .u64(ip)
                     .u32(5)
                     .u32(tid)
                     .u64(time_ += 10)
                     .u64(address)
                     .u32(cpu)
                     .u32(0)
                     .u64(weight)
                     .u64(source)
                     .str(),
                 2);
  }
  report::Sharing sharing(std::optional<report::Contention> by = {}) {
    report::DetailedReport report({}, {.sharing = true});
    EXPECT_TRUE(report.add(*Recording::open(dir_.write("perf.data", file_.file()))));
    return report.sharing(by);
  }
  /// "NAME NAME=2" of what was counted, without what every access here counts as.
  static std::string text(const report::AccessCounts& counts) {
    std::string out;
    for (const report::AccessCount& one : report::access_counts()) {
      const std::uint64_t value = counts.*one.member;
      if (value == 0 || one.name == "records" || one.name == "unmapped") continue;
      out += (out.empty() ? "" : " ") + std::string(one.name);
      if (value > 1) out += fmt::format("={}", value);
    }
    return out;
  }

  PerfFile file_;
  std::uint64_t time_ = 0;
  test::TempDir dir_;
};

TEST_F(SharingReports, WhatAnAccessCountsAs) {
  const struct {
    std::uint64_t source;
    const char* counts;
    std::uint64_t address = 0x1000;
  } cases[] = {
      {kLoad | kHit | kL1, "loads load_l1"},
      {kLoad | kHit | kL1 | kModified, "loads load_l1"},
      {kLoad | kMiss | kL1, "loads load_miss"},
      {kLoad | kHit | kLfb, "loads load_fill_buffer"},
      {kLoad | kHit | kL2 | kNone, "loads load_l2"},
      {kLoad | kHit | kL2 | kModified, "loads local_hitm"},
      {kLoad | kHit | kL2 | kPeer, "loads load_l2 local_peer"},
      {kLoad | kHit | kL2 | kModified | kPeer, "loads local_hitm local_peer"},
      {kLoad | kHit | kL3, "loads load_llc"},
      {kLoad | kHit | kL3 | kShared, "loads load_llc"},
      {kLoad | kHit | kL3 | kModified, "loads local_hitm"},
      {kLoad | kHit | kL3 | kPeer, "loads load_llc local_peer"},
      {kLoad | kHit | kRam | kNone, "loads local_dram dram_exclusive"},
      {kLoad | kHit | kRam | kShared, "loads local_dram dram_shared"},
      {kLoad | kHit | kFar1, "loads remote_dram dram_exclusive"},
      {kLoad | kHit | kFar2 | kShared, "loads remote_dram dram_shared"},
      {kLoad | kMiss | kRam, "loads load_miss"},
      {kLoad | kHit | kIo, "loads load_io"},
      {kLoad | kHit | kUncached, "loads load_uncached"},
      {kLoad | kHit | kCache1 | kShared, "loads remote_hit"},
      {kLoad | kHit | kCache1 | kModified, "loads remote_hitm"},
      {kLoad | kCache2 | kModified, "loads remote_hitm"},
      {kLoad | kCache2 | kPeer, "loads remote_peer remote_hit"},
      {kLoad | kCache2 | kPeer | kModified, "loads remote_hitm"},
      {kLoad | kCache2, "loads"},
      {kLoad | kHit | kL3 | kRemote | kModified,
       "loads local_hitm remote_hitm remote_dram dram_exclusive"},
      {kLoad | kHit | kL3 | kRemote | kOneHop | kModified, "loads local_hitm"},  // POWER
      {kLoad | kRemote | kShared, "loads remote_hit"},
      {kLoad | kHit | kL1 | kLocked, "locked loads load_l1"},
      {kLoad | kHit | kL1 | kBlockedData, "loads load_l1 blocked_data"},
      {kLoad | kHit | kL1 | kBlockedAddress, "loads load_l1 blocked_address"},
      {kLoad | kHit | kL1, "loads load_no_address", 0},
      {kLoad | kHit | kL3 | kModified, "loads load_no_address", 0},
      {kStore | kHit | kL1, "stores store_l1_hit"},
      {kStore | kMiss | kL1, "stores store_l1_miss"},
      {kStore | kHit | kUncached, "stores store_uncached"},
      {kStore | kMiss | kUncached, "stores"},
      {kStore | kNa, "stores store_no_level"},
      {kStore | kHit | kL2, "stores"},
      {kStore | kHit | kL1 | kLocked, "locked stores store_l1_hit"},
      {kStore | kHit | kL1, "stores store_no_address", 0},
      {kLoad | kStore | kHit | kL1, "loads load_l1"},
      {PERF_MEM_S(OP, PFETCH) | kHit | kL1, "unparsed"},
      {PERF_MEM_S(OP, NA), "unparsed"},
  };
  for (const auto& c : cases) {
    file_ = PerfFile();
    file_.event(
        {.type = 4, .config = 0x1cd, .sample_type = 1 | 2 | 4 | 8 | 128 | 1 << 14 | 1 << 15});
    access(c.source, c.address);
    const report::Sharing made = sharing();
    EXPECT_EQ(text(made.all), c.counts) << std::hex << c.source;
    EXPECT_EQ(made.all.records, 1);
    EXPECT_EQ(made.all.unmapped, text(made.all).find("no_address") == std::string::npos &&
                                         text(made.all).find("unparsed") == std::string::npos
                                     ? 1
                                     : 0)
        << std::hex << c.source;
    const bool is_shared = made.all.hitm() + made.all.peer() > 0;
    EXPECT_EQ(text(made.shared), is_shared ? c.counts : "");
    EXPECT_EQ(made.shared_lines, is_shared ? 1 : 0);
  }
}

TEST_F(SharingReports, LinesByEachContention) {
  // Line 0x1000: 2 local HITMs; 0x2000: 1 remote and 2 local; 0x3000: 4 peers; 0x4000: a store of
  // one thread and a load of another.
  for (int i = 0; i < 2; ++i) access(kLoad | kHit | kL3 | kModified, 0x1000);
  access(kLoad | kCache1 | kModified, 0x2000);
  for (int i = 0; i < 2; ++i) access(kLoad | kHit | kL3 | kModified, 0x2010);
  for (int i = 0; i < 4; ++i) access(kLoad | kCache1 | kPeer, 0x3000);
  access(kStore | kHit | kL1, 0x4000, 0, 5);
  access(kLoad | kHit | kL1, 0x4008, 0, 6);
  access(kStore | kHit | kL1, 0x5000, 0, 5);
  access(kLoad | kHit | kL1, 0x6000, 0, 5);
  access(kLoad | kHit | kL1, 0x6000, 0, 6);
  const struct {
    std::optional<report::Contention> by;
    const char* lines;
  } cases[] = {{std::nullopt, "0x2000 0x1000"},
               {report::Contention::hitm, "0x2000 0x1000"},
               {report::Contention::local_hitm, "0x1000 0x2000"},
               {report::Contention::remote_hitm, "0x2000"},
               {report::Contention::peer, "0x3000"},
               {report::Contention::threads, "0x4000"}};
  for (const auto& c : cases) {
    const report::Sharing made = sharing(c.by);
    std::string lines;
    for (const report::SharedLine& line : made.lines)
      lines += (lines.empty() ? "" : " ") + line.place;
    EXPECT_EQ(lines, c.lines) << static_cast<int>(made.by);
    EXPECT_EQ(made.shared_lines, 3);
    EXPECT_EQ(made.left_out, 0);
    EXPECT_EQ(text(made.shared), "loads=9 local_hitm=4 remote_hitm remote_peer=4 remote_hit=4");
    for (const report::SharedLine& line : made.lines)
      EXPECT_EQ(line.threads, line.place == "0x4000" ? 2 : 1) << line.place;
  }
}

// What the CPU reports decides: without HITMs peers, without both the threads.
TEST_F(SharingReports, ContentionThatIsTold) {
  access(kStore | kHit | kL1, 0x4000, 0, 5);
  access(kLoad | kHit | kL1, 0x4008, 0, 6);
  EXPECT_EQ(sharing().by, report::Contention::threads);
  access(kLoad | kCache1 | kPeer, 0x3000);
  EXPECT_EQ(sharing().by, report::Contention::peer);
  access(kLoad | kHit | kL3 | kModified, 0x1000);
  EXPECT_EQ(sharing().by, report::Contention::hitm);
}

// Less than a thousandth of all is left out, as in perf c2c.
TEST_F(SharingReports, RareLines) {
  for (int i = 0; i < 1998; ++i) access(kLoad | kHit | kL3 | kModified, 0x1000);
  for (int i = 0; i < 2; ++i) access(kLoad | kHit | kL3 | kModified, 0x2000);
  EXPECT_EQ(sharing().lines.size(), 2);
  EXPECT_EQ(sharing().left_out, 0);
  access(kLoad | kHit | kL3 | kModified, 0x3000);
  EXPECT_EQ(sharing().lines.size(), 1);  // 2 of 2001 are less
  EXPECT_EQ(sharing().left_out, 2);
  EXPECT_EQ(sharing().shared_lines, 3);
}

// CLN_SIZE of the recording is the size of a line, if CPUs have such lines; else Linux's size.
TEST_F(SharingReports, SizesOfLines) {
  const struct {
    const char* arch;
    std::uint32_t size;
    std::uint64_t expected;
  } cases[] = {{"x86_64", 0, 64},    {"x86_64", 16, 16},     {"x86_64", 32, 32},
               {"x86_64", 128, 128}, {"x86_64", 4096, 4096}, {"x86_64", 8192, 64},
               {"x86_64", 8, 64},    {"x86_64", 48, 64},     {"ppc64le", 0, 128},
               {"s390x", 0, 256},    {"s390x", 64, 64}};
  for (const auto& c : cases) {
    file_ = PerfFile();
    file_.event(
        {.type = 4, .config = 0x1cd, .sample_type = 1 | 2 | 4 | 8 | 128 | 1 << 14 | 1 << 15});
    file_.feature(6, BytesOut().string(c.arch).str());
    if (c.size != 0) file_.feature(34, BytesOut().u32(c.size).str());
    access(kLoad | kHit | kL3 | kModified, 0x10000 + 2 * c.expected - 1);
    const report::Sharing made = sharing();
    ASSERT_EQ(made.lines.size(), 1);
    EXPECT_EQ(made.lines[0].address, 0x10000 + c.expected) << c.arch << c.size;
    EXPECT_EQ(made.lines[0].accesses[0].offset, c.expected - 1) << c.arch << c.size;
  }
}

// A line has a row for each place, instruction and thread, with the mean weights of each outcome.
TEST_F(SharingReports, AccessesOfALine) {
  file_.feature(14, BytesOut()
                        .u32(2)
                        .u32(0)
                        .u64(1)
                        .u64(1)
                        .string("0-1")
                        .u32(1)
                        .u64(1)
                        .u64(1)
                        .string("2-3")
                        .str());
  constexpr std::uint64_t kLocalHitm = kLoad | kHit | kL3 | kModified,
                          kRemoteHitm = kLoad | kCache1 | kModified, kPlain = kLoad | kHit | kL1;
  access(kLocalHitm, 0x1010, 100, 5, 3, 0x402000);
  access(kLocalHitm, 0x1010, 50, 5, 0, 0x402000);
  access(kRemoteHitm, 0x1010, 300, 5, 3, 0x402000);
  access(kPlain, 0x1010, 7, 5, 1, 0x402000);
  access(kPlain, 0x1010, 9, 6, 2, 0x402000);
  access(kStore | kHit | kL1, 0x1008, 0, 6, 9, 0x402000);
  access(kPlain, 0x1010, 1, 5, 0, 0x401000);
  access(kLoad | kHit | kL3 | kPeer, 0x1018, 20, 5, 0);
  access(kLoad | kCache1 | kPeer, 0x1018, 40, 5, 0);
  const report::Sharing made = sharing();
  ASSERT_EQ(made.lines.size(), 1);
  const report::SharedLine& line = made.lines[0];
  EXPECT_EQ(line.address, 0x1000);
  EXPECT_EQ(line.threads, 2);
  std::string rows;
  for (const report::LineAccess& one : line.accesses) {
    const auto list = [](const auto& numbers) {
      return fmt::format("{}", fmt::join(numbers, ","));
    };
    rows += fmt::format("{:x} {:x} {}/{} {} cpus {} nodes {}:", one.offset, one.ip, one.pid,
                        one.tid, one.comm, list(one.cpus), list(one.nodes));
    for (const report::MeanWeight* mean :
         {&one.remote_hitm, &one.local_hitm, &one.remote_peer, &one.local_peer, &one.load})
      rows += fmt::format(" {}/{}", mean->sum, mean->samples);
    rows += '\n';
  }
  EXPECT_EQ(rows,
            "8 402000 5/6 :6 cpus 9 nodes : 0/0 0/0 0/0 0/0 0/0\n"
            "10 401000 5/5 :5 cpus 0 nodes 0: 0/0 0/0 0/0 0/0 1/1\n"
            "10 402000 5/5 :5 cpus 0,1,3 nodes 0,1: 300/1 150/2 0/0 0/0 7/1\n"
            "10 402000 5/6 :6 cpus 2 nodes 1: 0/0 0/0 0/0 0/0 9/1\n"
            "18 401000 5/5 :5 cpus 0 nodes 0: 0/0 0/0 40/1 20/1 0/0\n");
  EXPECT_EQ(line.accesses[2].local_hitm.mean(), 75);
  EXPECT_EQ(line.accesses[0].load.mean(), 0);
}

// CPU 3 is on another node of each machine, or on none that is known; and their clocks differ.
TEST_F(SharingReports, NodesAndTimesAreThoseOfEachRecording) {
  constexpr std::uint64_t kContended = kLoad | kHit | kL3 | kModified;
  const auto nodes = [](const char* of_first, const char* of_second) {
    BytesOut out;
    out.u32(2).u32(0).u64(1).u64(1).string(of_first).u32(1).u64(1).u64(1).string(of_second);
    return out.str();
  };
  const struct {
    std::uint64_t line, time;
    std::string numa;
    std::vector<std::uint32_t> nodes;
  } files[] = {{0x1000, 0, nodes("0-1", "2-3"), {1}},
               {0x2000, 1'000'000'000'000, "", {}},
               {0x3000, 5'000'000, nodes("2-3", "0-1"), {0}}};
  report::DetailedReport report({}, {.grid = true, .sharing = true});
  for (const auto& file : files) {
    file_ = PerfFile();
    file_.event(
        {.type = 4, .config = 0x1cd, .sample_type = 1 | 2 | 4 | 8 | 128 | 1 << 14 | 1 << 15});
    if (!file.numa.empty()) file_.feature(14, file.numa);
    time_ = file.time;
    access(kContended, file.line, 10, 5, 3);
    ASSERT_TRUE(report.add(*Recording::open(dir_.write("perf.data", file_.file()))));
  }
  const report::Sharing made = report.sharing();
  ASSERT_EQ(made.lines.size(), 3);
  for (const auto& file : files) {
    const auto line = std::ranges::find(made.lines, file.line, &report::SharedLine::address);
    ASSERT_NE(line, made.lines.end());
    EXPECT_EQ(line->accesses.at(0).cpus, std::vector<std::uint32_t>{3});
    EXPECT_EQ(line->accesses.at(0).nodes, file.nodes) << std::hex << file.line;
  }
  for (const report::SampleGrid::Access& one : report.grid().accesses) EXPECT_EQ(one.bin, 1);
}

// More accesses than are kept singly.
TEST_F(SharingReports, AMillionAccessesAreASumForEachPlaceAndThread) {
  constexpr std::uint64_t kPairs = 600'000;
  for (std::uint64_t i = 0; i < kPairs; ++i) {
    access(kLoad | kHit | kL3 | kModified, 0x1000, 30, 5, 1);
    access(kStore | kHit | kL1, 0x1008, 0, 6, i == 0 ? 2 : 3);
  }
  const report::Sharing found = sharing();
  EXPECT_EQ(text(found.all), "loads=600000 local_hitm=600000 stores=600000 store_l1_hit=600000");
  ASSERT_EQ(found.lines.size(), 1U);
  ASSERT_EQ(found.lines[0].accesses.size(), 2U);
  const auto& [load, store] = std::tie(found.lines[0].accesses[0], found.lines[0].accesses[1]);
  EXPECT_EQ(std::tuple(load.tid, load.local_hitm.samples, load.local_hitm.sum),
            std::tuple(5, kPairs, 30 * kPairs));
  EXPECT_EQ(std::tuple(store.tid, store.counts.stores, store.cpus),
            std::tuple(6, kPairs, std::vector<std::uint32_t>{2, 3}));
}

}  // namespace
}  // namespace evname::sharing_test
