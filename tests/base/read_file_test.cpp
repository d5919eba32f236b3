#include "base/read_file.hpp"

#include <gtest/gtest.h>
#include <sys/inotify.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <string_view>

#include "support/environment.hpp"
#include "support/temp_dir.hpp"

namespace evname {
namespace {

std::string_view text_of(const MappedFile& file) {
  return {reinterpret_cast<const char*>(file.bytes().data()), file.bytes().size()};
}

TEST(MappedFile, HoldsTheBytesOfAFile) {
  const test::TempDir dir;
  const auto file = MappedFile::open(dir.write("f", "bytes"));
  ASSERT_TRUE(file);
  EXPECT_EQ(text_of(*file), "bytes");
  const auto empty = MappedFile::open(dir.write("empty", ""));
  ASSERT_TRUE(empty);
  EXPECT_TRUE(empty->bytes().empty());
}

TEST(MappedFile, ReadsAPipeOnStandardInput) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  ASSERT_EQ(::write(ends[1], "piped", 5), 5);
  ::close(ends[1]);
  const int saved = ::dup(0);
  ::dup2(ends[0], 0);
  ::close(ends[0]);
  const auto file = MappedFile::open("-");
  ::dup2(saved, 0);
  ::close(saved);
  ASSERT_TRUE(file) << file.error().text();
  EXPECT_EQ(text_of(*file), "piped");
}

TEST(MappedFile, SaysWhatCanNotBeOpened) {
  const test::TempDir dir;
  EXPECT_EQ(MappedFile::open(dir.path() + "/none").error().code, Errc::not_found);
  EXPECT_EQ(MappedFile::open(dir.path()).error().code, Errc::io);
}

TEST(Text, AMissingFileIsNamedInTheError) {
  const auto text = read_text_file("/nonexistent/file");
  ASSERT_FALSE(text);
  EXPECT_EQ(text.error().code, Errc::not_found);
  EXPECT_EQ(text.error().where, "/nonexistent/file");
}

TEST(Text, AFileLargerThanTheLimitIsRefused) {
  const auto text = read_text_file("/dev/zero", 4096);
  ASSERT_FALSE(text);
  EXPECT_EQ(text.error().code, Errc::out_of_range);
  const test::TempDir tree{{"file", "0123"}};
  EXPECT_EQ(read_text_file(tree.path("file"), 4).value_or(""), "0123");
  EXPECT_FALSE(read_text_file(tree.path("file"), 3));
}

TEST(SmallFile, HeadStopsAtTheLimit) {
  const test::TempDir tree{{"file", "0123456789"}};
  EXPECT_EQ(read_head(tree.path("file"), 4).value_or(""), "0123");
  EXPECT_EQ(read_head(tree.path("file")).value_or(""), "0123456789");
}

// Also where a line does not fit into what is read at once, or the limit cuts it.
TEST(SmallFile, LinesAreWhatLineFeedsSeparate) {
  const std::string most(70'000, 'a'), more(300'000, 'b');
  const struct {
    std::string text;
    std::size_t limit;
    std::vector<std::string> expected;
  } rows[] = {
      {"", 100, {}},
      {"\n", 100, {""}},
      {"a\n\nb", 100, {"a", "", "b"}},
      {"a\nb\n", 100, {"a", "b"}},
      {"abc\ndef\n", 5, {"abc", "d"}},
      {"abc\ndef\n", 4, {"abc"}},
      {most + "\n" + more + "\nc\n", 1 << 20, {most, more, "c"}},
      {most + "\n" + more, 1 << 20, {most, more}},
      {std::string(65'536, 'c') + "\nd", 1 << 20, {std::string(65'536, 'c'), "d"}},
  };
  for (const auto& row : rows) {
    const test::TempDir tree{{"file", row.text}};
    std::vector<std::string> lines;
    const auto done = read_lines(tree.path("file"), row.limit,
                                 [&](std::string_view line) { lines.emplace_back(line); });
    EXPECT_TRUE(done);
    EXPECT_EQ(lines, row.expected) << row.text.substr(0, 20);
  }
}

TEST(SmallFile, OnlyRegularFilesAreRead) {
  const test::TempDir tree{{"directory/file", ""}};
  ASSERT_EQ(::mkfifo(tree.path("fifo").c_str(), 0600), 0);
  EXPECT_EQ(read_head(tree.path("fifo")).error().code, Errc::unsupported);
  EXPECT_EQ(read_head(tree.path("directory")).error().code, Errc::io);
  EXPECT_EQ(read_head(tree.path("absent")).error().code, Errc::not_found);
  EXPECT_EQ(read_lines(tree.path("fifo"), 10, {}).error().code, Errc::unsupported);
  EXPECT_EQ(read_lines(tree.path("absent"), 10, {}).error().code, Errc::not_found);
  EXPECT_TRUE(is_directory(tree.path("directory")));
  EXPECT_FALSE(is_directory(tree.path("fifo")));
}

