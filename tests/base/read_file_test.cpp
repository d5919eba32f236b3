#include "base/read_file.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/inotify.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <optional>
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

// fcntl(2): what F_GETPIPE_SZ returns, before and after.
TEST(Pipes, HaveMoreRoomOnceTheyAreWidened) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  for (const auto& [before, after] : {std::pair{1 << 16, 1 << 18}, {1 << 20, 1 << 20}}) {
    ASSERT_EQ(::fcntl(ends[1], F_SETPIPE_SZ, before), before);
    widen_pipe(ends[0]);
    EXPECT_EQ(::fcntl(ends[1], F_GETPIPE_SZ), after);
  }
  ::close(ends[0]);
  ::close(ends[1]);
  widen_pipe(ends[0]);
  EXPECT_EQ(errno, EBADF);
}

TEST(MappedFile, SaysWhatCanNotBeOpened) {
  const test::TempDir dir;
  EXPECT_EQ(MappedFile::open(dir.path() + "/none").error().code, Errc::not_found);
  EXPECT_EQ(MappedFile::open(dir.path()).error().code, Errc::io);
  dir.write("file", "text");
  for (const char* name : {"none", "none/below", "file/below"}) {
    EXPECT_EQ(MappedFile::open(dir.path(name)).error().code, Errc::not_found) << name;
    EXPECT_EQ(read_text_file(dir.path(name)).error().code, Errc::not_found) << name;
    EXPECT_EQ(read_head(dir.path(name)).error().code, Errc::not_found) << name;
  }
  const std::string too_long = dir.path(std::string(300, 'x'));  // ENAMETOOLONG
  EXPECT_EQ(MappedFile::open(too_long).error().code, Errc::io);
  EXPECT_EQ(read_text_file(too_long).error().code, Errc::io);
}

/// Sets standard input for a while.
class StandardInput {
 public:
  explicit StandardInput(int fd) : saved_(::dup(0)) { ::dup2(fd, 0); }
  ~StandardInput() {
    ::dup2(saved_, 0);
    ::close(saved_);
  }

 private:
  int saved_;
};

