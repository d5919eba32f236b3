// Damaged files: whatever the bytes, reading ends, and soon.

#include <gtest/gtest.h>

#include <sys/resource.h>

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <random>

#include "evname/annotate.hpp"
#include "recordings/perf_data/recorded_facts.hpp"
#include "support/perf_file.hpp"
#include "support/recordings.hpp"
#include "support/temp_dir.hpp"

namespace evname {
namespace {

using test::BytesOut;
using test::PerfFile;

class Damage {
 public:
  explicit Damage(unsigned seed) : random_(seed) {}

  std::string operator()(std::string bytes) {
    constexpr std::uint64_t kExtremes[] = {
        0,         1, 7, 8, 0xffff, 0x7fffffff, 0xffffffff, std::uint64_t{1} << 40, UINT64_MAX - 7,
        UINT64_MAX};
    const std::size_t times = 1 + below(8);
    for (std::size_t i = 0; i < times && bytes.size() > 32; ++i) {
      // Half of the faults hit the header and attrs, where they reach farthest.
      const std::size_t at =
          below(below(2) == 0 ? std::min<std::size_t>(bytes.size(), 512) : bytes.size());
      const std::size_t width = std::size_t{1} << below(4);
      const std::uint64_t value = kExtremes[below(std::size(kExtremes))];
      switch (below(3)) {
        case 0:
          bytes[at] = static_cast<char>(bytes[at] ^ 1 << below(8));
          break;
        case 1:
          bytes.replace(at / 8 * 8, std::min(width, bytes.size() - at / 8 * 8),
                        reinterpret_cast<const char*>(&value), width);
          break;
        default:
          if (below(4) == 0) bytes.resize(at);
          break;
      }
    }
    return bytes;
  }

