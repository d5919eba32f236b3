// Recordings with the names of their events: in each form that perf writes, with all else as it
// was. Layouts: tools/perf/Documentation/perf.data-file-format.txt.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "base/bytes.hpp"
#include "evname/rewrite.hpp"
#include "recordings/perf_data/recorded_facts.hpp"
#include "support/perf_file.hpp"
#include "support/temp_dir.hpp"
#include "support/written.hpp"

namespace evname::test {
namespace {

constexpr std::uint64_t kInjected = 1 | 2 | 4 | 256 | 0x10000;  // IP, TID, TIME, PERIOD, IDENTIFIER
const AttrSpec kInstructions{.type = 8, .config = 8, .sample_type = kInjected, .ids = {}};

class Injection : public testing::TestWithParam<std::endian> {
 protected:
  /// A Neoverse N1's instructions by their code, and cpu-clock.
  PerfFile recording(bool features = true) const {
    PerfFile file(GetParam());
    AttrSpec first = kInstructions, second{.type = 1, .sample_type = kInjected, .ids = {3}};
    first.ids = {1, 2};
    file.event(first).event(second);
    for (std::uint64_t i = 1; i <= 3; ++i)
      file.record(9, file.out().u64(i).u64(0x1000 * i).u32(5).u32(6).u64(i * 1000).u64(i).str(), 2);
    if (!features) return file;
    file.feature(3, file.out().string("host").str()).feature(6, file.out().string("aarch64").str());
    file.feature(9, file.out().string("0x00000000410fd0c0").str());
    file.feature(16, file.out().u32(1).u32(8).string("armv8_pmuv3_0").str());
    return file;
  }
  std::string desc(const PerfFile& file, std::vector<std::string> names) const {
    BytesOut out = file.out();
    AttrSpec first = kInstructions, second{.type = 1, .sample_type = kInjected};
    out.u32(2).u32(136);
    out.raw(attr_bytes(first, GetParam())).u32(2).string(names[0]).u64(1).u64(2);
    out.raw(attr_bytes(second, GetParam())).u32(1).string(names[1]).u64(3);
    return out.str();
  }
  /// "NAME=NAMED_BY …; host; the samples".
  static std::string said(const std::string& path) {
    const auto file = Recording::open(path);
    if (!file) return file.error().text();
    std::string out;
    for (const RecordedEvent& event : file->events())
      out += fmt::format("{} {} {}, ", event.recorded_name, event.name, event.ids.size());
    out += perf_data::features_of(*file).hostname + "; ";
    return out + written(*file, {.format = Format::csv, .fields = fields("ip,tid,time,period")});
  }
  static constexpr const char* kSamples =
      "ip,tid,time,period\n0x1000,6,0.000001000,1\n0x2000,6,0.000002000,2\n"
      "0x3000,6,0.000003000,3\n";
  TempDir dir;
};

TEST_P(Injection, OfEachFormChangesNamesAlone) {
  PerfFile named = recording(), unnamed = recording(), own = recording(), small = recording(false),
           cut = recording(false);
  named.feature(12, desc(named, {"r8", "cpu-clock"}));
  own.feature(12, desc(own, {"mine", "cpu-clock"}));
  small.header_size = 72;
  cut.unterminated = true;
  const std::string injected = "inst_retired inst_retired 2, cpu-clock cpu-clock 1, host; ";
  const struct {
    const char* what;
    std::string bytes;
    std::string expected;  ///< empty: as before
    std::size_t renamed;
  } cases[] = {
      {"without names", unnamed.file(), injected, 1},
      {"with names", named.file(), injected, 1},
      {"with the user's own name", own.file(), "mine mine 2, cpu-clock cpu-clock 1, host; ", 0},
      {"through a pipe", unnamed.pipe(), injected, 1},
      {"with names through a pipe", named.pipe(), injected, 1},
      {"an old header", small.file(), "", 0},
      {"cut off", cut.file(), "", 0},
  };
  for (const auto& c : cases) {
    const std::string from = dir.write("from", c.bytes), to = dir.path("to"),
                      again = dir.path("again");
    const auto file = Recording::open(from);
    ASSERT_TRUE(file) << c.what;
    const auto renamed = inject(*file, to);
    ASSERT_TRUE(renamed) << c.what << ": " << renamed.error().text();
    EXPECT_EQ(renamed->size(), c.renamed) << c.what;
    for (const Renamed& one : *renamed) EXPECT_EQ(one.to, "inst_retired") << c.what;
    EXPECT_EQ(said(to), c.expected.empty() ? said(from) : c.expected + kSamples) << c.what;
    ASSERT_TRUE(inject(Recording::open(to).value(), again)) << c.what;
    EXPECT_EQ(dir.read("again"), dir.read("to")) << c.what << ": a second time";
    ASSERT_TRUE(inject(*file, from)) << c.what;  // over itself
    EXPECT_EQ(dir.read("from"), dir.read("to")) << c.what << ": over itself";
  }
}

// perf.data-file-format.txt: the bitmap has words of 64 bits; recorders of 32 bits wrote such
// words.
TEST_P(Injection, TheBitmapOfFeaturesKeepsItsWords) {
  constexpr std::uint64_t kBefore = 1 << 3 | 1 << 6 | 1 << 9 | 1 << 16, kAfter = kBefore | 1 << 12;
  for (const unsigned shift : {0u, GetParam() == std::endian::big ? 32u : 0u}) {
    std::string bytes = recording().file();
    bytes.replace(72, 8, BytesOut(GetParam()).u64(kBefore << shift).str());
    const auto file = Recording::open(dir.write("from", bytes));
    ASSERT_TRUE(file);
    const auto done = inject(*file, dir.path("to"));
    ASSERT_TRUE(done) << done.error().text();
    EXPECT_EQ(dir.read("to").substr(72, 32),
              BytesOut(GetParam()).u64(kAfter << shift).pad(24).str())
        << shift;
  }
}

// EVENT_UPDATE tells the event by one of its ids; where there are several events without ids, it
// can't.
TEST_P(Injection, SeveralEventsWithoutIdsKeepTheirNamesInAPipe) {
  PerfFile file(GetParam());
  file.event(kInstructions).event(kInstructions).raw(recording().records());
  file.feature(6, file.out().string("aarch64").str());
  file.feature(9, file.out().string("0x00000000410fd0c0").str());
  file.feature(16, file.out().u32(1).u32(8).string("armv8_pmuv3_0").str());
  const auto opened = Recording::open(dir.write("from", file.pipe()));
  ASSERT_TRUE(opened && inject(*opened, dir.path("to")));
  EXPECT_EQ(dir.read("to"), dir.read("from"));
}

// A name is filled with zeros to a multiple of 64 bytes, one of them at least.
TEST_P(Injection, NamesOfAnyLengthStay) {
  for (const std::size_t size : {1, 62, 63, 64, 65, 127, 128}) {
    PerfFile file(GetParam());
    const AttrSpec clock{.type = 1, .sample_type = kInjected, .ids = {3}};
    AttrSpec instructions = kInstructions;
    instructions.ids = {1, 2};
    file.event(clock).event(instructions).raw(recording().records());
    file.feature(6, file.out().string("aarch64").str());
    file.feature(9, file.out().string("0x00000000410fd0c0").str());
    const std::string own(size, 'x');
    BytesOut desc = file.out();
    desc.u32(2).u32(136).raw(attr_bytes(clock, GetParam())).u32(1).string(own).u64(3);
    desc.raw(attr_bytes(instructions, GetParam())).u32(2).string("r8").u64(1).u64(2);
    file.feature(12, desc.str());
    file.feature(16, file.out().u32(1).u32(8).string("armv8_pmuv3_0").str());
    ASSERT_TRUE(inject(Recording::open(dir.write("from", file.file())).value(), dir.path("to")));
    EXPECT_EQ(said(dir.path("to")),
              own + ' ' + own + " 1, inst_retired inst_retired 2, ; " + kSamples);
  }
}

// The header says where the data begin and how long they are, and has a bitmap of features up to
// byte 104.
TEST_P(Injection, DataInsideOfTheHeaderAreRefused) {
  const std::string bytes = recording().file();
  const auto word = [&](std::size_t at) {
    return load<std::uint64_t>(reinterpret_cast<const std::uint8_t*>(bytes.data()) + at,
                               GetParam());
  };
  const std::uint64_t end = word(40) + word(48);
  for (const std::uint64_t offset : {0, 40, 72, 80, 103}) {
    std::string bad = bytes;
    bad.replace(40, 16, BytesOut(GetParam()).u64(offset).u64(end - offset).str());
    const std::string path = dir.write("from", bad);
    const auto file = Recording::open(path);
    ASSERT_TRUE(file);
    const auto done = inject(*file, path);
    ASSERT_FALSE(done) << offset;
    EXPECT_EQ(done.error().code, Errc::unsupported);
    EXPECT_EQ(dir.read("from"), bad);
  }
}

// The kernel refuses attrs of more than a page, so that what follows there says nothing.
TEST_P(Injection, LongAttrsAreNotCopiedForEachEvent) {
  PerfFile file(GetParam());
  AttrSpec first = kInstructions;
  first.size = 1'000'000;
  first.ids = {1};
  file.event(first);
  for (std::uint64_t id = 2; id < 100; ++id) {
    AttrSpec more = kInstructions;
    more.ids = {id};
    file.event(more);
  }
  file.feature(6, file.out().string("aarch64").str());
  file.feature(9, file.out().string("0x00000000410fd0c0").str());
  file.feature(16, file.out().u32(1).u32(8).string("armv8_pmuv3_0").str());
  const std::string from = dir.write("from", file.file());
  const auto opened = Recording::open(from);
  ASSERT_TRUE(opened && inject(*opened, dir.path("to")));
  EXPECT_LT(dir.read("to").size(), dir.read("from").size() + 100 * 5000);
  EXPECT_EQ(Recording::open(dir.path("to"))->events()[99 - 1].recorded_name, "inst_retired");
}

TEST_P(Injection, ADirectoryIsNotWrittenIntoItself) {
  PerfFile file = recording();
  file.feature(24, file.out().u64(1).str());
  dir.write("whole/data", file.file());
  dir.write("whole/data.0", "");
  dir.write("whole/more/notes", "");
  const auto opened = Recording::open(dir.path("whole"));
  ASSERT_TRUE(opened);
  for (const char* place : {"whole/named", "whole/more/named", "whole/../whole/named"}) {
    const auto done = inject(*opened, dir.path(place));
    ASSERT_FALSE(done) << place;
    EXPECT_EQ(done.error().code, Errc::invalid_argument);
  }
  const auto before = std::filesystem::current_path();
  std::filesystem::current_path(dir.path("whole/more"));
  for (const char* place : {"named", "./named", "../named"})
    EXPECT_FALSE(inject(*opened, place)) << place;
  std::filesystem::current_path(before);
  EXPECT_FALSE(dir.has("whole/named") || dir.has("whole/more/named"));
  EXPECT_TRUE(inject(*opened, dir.path("wholesale")));
}

INSTANTIATE_TEST_SUITE_P(ByteOrders, Injection,
                         testing::Values(std::endian::little, std::endian::big),
                         [](const auto& order) {
                           return order.param == std::endian::big ? "Big" : "Little";
                         });

}  // namespace
}  // namespace evname::test
