#include <gtest/gtest.h>

#include "evname/recording.hpp"
#include "support/perf_file.hpp"
#include "support/temp_dir.hpp"
#include "support/tracing_data.hpp"

namespace evname {
namespace {

using test::BytesOut;
using test::PerfFile;

Result<Recording> open_file(const std::string& bytes) {
  const test::TempDir dir;
  return Recording::open(dir.write("perf.data", bytes));
}

class Tracepoints : public testing::TestWithParam<std::endian> {};
INSTANTIATE_TEST_SUITE_P(Orders, Tracepoints,
                         testing::Values(std::endian::little, std::endian::big));

TEST_P(Tracepoints, AreNumberedByTheTracingDataOfFilesAndPipes) {
  PerfFile input(GetParam());
  input.event({.type = 2, .config = 7});
  input.feature(1,
                test::tracing_data(GetParam(), "sched", {{7, "sched_switch"}, {9, "sched_exit"}}));
  const auto file = open_file(input.file());
  ASSERT_TRUE(file) << file.error().text();
  const Machine& machine = file->machine();
  const auto found = machine.resolve("sched:*,sched:sched_exit:k");
  ASSERT_TRUE(found) << found.error().text();
  ASSERT_EQ(found->size(), 3u);
  EXPECT_EQ((*found)[0].name, "sched:sched_exit");
  EXPECT_EQ((*found)[0].code.config[0], 9u);
  EXPECT_EQ((*found)[1].code.config[0], 7u);
  EXPECT_EQ((*found)[2].modifiers, "k");
  EXPECT_EQ(machine.names_of(make_code(2, {9})).names,
            std::vector<std::string>{"sched:sched_exit"});
  EXPECT_TRUE(machine.names_of(make_code(2, {8})).names.empty());
  EXPECT_EQ(machine.resolve("irq:*").error().code, Errc::not_found);
}

TEST(RecordedTracepoints, AreNumberedByTheirRecordedNamesWhereTheTracingDataIsMissing) {
  const test::AttrSpec attr{.type = 2, .config = 314};
  const std::string desc = BytesOut()
                               .u32(1)
                               .u32(136)
                               .raw(attr_bytes(attr, std::endian::little))
                               .u32(0)
                               .string("irq:softirq_entry:u")
                               .str();
  const auto file = open_file(PerfFile().event(attr).feature(12, desc).file());
  ASSERT_TRUE(file) << file.error().text();
  const auto found = file->machine().resolve("irq:softirq_entry");
  ASSERT_TRUE(found) << found.error().text();
  EXPECT_EQ(found->front().code.config[0], 314u);
}

TEST(RecordedTracepoints, SayWhatTheRecordingLacks) {
  const auto file = open_file(PerfFile().event({.type = 0}).file());
  ASSERT_TRUE(file) << file.error().text();
  const auto found = file->machine().resolve("sched:sched_switch");
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().code, Errc::unsupported);
  EXPECT_NE(found.error().message.find("no TRACING_DATA"), std::string::npos);
}

}  // namespace
}  // namespace evname
