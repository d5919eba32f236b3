// Records that are kept in memory, as many bytes as are allowed.

#include "sampler/kept_records.hpp"

#include <gtest/gtest.h>

#include "support/bytes_out.hpp"
#include "support/fake_machine.hpp"
#include "support/temp_dir.hpp"

namespace evname::sampler {
namespace {

using test::BytesOut;

TEST(KeptRecords, FillTheRoomThatThereIs) {
  const std::string sample =
      BytesOut(std::endian::native).u32(9).u16(0).u16(24).u64(1).u64(7).str();  // id, time
  const Bytes record(reinterpret_cast<const std::uint8_t*>(sample.data()), sample.size());
  const test::TempDir dir;
  RecordOptions options;
  options.setup.roots = {.sysfs = dir.path("sys"), .procfs = dir.path("proc")};
  const Machine machine = test::skylakex_machine();
  for (const std::size_t most : {71u, 72u, 73u}) {
    sampling::OpenRecording open;
    sampling::OpenEvent& event = open.events.emplace_back();
    event.encoding = machine.resolve("page-faults:u")->front();
    const std::string attr =
        BytesOut(std::endian::native).u32(1).u32(64).u64(2).u64(1).u64(1 << 16 | 4).str();
    std::ranges::copy(attr, event.attr.begin());
    event.ids = {1};
    KeptRecords kept(open, machine, options, most, {});
    ASSERT_TRUE(kept.begin());
    for (int file = 0; file < 2; ++file) {  // each has its own room
      for (int i = 0; i < 5; ++i) kept.add(record, 7);
      const std::uint64_t fit = most / 24;
      EXPECT_EQ(kept.left_out(), (5 - fit) * (file + 1u)) << most;
      const auto taken = kept.take();
      ASSERT_TRUE(taken) << taken.error().text();
      std::size_t samples = 0;
      taken->for_each_sample([&](const Sample&) { ++samples; });
      EXPECT_EQ(samples, fit) << most;
    }
  }
}

}  // namespace
}  // namespace evname::sampler
