// Samples that are made of SPE's operations: which, in what order, and what they say. Policy:
// arm_spe_process_queues(), arm_spe_sample() and what they call in tools/perf/util/arm-spe.c.

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "evname/recording.hpp"
#include "support/perf_file.hpp"
#include "support/temp_dir.hpp"

namespace evname::spe_samples_test {
namespace {

using test::BytesOut;
using test::PerfFile;
using std::string_literals::operator""s;

// Packets of the Arm Architecture Reference Manual, "Statistical Profiling Extension Sample Record
// Specification".
std::string address(char header, std::uint64_t value, char top = '\0') {
  return header + BytesOut().u64(value).str().substr(0, 7) + top;
}
std::string pc(std::uint64_t value, char top = '\x80') { return address('\xb0', value, top); }
std::string timestamp(std::uint64_t count) { return "\x71" + BytesOut().u64(count).str(); }
std::string events(std::uint32_t bits) { return "\x62" + BytesOut().u32(bits).str(); }
std::string context(std::uint32_t tid) { return "\x64" + BytesOut().u32(tid).str(); }
std::string latency(std::uint16_t cycles) { return "\x98" + BytesOut().u16(cycles).str(); }
std::string branch(char kind) { return "\x4a"s + kind; }
const std::string kLoad = "\x49\0"s, kEnd = "\1"s;

constexpr std::uint64_t kSampled = 1 | 2 | 4 | 128 | 256 | 0x10000;  // with TIME and CPU

struct Piece {
  std::string data;
  std::uint32_t index = 0, cpu = 0, tid = ~0u;
  std::uint64_t offset = 0;
};

class SpeSamples : public testing::Test {
 protected:
  PerfFile recording(std::uint64_t sampled = kSampled, bool has_clock = true) const {
    PerfFile file;
    file.event({.type = 10, .config = 1, .sample_type = sampled, .ids = {2}});
    if (has_clock) file.record(79, BytesOut().u64(0).u64(10).u64(0).str());
    return file;
  }
  /// AUXTRACE_INFO of perf before 6.12: the PMU, and whether there is a buffer for each CPU.
  static void describe(PerfFile& file) {
    file.record(70, BytesOut().u32(4).u32(0).u64(10).u64(1).str());
  }
  static void add(PerfFile& file, const Piece& piece) {
    const std::size_t size = (piece.data.size() + 7) / 8 * 8;
    file.record(71, BytesOut()
                        .u64(size)
                        .u64(piece.offset)
                        .u64(0)
                        .u32(piece.index)
                        .u32(piece.tid)
                        .u32(piece.cpu)
                        .u32(0)
                        .str());
    file.raw(piece.data + std::string(size - piece.data.size(), '\0'));
  }
  static PerfFile& with(PerfFile& file, const std::vector<Piece>& pieces) {
    describe(file);
    for (const Piece& piece : pieces) add(file, piece);
    return file;
  }
  /// Calls each(sample) for the samples that are made of the kinds.
  template <class Each>
  SampleTally samples(const PerfFile& file, const TraceOptions& options, Each&& each) {
    const auto opened =
        Recording::open(dir_.write("perf.data", file.file()), UserEvents::leave_out, options);
    EXPECT_TRUE(opened);
    if (!opened) return {};
    problems_.assign(opened->warnings().begin(), opened->warnings().end());
    return opened->for_each_sample(each);
  }
  /// "time:pc" of each.
  std::string times(const PerfFile& file, TraceOptions options = kInstructions) {
    std::string out;
    samples(file, options, [&](const Sample& sample) {
      out += (out.empty() ? "" : " ") + std::to_string(sample.time().value_or(0)) + ":" +
             std::to_string(sample.ip().value_or(0));
    });
    return out;
  }