// Of a file that somebody has read from already only the rest is left.
TEST(MappedFile, IsTheRestOfWhatStandardInputHas) {
  const test::TempDir dir{{"file", "0123456789"}, {"folder/x", ""}};
  for (const off_t at : {0, 1, 7, 10}) {
    const Descriptor file(::open(dir.path("file").c_str(), O_RDONLY));
    ASSERT_EQ(::lseek(file.get(), at, SEEK_SET), at);
    const StandardInput input(file.get());
    const auto map = MappedFile::open("-");
    ASSERT_TRUE(map) << map.error().text();
    EXPECT_EQ(text_of(*map), std::string("0123456789").substr(static_cast<std::size_t>(at)));
  }
  const Descriptor folder(::open(dir.path("folder").c_str(), O_RDONLY));
  const StandardInput input(folder.get());
  const auto map = MappedFile::open("-");
  ASSERT_FALSE(map);
  EXPECT_EQ(map.error().text(), "standard input: is a directory");
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
  EXPECT_EQ(read_head(tree.path("file"), 0).value_or("x"), "");
  EXPECT_EQ(read_head(tree.path("file"), 10).value_or(""), "0123456789");
  tree.write("long", std::string(10'000, 'x'));
  for (const std::size_t limit : {4095, 4096, 4097, 8192, 9999, 10'000, 20'000})
    EXPECT_EQ(read_head(tree.path("long"), limit).value_or("").size(),
              std::min<std::size_t>(limit, 10'000));
  EXPECT_EQ(read_head(tree.path("file"), 4).value_or(""), "0123");
  EXPECT_EQ(read_head(tree.path("file")).value_or(""), "0123456789");
}

// Also where a line does not fit into what is read at once, or the limit cuts it.
TEST(SmallFile, LinesAreWhatLineFeedsSeparate) {
  constexpr std::size_t kMegabyte = 1 << 20, kAll = 8 * kMegabyte;
  const std::string most(70'000, 'a'), more(300'000, 'b'), longest(kMegabyte - 1, 'd'),
      longer(kMegabyte + 1, 'e'), far_longer(kMegabyte * 3 / 2, 'f');
  const struct {
    std::string text;
    std::size_t limit;
    std::vector<std::string> expected;
    bool whole = true;
  } rows[] = {
      {"", 100, {}},
      {"", 0, {}},
      {"\n", 100, {""}},
      {"a\n\nb", 100, {"a", "", "b"}},
      {"a\nb\n", 100, {"a", "b"}},
      {"abc\ndef\n", 8, {"abc", "def"}},
      {"abc\ndef\n", 7, {"abc", "def"}, false},
      {"abc\ndef\n", 5, {"abc", "d"}, false},
      {"abc\ndef\n", 4, {"abc"}, false},
      {"abc", 0, {}, false},
      {most + "\n" + more + "\nc\n", kMegabyte, {most, more, "c"}},
      {most + "\n" + more, kMegabyte, {most, more}},
      {std::string(65'536, 'c') + "\nd", kMegabyte, {std::string(65'536, 'c'), "d"}},
      {"a\n" + longest + "\nb\n", kAll, {"a", longest, "b"}},
      {"a\n" + longer + "\nb\n", kAll, {"a", "b"}, false},
      {"a\n" + far_longer + "\n\nb", kAll, {"a", "", "b"}, false},
      {far_longer + far_longer + "\n" + longer + "\nb\n", kAll, {"b"}, false},
      {"a\n" + far_longer, kAll, {"a"}, false},
  };
  for (const auto& row : rows) {
    const test::TempDir tree{{"file", row.text}};
    std::vector<std::string> lines;
    const auto done = read_lines(tree.path("file"), row.limit,
                                 [&](std::string_view line) { lines.emplace_back(line); });
    EXPECT_EQ(done, row.whole) << row.text.substr(0, 20);
    EXPECT_TRUE(lines == row.expected) << row.text.substr(0, 20) << ' ' << lines.size();
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

// Opening a device may have an effect: opening a watchdog starts it.
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

// Files of sysfs have a number in either base, with a line feed.
TEST(SmallFile, MayHoldANumber) {
  const struct {
    const char* text;
    std::optional<std::uint64_t> decimal, hexadecimal;
  } rows[] = {{"12\n", 12, 0x12},
              {" 7 ", 7, 7},
              {"0x1f\n", std::nullopt, 0x1f},
              {"1f", std::nullopt, 0x1f},
              {"0", 0, 0},
              {"", std::nullopt, std::nullopt},
              {"0x", std::nullopt, std::nullopt},
              {"-1", std::nullopt, std::nullopt},
              {"1 2", std::nullopt, std::nullopt}};
  for (const auto& row : rows) {
    const test::TempDir tree{{"file", row.text}};
    EXPECT_EQ(number_of_file(tree.path("file")), row.decimal) << row.text;
    EXPECT_EQ(number_of_file(tree.path("file"), true), row.hexadecimal) << row.text;
  }
  EXPECT_EQ(number_of_file("/nonexistent"), std::nullopt);
  EXPECT_EQ(text_of_file("/nonexistent"), "");
}

TEST(Directories, NamesAreSortedAndHiddenOnesLeftOut) {
  const test::TempDir tree{{"b", ""}, {"a/x", ""}, {".c", ""}, {"10", ""}, {"9", ""}};
  EXPECT_EQ(list_directory(tree.path()), (std::vector<std::string>{"10", "9", "a", "b"}));
  EXPECT_EQ(list_directory(tree.path(), 2).size(), 2u);
  EXPECT_EQ(list_directory(tree.path(), 0).size(), 0u);
  EXPECT_EQ(list_directory(tree.path(), 4).size(), 4u);
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
