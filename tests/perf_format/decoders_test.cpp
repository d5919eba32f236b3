// Features of machines, files and traces; and what becomes of each when it is cut off or hostile.

#include <gtest/gtest.h>

#include "perf_format/features.hpp"
#include "perf_format/perf_rules.hpp"
#include "perf_format/record.hpp"
#include "perf_format/trace_data.hpp"
#include "support/bytes_out.hpp"

namespace evname::perf_format {
namespace {

using test::BytesOut;

class AnyDecoder : public testing::TestWithParam<std::endian> {
 protected:
  BytesOut out() const { return BytesOut(GetParam()); }
  Features decode(std::initializer_list<std::pair<int, std::string>> contents) const {
    Features features;
    Warnings warnings;
    for (const auto& [number, content] : contents) decode_one(number, content, features);
    return features;
  }
  void decode_one(int number, const std::string& content, Features& features) const {
    Warnings warnings;
    decode_feature(static_cast<std::uint64_t>(number), test::view_of(content), GetParam(), 0,
                   features, warnings);
  }
  std::string list(std::initializer_list<std::string_view> texts) const {
    BytesOut bytes = out();
    bytes.u32(static_cast<std::uint32_t>(texts.size()));
    for (std::string_view text : texts) bytes.string(text);
    return bytes.str();
  }
};
INSTANTIATE_TEST_SUITE_P(Decoders, AnyDecoder,
                         testing::Values(std::endian::little, std::endian::big));

// Numbers: include/uapi/linux/perf_event.h and tools/lib/perf/include/perf/event.h of Linux 7.3.
TEST(RecordNames, EndWithTheLastTypeOfTheKernelAndOfPerf) {
  const std::pair<std::uint32_t, std::string_view> cases[] = {
      {0, "UNKNOWN"},           {1, "MMAP"},     {9, "SAMPLE"}, {22, "CALLCHAIN_DEFERRED"},
      {23, "UNKNOWN"},          {63, "UNKNOWN"}, {64, "ATTR"},  {68, "FINISHED_ROUND"},
      {86, "SCHEDSTAT_DOMAIN"}, {87, "UNKNOWN"}};
  for (const auto& [type, name] : cases) EXPECT_EQ(record_name(type), name) << type;
}

TEST(Warnings, BeyondTheFirstHundredAreCounted) {
  Warnings warnings;
  for (int i = 0; i < 103; ++i) warnings.add(std::to_string(i));
  const std::vector<std::string> list = warnings.take();
  ASSERT_EQ(list.size(), 101u);
  EXPECT_EQ(list[99], "99");
  EXPECT_EQ(list[100], "3 more faults of this file not listed");
  EXPECT_TRUE(warnings.take().empty());
}

// perf-facts: lists alone (perf before 2.6.38), core and socket pairs, dies (perf 5.1).
TEST_P(AnyDecoder, TopologyIsReadInItsThreeRevisions) {
  const std::string lists = list({"0-3"}) + list({"0-1", "2-3"});
  const std::string pairs = out().u32(0).u32(7).u32(1).u32(8).str();
  const std::string dies = list({"0-3"}) + out().u32(5).u32(0xffffffff).str();
  const std::string cpus = out().u32(2).u32(2).str();
  const Features first = decode({{7, cpus}, {13, lists}});
  EXPECT_EQ(first.topology.packages, (std::vector<std::string>{"0-3"}));
  EXPECT_EQ(first.topology.threads.size(), 2u);
  EXPECT_TRUE(first.topology.cpus.empty());
  const Features second = decode({{7, cpus}, {13, lists + pairs}});
  ASSERT_EQ(second.topology.cpus.size(), 2u);
  EXPECT_EQ(second.topology.cpus[1].core, 1);
  EXPECT_EQ(second.topology.cpus[1].socket, 8);
  EXPECT_TRUE(second.topology.dies.empty());
  const Features third = decode({{7, cpus}, {13, lists + pairs + dies}});
  EXPECT_EQ(third.topology.dies.size(), 1u);
  EXPECT_EQ(third.topology.cpus[1].die, -1);  // the CPU is offline
}

// Names since version 17 of /proc/schedstat; each CPU that is online has an entry.
TEST_P(AnyDecoder, SchedulingDomainsAreReadWithAndWithoutNames) {
  for (const std::uint32_t version : {16u, 17u}) {
    BytesOut bytes = out();
    bytes.u32(version).u32(2).u32(0).u32(2);
    for (const char* name : {"SMT", "PKG"}) {
      bytes.u32(name[0] == 'P');
      if (version >= 17) bytes.string(name);
      bytes.string("00000003").string("0-1");
    }
    bytes.u32(1).u32(0);
    const Features features = decode({{32, bytes.str()}});
    EXPECT_EQ(features.schedstat_version, version);
    EXPECT_EQ(features.most_cpu_domains, 2u);
    ASSERT_EQ(features.cpu_domains.size(), 2u);
    ASSERT_EQ(features.cpu_domains[0].domains.size(), 2u);
    EXPECT_EQ(features.cpu_domains[0].domains[1].number, 1u);
    EXPECT_EQ(features.cpu_domains[0].domains[1].name, version >= 17 ? "PKG" : "");
    EXPECT_EQ(features.cpu_domains[0].domains[1].cpus, "0-1");
    EXPECT_EQ(features.cpu_domains[1].cpu, 1u);
    const std::string cut = bytes.str().substr(0, bytes.size() - 4);
    EXPECT_TRUE(decode({{32, cut}}).present[0].broken);
    EXPECT_EQ(decode({{32, cut}}).cpu_domains.size(), 1u);
  }
}

TEST_P(AnyDecoder, ArchitectureIsThatOfTheElfMachineWhereNothingElseTells) {
  const bool big = GetParam() == std::endian::big;
  const struct {
    std::uint32_t machine;
    const char *big, *little;
  } kRows[] = {{62, "x86_64", "x86_64"}, {183, "aarch64_be", "aarch64"}, {21, "ppc64", "ppc64le"},
               {22, "s390x", "s390x"},   {243, "riscv64", "riscv64"},    {9999, "", ""}};
  for (const auto& row : kRows) {
    const std::string machine = out().u32(row.machine).u32(0).str();
    EXPECT_EQ(architecture(decode({{33, machine}}), big), big ? row.big : row.little);
    const std::string arch = out().string("mips").str();
    EXPECT_EQ(architecture(decode({{33, machine}, {6, arch}}), big), "mips");
  }
  EXPECT_EQ(architecture({}, big), "");
}

// refusals_test.py has many more of these, with the verdicts of perf; here they have both byte
// orders.
TEST_P(AnyDecoder, WhatPerfRefusesOfAFeature) {
  const bool native = GetParam() == std::endian::native;
  const PerfReader reader{GetParam(), 4, 4, 1};
  const std::string text = out().string("x").str();
  const struct {
    Feature feature;
    std::string content;
    std::string_view why;
  } kRows[] = {
      {Feature::compressed, out().u32(1).u32(1).u32(1).u32(2).u32(528384).str(), ""},
      {Feature::compressed, out().u32(1).u32(1).u32(1).u32(2).u32(5000).str(),
       "has no size of blocks"},
      {Feature::compressed, out().u32(1).u32(1).u32(1).u32(2).u32(0).str(),
       "has no size of blocks"},
      {Feature::nrcpus, out().u32(1 << 20).u32(1).str(), ""},
      {Feature::nrcpus, out().u32((1 << 20) + 1).u32(1).str(),
       "has more CPUs online than there are"},
      {Feature::nrcpus, out().u32(2).u32(3).str(), "has more CPUs online than there are"},
      {Feature::cpudesc, text, ""},
      {Feature::cpudesc, "", "is empty"},
      {Feature::cpudesc, out().u32(0).str(), "has a text without its end"},
      {Feature::total_mem, out().u32(1).str(), "is broken"},
      {Feature::pmu_caps, out().u32(1).u32(1).str() + text + text + text, ""},
      {Feature::pmu_caps, out().u32(1).u32(1).str() + text + text, "is broken"},
      {Feature::pmu_caps, out().u32(2).u32(0).str() + text + out().u32(0).str() + text, ""},
      {Feature::group_desc, out().u32(1).str() + text + out().u32(0).u32(1).str(), ""},
      {Feature::group_desc, out().u32(1).str() + text + out().u32(0).u32(2).str(),
       "has groups of events that the file does not have"},
      {Feature::bpf_btf, "", native ? "is empty" : ""},  // perf leaves foreign ones alone
      {Feature::build_id, out().u32(7).str(), ""},
      {Feature::event_desc, out().u32(7).str(), ""},
  };
  for (const auto& row : kRows) {
    const auto number = static_cast<std::uint64_t>(row.feature);
    EXPECT_EQ(why_perf_refuses(perf_rule_of(number), test::view_of(row.content), reader), row.why)
        << feature_name(number) << ' ' << row.content.size();
  }
}

TEST_P(AnyDecoder, BuildIdsOfMappingsAreRead) {
  const auto mmap2 = [&](std::uint8_t size, std::uint16_t misc) {
    BytesOut record = out();
    record.u32(10).u16(misc).u16(0).u32(5).u32(5).u64(0x1000).u64(0x2000).u64(0);
    record.u8(size).u8(0).u16(0).raw(std::string(20, '\x5a')).u32(5).u32(2).padded("/bin/true");
    const std::string bytes = record.str();
    return mapped_build_id({.type = 10, .misc = misc, .bytes = test::view_of(bytes)}, GetParam());
  };
  const auto found = mmap2(16, 1 << 14 | 2);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->file, "/bin/true");
  EXPECT_EQ(found->id, std::vector<std::uint8_t>(16, 0x5a));
  EXPECT_FALSE(mmap2(16, 2));  // an inode instead
  EXPECT_FALSE(mmap2(0, 1 << 14));
  EXPECT_EQ(mmap2(21, 1 << 14).value().id.size(), 20u);  // as build_id__init of perf
}

TEST_P(AnyDecoder, BpfMetadataIsReadAsFarAsItGoes) {
  const auto field = [](std::string_view text, std::size_t size) {
    return std::string(text) + std::string(size - text.size(), '\0');
  };
  BytesOut record = out();
  record.u32(84).u16(0).u16(0).raw(field("prog", 512)).u64(3);
  for (const char* key : {"version", "hash"}) record.raw(field(key, 64)).raw(field("1.2", 256));
  const std::string bytes = record.str();
  const BpfMetadata read =
      read_bpf_metadata({.type = 84, .bytes = test::view_of(bytes)}, GetParam());
  EXPECT_EQ(read.program, "prog");
  EXPECT_EQ(read.values, (Pairs{{"version", "1.2"}, {"hash", "1.2"}}));
}

TEST_P(AnyDecoder, BuildIdsAreReadWithAndWithoutPid) {
  const std::string id(20, '\x5a');
  const std::string modern =
      out().u32(0).u16(0x8002).u16(52).u32(77).raw(id).u8(16).pad(3).raw("/bin/true").pad(7).str();
  const Features got = decode({{2, modern}});
  ASSERT_EQ(got.build_ids.size(), 1u);
  EXPECT_EQ(got.build_ids[0].pid, 77);
  EXPECT_EQ(got.build_ids[0].id.size(), 16u);
  EXPECT_EQ(got.build_ids[0].file, "/bin/true");
  const std::string old =
      out().u32(0).u16(1).u16(64).raw(id).pad(4).raw("[kernel.kallsyms]").pad(15).str();
  const Features before = decode({{2, old}});
  ASSERT_EQ(before.build_ids.size(), 1u);
  EXPECT_EQ(before.build_ids[0].file, "[kernel.kallsyms]");
  EXPECT_EQ(before.build_ids[0].id.size(), 20u);
}

TEST_P(AnyDecoder, MachinesAndFilesAreRead) {
  const Features f = decode({
      {14, out().u32(1).u32(3).u64(100).u64(50).string("0-1").str()},
      {18, out().u64(1).u64(4096).u64(64).str()},
      {20, out()
               .u32(1)
               .u32(1)
               .u32(2)
               .u32(64)
               .u32(128)
               .u32(8)
               .string("Data")
               .string("32K")
               .string("0")
               .str()},
      {21, out().u64(5).u64(9).str()},
      {22, out().u64(1).u64(1 << 27).u64(1).u64(0).u64(3).u64(65).u64(6).u64(1).str()},
      {25, out()
               .u32(1)
               .u32(80)
               .u32(4)
               .u64(0)
               .u32(2)
               .u32(9)
               .raw("12345678")
               .pad(48)
               .raw("prog")
               .pad(12)
               .u32(0)
               .str()},
      {26, out().u32(1).u32(4).u32(8).u64(0).str()},
      {27, out().u32(0).u32(1).u32(3).u32(6).u32(4096).str()},
      {29, out().u32(1).u32(7).u64(11).u64(12).str()},
      {33, out().u32(183).u32(0).str()},
      {34, out().u32(64).str()},
  });
  EXPECT_EQ(f.numa.at(0).node, 3u);
  EXPECT_EQ(f.numa.at(0).cpus, "0-1");
  EXPECT_EQ(f.auxtrace.at(0).offset, 4096u);
  EXPECT_EQ(f.caches.at(0).sets, 128u);
  EXPECT_EQ(f.caches.at(0).type, "Data");
  EXPECT_EQ((*f.sample_time)[1], 9u);
  EXPECT_EQ(f.memory.at(0).bitmap, (std::vector<std::uint64_t>{6, 1}));
  EXPECT_EQ(f.bpf_programs.at(0).id, 9u);
  EXPECT_EQ(f.bpf_programs.at(0).tag, 0x3132333435363738u);
  EXPECT_EQ(f.bpf_programs.at(0).name, "prog");
  EXPECT_EQ(f.bpf_btf.at(0).id, 4u);
  EXPECT_EQ(f.compression->level, 3u);
  EXPECT_EQ(f.clock->clockid, 7u);
  EXPECT_EQ((*f.e_machine)[0], 183u);
  EXPECT_EQ(f.cacheline_size, 64u);
  for (const FeaturePresence& one : f.present) EXPECT_FALSE(one.broken) << one.number;
}

TEST_P(AnyDecoder, UnknownFeaturesAreNoted) {
  const Features f = decode({{77, "abc"}, {15, ""}});
  ASSERT_EQ(f.present.size(), 2u);
  EXPECT_EQ(f.present[0].number, 77u);
  EXPECT_EQ(f.present[0].size, 3u);
  EXPECT_TRUE(f.has(Feature::branch_stack));
}

// Any cut and any claim: read as far as it goes, and no more memory than the bytes are worth.
TEST_P(AnyDecoder, NothingIsReadBeyondTheContent) {
  const std::string strings =
      list({"a", "b"}) + list({"c"}) + out().u64(1).u64(2).u64(3).u64(4).str();
  for (int number = 1; number <= 40; ++number)
    for (std::size_t size = 0; size <= strings.size(); size += 4)
      for (std::uint64_t claim : {std::uint64_t{0}, std::uint64_t{0xffffffff}, UINT64_MAX}) {
        std::string content = strings.substr(0, size);
        const std::string word = out().u64(claim).str();
        if (size >= 8) content.replace(size / 2 / 4 * 4 > size - 8 ? 0 : size / 2 / 4 * 4, 8, word);
        Features features;
        decode_one(number, content, features);
        if (size >= 8) content.replace(0, 8, word);
        decode_one(number, content, features);
        EXPECT_LE(
            features.event_desc.size() + features.memory.size() + features.topology.cpus.size(),
            2 * size);
      }
}

TEST(TraceFormat, FieldsAreReadFromTheText) {
  const auto format = parse_trace_format(
      "sched",
      "name: sched_switch\nID: 316\nformat:\n\tfield:unsigned short "
      "common_type;\toffset:0;\tsize:2;\t"
      "signed:0;\n\n\tfield:char prev_comm[16];\toffset:8;\tsize:16;\tsigned:0;\n"
      "\tfield:__data_loc char[] name;\toffset:24;\tsize:4;\tsigned:0;\n"
      "\tfield:const char * ptr;\toffset:32;\tsize:8;\tsigned:0;\n"
      "\tfield:pid_t prev_pid;\toffset:28;\tsize:4;\tsigned:1;\n\nprint fmt: \"field:x\"\n");
  ASSERT_TRUE(format);
  EXPECT_EQ(format->id, 316u);
  EXPECT_EQ(format->system + ":" + format->name, "sched:sched_switch");
  ASSERT_EQ(format->fields.size(), 5u);
  EXPECT_EQ(format->fields[1].name, "prev_comm");
  EXPECT_EQ(format->fields[1].count, 16u);
  EXPECT_EQ(format->fields[2].name, "name");
  EXPECT_TRUE(format->fields[2].is_dynamic);
  EXPECT_EQ(format->fields[3].name, "ptr");
  EXPECT_EQ(format->fields[3].type, "const char *");
  EXPECT_TRUE(format->fields[4].is_signed);
  EXPECT_EQ(format->fields[4].offset, 28u);
  EXPECT_FALSE(parse_trace_format("s", "name: x\n"));
}

}  // namespace
}  // namespace evname::perf_format
