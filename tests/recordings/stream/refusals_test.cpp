// Why perf refuses a file: header.c and session.c of tools/perf/util. tests/against_perf runs perf
// itself.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "evname/recording.hpp"
#include "support/perf_file.hpp"
#include "support/temp_dir.hpp"

namespace evname::refusals_test {
namespace {

using namespace test;

/// A file that perf reads.
PerfFile sound() {
  PerfFile file;
  file.event({.sample_type = 2 | 4, .flags = {}, .size = 128, .ids = {1}});
  return file.record(9, BytesOut().u32(5).u32(5).u64(1).str());
}

class PerfRefusals : public testing::Test {
 protected:
  std::string of(const std::string& bytes, bool all_records = true) {
    const auto file = Recording::open(dir_.write("perf.data", bytes));
    if (!file) return "unreadable: " + file.error().text();
    std::string out;
    for (const std::string& reason : file->refused_by_perf(all_records)) out += reason + ";";
    return out;
  }
  TempDir dir_;
};

/// The file with another number at a place.
std::string with(std::string bytes, std::size_t at, std::uint64_t value, std::size_t size = 8) {
  return bytes.replace(at, size, BytesOut().u64(value).str(), 0, size);
}

PerfFile with_header(std::uint64_t size) {
  PerfFile file = sound();
  file.header_size = size;
  return file;
}

PerfFile with_attr(const AttrSpec& spec) { return PerfFile(sound()).event(spec); }

// Of the file's header: sizes of an attr (at 16), of attrs (32) and of data (48). The attr follows
// its id, at 112; its size is 4 bytes in it, the place and size of its ids are behind it.
TEST_F(PerfRefusals, OfHeadersAndAttrs) {
  const std::string file = sound().file();
  constexpr std::size_t kAttr = 112;
  const std::string no_ids = "the ids of attr 0 are not in the file, or no ids;";
  const std::pair<std::string, std::string> rows[] = {
      {file, ""},
      {with(file, 16, 0), "the size of attrs is 0;"},
      {with(file, 48, 0), "the size of the data section is 0;"},
      {with(file, 32, 144 + 1), "the attrs and data sections overlap;"},
      {with(file, 32, 2 * 144), "the attrs and data sections overlap;attr 1 is not in the file;"},
      {with_header(72).file(), ""},
      {with_header(80).file(), "the header has 80 bytes, not 104;"},
      {with_header(112).file(), "the header has 112 bytes, not 104;"},
      {with(file, 8, 112), "the header has 112 bytes, not 104;"},
      {with(file, 8, 120), "the header has 120 bytes, not 104;the header overlaps a section;"},
      {with(file, kAttr + 4, 0, 4), ""},  // it means 64
      {with(file, kAttr + 4, 63, 4), "attr 0 has 63 bytes;"},
      {with(file, kAttr + 4, 152, 4), "attr 0 has 152 bytes;"},
      {with(file, kAttr + 128 + 8, 7), no_ids},
      {with(file, kAttr + 128, 1 << 20), no_ids},
      {with_attr({.type = 2, .config = 42, .sample_type = 6, .flags = {}, .size = 128}).file(),
       "tracepoint 42 has no format: TRACING_DATA is missing, or it lacks the tracepoint;"}};
  for (const auto& [bytes, reasons] : rows) EXPECT_EQ(of(bytes), reasons);
}

// perf reads the records before the data only when it opens a file.
TEST_F(PerfRefusals, OfRecords) {
  const struct {
    std::uint32_t type;
    std::string body, reason;
  } rows[] = {{9, BytesOut().u32(5).u32(5).u64(1).u32(0).str(),
               "the record SAMPLE (9) at 0x118 has a size that is no multiple of 8;"},
              {80, std::string(12, 0), ""},  // FEATURE 0; old ones have any size
              {60, std::string(8, 0),
               "the record UNKNOWN (60) at 0x118 has a type that perf does not know;"},
              {99, std::string(8, 0), ""},  // of perf's own records it ignores unknown ones
              {81, std::string(8, 0),
               "the record COMPRESSED (81) at 0x118 comes without the feature COMPRESSED;"},
              {73, BytesOut().u64(2).pad(24).str(),
               "the record THREAD_MAP (73) at 0x118 has more threads than it has room for;"},
              {73, BytesOut().u64(1).pad(24).str(), ""}};
  for (const auto& row : rows) {
    const std::string bytes = sound().record(row.type, row.body).file();
    EXPECT_EQ(of(bytes), row.reason) << row.type;
    EXPECT_EQ(of(bytes, false), "") << row.type;
  }
  EXPECT_EQ(of(sound().pipe()), "");
  PerfFile stream = sound();
  EXPECT_EQ(of(stream.record(60, std::string(8, 0)).pipe()),
            "the record UNKNOWN (60) at 0xb8 has a type that perf does not know;");
}

TEST_F(PerfRefusals, OfFeatures) {
  PerfFile file = sound();
  file.feature(3, "12").feature(7, BytesOut().u32(1).u32(1).str());
  const std::string bytes = file.file(), broken = "feature 3 (HOSTNAME) is broken;";
  EXPECT_EQ(of(bytes), broken);
  EXPECT_EQ(of(bytes.substr(0, bytes.size() - 1)),
            broken + "feature 7 (NRCPUS) is not in the file as a whole;");
  // perf detects the other byte order by HOSTNAME, and else does not read the features.
  PerfFile big(std::endian::big);
  big.event({.sample_type = 6, .flags = {}, .size = 128});
  big.record(9, big.out().u32(5).u32(5).u64(1).str()).feature(7, "12");
  EXPECT_EQ(of(big.file()), "");
  EXPECT_EQ(of(big.feature(3, big.out().string("host").str()).file()),
            "feature 7 (NRCPUS) is broken;");
}

}  // namespace
}  // namespace evname::refusals_test
