// Files that appear whole or not at all: their places, their modes, and the files that they
// replace. Expected modes are the inputs' modes without the umask.
#include "base/output/output_file.hpp"
#include "base/output/output_directory.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <vector>

#include "support/temp_dir.hpp"

namespace evname {
namespace {

using test::TempDir;
using Paths = std::vector<std::string>;

Result<void> write_file(const std::string& path, std::string_view text,
                        std::span<const std::string> made_from = {}) {
  auto out = OutputFile::create(path, made_from);
  if (!out) return fail(out);
  if (auto done = out->write(text); !done) return done;
  return out->commit();
}

class Outputs : public testing::Test {
 protected:
  Outputs() : before_(umask(022)) {}
  ~Outputs() override { umask(before_); }
  std::string file(const std::string& name, const std::string& text, mode_t mode = 0644) const {
    const std::string path = dir.write(name, text);
    EXPECT_EQ(chmod(path.c_str(), mode), 0);
    return path;
  }
  static mode_t mode_of(const std::string& path) {
    struct stat status = {};
    EXPECT_EQ(lstat(path.c_str(), &status), 0) << path;
    return status.st_mode & 07777;
  }
  /// Names in the directory, those that begin with a dot among them.
  std::string names() const {
    std::vector<std::string> all;
    for (const auto& entry : std::filesystem::directory_iterator(dir.path()))
      all.push_back(entry.path().filename());
    std::sort(all.begin(), all.end());
    return fmt::format("{}", fmt::join(all, " "));
  }
  TempDir dir;

