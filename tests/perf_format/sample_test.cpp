#include "perf_format/sample_record.hpp"

#include <gtest/gtest.h>

#include <functional>

#include "recordings/session/record_order.hpp"
#include "support/perf_file.hpp"

namespace evname::perf_format {
namespace {

using test::BytesOut;

struct Built {
  explicit Built(std::string bytes, std::uint32_t type = kRecordSample) : memory(std::move(bytes)) {
    record.type = type;
    record.bytes = test::view_of(memory);
  }
  std::string memory;
  Record record;
};

Event event_of(Attr attr) {
  Events events;
  events.add(attr, {});
  return events.list()[0];
}

/// Parses a record as a sample of an event; returns what parse_sample() does.
const char* parse(const Record& record, const Event& event, std::endian order,
                  SampleRecord& sample) {
  sample.record = record;
  return parse_sample(event, order, sample);
}

class AnySample : public testing::TestWithParam<std::endian> {
 protected:
  BytesOut out() const { return BytesOut(GetParam()); }
};
INSTANTIATE_TEST_SUITE_P(Sample, AnySample, testing::Values(std::endian::little, std::endian::big));

TEST_P(AnySample, FixedFieldsFollowTheSampleType) {
  const Event event = event_of({.sample_type = 0x103cf | 1 << 8});
  const Built sample(out()
                         .pad(8)
                         .u64(42)
                         .u64(0xffff800000000000)
                         .u32(7)
                         .u32(8)
                         .u64(123456789)
                         .u64(0xadd)
                         .u64(42)
                         .u64(77)
                         .u32(3)
                         .u32(0)
                         .u64(1000)
                         .str());
  SampleRecord parsed;
  ASSERT_EQ(parse(sample.record, event, GetParam(), parsed), nullptr);
  EXPECT_EQ(parsed.id, 42u);
  EXPECT_EQ(parsed.ip, 0xffff800000000000u);
  EXPECT_EQ(parsed.pid, 7);
  EXPECT_EQ(parsed.tid, 8);
  EXPECT_EQ(parsed.time, 123456789u);
  EXPECT_EQ(parsed.addr, 0xaddu);
  EXPECT_EQ(parsed.cpu, 3u);
  EXPECT_EQ(parsed.period, 1000u);
}

TEST(Sample, AbsentFieldsHaveDefaultsAndThePeriodOfTheEvent) {
  SampleRecord parsed;
  const Built sample(BytesOut().pad(8).u64(1).str());
  ASSERT_EQ(parse(sample.record, event_of({.sample_period = 4000, .sample_type = kSampleIp}),
                  std::endian::little, parsed),
            nullptr);
  EXPECT_EQ(parsed.tid, -1);
  EXPECT_EQ(parsed.time, UINT64_MAX);
  EXPECT_EQ(parsed.period, 4000u);
}

TEST(Sample, ARecordShorterThanTheFixedPartIsRefused) {
  SampleRecord parsed;
  const Built sample(BytesOut().pad(8 + 23).str());
  EXPECT_STREQ(parse(sample.record, event_of({.sample_type = kSampleIp | kSampleTid | kSampleTime}),
                     std::endian::little, parsed),
               "fixed part");
}

TEST_P(AnySample, TheTailIsReadInOrder) {
  Attr attr{.sample_type = kSampleRead | kSampleCallchain | kSampleRaw | kSampleBranchStack |
                           kSampleRegsUser | kSampleStackUser | kSampleWeight | kSampleDataSrc |
                           kSampleRegsIntr | kSamplePhysAddr | kSampleCgroup | kSampleDataPageSize |
                           kSampleCodePageSize | kSampleAux,
            .read_format = kReadGroup | kReadId | kReadLost | kReadTimeEnabled,
            .branch_sample_type = 1 << 17,
            .regs_user = 5,
            .regs_intr = 1};
  BytesOut body = out();
  body.pad(8);
  body.u64(2).u64(99).u64(1).u64(2).u64(3).u64(4).u64(5).u64(6);  // read
  body.u64(2).u64(0xc0).u64(0xc1);                                // callchain
  body.u32(4).raw("rawd");
  body.u64(1).u64(55).u64(0xf).u64(0x7).u64(0);  // branches
  body.u64(2).u64(0x51).u64(0x52);               // user registers
  body.u64(16).raw("0123456789abcdef").u64(4);   // stack
  body.u64(11).u64(12).u64(0);                   // weight, data_src, regs abi 0
  body.u64(13).u64(14).u64(15).u64(16).u64(3).raw("aux");
  const Built sample(body.str());
  SampleRecord parsed;
  ASSERT_EQ(parse(sample.record, event_of(attr), GetParam(), parsed), nullptr);
  EXPECT_EQ(parsed.read.size(), 64u);
  EXPECT_EQ(parsed.callchain.size(), 16u);
  EXPECT_EQ(parsed.raw.size(), 4u);
  EXPECT_EQ(parsed.branches.size(), 24u);
  EXPECT_EQ(parsed.branch_hw_index, 55u);
  EXPECT_EQ(parsed.user_registers.size(), 16u);
  EXPECT_EQ(parsed.stack.size(), 4u);
  EXPECT_EQ(parsed.weight, 11u);
  EXPECT_EQ(parsed.interrupt_abi, 0u);
  EXPECT_EQ(parsed.code_page_size, 16u);
  EXPECT_EQ(parsed.aux.size(), 3u);
}

// The kernel writes what it dumped, then how much of it was stack: at most all of it.
TEST(Sample, AStackCanBeUsedUpToItsEnd) {
  for (const std::uint64_t used : {0, 1, 7, 8}) {
    const Built sample(std::string(8, '\0') + BytesOut().u64(8).raw("01234567").u64(used).str());
    SampleRecord parsed;
    EXPECT_EQ(parse(sample.record, event_of({.sample_type = kSampleStackUser}), std::endian::little,
                    parsed),
              nullptr);
    EXPECT_EQ(parsed.stack.size(), used);
  }
}

TEST(Sample, CountsThatDoNotFitAreNamed) {
  const std::uint64_t huge = UINT64_MAX;
  const struct {
    std::uint64_t type;
    BytesOut body;
    const char* part;
  } kRows[] = {
      {kSampleCallchain, BytesOut().u64(huge), "callchain"},
      {kSampleCallchain, BytesOut().u64(std::uint64_t{1} << 61), "callchain"},
      {kSampleRaw, BytesOut().u32(0xffffffff), "raw data"},
      {kSampleBranchStack, BytesOut().u64(huge), "branch stack"},
      {kSampleRegsUser, BytesOut().u64(1).u64(0), "user registers"},
      {kSampleStackUser, BytesOut().u64(huge), "user stack"},
      {kSampleStackUser, BytesOut().u64(8).u64(0).u64(9), "user stack"},
      {kSampleRead, BytesOut().u64(huge), "read values"},
      {kSampleRegsIntr, BytesOut().u64(1), "interrupt registers"},
      {kSamplePhysAddr, BytesOut(), "physical address"},
      {kSampleAux, BytesOut().u64(huge), "aux data"},
  };
  for (const auto& row : kRows) {
    const Attr attr{
        .sample_type = row.type, .read_format = kReadGroup, .regs_user = 3, .regs_intr = 3};
    const Built sample(std::string(8, '\0') + row.body.str());
    SampleRecord parsed;
    const char* fault = parse(sample.record, event_of(attr), std::endian::little, parsed);
    EXPECT_STREQ(fault, row.part);
  }
}

// Source: perf_output_sample; which events have them: evsel__has_branch_counters.
TEST_P(AnySample, BranchCountersFollowTheBranchesOfAllEventsOfTheGroup) {
  const Attr plain{.sample_type = kSampleBranchStack | kSampleCgroup};
  Attr counting = plain;
  counting.branch_sample_type = 1 << 19;
  Events events;
  events.add(plain, {1});
  events.add(counting, {2});
  events.add(plain, {3});
  events.add_group(0, 2);
  const std::string branches = out().u64(2).pad(48).str();
  const Built with(std::string(8, '\0') + branches + out().u64(5).u64(6).u64(77).str());
  const Built without(std::string(8, '\0') + branches + out().u64(77).str());
  for (std::size_t i = 0; i < 3; ++i) {
    SampleRecord parsed;
    const Record& record = i < 2 ? with.record : without.record;
    EXPECT_EQ(parse(record, events.list()[i], GetParam(), parsed), nullptr);
    EXPECT_EQ(parsed.branch_counters.size(), i < 2 ? 16u : 0u);
    EXPECT_EQ(parsed.cgroup, 77u);
  }
}

TEST(Trailer, IsCountedFromTheEndOfTheRecord) {
  const Attr attr{
      .sample_type = kSampleTid | kSampleTime | kSampleId | kSampleCpu | kSampleIdentifier,
      .flags = 1 << kSampleIdAll};
  const Built record(
      BytesOut().pad(8).raw("some body").u32(1).u32(2).u64(777).u64(9).u32(0).u32(0).u64(9).str(),
      kRecordComm);
  Events events;
  events.add(attr, {9});
  EXPECT_EQ(session::record_time(record.record, events, std::endian::little), 777u);
  const Built cut(BytesOut().pad(8 + 39).str(), kRecordComm);
  EXPECT_EQ(session::record_time(cut.record, events, std::endian::little), UINT64_MAX);
}

TEST(Lookup, UsesIdentifierWhereSampleTypesDiffer) {
  Events events;
  events.add({.sample_type = kSampleIdentifier | kSampleIp, .flags = 1 << kSampleIdAll}, {1});
  events.add({.sample_type = kSampleIdentifier | kSampleTime, .flags = 1 << kSampleIdAll}, {2});
  const auto index = [&](std::uint64_t id) {
    const Built sample(BytesOut().pad(8).u64(id).u64(0).str());
    const Event* event = events.of_sample(sample.record, std::endian::little);
    return event ? event - events.list().data() : -1;
  };
  EXPECT_EQ(index(1), 0);
  EXPECT_EQ(index(2), 1);
  EXPECT_EQ(index(0), 0);  // synthesized records
  EXPECT_EQ(index(3), -1);
}

TEST(Lookup, OfOneEventIgnoresIds) {
  Events events;
  events.add({.sample_type = kSampleIdentifier}, {1});
  const Built sample(BytesOut().pad(8).u64(99).str());
  EXPECT_EQ(events.of_sample(sample.record, std::endian::little), &events.list()[0]);
}

}  // namespace
}  // namespace evname::perf_format
