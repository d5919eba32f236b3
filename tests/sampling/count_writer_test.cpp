// The file that `evname stat record` writes: its records, whose layout is in
// tools/lib/perf/include/perf/event.h, and the same counts again as evname reads them.

#include "sampling/count_writer.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstring>
#include <fstream>
#include <iterator>

#include "evname/recording.hpp"
#include "support/fake_machine.hpp"
#include "support/temp_dir.hpp"

namespace evname::sampling {
namespace {

using Lines = std::vector<std::string>;

/// Numbers and texts of a file, from a place on.
struct Words {
  std::string_view bytes;
  template <class Number>
  Number at(std::size_t place) const {
    Number out{};
    if (place + sizeof out <= bytes.size()) std::memcpy(&out, bytes.data() + place, sizeof out);
    return out;
  }
  std::uint64_t u64(std::size_t place) const { return at<std::uint64_t>(place); }
  std::uint32_t u32(std::size_t place) const { return at<std::uint32_t>(place); }
  std::uint16_t u16(std::size_t place) const { return at<std::uint16_t>(place); }
};

std::string text_of_counted(const Words& in) {
  switch (in.u32(0)) {
    case 78:  // EVENT_UPDATE: 0 unit, 1 scale, 2 name
      return fmt::format("UPDATE {} of {}: {}", in.u64(8), in.u64(16),
                         in.u64(8) == 1 ? fmt::format("{}", in.at<double>(24))
                                        : std::string(in.bytes.substr(24).data()));
    case 73: {  // THREAD_MAP
      std::string out = "THREADS";
      for (std::uint64_t i = 0; i < in.u64(8); ++i)
        out += fmt::format(" {}", in.at<std::int64_t>(16 + 24 * i));
      return out;
    }
    case 74: {  // CPU_MAP of type 0
      std::string out = fmt::format("CPUS {}", in.u16(8));
      for (std::size_t i = 0; i < in.u16(10); ++i)
        out += fmt::format(" {}", in.at<std::int16_t>(12 + 2 * i));
      return out;
    }
    case 75: {  // STAT_CONFIG
      std::string out = "CONFIG";
      for (std::uint64_t i = 0; i < in.u64(8); ++i)
        out += fmt::format(" {}={}", in.u64(16 + 16 * i), in.u64(24 + 16 * i));
      return out;
    }
    case 76:  // STAT
      return fmt::format("STAT {} cpu {} thread {}: {} {} {}", in.u64(8), in.at<std::int32_t>(16),
                         in.u32(20), in.u64(24), in.u64(32), in.u64(40));
    case 77:  // STAT_ROUND: 0 an interval, 1 the end
      return fmt::format("ROUND {} {}", in.u64(8), in.u64(16));
    default:
      return fmt::format("record {}", in.u32(0));
  }
}

/// The records of a file, whose header has their place and size at bytes 40 and 48.
Lines lines_of_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  const std::string file{std::istreambuf_iterator<char>(in), {}};
  const Words head{file};
  std::string_view rest = std::string_view(file).substr(head.u64(40), head.u64(48));
  Lines out;
  while (rest.size() >= 8) {
    const std::size_t size = Words{rest}.u16(6);
    if (size < 8 || size > rest.size()) break;
    out.push_back(text_of_counted({rest.substr(0, size)}));
    rest.remove_prefix(size);
  }
  return out;
}

class CountWriting : public testing::Test {
 protected:
  CountWriting() {
    faults.name = "page-faults";
    set_code(faults, 1);
    energy.name = "energy";
    energy.pmu = "power";
    set_code(energy, 22);
    energy.unit = "Joules";
    energy.scale = 0.25;
  }
  static void set_code(Encoding& event, std::uint32_t type) {
    event.code.type = type;
    event.code.has_type = 1;
    event.code.config[0] = 2;
  }
  void write(std::span<const PlaceCount> first, std::span<const PlaceCount> last,
             const CountSetup& setup) {
    const int file = ::open(path.c_str(), O_RDWR | O_CREAT | O_TRUNC, 0600);
    ASSERT_GE(file, 0);
    auto writer = CountWriter::begin(file, test::skylakex_machine(), first, setup);
    ASSERT_TRUE(writer) << writer.error().text();
    ASSERT_TRUE(writer->write(first, 500, false));
    ASSERT_TRUE(writer->write(last, 1000, true));
    ASSERT_TRUE(writer->finish());
    ::close(file);
  }

  test::TempDir dir;
  const std::string path = dir.path("stat.data");
  Encoding faults, energy;
};

TEST_F(CountWriting, OfCpus) {
  const PlaceCount first[] = {{&faults, {.cpu = 0}, {7, 10, 10, 7}},
                              {&faults, {.cpu = 2}, {8, 10, 5, 16}},
                              {&energy, {.cpu = 0}, {9, 11, 11, 9}}};
  // Places that were not there at the beginning have no ids.
  const PlaceCount last[] = {{&faults, {.cpu = 2}, {80, 100, 50, 160}},
                             {&faults, {.cpu = 3}, {1, 1, 1, 1}}};
  write(first, last,
        {.mode = 4,
         .level = 3,
         .interval = 500,
         .is_scaled = false,
         .command_line = {"evname", "stat"}});
  EXPECT_EQ(lines_of_file(path),
            (Lines{"UPDATE 2 of 1: page-faults", "UPDATE 2 of 3: energy", "UPDATE 0 of 3: Joules",
                   "UPDATE 1 of 3: 0.25", "THREADS -1", "CPUS 0 0 2", "CONFIG 0=4 1=500 2=0 3=3",
                   "STAT 1 cpu 0 thread 0: 7 10 10", "STAT 2 cpu 2 thread 0: 8 10 5",
                   "STAT 3 cpu 0 thread 0: 9 11 11", "ROUND 0 500",
                   "STAT 2 cpu 2 thread 0: 80 100 50", "ROUND 1 1000"}));
  const auto recording = Recording::open(path);
  ASSERT_TRUE(recording) << recording.error().text();
  ASSERT_EQ(recording->events().size(), 2u);
  EXPECT_EQ(recording->events()[1].ids, (std::vector<std::uint64_t>{3, 4}));
  EXPECT_EQ(recording->facts().command_line, (std::vector<std::string>{"evname", "stat"}));
}

TEST_F(CountWriting, OfThreads) {
  const PlaceCount counts[] = {{&faults, {.thread = 5}, {7, 10, 10, 7}},
                               {&faults, {.thread = 6}, {8, 10, 10, 8}}};
  write(counts, counts, {});
  EXPECT_EQ(lines_of_file(path), (Lines{"UPDATE 2 of 1: page-faults", "THREADS 5 6", "CPUS 0 -1",
                                        "CONFIG 0=1 1=0 2=1 3=0", "STAT 1 cpu -1 thread 0: 7 10 10",
                                        "STAT 2 cpu -1 thread 1: 8 10 10", "ROUND 0 500",
                                        "STAT 1 cpu -1 thread 0: 7 10 10",
                                        "STAT 2 cpu -1 thread 1: 8 10 10", "ROUND 1 1000"}));
}

TEST_F(CountWriting, NeedsACount) {
  const int file = ::open(path.c_str(), O_RDWR | O_CREAT, 0600);
  EXPECT_EQ(CountWriter::begin(file, test::skylakex_machine(), {}, {}).error().message,
            "nothing is counted");
  ::close(file);
}

}  // namespace
}  // namespace evname::sampling
