// The number of threads changes nothing of what is written.

#include "support/perf_file.hpp"
#include "support/recordings.hpp"
#include "support/temp_dir.hpp"
#include "support/written.hpp"

namespace evname::test {
namespace {

AnnotateOptions with_jobs(AnnotateOptions options, unsigned jobs) {
  options.pass.jobs = jobs;
  return options;
}

void compare(const Recording& file, const AnnotateOptions& options) {
  const std::string expected = written(file, with_jobs(options, 1));
  for (const unsigned jobs : {2u, 3u, 4u})
    EXPECT_TRUE(written(file, with_jobs(options, jobs)) == expected) << jobs << " jobs";
}

TEST(Jobs, ChangeNothingOfWhatIsWritten) {
  const std::string root = std::getenv("EVNAME_SOURCE_ROOT");
  std::vector<std::string> paths = {root + "/tests/data/neoverse-n1.data",
                                    root + "/tests/data/cortex-a72-system.data"};
  if (!shared_dir().empty())
    for (const std::string& path : some_recordings()) paths.push_back(path);
  for (const std::string& path : paths) {
    const auto file = Recording::open(path);
    if (!file || file->facts().form == FileFacts::Form::pipe) continue;
    SCOPED_TRACE(path);
    compare(*file, {});
    compare(*file, {.format = Format::csv});
    compare(*file, {.format = Format::jsonl, .filter = {.event = "*c*", .times = {{0, 1 << 30}}}});
    compare(*file, {.format = Format::folded});
    bool instructions = true;
    for (const RecordedEvent& event : file->events())
      instructions = instructions && (file->attr(event.attr).sample_type & 1) != 0;
    if (instructions) compare(*file, {.fields = fields("comm,tid,time,event,ip")});
  }
}

// Mappings change between samples that are still to be written, and so do names of threads.
TEST(Jobs, SeeWhatThreadsWereCalledThen) {
  PerfFile input;
  input.event({.type = 1, .sample_type = 1 | 2 | 4 | 32, .flags = {18}, .ids = {1}});
  for (std::uint64_t i = 1; i <= 20'000; ++i) {
    const auto trailer = [&] { return BytesOut().u32(5).u32(5).u64(i * 10).str(); };
    if (i % 3000 == 1) {
      BytesOut map, comm;
      map.u32(5).u32(5).u64(0x1000).u64(0x1000).u64(i << 12).padded("/bin/x").raw(trailer());
      input.record(1, map.str(), 2);
      comm.u32(5).u32(5).padded("name" + std::to_string(i)).raw(trailer());
      input.record(3, comm.str());
    }
    BytesOut sample;
    sample.u64(0x1008).u32(5).u32(5).u64(i * 10 + 1).u64(2).u64(-512).u64(0x1008);
    input.record(9, sample.str(), 2);
  }
  const TempDir dir;
  const auto file = Recording::open(dir.write("perf.data", input.file()));
  ASSERT_TRUE(file);
  const AnnotateOptions options{.fields = fields("comm,ip")};
  compare(*file, options);
  const std::string text = written(*file, with_jobs(options, 3));
  EXPECT_NE(text.find("name3001 \n\t            1008"), std::string::npos);
  EXPECT_NE(text.find("name18001 \n\t            1008"), std::string::npos);
}

TEST(Jobs, CountTheSamplesThatAFilterAccepts) {
  PerfFile input;
  input.event({.type = 1, .sample_type = 2, .ids = {1}});
  for (std::uint32_t i = 0; i < 30'000; ++i) input.record(9, BytesOut().u32(5).u32(i % 3).str());
  const TempDir dir;
  const auto file = Recording::open(dir.write("perf.data", input.file()));
  const auto nothing = [](std::string_view) { return true; };
  for (const unsigned jobs : {1u, 3u}) {
    const AnnotateOptions one = {.fields = fields("tid"), .filter = {.tids = {2}}};
    EXPECT_EQ(annotate(*file, with_jobs(one, jobs), nothing)->selected, 10'000u);
    EXPECT_EQ(annotate(*file, with_jobs({.fields = fields("tid")}, jobs), nothing)->selected,
              30'000u);
    const AnnotateOptions none = {.fields = fields("tid"), .filter = {.event = "no_such"}};
    EXPECT_EQ(annotate(*file, with_jobs(none, jobs), nothing)->selected, 0u);
  }
}

TEST(Jobs, StopWhereTheReaderStops) {
  PerfFile input;
  input.event({.type = 1, .sample_type = 2, .ids = {1}});
  for (int i = 0; i < 100'000; ++i) input.record(9, BytesOut().u32(5).u32(5).str());
  const TempDir dir;
  const auto file = Recording::open(dir.write("perf.data", input.file()));
  int pieces = 0;
  const auto tally = annotate(*file, with_jobs({.fields = fields("tid")}, 3),
                              [&](std::string_view) { return ++pieces < 3; });
  ASSERT_TRUE(tally);
  EXPECT_EQ(pieces, 3);
  EXPECT_LT(tally->samples, 100'000u);
}

}  // namespace
}  // namespace evname::test