 private:
  mode_t before_;
};

TEST_F(Outputs, AreThereOnceTheyAreCommitted) {
  const std::string path = dir.path("out");
  {
    auto out = OutputFile::create(path);
    ASSERT_TRUE(out) << out.error().text();
    EXPECT_TRUE(out->write("one "));
    EXPECT_TRUE(out->write("two"));
    EXPECT_FALSE(dir.has("out"));
    ASSERT_TRUE(out->commit());
  }
  EXPECT_EQ(dir.read("out"), "one two");
  {
    auto again = OutputFile::create(path);
    ASSERT_TRUE(again && again->write("lost"));
    EXPECT_EQ(dir.read("out"), "one two");
  }
  EXPECT_EQ(dir.read("out"), "one two");
  ASSERT_TRUE(write_file(path, "new"));
  EXPECT_EQ(dir.read("out"), "new");
  EXPECT_EQ(names(), "out");
  EXPECT_FALSE(write_file(dir.path("no/such/place"), "text"));
  EXPECT_FALSE(write_file(dir.path(), "text"));
}

TEST_F(Outputs, AreNoMoreOpenThanWhatTheyAreMadeFrom) {
  const struct {
    std::vector<mode_t> sources;
    mode_t before, expected;  // before 0: there is no such file yet
  } cases[] = {
      {{}, 0, 0644},        {{0644}, 0, 0644},    {{0666}, 0, 0644},       {{0640}, 0, 0640},
      {{0600}, 0, 0600},    {{0604}, 0, 0604},    {{0640, 0604}, 0, 0600}, {{0644, 0640}, 0, 0640},
      {{}, 0664, 0664},     {{}, 0600, 0600},     {{0644}, 0664, 0644},    {{0600}, 0666, 0600},
      {{0640}, 0755, 0750}, {{0644}, 0755, 0755},  // who may read it may run it, too
  };
  for (const auto& c : cases) {
    Paths sources;
    for (const mode_t mode : c.sources)
      sources.push_back(file(fmt::format("source{}", sources.size()), "x", mode));
    const std::string path = dir.path("out");
    if (c.before != 0) file("out", "a longer text before", c.before);
    ASSERT_TRUE(write_file(path, "text", sources));
    EXPECT_EQ(mode_of(path), c.expected) << fmt::format("{:o} {:o}", c.before, c.expected);
    EXPECT_EQ(dir.read("out"), "text");
    unlink(path.c_str());
  }
  // A recording of several files is a directory with a file of this name.
  const Paths folder = {dir.path("folder")};
  file("folder/data", "x", 0640);
  ASSERT_TRUE(write_file(dir.path("out"), "text", folder));
  EXPECT_EQ(mode_of(dir.path("out")), 0640u);
}

TEST_F(Outputs, KeepTheirOwnerAndFollowLinks) {
  if (geteuid() != 0) GTEST_SKIP() << "needs root, for files of others";
  const std::string path = file("real", "old", 0640);
  ASSERT_EQ(chown(path.c_str(), 12, 34), 0);
  std::filesystem::create_symlink("real", dir.path("link"));
  std::filesystem::create_directory(dir.path("folder"));
  std::filesystem::create_symlink("../link", dir.path("folder/far"));
  ASSERT_TRUE(write_file(dir.path("folder/far"), "new"));
  EXPECT_EQ(dir.read("real"), "new");
  struct stat status = {};
  ASSERT_EQ(stat(path.c_str(), &status), 0);
  EXPECT_EQ(fmt::format("{} {} {:o}", status.st_uid, status.st_gid, status.st_mode & 07777),
            "12 34 640");
  EXPECT_TRUE(std::filesystem::is_symlink(dir.path("link")));
  for (const auto& [user, group] : {std::pair{0, 34}, {12, 0}}) {
    ASSERT_EQ(chown(path.c_str(), user, group), 0);
    ASSERT_TRUE(write_file(path, "new"));
    ASSERT_EQ(stat(path.c_str(), &status), 0);
    EXPECT_EQ(fmt::format("{} {}", status.st_uid, status.st_gid),
              fmt::format("{} {}", user, group));
  }
  std::filesystem::create_symlink("nowhere", dir.path("broken"));
  ASSERT_TRUE(write_file(dir.path("broken"), "made"));
  EXPECT_EQ(dir.read("nowhere"), "made");
  std::filesystem::create_symlink("round", dir.path("round"));
  EXPECT_FALSE(write_file(dir.path("round"), "text"));
}

TEST_F(Outputs, DoNotReplaceWhatIsReadOnlyOrAnInput) {
  const std::string input = file("input", "in"), locked = file("locked", "kept", 0444);
  const auto refused = write_file(locked, "text");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().hint, "the file is read-only");
  EXPECT_EQ(dir.read("locked"), "kept");
  std::filesystem::create_hard_link(input, dir.path("other"));
  const Paths inputs = {input}, folders = {dir.path()};
  for (const char* name : {"input", "other"})
    for (const Paths& from : {inputs, folders}) {
      EXPECT_FALSE(check_replaceable(dir.path(name), from, true)) << name;
      EXPECT_FALSE(OutputFile::create(dir.path(name), from)) << name;
      EXPECT_TRUE(OutputFile::create(dir.path(name), from, Replaces::all)) << name;
      EXPECT_FALSE(OutputFile::create(dir.path(name), {}, Replaces::nothing)) << name;
    }
  EXPECT_EQ(dir.read("input"), "in");
  EXPECT_TRUE(check_replaceable(dir.path("free"), inputs, false));
  EXPECT_TRUE(check_replaceable(locked, inputs, false));
  // Recordings begin so; perf.data-file-format.txt. The last is elf(5).
  for (const char* magic : {"PERFILE2", "2ELIFREP",
                            "\x7f"
                            "ELF"}) {
    const std::string recording = file("recording", magic + std::string(200, '\0'));
    EXPECT_TRUE(check_replaceable(recording, inputs, true)) << magic;
    EXPECT_FALSE(check_replaceable(recording, inputs, false)) << magic;
  }
}

TEST_F(Outputs, OfFreeNamesTakeNobodysPlace) {
  const std::string path = dir.path("out");
  auto out = OutputFile::create(path, {}, Replaces::nothing);
  ASSERT_TRUE(out && out->write("mine"));
  file("out", "theirs");  // meanwhile
  EXPECT_FALSE(out->commit());
  EXPECT_EQ(dir.read("out"), "theirs");
  auto free = OutputFile::create(dir.path("free"), {}, Replaces::nothing);
  ASSERT_TRUE(free && free->write("mine") && free->commit());
  EXPECT_EQ(dir.read("free"), "mine");
}

TEST_F(Outputs, OfDescriptorsAndPipesAreWrittenAtOnce) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const std::string fifo = dir.path("fifo");
  ASSERT_EQ(mkfifo(fifo.c_str(), 0600), 0);
  const int reader = open(fifo.c_str(), O_RDONLY | O_NONBLOCK);
  for (const std::string& path :
       {fmt::format("/dev/fd/{}", ends[1]), fmt::format("/proc/self/fd/{}", ends[1]), fifo}) {
    auto out = OutputFile::create(path);
    ASSERT_TRUE(out && out->write("through")) << path;
    char text[20] = {};
    EXPECT_EQ(read(path == fifo ? reader : ends[0], text, sizeof text), 7);
    EXPECT_STREQ(text, "through");
    EXPECT_TRUE(out->commit()) << path;
  }
  for (const int fd : {ends[0], ends[1], reader}) close(fd);
  EXPECT_FALSE(write_file(fmt::format("/dev/fd/{}", ends[1]), "closed"));
  EXPECT_EQ(mode_of(fifo), 0600u);
}