 private:
  std::size_t below(std::size_t limit) { return random_() % limit; }
  std::mt19937 random_;
};

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kIsSanitized = true;  // its own memory is in the figure, and takes time
#elif defined(__has_feature)
constexpr bool kIsSanitized = __has_feature(address_sanitizer) || __has_feature(thread_sanitizer);
#else
constexpr bool kIsSanitized = false;
#endif

/// The most memory that this process ever had, in bytes.
std::size_t peak_memory() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<std::size_t>(usage.ru_maxrss) << 10;
}

/// Seconds of CPU time that this process has taken: others may keep it waiting for long.
double cpu_time() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

void expect_survival(const std::string& original, unsigned count) {
  const test::TempDir dir;
  const std::size_t before = peak_memory();
  if (kIsSanitized) count /= 10;  // the fuzz targets have sanitizers, too
  for (unsigned seed = 0; seed < count; ++seed) {
    const std::string damaged = Damage(seed)(original);
    const double start = cpu_time();
    const auto file = Recording::open(dir.write("perf.data", damaged));
    if (!file) {
      EXPECT_FALSE(file.error().message.empty());
      continue;
    }
    std::size_t written = 0;
    const auto sink = [&](std::string_view text) { return written += text.size(), true; };
    (void)annotate(*file, {}, sink);
    const auto tally = annotate(*file, {.format = Format::jsonl}, sink);
    ASSERT_TRUE(tally);
    if (seed % 4 == 0) {
      EXPECT_LE(perf_data::survey(*file).scheduler.size(), damaged.size() / 24);
    }
    EXPECT_LE(file->warnings().size() + tally->warnings.size(), 210u);
    EXPECT_LT(cpu_time() - start, kIsSanitized ? 20 : 2) << "seed " << seed;
  }
  if (!kIsSanitized) {
    EXPECT_LT(peak_memory() - before, 256u << 20);
  }
}

std::string own_file(bool pipe) {
  PerfFile file(pipe ? std::endian::big : std::endian::little);
  const test::AttrSpec first{.type = 4, .config = 0x11, .sample_type = 0x10007, .ids = {1}};
  const test::AttrSpec second{.type = 1, .sample_type = 0x1d407, .read_format = 4, .ids = {2}};
  file.event(first).event(second);
  file.feature(3, file.out().string("host").str()).feature(9, file.out().string("x").str());
  file.feature(11, file.out().u32(1).string("perf").str());
  file.feature(16, file.out().u32(1).u32(4).string("cpu").str());
  for (std::uint64_t time = 1; time <= 50; ++time) {
    file.record(9, file.out().u64(1).u64(0).u32(5).u32(5).u64(time).str());
    file.record(3, file.out().u32(5).u32(5).padded("name").u32(5).u32(5).u64(time).u64(1).str());
    if (time % 10 == 0) file.record(68, "");
  }
  return pipe ? file.pipe() : file.file();
}

// 4,600 in all: two small recordings made up here, and the project's real ones.
TEST(Corruption, OfAnOwnFileIsSurvived) { expect_survival(own_file(false), 1500); }

TEST(Corruption, OfAnOwnPipeIsSurvived) { expect_survival(own_file(true), 1500); }

TEST(Corruption, OfTheRecordingsOfTheProjectIsSurvived) {
  const char* root = std::getenv("EVNAME_SOURCE_ROOT");
  ASSERT_NE(root, nullptr);
  for (const char* name : {"neoverse-n1", "cortex-a72-system"})
    expect_survival(test::read_all(std::string(root) + "/tests/data/" + name + ".data"), 500);
  for (const char* name : {"off-cpu.data", "config4.data", "sched-stats.perf"})
    expect_survival(test::read_all(std::string(root) + "/tests/data/" + name), 200);
}

TEST(Corruption, OfRealRecordingsIsSurvived) {
  if (test::shared_dir().empty()) GTEST_SKIP() << "EVNAME_SHARED is not set";
  for (const char* name :
       {"recordings/arm64-n1-zstd.data", "recordings/s390x-regs.data",
        "recordings/arm64-n1-pipe-trace.data", "corpus/perf.data.hybrid_topology"})
    expect_survival(test::read_all(test::shared_dir() + '/' + name), 60);
}

/// Returns how many SAMPLE records of a file lie before `size`, by the sizes in their headers.
std::uint64_t samples_before(const std::string& bytes, std::size_t size, std::size_t data) {
  std::uint64_t count = 0;
  const auto* at = reinterpret_cast<const std::uint8_t*>(bytes.data());
  while (data + 8 <= size) {
    const std::uint16_t record_size = load<std::uint16_t>(at + data + 6, std::endian::little);
    if (record_size == 0 || data + record_size > size) break;
    count += load<std::uint32_t>(at + data, std::endian::little) == 9;
    data += record_size;
  }
  return count;
}

// The attrs lie behind the header, the data behind these, and the features at the end: a file that
// is cut off loses what is behind the cut and that alone. Layout: tools/perf/Documentation/
// perf.data-file-format.txt, struct perf_header.
TEST(Corruption, OfEveryLengthIsSurvived) {
  const std::string whole = own_file(false);
  const auto word = [&](std::size_t at) {
    const auto* bytes = reinterpret_cast<const std::uint8_t*>(whole.data());
    return static_cast<std::size_t>(load<std::uint64_t>(bytes + at, std::endian::little));
  };
  const std::size_t data = word(40), end = data + word(48);
  ASSERT_EQ(samples_before(whole, end, data), 50u);
  const std::size_t attrs = word(24), attr_size = word(16), shortest_header = 72;
  const test::TempDir dir;
  // Where words and records begin, and within them.
  for (std::size_t size = 0; size <= whole.size(); size += size >= end     ? 1
                                                           : size % 8 == 0 ? 5
                                                                           : 11) {
    const auto file = Recording::open(dir.write("perf.data", whole.substr(0, size)));
    ASSERT_EQ(file.has_value(), size >= shortest_header) << size;
    if (!file) continue;
    const std::size_t whole_attrs = size < attrs ? 0 : (size - attrs) / attr_size;
    EXPECT_EQ(file->events().size(), std::min<std::size_t>(whole_attrs, 2)) << size;
    const auto tally =
        annotate(*file, {.format = Format::jsonl}, [](std::string_view) { return true; });
    ASSERT_TRUE(tally) << size;
    EXPECT_EQ(tally->samples, samples_before(whole, std::min(size, end), data)) << size;
    // Nothing is left out silently.
    EXPECT_EQ(file->warnings().empty() && tally->warnings.empty(), size == whole.size()) << size;
  }
}

TEST(Corruption, IdsOfManyEventsThatOverlapTakeNoMoreMemoryThanTheFile) {
  PerfFile file;
  for (int i = 0; i < 2000; ++i) file.event({.ids = {1}});
  std::string bytes = file.file();
  const std::uint64_t attrs = load<std::uint64_t>(
      reinterpret_cast<const std::uint8_t*>(bytes.data()) + 24, std::endian::little);
  const std::string everything = BytesOut().u64(0).u64(bytes.size()).str();
  for (std::uint64_t i = 0; i < 2000; ++i) bytes.replace(attrs + i * 152 + 136, 16, everything);
  const test::TempDir dir;
  const auto opened = Recording::open(dir.write("perf.data", bytes));
  ASSERT_TRUE(opened);
  std::size_t ids = 0;
  for (const RecordedEvent& event : opened->events()) ids += event.ids.size();
  EXPECT_LE(ids, bytes.size() / 8);
}

}  // namespace
}  // namespace evname
