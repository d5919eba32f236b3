#include "perf_format/features.hpp"

#include <gtest/gtest.h>

#include "perf_format/recorded_events.hpp"
#include "support/perf_file.hpp"
#include "support/tracing_data.hpp"

namespace evname::perf_format {
namespace {

using test::BytesOut;
using test::PerfFile;
using test::view_of;

// HEADER_* of tools/perf/util/header.h; FEAT_* of system/extras/simpleperf/record_file_format.h.
TEST(FeatureName, IsThatOfItsNumber) {
  const std::pair<std::uint64_t, std::string_view> kNames[] = {{0, ""},
                                                               {1, "TRACING_DATA"},
                                                               {31, "PMU_CAPS"},
                                                               {34, "CLN_SIZE"},
                                                               {35, ""},
                                                               {127, ""},
                                                               {128, "FILE"},
                                                               {129, "META_INFO"},
                                                               {130, "DEBUG_UNWIND"},
                                                               {131, "DEBUG_UNWIND_FILE"},
                                                               {132, "FILE2"},
                                                               {133, "ETM_BRANCH_LIST"},
                                                               {134, "INIT_MAP"},
                                                               {135, ""}};
  for (const auto& [number, name] : kNames) EXPECT_EQ(feature_name(number), name) << number;
}

class AnyFeature : public testing::TestWithParam<std::endian> {
 protected:
  BytesOut out() const { return BytesOut(GetParam()); }
  Features decode(std::uint64_t number, const BytesOut& content) {
    Features features;
    Warnings list;
    decode_feature(number, content.view(), GetParam(), 0x40, features, list);
    warnings = list.take();
    return features;
  }
  std::vector<std::string> warnings;
};
INSTANTIATE_TEST_SUITE_P(Features, AnyFeature,
                         testing::Values(std::endian::little, std::endian::big));

TEST_P(AnyFeature, StringsEndAtTheirNul) {
  EXPECT_EQ(decode(3, out().string("host")).hostname, "host");
  EXPECT_EQ(decode(6, out().string("aarch64")).arch, "aarch64");
  EXPECT_EQ(decode(9, out().u32(4).raw("abcd")).cpuid, "abcd");  // no NUL
  EXPECT_EQ(decode(9, out().u32(0)).cpuid, "");
}

TEST_P(AnyFeature, NumbersAndListsAreRead) {
  EXPECT_EQ(decode(7, out().u32(8).u32(4)).cpus_online, 4u);
  EXPECT_EQ(decode(10, out().u64(1234)).total_memory, 1234u);
  EXPECT_EQ(decode(11, out().u32(2).string("perf").string("record")).command_line,
            (std::vector<std::string>{"perf", "record"}));
  const Features mapped = decode(16, out().u32(2).u32(4).string("cpu").u32(10).string("power"));
  ASSERT_EQ(mapped.pmu_mappings.size(), 2u);
  EXPECT_EQ(mapped.pmu_mappings[1], (std::pair<std::uint32_t, std::string>{10, "power"}));
  const Features groups = decode(17, out().u32(1).string("{anon_group}").u32(0).u32(2));
  ASSERT_EQ(groups.groups.size(), 1u);
  EXPECT_EQ(groups.groups[0].members, 2u);
}

TEST_P(AnyFeature, CapsAndHybridPmusAreRead) {
  const Features cpu = decode(28, out().u32(1).string("branches").string("32"));
  ASSERT_EQ(cpu.caps.size(), 1u);
  EXPECT_EQ(cpu.caps[0].pmu, "cpu");
  const Features pmu = decode(
      31, out().u32(1).u32(1).string("pmu_name").string("alderlake_hybrid").string("cpu_core"));
  ASSERT_EQ(pmu.caps.size(), 1u);
  EXPECT_EQ(pmu.caps[0].pmu, "cpu_core");
  EXPECT_EQ(pmu.caps[0].values[0].second, "alderlake_hybrid");
  EXPECT_EQ(decode(30, out().u32(1).string("cpu_atom").string("4-7")).hybrid[0].second, "4-7");
}

TEST_P(AnyFeature, EventDescriptionsOfAnyAttrSizeAreRead) {
  for (std::uint32_t size : {64u, 112u, 136u, 144u, 200u}) {
    const std::string attr =
        test::attr_bytes({.type = 4, .config = 0x11, .size = size}, GetParam());
    const Features features =
        decode(12, out().u32(1).u32(size).raw(attr).u32(2).string("r11").u64(5).u64(6));
    ASSERT_EQ(features.event_desc.size(), 1u) << size;
    EXPECT_EQ(features.event_desc[0].attr.code.config[0], 0x11u);
    EXPECT_EQ(features.event_desc[0].name, "r11");
    EXPECT_EQ(features.event_desc[0].ids, (std::vector<std::uint64_t>{5, 6}));
  }
}

TEST_P(AnyFeature, BrokenContentLosesOnlyWhatFollowsInIt) {
  const Features cut = decode(11, out().u32(0xffffffff).string("perf"));
  EXPECT_EQ(cut.command_line, std::vector<std::string>{"perf"});
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_NE(warnings[0].find("offset 0x40"), std::string::npos);
  EXPECT_NE(warnings[0].find("CMDLINE"), std::string::npos);
  EXPECT_TRUE(decode(9, out().u32(0xffffffff)).cpuid.empty());
  EXPECT_TRUE(decode(12, out().u32(0xffffffff).u32(0xffffffff)).event_desc.empty());
  EXPECT_TRUE(decode(16, out().u32(9)).pmu_mappings.empty());
}

TEST(Features, OneBrokenFeatureDoesNotLoseTheOthers) {
  const std::string file = PerfFile()
                               .event({})
                               .record(68, "")
                               .feature(3, BytesOut().u32(1 << 30).str())
                               .feature(9, BytesOut().string("GenuineIntel,6,85,4").str())
                               .feature(40, "unknown")
                               .file();
  Warnings warnings;
  Features features;
  read_features(view_of(file), *read_header(view_of(file), "f", warnings), features, warnings);
  EXPECT_EQ(features.cpuid, "GenuineIntel,6,85,4");
  EXPECT_EQ(warnings.take().size(), 1u);
}

TEST_P(AnyFeature, TracepointsAreNamedFromTheirFormats) {
  Features features =
      decode(1, out().raw(test::tracing_data(GetParam(), "sched", {{316, "sched_switch"}})));
  ASSERT_EQ(features.tracing.formats.size(), 1u);
  Events events;
  events.add(Attr{.code = make_code(kTypeTracepoint, {316})}, {});
  name_events(features, events);
  EXPECT_EQ(events.list()[0].name, "sched:sched_switch");
}

TEST(Names, AreMatchedByIdsThenAttrThenPosition) {
  Events events;
  events.add(Attr{.code = make_code(4, {1})}, {10});
  events.add(Attr{.code = make_code(4, {2})}, {20});
  events.add(Attr{.code = make_code(4, {3})}, {30});
  Features features;
  features.event_desc = {{Attr{.code = make_code(4, {2})}, "by attr", {}},
                         {Attr{.code = make_code(4, {2})}, "by id", {10}},
                         {Attr{.code = make_code(4, {9})}, "by position", {}}};
  name_events(features, events);
  EXPECT_EQ(events.list()[0].name, "by id");
  EXPECT_EQ(events.list()[1].name, "by attr");
  EXPECT_EQ(events.list()[2].name, "by position");
}

}  // namespace
}  // namespace evname::perf_format