TEST_F(Outputs, CanReplaceTheFirstBytesOfNewFiles) {
  const std::string path = dir.path("out");
  auto out = OutputFile::create(path);
  ASSERT_TRUE(out && out->can_replace());
  ASSERT_TRUE(out->write("head, then more"));
  ASSERT_TRUE(out->replace("HEAD"));
  ASSERT_TRUE(out->write(" and more"));
  ASSERT_TRUE(out->commit());
  EXPECT_EQ(dir.read("out"), "HEAD, then more and more");
  EXPECT_FALSE(OutputFile::create("/dev/null")->can_replace());
}

TEST_F(Outputs, CanHavePartsOfOtherFiles) {
  std::string text(300'000, '.');
  for (std::size_t i = 0; i < text.size(); i += 1000)
    text.replace(i, 6, std::to_string(100000 + i));
  const std::string source = file("source", text);
  const int fd = open(source.c_str(), O_RDONLY);
  const Bytes bytes(reinterpret_cast<const std::uint8_t*>(text.data()), text.size());
  for (const int from : {fd, -1}) {
    auto out = OutputFile::create(dir.path("out"));
    ASSERT_TRUE(out && out->write("<"));
    ASSERT_TRUE(out->copy(from, 7, bytes.subspan(7, 290'000)));
    ASSERT_TRUE(out->write("><"));
    ASSERT_TRUE(out->copy_file(source));
    ASSERT_TRUE(out->write(">") && out->commit());
    EXPECT_EQ(dir.read("out"), "<" + text.substr(7, 290'000) + "><" + text + ">");
  }
  close(fd);
  auto out = OutputFile::create(dir.path("other"));
  EXPECT_FALSE(out->copy_file(dir.path("none")));
  EXPECT_FALSE(out->copy_file(dir.path()));
}

TEST_F(Outputs, AreDirectoriesToo) {
  std::filesystem::create_directory(dir.path("like"));
  for (const mode_t mode : {0755, 0750, 0700}) {
    ASSERT_EQ(chmod(dir.path("like").c_str(), mode), 0);
    {
      auto lost = OutputDirectory::create(dir.path("made/"), dir.path("like"));
      ASSERT_TRUE(lost);
      EXPECT_EQ(lost->place().rfind(dir.path(".made."), 0), 0u);
      EXPECT_TRUE(write_file(lost->place() + "/data", "text"));
      EXPECT_FALSE(dir.has("made"));
    }
    EXPECT_EQ(names(), "like");
    auto made = OutputDirectory::create(dir.path("made///"), dir.path("like"));
    ASSERT_TRUE(made && write_file(made->place() + "/data", "text"));
    ASSERT_TRUE(made->commit());
    EXPECT_EQ(names(), "like made");
    EXPECT_EQ(dir.read("made/data"), "text");
    EXPECT_EQ(mode_of(dir.path("made")), mode);
    EXPECT_FALSE(OutputDirectory::create(dir.path("made"), dir.path("like")));
    std::filesystem::remove_all(dir.path("made"));
  }
}

TEST_F(Outputs, HaveDirectoriesThatStayIfTheyAreKept) {
  for (const bool keep : {false, true}) {
    OutputFiles made;
    ASSERT_TRUE(made.make_directory(dir.path("one/two/three")));
    ASSERT_TRUE(made.make_directory(dir.path("one/two")));
    EXPECT_TRUE(dir.has("one/two/three"));
    if (keep) made.keep();
  }
  EXPECT_TRUE(dir.has("one/two/three"));
  {
    OutputFiles more;
    ASSERT_TRUE(more.make_directory(dir.path("one/more/still")));
    ASSERT_TRUE(more.make_directory(dir.path("one/filled")));
    file("one/filled/file", "x");
    file("plain", "x");
    EXPECT_FALSE(more.make_directory(dir.path("plain/below")));
  }
  for (const bool has_mine : {false, true}) {
    OutputFiles parts;
    ASSERT_TRUE(parts.make_directory(dir.path("parts")));
    for (const std::string part : {"file", "folder"}) parts.add(dir.path("parts/" + part));
    dir.write("parts/file", "x");
    dir.write("parts/folder/data", "x");
    if (has_mine) dir.write("parts/mine", "x");
    EXPECT_TRUE(parts.go_on());
    EXPECT_EQ(dir.has("parts/mine"), has_mine);
  }
  EXPECT_TRUE(dir.has("parts/mine"));
  EXPECT_FALSE(dir.has("parts/file") || dir.has("parts/folder"));
  EXPECT_TRUE(dir.has("one/two/three") && dir.has("one/filled/file"));
  EXPECT_FALSE(dir.has("one/more"));
}

}  // namespace
}  // namespace evname
