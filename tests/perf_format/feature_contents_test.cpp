// Contents of features, in both byte orders, whole and cut off. Layouts: the process_* functions of
// tools/perf/util/header.c and tools/perf/Documentation/perf.data-file-format.txt.

#include <gtest/gtest.h>

#include <fmt/format.h>

#include "perf_format/features.hpp"
#include "support/bytes_out.hpp"

namespace evname::perf_format::feature_contents_test {
namespace {

using test::BytesOut;

class FeatureContents : public testing::TestWithParam<std::endian> {
 protected:
  BytesOut out() const { return BytesOut(GetParam()); }
  Features decode(std::uint64_t number, const BytesOut& content, Features features = {}) {
    Warnings list;
    decode_feature(number, content.view(), GetParam(), 0x40, features, list);
    warnings_ = list.take();
    return features;
  }
  /// A feature truncated at any place is reported, once.
  void expect_cut_is_told(std::uint64_t number, const BytesOut& content) {
    decode(number, content);
    EXPECT_TRUE(warnings_.empty()) << number;
    for (std::size_t size = 1; size < content.size(); ++size) {
      decode(number, BytesOut(GetParam()).raw(std::string_view(content.str()).substr(0, size)));
      EXPECT_EQ(warnings_.size(), 1) << number << ' ' << size;
    }
  }
  std::vector<std::string> warnings_;
};
INSTANTIATE_TEST_SUITE_P(ByteOrders, FeatureContents,
                         testing::Values(std::endian::little, std::endian::big));

// perf before 2.6.38 wrote the lists alone, and dies came with 5.1.
TEST_P(FeatureContents, TopologiesOfEachRevision) {
  BytesOut lists = out().u32(1).string("0-3").u32(2).string("0-1").string("2-3");
  const auto text = [](const CpuTopology& topology) {
    std::string places;
    for (const auto& cpu : topology.cpus)
      places += fmt::format(" {}/{}/{}", cpu.socket, cpu.die, cpu.core);
    return fmt::format("{} {} {}:{}", topology.packages.size(), topology.threads.size(),
                       topology.dies.size(), places);
  };
  Features cpus;
  cpus.cpus_available = 2;
  EXPECT_EQ(text(decode(13, lists, cpus).topology), "1 2 0:");
  EXPECT_TRUE(warnings_.empty());
  lists.u32(7).u32(0).u32(8).u32(1);
  EXPECT_EQ(text(decode(13, lists, cpus).topology), "1 2 0: 0/0/7 1/0/8");
  EXPECT_EQ(text(decode(13, lists).topology), "1 2 0: 0/0/7 1/0/8");  // the rest tells how many
  EXPECT_TRUE(warnings_.empty());
  lists.u32(1).string("0-3").u32(4).u32(5);
  const Features features = decode(13, lists, cpus);
  EXPECT_EQ(text(features.topology), "1 2 1: 0/4/7 1/5/8");
  EXPECT_EQ(features.topology.threads[1], "2-3");
  EXPECT_EQ(features.topology.dies[0], "0-3");
}

TEST_P(FeatureContents, MemoryAndCaches) {
  const BytesOut numa =
      out().u32(2).u32(0).u64(100).u64(50).string("0-1").u32(3).u64(7).u64(6).string("2");
  const Features nodes = decode(14, numa);
  ASSERT_EQ(nodes.numa.size(), 2);
  EXPECT_EQ(nodes.numa[1].node, 3);
  EXPECT_EQ(nodes.numa[1].total, 7);
  EXPECT_EQ(nodes.numa[1].free, 6);
  EXPECT_EQ(nodes.numa[1].cpus, "2");
  expect_cut_is_told(14, numa);
  const BytesOut caches =
      out().u32(1).u32(1).u32(2).u32(64).u32(1024).u32(8).string("Unified").string("512K").string(
          "0-1");
  const Features cached = decode(20, caches);
  ASSERT_EQ(cached.caches.size(), 1);
  EXPECT_EQ(cached.caches[0].level, 2);
  EXPECT_EQ(cached.caches[0].line_size, 64);
  EXPECT_EQ(cached.caches[0].sets, 1024);
  EXPECT_EQ(cached.caches[0].ways, 8);
  EXPECT_EQ(cached.caches[0].type + cached.caches[0].size + cached.caches[0].cpus,
            "Unified512K0-1");
  expect_cut_is_told(20, caches);
  EXPECT_TRUE(decode(20, out().u32(2).raw(caches.str().substr(4))).caches.empty());  // a version
  EXPECT_EQ(warnings_.size(), 1);
  for (const std::uint64_t bits : {1, 63, 64, 65, 128, 129}) {
    BytesOut memory = out().u64(1).u64(4096).u64(1).u64(5).u64(9).u64(bits);
    for (std::uint64_t at = 0; at < bits; at += 64) memory.u64(at + 1);
    const Features features = decode(22, memory);
    EXPECT_TRUE(warnings_.empty()) << bits;
    EXPECT_EQ(features.memory_block_size, 4096);
    ASSERT_EQ(features.memory.size(), 1);
    EXPECT_EQ(features.memory[0].node, 5);
    EXPECT_EQ(features.memory[0].bits, bits);
    EXPECT_EQ(features.memory[0].bitmap.size(), (bits + 63) / 64);
    expect_cut_is_told(22, memory);
  }
  EXPECT_TRUE(decode(22, out().u64(2).u64(4096).u64(0)).memory.empty());
  EXPECT_EQ(warnings_.size(), 1);
}

TEST_P(FeatureContents, Numbers) {
  const Features times = decode(21, out().u64(10).u64(20));
  EXPECT_EQ((*times.sample_time)[0], 10);
  EXPECT_EQ((*times.sample_time)[1], 20);
  expect_cut_is_told(21, out().u64(10).u64(20));
  const BytesOut packed = out().u32(1).u32(2).u32(3).u32(4).u32(5);
  const auto compression = decode(27, packed).compression;
  ASSERT_TRUE(compression);
  EXPECT_EQ(compression->version * 10000 + compression->type * 1000 + compression->level * 100 +
                compression->ratio * 10 + compression->mmap_size,
            12345);
  expect_cut_is_told(27, packed);
  const BytesOut clocks = out().u32(1).u32(2).u64(3).u64(4);
  const auto clock = decode(29, clocks).clock;
  ASSERT_TRUE(clock);
  EXPECT_EQ(clock->version * 1000 + clock->clockid * 100 + clock->wall_clock * 10 + clock->clock,
            1234);
  expect_cut_is_told(29, clocks);
  EXPECT_EQ(decode(34, out().u32(128)).cacheline_size, 128);
  EXPECT_EQ(decode(7, out().u32(8).u32(4)).cpus_available, 8);
  expect_cut_is_told(7, out().u32(8).u32(4));
  expect_cut_is_told(33, out().u32(62).u32(1));
  expect_cut_is_told(18, out().u64(1).u64(100).u64(48));
}

// Names of domains came with version 17 of /proc/schedstat.
TEST_P(FeatureContents, DomainsOfCpus) {
  for (const std::uint32_t version : {15, 16, 17, 18}) {
    const bool is_named = version >= 17;
    BytesOut content = out().u32(version).u32(2);
    for (const std::uint32_t cpu : {0u, 3u}) {
      content.u32(cpu).u32(2);
      for (const std::uint32_t domain : {0u, 1u}) {
        content.u32(domain);
        if (is_named) content.string(domain == 0 ? "SMT" : "MC");
        content.string("ff").string("0-7");
      }
    }
    const Features features = decode(32, content);
    EXPECT_TRUE(warnings_.empty());
    EXPECT_EQ(features.schedstat_version, version);
    EXPECT_EQ(features.most_cpu_domains, 2);
    ASSERT_EQ(features.cpu_domains.size(), 2);
    EXPECT_EQ(features.cpu_domains[1].cpu, 3);
    ASSERT_EQ(features.cpu_domains[1].domains.size(), 2);
    const CpuDomains::Domain& last = features.cpu_domains[1].domains[1];
    EXPECT_EQ(last.number, 1);
    EXPECT_EQ(last.name, is_named ? "MC" : "");
    EXPECT_EQ(last.cpu_mask + last.cpus, "ff0-7");
  }
}

// Entries are records of type 0: pid, 20 bytes of id, its size and 3 zeros, the file's name. perf
// before 2.6.34 wrote no pid, and before 5.10 no size.
TEST_P(FeatureContents, BuildIds) {
  const std::string id = "0123456789abcdefghij";
  const auto entry = [&](std::uint16_t misc, std::uint8_t size, const std::string& name,
                         bool has_pid = true) {
    std::string padded = name;
    padded.append(8 - name.size() % 8, '\0');
    BytesOut body = out();
    if (has_pid) body.u32(static_cast<std::uint32_t>(-1));
    body.raw(id).u8(size).pad(3).raw(padded);
    return out().u32(0).u16(misc).u16(static_cast<std::uint16_t>(body.size() + 8)).raw(body.str());
  };
  const struct {
    std::uint16_t misc;
    std::uint8_t size;
    std::size_t expected;
  } cases[] = {{2, 0, 20},
               {2, 8, 20},
               {1 << 15 | 2, 8, 8},
               {1 << 15 | 2, 20, 20},
               {1 << 15 | 2, 21, 20},
               {1 << 15 | 2, 0, 0}};
  for (const auto& c : cases) {
    const Features features = decode(2, entry(c.misc, c.size, "/bin/a"));
    EXPECT_TRUE(warnings_.empty());
    ASSERT_EQ(features.build_ids.size(), 1);
    EXPECT_EQ(features.build_ids[0].file, "/bin/a");
    EXPECT_EQ(features.build_ids[0].pid, -1);
    EXPECT_EQ(features.build_ids[0].misc, c.misc);
    EXPECT_EQ(features.build_ids[0].id.size(), c.expected) << c.misc << ' ' << int{c.size};
  }
  BytesOut old = out();
  old.raw(entry(1, 0, "[kernel.kallsyms]", false).str()).raw(entry(2, 0, "/bin/a", false).str());
  const Features features = decode(2, old);
  EXPECT_TRUE(warnings_.empty());
  ASSERT_EQ(features.build_ids.size(), 2);
  EXPECT_EQ(features.build_ids[0].file, "[kernel.kallsyms]");
  EXPECT_EQ(features.build_ids[1].file, "/bin/a");
  EXPECT_EQ(std::string(features.build_ids[1].id.begin(), features.build_ids[1].id.end()), id);
  for (const std::size_t after : {8, 0}) {  // shorter than its own header, also as the last one
    decode(2, out().u32(0).u16(0).u16(7).pad(after));
    EXPECT_EQ(warnings_.size(), 1) << after;
  }
}

TEST_P(FeatureContents, ProgramsOfBpf) {
  const std::string tag = "\x01\x02\x03\x04\x05\x06\x07\x08";
  BytesOut info = out().u32(6).u32(33).raw(tag).pad(48).raw(std::string("my_prog").append(9, '\0'));
  const BytesOut content = out()
                               .u32(1)
                               .u32(static_cast<std::uint32_t>(info.size()))
                               .u32(16)
                               .u64(0)
                               .raw(info.str())
                               .pad(16);
  const Features features = decode(25, content);
  EXPECT_TRUE(warnings_.empty());
  ASSERT_EQ(features.bpf_programs.size(), 1);
  EXPECT_EQ(features.bpf_programs[0].type, 6);
  EXPECT_EQ(features.bpf_programs[0].id, 33);
  EXPECT_EQ(features.bpf_programs[0].tag, 0x0102030405060708);
  EXPECT_EQ(features.bpf_programs[0].name, "my_prog");
  expect_cut_is_told(25, content);
  const BytesOut types = out().u32(2).u32(7).u32(4).pad(4).u32(8).u32(2).pad(2);
  const Features typed = decode(26, types);
  ASSERT_EQ(typed.bpf_btf.size(), 2);
  EXPECT_EQ(typed.bpf_btf[1].id * 10 + typed.bpf_btf[1].size, 82);
  expect_cut_is_told(26, types);
}

}  // namespace
}  // namespace evname::perf_format::feature_contents_test
