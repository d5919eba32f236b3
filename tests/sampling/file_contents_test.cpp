// A recording has records of its traces, from a sysfs and a procfs that are made here; and a file
// ends with a whole record where the disk is full.

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <string>

#include "evname/recording.hpp"
#include "sampling/machine_features.hpp"
#include "sampling/recording_writer.hpp"
#include "sampling/traces.hpp"
#include "support/bytes_out.hpp"
#include "support/temp_dir.hpp"

namespace evname::sampling {
namespace {

using perf_format::Feature;
using test::BytesOut;
using test::TempDir;

Bytes as_bytes(std::string_view text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

/// Attr of software event 2 with samples of a time, and its id.
RecordedEvent event(std::string& attr) {
  attr = BytesOut(std::endian::native).u32(1).u32(64).u64(2).u64(1).u64(4).str();
  attr.resize(64);
  static const std::vector<std::uint64_t> kIds = {1};
  return {attr, "page-faults", kIds, 0};
}

// The size of a trace is padded to words, and its place is where its first byte is.
TEST(Traces, ARecordSaysWhereItsBytesAreFrom) {
  std::array<std::uint8_t, 16> bytes{};
  for (const std::size_t size : {0u, 8u, 13u, 16u}) {
    const Bytes all(bytes);
    const std::string record =
        trace_record({3, 77, 5}, {all.first(size / 2), all.first(size - size / 2), 0x1000});
    const BytesOut expected = BytesOut(std::endian::native)
                                  .u64((size + 7) / 8 * 8)
                                  .u64(0x1000 - size)
                                  .u64(0)
                                  .u32(3)
                                  .u32(77)
                                  .u32(5)
                                  .u32(0);
    EXPECT_EQ(record.substr(8), expected.str()) << size;
  }
}

// Words of arm_spe_info_fill of tools/perf/arch/arm64/util/arm-spe.c, which reads event_filter with
// %lx.
TEST(Traces, OfSpeAreDescribedByTheCapsOfEachCpusPmu) {
  TempDir dir;
  const std::string pmu = "sys/bus/event_source/devices/arm_spe_0/";
  dir.write("sys/devices/system/cpu/online", "2-3\n");
  dir.write("sys/devices/system/cpu/cpu2/regs/identification/midr_el1", "0x00000000410fd0c0\n");
  dir.write(pmu + "type", "9\n");
  dir.write(pmu + "cpumask", "2\n");
  dir.write(pmu + "format/ts_enable", "config:0\n");
  dir.write(pmu + "caps/min_interval", "1024\n");
  dir.write(pmu + "caps/event_filter", "1fe\n");
  const auto machine = Machine::named("0x00000000410fd0c0", dir.path("sys"));
  ASSERT_TRUE(machine) << machine.error().text();
  const auto events = machine->resolve("arm_spe_0//");
  ASSERT_TRUE(events) << events.error().text();
  RecordOptions options;
  options.setup.roots = {.sysfs = dir.path("sys"), .procfs = dir.path("proc")};
  const std::string record =
      trace_description(*machine, *events, options, true, perf_event_mmap_page{});
  BytesOut expected(std::endian::native);
  expected.u32(4).u32(0).u64(2).u64(4).u64(9).u64(2);  // PERF_AUXTRACE_ARM_SPE, version 2
  for (const std::uint64_t word : {2ull, 4ull, 0x410fd0c0ull, 9ull, 1024ull, 0x1feull})
    word == 2 ? expected.u64(0x1010101010101010).u64(word) : expected.u64(word);
  expected.u64(0x1010101010101010).u64(3).u64(4).u64(0).u64(UINT64_MAX).u64(0).u64(0);
  EXPECT_EQ(record.substr(8), expected.str());
}

/// Files can't get larger than this while it lives.
class LargestFile {
 public:
  explicit LargestFile(std::uint64_t size) : before_(std::signal(SIGXFSZ, SIG_IGN)) {
    getrlimit(RLIMIT_FSIZE, &limit_);
    const rlimit now{size, limit_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &now);
  }
  ~LargestFile() {
    setrlimit(RLIMIT_FSIZE, &limit_);
    std::signal(SIGXFSZ, before_);
  }

 private:
  rlimit limit_{};
  void (*before_)(int);
};

// A file without room ends with its last whole record, and has no features that it has no room for.
TEST(FullFiles, EndWithTheirLastWholeRecord) {
  const std::string sample =
      BytesOut(std::endian::native).u32(9).u16(0).u16(16).u64(7).str();  // a time
  const std::string three = sample + sample + sample;
  for (const bool has_room_again : {false, true}) {
    const TempDir dir;
    const std::string path = dir.path("perf.data");
    const int file = ::open(path.c_str(), O_RDWR | O_CREAT, 0600);
    ASSERT_GE(file, 0);
    auto writer = RecordingWriter::create(file, 0);
    ASSERT_TRUE(writer);
    std::string attr;
    const RecordedEvent events[] = {event(attr)};
    ASSERT_TRUE(writer->begin(events, {}));
    ASSERT_TRUE(writer->write_records(sample));
    const FeatureSections sections = {
        {Feature::hostname, BytesOut(std::endian::native).string("here").str()}};
    {
      const LargestFile limit(writer->size() + 2 * sample.size() + 3);
      const Bytes bytes = as_bytes(three);
      EXPECT_FALSE(writer->write({bytes.first(20), bytes.subspan(20), 0}));
      EXPECT_EQ(writer->kept(), 2 * sample.size());
      EXPECT_EQ(has_room_again || writer->finish(sections).has_value(), has_room_again);
    }
    EXPECT_EQ(has_room_again && writer->finish(sections), has_room_again);
    ::close(file);
    const auto found = Recording::open(path);
    ASSERT_TRUE(found) << found.error().text();
    std::size_t samples = 0;
    found->for_each_sample([&](const Sample& one) { samples += one.time() == 7u; });
    EXPECT_EQ(samples, 3u) << has_room_again;
    EXPECT_EQ(found->facts().hostname, has_room_again ? "here" : "");
    EXPECT_TRUE(found->warnings().empty()) << found->warnings().front();
  }
}

// perf takes a data size of 0 for a recorder that did not end: perf_session__read_header of
// tools/perf/util/header.c. A user who may not see the kernel's mappings has no record without
// samples.
TEST(EmptyFiles, AreComplete) {
  const TempDir dir;
  const std::string path = dir.path("perf.data");
  const int file = ::open(path.c_str(), O_RDWR | O_CREAT, 0600);
  ASSERT_GE(file, 0);
  auto writer = RecordingWriter::create(file, 0);
  ASSERT_TRUE(writer);
  std::string attr;
  const RecordedEvent events[] = {event(attr)};
  ASSERT_TRUE(writer->begin(events, {}));
  ASSERT_TRUE(
      writer->finish({{Feature::hostname, BytesOut(std::endian::native).string("here").str()}}));
  ::close(file);
  const auto found = Recording::open(path);
  ASSERT_TRUE(found) << found.error().text();
  EXPECT_EQ(found->facts().hostname, "here");
  EXPECT_TRUE(found->warnings().empty()) << found->warnings().front();
}

}  // namespace
}  // namespace evname::sampling