// Opening a device may do something: that of a watchdog starts it.
TEST(SmallFile, WhatIsNotRegularIsNotOpened) {
  const test::TempDir tree{{"file", "text"}};
  ASSERT_EQ(::mkfifo(tree.path("fifo").c_str(), 0600), 0);
  ASSERT_EQ(::symlink("fifo", tree.path("link").c_str()), 0);
  const Descriptor watcher(::inotify_init1(IN_NONBLOCK));
  ASSERT_GE(::inotify_add_watch(watcher.get(), tree.path("fifo").c_str(), IN_OPEN), 0);
  for (const char* name : {"fifo", "link"}) {
    EXPECT_FALSE(read_head(tree.path(name)));
    EXPECT_FALSE(read_lines(tree.path(name), 10, {}));
    EXPECT_FALSE(MappedFile::open(tree.path(name)));
    EXPECT_FALSE(is_recording(tree.path(name)));
  }
  char event[256];
  EXPECT_LT(::read(watcher.get(), event, sizeof event), 0);
  ASSERT_GE(::inotify_add_watch(watcher.get(), tree.path("file").c_str(), IN_OPEN), 0);
  EXPECT_EQ(read_head(tree.path("file")), "text");
  EXPECT_GT(::read(watcher.get(), event, sizeof event), 0);
}

TEST(Directories, NamesAreSortedAndHiddenOnesLeftOut) {
  const test::TempDir tree{{"b", ""}, {"a/x", ""}, {".c", ""}, {"10", ""}, {"9", ""}};
  EXPECT_EQ(list_directory(tree.path()), (std::vector<std::string>{"10", "9", "a", "b"}));
  EXPECT_EQ(list_directory(tree.path(), 2).size(), 2u);
  EXPECT_TRUE(list_directory(tree.path("b")).empty());
  EXPECT_TRUE(list_directory(tree.path("absent")).empty());
}

// How a perf.data begins: tools/perf/Documentation/perf.data-file-format.txt.
TEST(RecordingFiles, AreKnownByTheirFirstBytes) {
  const test::TempDir tree{{"little", "PERFILE2xyz"}, {"big", "2ELIFREP"},   {"old", "PERFFILE"},
                           {"short", "PERFILE"},      {"other", "perfile2"}, {"folder/x", ""}};
  for (const char* name : {"little", "big", "old"}) EXPECT_TRUE(is_recording(tree.path(name)));
  for (const char* name : {"short", "other", "folder", "absent"})
    EXPECT_FALSE(is_recording(tree.path(name)));
}

// The test runs as the user who owns its files.
TEST(RegularFiles, MayHaveToBelongToSomebody) {
  const test::TempDir tree{{"file", "text"}, {"empty", ""}};
  const std::uint32_t me = ::geteuid(), nobody = me + 1;
  const std::uint32_t mine[] = {nobody, me}, theirs[] = {nobody};
  EXPECT_TRUE(open_regular(tree.path("file"), mine));
  EXPECT_EQ(open_regular(tree.path("file"), theirs).error().code, Errc::unsupported);
  EXPECT_EQ(open_regular(tree.path("empty"), mine).error().code, Errc::unsupported);
  EXPECT_TRUE(open_regular(tree.path("empty")));
  EXPECT_EQ(open_regular(tree.path("absent")).error().code, Errc::not_found);
  EXPECT_EQ(open_regular(tree.path()).error().code, Errc::io);
}

TEST(TemporaryFiles, BeyondTheLimitOfFilesAreAnErrorAndNotTheEndOfTheProcess) {
  auto file = TemporaryFile::create();
  ASSERT_TRUE(file) << file.error().text();
  const std::uint8_t bytes[60] = {};
  struct rlimit before;
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  const struct rlimit limit { 120, before.rlim_max };
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &limit), 0);
  const bool first = file->append(bytes).has_value(), second = file->append(bytes).has_value();
  const auto third = file->append(Bytes(bytes, 1));
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);
  EXPECT_TRUE(first && second);
  ASSERT_FALSE(third);
  EXPECT_NE(third.error().text().find("File too large"), std::string::npos);
  EXPECT_EQ(file->map()->bytes().size(), 120u);
}

TEST(TemporaryFiles, HaveWhatWasAppendedAndNoName) {
  const test::TempDir tree{{"folder/x", ""}};
  const test::Environment environment("TMPDIR", tree.path("folder"));
  EXPECT_EQ(temporary_directory(), tree.path("folder"));
  auto file = TemporaryFile::create();
  ASSERT_TRUE(file);
  EXPECT_EQ(file->map()->bytes().size(), 0u);
  const std::uint8_t bytes[] = {1, 2, 3};
  ASSERT_TRUE(file->append(bytes) && file->append(Bytes(bytes).first(2)));
  const auto map = file->map();
  ASSERT_TRUE(map);
  EXPECT_EQ(std::vector<int>(map->bytes().begin(), map->bytes().end()),
            (std::vector<int>{1, 2, 3, 1, 2}));
  EXPECT_EQ(list_directory(tree.path("folder")), std::vector<std::string>{"x"});
}

}  // namespace
}  // namespace evname
