// Fields, in the text of perf script 7.3.

#include <algorithm>

#include "recordings/annotation/perf_script.hpp"
#include "recordings/elf/elf_file.hpp"

namespace evname {
namespace {

using test::BytesOut;
using test::PerfFile;
using test::PerfScript;

constexpr std::uint64_t kTidTime = 2 | 4;

TEST_F(PerfScript, DataSourcesAreSpelledAlike) {
  PerfFile file;
  file.event({.type = 1, .sample_type = kTidTime | 1 << 15 | 1 << 14, .flags = {18}, .size = 128});
  std::vector<std::uint64_t> values = {0x68100142, 0x1e05080021, 0x10668100142, 0};
  for (int bit = 0; bit < 43; ++bit) values.push_back(std::uint64_t{1} << bit);
  for (std::uint64_t level = 0; level < 16; ++level)  // of L0 perf says "Unknown level 7"
    if (level != 7) values.push_back(level << 33 | 0x68100000 | 1 << 5);
  for (std::uint64_t hops = 0; hops < 5; ++hops) {
    values.push_back(hops << 43 | 0x2068100142);
    values.push_back(hops << 43 | 0x668100142);
  }
  std::uint64_t time = 1;
  for (const std::uint64_t value : values)
    file.record(9, BytesOut().u32(5).u32(5).u64(time++).u64(30).u64(value).str());
  compare(file, "time,event,data_src,weight");
}

TEST_F(PerfScript, BranchesAreSpelledAlike) {
  PerfFile file;
  file.event({.type = 0,
              .sample_type = kTidTime | 1 << 11,
              .branch_type = 1 << 3,
              .flags = {18},
              .size = 128});
  std::uint64_t time = 1;
  std::vector<std::uint64_t> rows;
  for (std::uint64_t flags = 0; flags < 16; ++flags) {
    rows.push_back(flags | (flags < 15 ? flags << 20 : 0));  // every type
    rows.push_back(flags | std::uint64_t{1} << 33);          // not taken
    if (flags < 8) rows.push_back(15 << 20 | flags << 26);   // types that there was no room for
    if (flags < 4) rows.push_back(flags << 24);              // speculation
  }
  for (const std::uint64_t flags : rows)
    file.record(9, BytesOut()
                       .u32(5)
                       .u32(5)
                       .u64(time++)
                       .u64(2)
                       .u64(0x1000)
                       .u64(0x2000)
                       .u64(flags | 70 << 4)
                       .u64(~0ull)
                       .u64(0)
                       .u64(0)
                       .str());
  compare(file, "pid,time,event,brstack");
}

// The second and third event sample nothing; perf script looks at the first of a type only.
TEST_F(PerfScript, WhatIsNotSampledIsSpelledAlikeOrRefused) {
  constexpr std::uint64_t kAll = 0x10000 | 1 | 2 | 4 | 8 | 128 | 1 << 15 | 1 << 19 | 7 << 22;
  PerfFile file;
  file.event({.type = 4, .sample_type = kAll, .flags = {18}, .size = 128, .ids = {1}});
  file.event({.type = 4, .sample_type = 0x10000, .flags = {18}, .size = 128, .ids = {2}});
  file.event({.type = 1, .config = 9, .sample_type = 0x10000, .size = 128, .ids = {3}});
  file.record(9, BytesOut().u64(2).str());
  BytesOut body;
  body.u64(1).u64(0x1234).u32(5).u32(6).u64(9).u64(0x77).u32(3).u32(0);
  body.u64(5).u64(0x68100142).u64(0xabc).u64(4096).u64(4096);
  file.record(9, body.str(), 1).record(9, BytesOut().u64(2).str(), 2);
  for (const char* fields :
       {"ip", "addr", "data_src", "weight,ins_lat", "comm,tid,time", "pid,tid,cpu", "misc,event",
        "phys_addr,data_page_size,code_page_size", "event,brstack,period"})
    compare(file, fields);
  file.event({.type = 9, .sample_type = 0x10000, .flags = {18}, .size = 128, .ids = {4}});
  const std::string path = dir.write("perf.data", file.file());
  EXPECT_EQ(perf(path, "event,cpu"), "");
  const auto refused = annotate(*Recording::open(path), {.fields = {Field::event, Field::cpu}},
                                [](std::string_view) { return true; });
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message.find("unknown event PMU=9 config=0"), std::string::npos);
}

// A branch may lead from the user's code into the kernel's, and from a file to where none is
// mapped.
TEST_F(PerfScript, FilesOfBranchesAreFoundAlike) {
  PerfFile file;
  file.event(
      {.sample_type = 1 | kTidTime | 1 << 11, .branch_type = 1 << 3, .flags = {}, .size = 128});
  const auto map = [&](std::uint32_t pid, std::uint64_t start, const char* name,
                       std::uint16_t mode) {
    file.record(1, BytesOut().u32(pid).u32(pid).u64(start).u64(0x1000).u64(0).padded(name).str(),
                mode);
  };
  map(UINT32_MAX, 0xffffffff81000000, "[kernel.kallsyms]_text", 1);
  map(UINT32_MAX, 0xffffffffc0000000, "[some_module]", 1);
  map(5, 0x400000, "/bin/app", 2);
  map(5, 0x7f0000000000, "//anon", 2);
  for (const std::uint16_t mode : {1, 2, 3}) {
    BytesOut body;
    body.u64(0x400010).u32(5).u32(5).u64(mode).u64(4);
    body.u64(0x400010).u64(0x400020).u64(1).u64(0x400030).u64(0xffffffff81000010).u64(2);
    body.u64(0xffffffffc0000010).u64(0x7f0000000010).u64(0);
    file.record(9, body.u64(0x1234).u64(0xffffffff92000000).u64(1).str(), mode);
  }
  for (const char* fields : {"brstack,dso", "ip,brstack"}) compare(file, fields);
}

/// Code of x86: a call of the second function, a conditional jump, and at 0x10 a jump; a jump to
/// anywhere ends that.
std::string program_with_code() {
  std::string file = test::elf_file({.second_size = 0x30});
  const auto put = [&](std::size_t at, std::string_view bytes) {
    file.replace(test::ElfParts::kText + at, bytes.size(), bytes);
  };
  put(0, std::string_view("\x55\x48\x89\xe5\xe8\x37\0\0\0\x74\x02\x90\x90\xf3\xc3\x90", 16));
  put(0x10, "\xeb\x06\x90\x90\x90\x90\x90\x90\x31\xc0\xff\xe0");
  put(0x40, "\x48\x83\xc0\x01\xc3");
  return file;
}

// Of each sample: its address, and from, to and flags of branches, newest first. A call and its
// return; jumps in a transaction; a jump that is missing; blocks that end before they start, far
// away or within an instruction; a sample before the last target.
TEST_F(PerfScript, CodeBetweenBranchesIsSpelledAlike) {
  if (!Symbols::reads_elf()) GTEST_SKIP() << "this build has no elfutils";
  PerfFile file;
  file.event({.sample_type = 1 | kTidTime | 1 << 11, .branch_type = 8, .flags = {}, .size = 128});
  file.feature(6, BytesOut().string("x86_64").str());
  const std::string app = dir.write("app", program_with_code());
  file.record(1, BytesOut().u32(5).u32(5).u64(0x10000).u64(0x1000).u64(0).padded(app).str(), 2);
  constexpr std::uint64_t kMissed = 1 | 3 << 4, kPredicted = 2 | 4 << 4;
  const struct {
    std::uint64_t ip;
    std::vector<std::array<std::uint64_t, 3>> branches;
  } samples[] = {
      {0x1040b, {{0x10444, 0x10409, kPredicted}, {0x10404, 0x10440, kMissed}}},
      {0x1041a,
       {{0x10410, 0x10418, 2},
        {0x10409, 0x10410, kPredicted | 4},
        {0x10444, 0x10409, 0},
        {0x10404, 0x10440, 1 | 8}}},
      {0x1041a, {{0x10444, 0x10409, 2}}},
      {0x10402, {{0x90000, 0x10400, 2}, {0x10410, 0x10442, 1}, {0x10400, 0x10430, 1}}},
      {0x10400, {{0x10403, 0x10409, 2}, {0x10444, 0x10400, 1}, {0x10404, 0x10440, kMissed}}},
      {0x1040b, {{0x10444, 0x10409, kPredicted}, {0x10404, 0x10440, kMissed}}}};
  std::uint64_t time = 1000;
  for (const auto& sample : samples) {
    BytesOut body;
    body.u64(sample.ip).u32(5).u32(5).u64(time++).u64(sample.branches.size());
    for (const auto& branch : sample.branches)
      for (const std::uint64_t word : branch) body.u64(word);
    file.record(9, body.str(), 2);
  }
  for (const char* fields : {"ip,insn,insnlen", "brstackinsn", "brstackinsn,brstackinsnlen",
                             "brstacksym", "ip,sym,symoff,brstacksym"})
    compare(file, fields);
}

// perf looks at the fields of each type of event: which of them print callchains.
TEST_F(PerfScript, NamesOfThreadsArePaddedAlike) {
  constexpr std::uint64_t kType = 0x10000 | 1 | kTidTime | 32;
  PerfFile file;
  file.event({.type = 0, .sample_type = kType, .ids = {1}});
  file.event({.type = 1, .sample_type = kType, .ids = {2}});
  for (const std::uint64_t id : {1, 2}) {
    BytesOut body;
    body.u64(id).u64(0x1234).u32(5).u32(6).u64(9).u64(2).u64(-512).u64(0x1234);
    file.record(9, body.str(), 2);
  }
  const std::string path = dir.write("perf.data", file.file());
  const auto opened = Recording::open(path);
  ASSERT_TRUE(opened);
  const std::vector<std::string> kChoices[] = {{"comm,time"},
                                               {"comm,time,ip"},
                                               {"hw:comm,time", "sw:comm,time,ip"},
                                               {"hw:comm,time,ip", "sw:comm,time"}};
  for (const auto& choice : kChoices) {
    annotation::ScriptOptions options{{.names = NameStyle::recorded}};
    options.event_fields = annotation::parse_script_fields(choice, *opened).value();
    const std::string arguments = fmt::format("{}", fmt::join(choice, " -F "));
    EXPECT_EQ(test::written(*opened, options), perf(path, arguments));
  }
}

// Of this machine only: perf assumes registers of its own machine, unless it finds the program's
// file.
TEST_F(PerfScript, RegistersAreSpelledAlike) {
#ifndef __x86_64__
  GTEST_SKIP() << "another machine's registers are recorded here";
#endif
  PerfFile file;
  file.event({.type = 0, .sample_type = kTidTime | 1 << 18, .regs_intr = ~0ull, .size = 128});
  file.feature(3, BytesOut().string("host").str()).feature(6, BytesOut().string("x86_64").str());
  BytesOut body;
  body.u32(5).u32(5).u64(1).u64(2);
  for (std::uint64_t value = 0; value < 64; ++value) body.u64(value);
  file.record(9, body.str());
  compare(file, "iregs");
}

TEST_F(PerfScript, NumbersOfCpusAndThreadsAreSpelledAlike) {
  PerfFile file;
  file.event({.type = 0, .sample_type = kTidTime | 128 | 256, .flags = {18}, .size = 128});
  std::uint64_t time = 1;
  for (const std::uint32_t number : {0u, 3u, 12u, 123u, 1234u, 4095u})
    file.record(9, BytesOut()
                       .u32(number)
                       .u32(number + 1)
                       .u64(time++ * 999'999'999)
                       .u32(number)
                       .u32(0)
                       .u64(number * 1000ull)
                       .str());
  // perf's own events have CPU -1.
  file.record(9, BytesOut().u32(~0u).u32(~0u).u64(time).u32(~0u).u32(0).u64(UINT64_MAX).str());
  for (const char* fields : {"pid,tid,cpu", "comm,tid,cpu,time,period,event", "cpu,period"})
    compare(file, fields);
}

TEST_F(PerfScript, SizesAndLatenciesAreSpelledAlike) {
  PerfFile file;
  file.event({.type = 0,
              .sample_type = kTidTime | 8 | 1 << 19 | 1 << 22 | 1 << 23 | 1 << 24,
              .flags = {18},
              .size = 128});
  std::uint64_t time = 1;
  for (const std::uint64_t size : {0ull, 4096ull, 65536ull, 2ull << 20, 1ull << 30, 1000ull})
    file.record(9, BytesOut()
                       .u32(5)
                       .u32(6)
                       .u64(time++)
                       .u64(0xffff'ffff'8000'0000 + size)
                       .u64(0x0003'0007'0000'0011)
                       .u64(size * 3)
                       .u64(size)
                       .u64(size)
                       .str());
  compare(file, "tid,event,addr,weight,ins_lat,phys_addr,data_page_size,code_page_size");
}

// Whatever is mapped there: a mapping in the middle of another, huge anonymous memory, the heap, a
// process forked off, and a chain that a stack walk gone astray has spoiled.
TEST_F(PerfScript, FramesAreAddresses) {
  constexpr std::uint64_t kTime = kTidTime | 1 | 32, kUser = -512, kKernel = -128;
  PerfFile file;
  file.event({.type = 1, .sample_type = kTime, .flags = {18, 20}, .size = 128});
  std::uint64_t time = 0;
  const auto trailer = [&](BytesOut& body) { return body.u32(5).u32(5).u64(++time).str(); };
  const auto map = [&](std::uint64_t start, std::uint64_t size, std::uint64_t offset,
                       std::uint32_t flags, std::string_view name) {
    BytesOut body;
    body.u32(5).u32(5).u64(start).u64(size).u64(offset).u32(8).u32(1).u64(7).u64(0);
    body.u32(5).u32(flags).padded(name);
    file.record(10, trailer(body), 2);
  };
  const auto sample = [&](std::uint32_t pid, std::vector<std::uint64_t> chain) {
    BytesOut body;
    body.u64(0x10).u32(pid).u32(pid).u64(++time).u64(chain.size());
    for (const std::uint64_t address : chain) body.u64(address);
    file.record(9, body.str(), 2);
  };
  map(0x10000, 0x8000, 0x2000, 2, "/bin/program");
  map(0x12000, 0x1000, 0, 2, "/lib/library");
  map(0x20000, 0x1000, 0x5000, 0x40002, "/dev/hugepages");
  map(0x30000, 0x1000, 0x5000, 2, "[heap]");
  sample(5, {kUser, 0x10004, 0x12004, 0x13004, 0x17fff, 0x18000, 0x20008, 0x30008});
  BytesOut fork;
  fork.u32(6).u32(5).u32(6).u32(5).u64(time);
  file.record(7, trailer(fork));
  map(0x10000, 0x1000, 0x9000, 2, "/bin/other");  // of the parent only
  for (const std::uint32_t pid : {5, 6, 7})
    sample(pid, {kKernel, 0x10008, kUser, 0x10008, 0x14008});
  sample(5, {kUser, 0x10004, ~0ull, 0x10008});
  sample(5, {});
  compare(file, "comm,tid,time,event,ip");
}

// One event defers the user part of its callchains; perf prints a sample where that part comes, so
// each comes before the next sample here.
TEST_F(PerfScript, CallchainsInTwoPartsAreWrittenAlike) {
  constexpr std::uint64_t kUser = -512, kKernel = -128, kDeferred = -640;
  PerfFile file;
  file.event({.type = 1, .sample_type = kTidTime | 1 | 32, .flags = {18, 38, 39}, .size = 144});
  const auto words = [](const std::vector<std::uint64_t>& chain) {
    BytesOut out;
    out.u64(chain.size());
    for (const std::uint64_t word : chain) out.u64(word);
    return out.str();
  };
  for (std::uint64_t i = 0; i < 4; ++i) {
    BytesOut sample, rest;
    sample.u64(0x1000 + i)
        .u32(5)
        .u32(6)
        .u64(10 * i + 1)
        .raw(words({kKernel, 0x1000 + i, kDeferred, 70 + i}));
    rest.u64(70 + i).raw(words({kUser, 0x2000, 0x3000 + i})).u32(5).u32(6).u64(10 * i + 2);
    file.record(9, sample.str(), 1).record(22, rest.str(), 2);
  }
  compare(file, "comm,tid,time,event,ip");
}

TEST_F(PerfScript, TimesOffTheCpuAreWrittenAlike) {
  const test::AttrSpec event{
      .type = 1,
      .config = 10,
      .sample_type = kTidTime | 1 | 64 | 128 | 256 | 1 << 10 | 1 << 16 | 1 << 21,
      .flags = {18, 20},
      .size = 144,
      .ids = {7}};
  PerfFile file;
  file.event(event);
  file.feature(3, BytesOut().string("host").str());
  file.feature(12, BytesOut()
                       .u32(1)
                       .u32(144)
                       .raw(test::attr_bytes(event, std::endian::little))
                       .u32(1)
                       .string("offcpu-time")
                       .u64(7)
                       .str());
  file.record(
      19, BytesOut().u64(42).padded("/user.slice").u32(0).u32(0).u64(1).u64(7).u64(0).u64(7).str());
  BytesOut raw, sample;
  raw.u32(50).u32(60).u64(1'234'567).u64(3).u64(-512).u64(0x1234).u64(0x5678).u64(42);
  sample.u64(7).u64(0x9999).u32(5).u32(6).u64(99).u64(7).u64(0).u64(1);
  sample.u32(static_cast<std::uint32_t>(raw.size() + 4)).raw(raw.str()).pad(4).u64(41);
  file.record(9, sample.str(), 2);
  for (const char* fields : {"comm,pid,tid,time,period,event", "event,cgroup", "comm,event,ip"})
    compare(file, fields);
}

TEST_F(PerfScript, FiltersPassTheSameSamples) {
  const std::string path =
      std::string(std::getenv("EVNAME_SOURCE_ROOT")) + "/tests/data/cortex-a72-system.data";
  const auto file = Recording::open(path);
  ASSERT_TRUE(file);
  const struct {
    std::string perf;
    SampleFilter filter;
  } kRows[] = {{"--comms swapper", {.comms = {"swapper"}}},
               {"--comms work,perf-exec", {.comms = {"work", "perf-exec"}}},
               {"--cpu 0", {.cpus = {0}}},
               {"--cpu 0,1", {.cpus = {0, 1}}},
               {"--pid 0", {.pids = {0}}},
               {"--tid 152", {.tids = {152}}},
               {"--tid 0,152 --cpu 1", {.cpus = {1}, .tids = {0, 152}}}};
  for (const auto& row : kRows) {
    // Without the names: perf forgets names of threads that have ended.
    AnnotateOptions options{.fields = test::fields("pid,tid,time,event"),
                            .names = NameStyle::recorded,
                            .filter = row.filter};
    EXPECT_EQ(test::written(*file, options), perf(path, "pid,tid,time,event " + row.perf))
        << row.perf;
  }
  for (const std::string times :
       {"2.5,2.6", "2.53,", ",2.5", ",", "2.42,2.43 2.5,2.52", "10%-20%", "10%/2", "30%", "0%-100%",
        "20%-10%", "10%/1,10%/3", "0%-10%,90%-100%", "33.3%-66.6%"}) {
    const auto ranges = parse_times(times, *file);
    ASSERT_TRUE(ranges) << ranges.error().text();
    EXPECT_EQ(test::written(*file, {.fields = {Field::time}, .filter = {.times = *ranges}}),
              perf(path, "time --time '" + times + "'"))
        << times;
  }
}

}  // namespace
}  // namespace evname