  static constexpr TraceOptions kInstructions{static_cast<unsigned>(TraceKind::instructions), 1, 0};
  test::TempDir dir_;
  std::vector<std::string> problems_;
};

/// Operations of a queue at these counts, whose addresses are `first` and so on.
std::string operations(std::uint64_t first, std::initializer_list<std::uint64_t> counts) {
  std::string out;
  for (const std::uint64_t count : counts) out += pc(first++) + timestamp(count);
  return out;
}

// TIME_CONV makes 10 ns of each count here. Queues are merged by their counts; a queue goes on as
// long as it is not behind another one.
TEST_F(SpeSamples, QueuesInTheOrderOfTime) {
  const struct {
    std::vector<std::string> queues;
    const char* times;
  } cases[] = {
      {{operations(1, {1, 2, 3})}, "10:1 20:2 30:3"},
      {{operations(1, {1, 4}), operations(11, {2, 3})}, "10:1 20:11 30:12 40:2"},
      {{operations(1, {5}), operations(11, {4}), operations(21, {3}), operations(31, {2})},
       "20:31 30:21 40:11 50:1"},
      {{operations(1, {1, 5, 9}), operations(11, {2, 6, 7}), operations(21, {3, 4, 8})},
       "10:1 20:11 30:21 40:22 50:2 60:12 70:13 80:23 90:3"},
      {{operations(1, {8, 9}), operations(11, {6, 7}), operations(21, {4, 5}),
        operations(31, {2, 3}), operations(41, {1, 10})},
       "10:41 20:31 30:32 40:21 50:22 60:11 70:12 80:1 90:2 100:42"},
      // A count that is behind the one before it does not bring its queue forward.
      {{operations(1, {5, 1, 6}), operations(11, {2, 7})}, "20:11 50:1 10:2 60:3 70:12"},
  };
  for (const auto& c : cases) {
    PerfFile file = recording();
    std::vector<Piece> pieces;
    for (std::uint32_t i = 0; i < c.queues.size(); ++i) pieces.push_back({c.queues[i], i, i});
    EXPECT_EQ(times(with(file, pieces)), c.times);
    EXPECT_TRUE(problems_.empty());
  }
}

// perf takes what TIME_CONV said before AUXTRACE_INFO (arm_spe_process_auxtrace_info).
TEST_F(SpeSamples, TheFirstConversionCounts) {
  PerfFile file = recording();
  with(file, {{operations(1, {5, 6})}});
  file.record(79, BytesOut().u64(0).u64(99).u64(0).str());
  EXPECT_EQ(times(file), "50:1 60:2");
}

// Without times queues follow each other, at the end.
TEST_F(SpeSamples, QueuesWithoutTimes) {
  PerfFile file = recording(kSampled & ~std::uint64_t{4});
  with(file, {{operations(1, {5, 6}), 3, 0}, {operations(11, {1, 2}), 1, 1}});
  EXPECT_EQ(times(file), "0:11 0:12 0:1 0:2");
  EXPECT_TRUE(problems_.empty());
}

TEST_F(SpeSamples, CountsWithoutAConversion) {
  PerfFile file = recording(kSampled, false);
  EXPECT_EQ(times(with(file, {{operations(1, {5, 6})}})), "5:1 6:2");
  EXPECT_EQ(problems_, std::vector<std::string>{"there is no TIME_CONV record: times of SPE's "
                                                "samples are counts of its timer"});
}

TEST_F(SpeSamples, OneInSoMany) {
  PerfFile file = recording();
  with(file, {{operations(1, {1, 2, 3, 4, 5, 6, 7})}});
  const struct {
    std::uint64_t period;
    const char* times;
  } cases[] = {{1, "10:1 20:2 30:3 40:4 50:5 60:6 70:7"},
               {2, "20:2 40:4 60:6"},
               {3, "30:3 60:6"},
               {7, "70:7"},
               {8, ""}};
  for (const auto& c : cases) {
    TraceOptions options = kInstructions;
    options.period = c.period;
    EXPECT_EQ(times(file, options), c.times) << c.period;
  }
}

// The events and the kind of an operation decide which samples are made.
TEST_F(SpeSamples, EventsOfOperations) {
  const struct {
    std::string packets;
    std::string made;
  } cases[] = {
      {"", "instructions"},
      {events(1 << 2), "l1d-access instructions"},
      {events(1 << 3), "l1d-miss instructions"},
      {events(3 << 2), "l1d-miss l1d-access instructions"},
      {events(1 << 4), "tlb-access instructions"},
      {events(1 << 5), "tlb-miss instructions"},
      {events(1 << 8), "llc-access instructions"},
      {events(1 << 9), "llc-miss instructions"},
      {events(1 << 10), "remote-access instructions"},
      {events(1 << 1 | 1 << 6 | 1 << 7 | 1 << 11 | 1 << 16), "instructions"},
      {kLoad, "memory instructions"},
      {"\x49\1"s, "memory instructions"},
      {"\x48\4"s, "memory instructions"},  // SIMD
      {"\x48\0"s, "instructions"},
      {branch('\0'), "branch instructions"},
      {branch('\x08'), "branch memory instructions"},  // perf has one bit for calls and SIMD
      {branch('\x18'), "branch instructions"},
  };
  for (const auto& c : cases) {
    PerfFile file = recording();
    with(file, {{pc(1) + c.packets + timestamp(1)}});
    std::string made;
    samples(file, TraceOptions{},
            [&](const Sample& sample) { made += (made.empty() ? "" : " ") + sample.event().name; });
    EXPECT_EQ(made, c.made);
  }
}

TEST_F(SpeSamples, WhatSamplesSay) {
  PerfFile file = recording();
  with(file, {{pc(0x1234) + address('\xb2', 0x5678) + address('\xb3', 0x9abc) + kLoad +
                   latency(77) + address('\xb1', 0x4321) + events(4) + timestamp(3) +
                   pc(0x1235, '\xc0') + branch('\1') + address('\xb1', 0x4321) + timestamp(4),
               0, 5, 99}});
  std::map<std::string, int> count;
  samples(file, TraceOptions{}, [&](const Sample& sample) {
    const std::string& name = sample.event().name;
    ++count[name];
    const bool is_second = sample.time() == 40;
    EXPECT_EQ(sample.time(), is_second ? 40 : 30);
    EXPECT_EQ(sample.ip(), is_second ? 0xff00000000001235 : 0x1234) << name;
    EXPECT_EQ(sample.misc(), is_second ? 1 : 2);  // kernel, user
    EXPECT_EQ(sample.cpu(), 5);
    EXPECT_EQ(sample.tid(), 99);
    EXPECT_EQ(sample.pid(), -1);
    EXPECT_EQ(sample.period(), 1);
    EXPECT_EQ(sample.weight(), is_second ? 0 : 77);
    const bool leads = name == "branch" || name == "instructions";
    EXPECT_EQ(sample.addr(), leads ? 0x4321 : 0x5678) << name;
    EXPECT_EQ(sample.phys_addr(), name == "branch" || is_second ? 0 : 0x9abc) << name;
    EXPECT_EQ(sample.data_src() == 0, name == "branch" || is_second) << name;
  });
  EXPECT_EQ(count, (std::map<std::string, int>{
                       {"l1d-access", 1}, {"memory", 1}, {"branch", 1}, {"instructions", 2}}));
}

// perf_branch_entry: bit 0 mispredicted, 1 predicted, 2 in a transaction, cycles from bit 4 on, the
// type from bit 20 on, bit 33 not taken.
TEST_F(SpeSamples, StacksOfBranches) {
  constexpr std::uint64_t kPredicted = 2, kCycles = 77 << 4;
  const auto type = [](std::uint64_t number) { return number << 20; };
  const struct {
    const char* what;
    std::string packets;
    std::uint64_t flags;
  } cases[] = {
      {"unknown", branch('\0'), kPredicted | type(0)},
      {"conditional", branch('\1'), kPredicted | type(1)},
      {"indirect", branch('\2'), kPredicted | type(6)},
      {"conditional and indirect", branch('\3'), kPredicted | type(10)},
      {"call", branch('\x08'), kPredicted | type(4)},
      {"conditional call", branch('\x09'), kPredicted | type(9)},
      {"indirect call", branch('\x0a'), kPredicted | type(4)},
      {"return", branch('\x10'), kPredicted | type(6)},
      {"conditional return", branch('\x11'), kPredicted | type(10)},
      {"plain", branch('\x18'), kPredicted | type(2)},
      {"plain and conditional", branch('\x19'), kPredicted | type(1)},
      {"not taken", branch('\1') + events(1 << 6), kPredicted | type(1) | std::uint64_t{1} << 33},
      {"mispredicted", branch('\1') + events(1 << 7), 1 | type(1)},
      {"in a transaction", branch('\1') + events(1 << 16), kPredicted | 4 | type(1)},
  };
  for (const auto& c : cases)
    for (const std::uint64_t most : {1, 2}) {
      PerfFile file = recording();
      with(file, {{pc(0x1000) + address('\xb1', 0x2000) + address('\xb4', 0x3000) + latency(77) +
                   c.packets + timestamp(1)}});
      int count = 0;
      samples(file, {TraceOptions::kAll, 1, most}, [&](const Sample& sample) {
        const std::string& name = sample.event().name;
        const SampleWords words = sample.branches();
        const bool has = name == "branch" || name == "instructions";
        EXPECT_EQ(words.size(), has ? 3 * most : 0) << c.what << name;
        if (words.size() < 3) return;
        ++count;
        EXPECT_EQ(words[0], 0x1000);
        EXPECT_EQ(words[1], 0x2000);
        EXPECT_EQ(words[2], c.flags | kCycles) << c.what;
        if (most < 2) return;
        EXPECT_EQ(words[3], 0);  // where the branch before came from is not known
        EXPECT_EQ(words[4], 0x3000);
        EXPECT_EQ(words[5], 0);
      });
      EXPECT_EQ(count, 2);
    }
  // Of what is no branch, there is only the one before; without branches asked for, none.
  PerfFile file = recording();
  with(file, {{pc(0x1000) + address('\xb4', 0x3000) + kLoad + timestamp(1)}});
  for (const std::uint64_t most : {0, 1, 2})
    samples(file, {static_cast<unsigned>(TraceKind::instructions), 1, most},
            [&](const Sample& sample) {
              EXPECT_EQ(sample.branches().size(), most > 0 ? 3 : 0) << most;
            });
}

// The thread comes from the context packet, else from the last switch on the CPU, else from the
// buffer.
TEST_F(SpeSamples, Threads) {
  const auto threads = [&](PerfFile& file) {
    std::string out;
    samples(file, kInstructions, [&](const Sample& sample) {
      out += (out.empty() ? "" : " ") + std::to_string(sample.pid().value_or(-9)) + "/" +
             std::to_string(sample.tid().value_or(-9));
    });
    return out;
  };
  const auto comm = [](PerfFile& file, std::uint32_t pid, std::uint32_t tid) {
    file.record(3, BytesOut()
                       .u32(pid)
                       .u32(tid)
                       .padded("work")
                       .u32(pid)
                       .u32(tid)
                       .u64(0)
                       .u32(0)
                       .u32(0)
                       .u64(2)
                       .str());
  };
  // SWITCH_CPU_WIDE out: the next thread, and the trailer TID, TIME, CPU, IDENTIFIER.
  const auto switched = [](PerfFile& file, std::uint32_t cpu, std::uint32_t tid, std::uint64_t time,
                           bool is_out = true) {
    file.record(15,
                BytesOut().u32(50).u32(tid).u32(50).u32(51).u64(time).u32(cpu).u32(0).u64(2).str(),
                is_out ? 1 << 13 : 0);
  };
  PerfFile contexts = recording();
  comm(contexts, 10, 11);
  with(contexts, {{pc(1) + context(11) + timestamp(1) + pc(2) + context(12) + timestamp(2) + pc(3) +
                       timestamp(3),
                   0, 0, 13}});
  EXPECT_EQ(threads(contexts), "10/11 -1/12 -1/12");
  PerfFile switches = recording();
  comm(switches, 10, 11);
  with(switches, {{operations(1, {1, 3, 5, 7, 9}), 0, 4, 13}});
  switched(switches, 4, 11, 20);
  switched(switches, 5, 14, 40);  // another CPU
  switched(switches, 4, 15, 60);
  switched(switches, 4, 16, 80, false);  // one that comes in tells who went
  EXPECT_EQ(threads(switches), "-1/13 10/11 10/11 -1/15 -1/15");
  PerfFile of_thread = recording();
  comm(of_thread, 10, 13);
  with(of_thread, {{operations(1, {1}), 0, ~0u, 13}});
  switched(of_thread, ~0u, 11, 5);
  EXPECT_EQ(threads(of_thread), "10/13");
}

// Buffers are filled up to a multiple of 8 bytes: what is beyond the next one's offset is no data.
TEST_F(SpeSamples, PiecesThatFollowEachOther) {
  const std::string all = operations(1, {1, 2, 3});  // of 18 bytes each
  for (std::size_t cut = 1; cut < all.size(); ++cut) {
    PerfFile file = recording();
    with(file, {{all.substr(0, cut), 0, 0, 5, 64}, {all.substr(cut), 0, 0, 5, 64 + cut}});
    EXPECT_EQ(times(file), "10:1 20:2 30:3") << cut;
    EXPECT_TRUE(problems_.empty()) << cut;
  }
}

TEST_F(SpeSamples, PiecesThatOverlap) {
  const std::string one = operations(1, {1, 2, 3, 4});  // 72 bytes
  const struct {
    std::uint64_t first, second;
    std::size_t count;
  } cases[] = {{64, 64 + 72, 0}, {64, 64 + 71, 0}, {64, 64 + 64, 1}, {64, 64 + 60, 1},
               {64, 64, 1},      {64 + 71, 64, 1}, {64 + 72, 64, 0}, {64, 1000, 0},
               {0, 0, 0},        {64, 64 + 65, 0}};
  for (const auto& c : cases) {
    PerfFile file = recording();
    with(file, {{one, 0, 0, 5, c.first}, {one, 0, 0, 5, c.second}});
    times(file);
    EXPECT_EQ(problems_.size(), c.count) << c.first << ' ' << c.second;
    for (const std::string& problem : problems_)
      EXPECT_NE(problem.find("1 piece of trace data overlaps an earlier one"), problem.npos);
  }
}

// The index of a file (HEADER_AUXTRACE) names the places of its AUXTRACE records.
TEST_F(SpeSamples, TheIndexOfTheFile) {
  const struct {
    std::vector<std::uint64_t> off;  ///< from the place of the record
    std::string problem;
  } cases[] = {
      {{0}, ""},
      {{8}, "1 entry of the index of trace data leads to no AUXTRACE record"},
      {{8, 16}, "2 entries of the index of trace data lead to no AUXTRACE record"},
      {{0, 0}, "1 entry of the index of trace data leads to an AUXTRACE record that another"},
      {{0, 0, 0}, "2 entries of the index of trace data lead to AUXTRACE records that"}};
  for (const auto& c : cases) {
    PerfFile file = recording();
    with(file, {{operations(1, {1})}});
    BytesOut index;
    const std::uint64_t place = 104 + 8 + 152 + 32 + 32;  // header, id, attr, two records
    index.u64(c.off.size());
    for (const std::uint64_t off : c.off) index.u64(place + off).u64(48);
    file.feature(18, index.str());
    EXPECT_EQ(times(file), "10:1");
    ASSERT_EQ(problems_.size(), c.problem.empty() ? 0 : 1);
    if (!problems_.empty()) {
      EXPECT_NE(problems_[0].find(c.problem), std::string::npos) << problems_[0];
    }
  }
}

// AUXTRACE_INFO since perf 6.12 has a MIDR for each CPU, which decides the source of data.
TEST_F(SpeSamples, CpusOfTheDescription) {
  // It had 6 words for each CPU before it had the events that the CPU knows.
  const auto info = [](const std::vector<std::pair<std::uint64_t, std::uint64_t>>& cpus,
                       unsigned words) {
    BytesOut out;
    out.u32(4).u32(0).u64(2).u64(4).u64(10).u64(cpus.size());
    for (const auto& [number, midr] : cpus) {
      const std::uint64_t all[] = {0x1010101010101010, number, words - 3, midr, 10, 1024, 0, 0};
      for (unsigned i = 0; i < words; ++i) out.u64(all[i]);
    }
    return out.str();
  };
  constexpr std::uint64_t kN1 = 0x413fd0c1, kAmpere = 0xc00fac40;
  // Source 8 is the L2 cache of a Neoverse N1 and the L1 cache of an AmpereOne: PERF_MEM_LVL_*.
  constexpr std::uint64_t kL1 = 0x08 << 5, kL2 = 0x20 << 5, kNone = 1 << 5;
  const struct {
    std::vector<std::pair<std::uint64_t, std::uint64_t>> cpus;
    std::uint32_t cpu;
    std::uint64_t level;
  } cases[] = {{{{0, kN1}, {1, kAmpere}}, 0, kL2},   {{{0, kN1}, {1, kAmpere}}, 1, kL1},
               {{{0, kN1}, {1, kAmpere}}, 2, kNone}, {{{0, kN1}, {1, kAmpere}}, ~0u, kNone},
               {{{0, kN1}, {1, kN1}}, ~0u, kL2},     {{{3, kAmpere}}, 3, kL1},
               {{{3, kAmpere}}, 4, kNone},           {{}, 0, kNone}};
  for (unsigned words = 3; words <= 8; ++words)
    for (const auto& c : cases) {
      PerfFile file = recording();
      file.record(70, info(c.cpus, words));
      add(file, {pc(1) + kLoad + "\x43\x08"s + timestamp(1), 0, c.cpu, 5});
      int count = 0;
      samples(file, kInstructions, [&](const Sample& sample) {
        ++count;
        const std::uint64_t level = words < 4 ? kNone : c.level;
        EXPECT_EQ(sample.data_src().value_or(0) >> 5 & 0x3fff & ~std::uint64_t{2}, level >> 5)
            << words;
      });
      EXPECT_EQ(count, 1);
      EXPECT_EQ(problems_.size(), words < 4 && !c.cpus.empty() ? 1 : 0);
    }
}

// A record that is not a description of SPE, or is truncated, describes nothing.
TEST_F(SpeSamples, DescriptionsThatAreNone) {
  const struct {
    const char* what;
    std::string body;
  } cases[] = {
      {"of Intel PT", BytesOut().u32(1).u32(0).u64(10).u64(1).str()},
      {"of one word", BytesOut().u32(4).u32(0).u64(10).str()},
      {"of none", BytesOut().u32(4).u32(0).str()},
      {"of three words", BytesOut().u32(4).u32(0).u64(2).u64(4).u64(10).str()},
      {"of too short a header", BytesOut().u32(4).u32(0).u64(2).u64(3).u64(10).u64(0).str()},
      {"of too long a header", BytesOut().u32(4).u32(0).u64(2).u64(5).u64(10).u64(0).str()}};
  for (const auto& c : cases) {
    PerfFile file = recording();
    file.record(70, c.body);
    add(file, {operations(1, {1})});
    EXPECT_EQ(times(file), "") << c.what;
  }
  // A PMU that no event is of.
  PerfFile other = recording();
  other.record(70, BytesOut().u32(4).u32(0).u64(11).u64(1).str());
  add(other, {operations(1, {1})});
  EXPECT_EQ(times(other), "");
  EXPECT_EQ(problems_, std::vector<std::string>{"the recording has trace data of SPE, and no event "
                                                "of its PMU: they are not read"});
}

// Bytes that are no packet are passed over, and the operation around them is left out.
TEST_F(SpeSamples, DamagedData) {
  const std::string bad = "\x02"s;
  const struct {
    std::string data;
    const char* times;
    const char* warning;
  } cases[] = {
      {operations(1, {1}) + pc(2) + bad + timestamp(2) + operations(3, {3}), "10:1 30:3",
       "1 byte that is not a packet, and 1 operation is left out"},
      {bad + bad + operations(1, {1, 2}), "20:2",
       "2 bytes that are not packets, and 1 operation is left out"},
      {operations(1, {1}) + pc(2), "10:1",
       "0 bytes that are not packets, and 1 operation is left out"},
      {operations(1, {1}) + pc(2) + bad + timestamp(2) + pc(3) + bad + timestamp(3), "10:1",
       "2 bytes that are not packets, and 2 operations are left out"},
  };
  for (const auto& c : cases) {
    PerfFile file = recording();
    with(file, {{c.data}});
    std::string out;
    const SampleTally tally = samples(file, kInstructions, [&](const Sample& sample) {
      out += (out.empty() ? "" : " ") + std::to_string(sample.time().value_or(0)) + ":" +
             std::to_string(sample.ip().value_or(0));
    });
    EXPECT_EQ(out, c.times);
    ASSERT_EQ(tally.warnings.size(), 1);
    EXPECT_NE(tally.warnings[0].find(c.warning), std::string::npos) << tally.warnings[0];
  }
}

// A snapshot (PERF_AUX_FLAG_OVERWRITE, 2) may begin inside of an operation, which is no fault; one
// that is cut off elsewhere is.
TEST_F(SpeSamples, Snapshots) {
  const struct {
    std::uint64_t flags;
    std::string data;
    std::size_t warnings;
  } cases[] = {{2, "\x02"s + operations(1, {1, 2}), 0},
               {0, "\x02"s + operations(1, {1, 2}), 1},
               {8, "\x02"s + operations(1, {1, 2}), 1},
               {2, "\x02"s + operations(1, {1}) + "\x02"s + operations(2, {2}), 1}};
  for (const auto& c : cases) {
    PerfFile file = recording();
    with(file, {{c.data}});
    file.record(
        11, BytesOut().u64(0).u64(64).u64(c.flags).u32(5).u32(5).u64(1).u32(0).u32(0).u64(2).str());
    const SampleTally tally = samples(file, kInstructions, [](const Sample&) {});
    const auto about_packets =
        std::count_if(tally.warnings.begin(), tally.warnings.end(),
                      [](const std::string& one) { return one.find("packet") != one.npos; });
    EXPECT_EQ(about_packets, c.warnings) << c.flags;
  }
}

// Before 6.12 all CPUs are what CPUID says; a text that is no number says nothing.
TEST_F(SpeSamples, CpusOfTheFeature) {
  constexpr std::uint64_t kL1 = 0x08 << 5, kL2 = 0x20 << 5, kNone = 1 << 5;
  const struct {
    const char* cpuid;
    std::uint64_t level;
  } cases[] = {{"0x00000000413fd0c1", kL2},
               {"00000000413fd0c1", kL2},
               {"0x00000000c00fac40", kL1},
               {"x", kNone},
               {"", kNone}};
  for (const auto& c : cases) {
    PerfFile file = recording();
    file.feature(9, BytesOut().string(c.cpuid).str());
    with(file, {{pc(1) + kLoad + "\x43\x08"s + timestamp(1), 0, 3}});
    samples(file, kInstructions, [&](const Sample& sample) {
      EXPECT_EQ(sample.data_src().value_or(0) >> 5 & 0x3fff & ~std::uint64_t{2}, c.level >> 5)
          << c.cpuid;
    });
  }
}

}  // namespace
}  // namespace evname::spe_samples_test
