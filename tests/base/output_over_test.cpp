// Outputs that have to be written over the file that is there, since only it can keep what
// describes it, and outputs that a signal ends. An access list is what setfacl(1) writes: the
// kernel's include/uapi/linux/posix_acl_xattr.h.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "base/output/output_directory.hpp"
#include "base/output/output_file.hpp"
#include "base/output/output_place.hpp"
#include "support/bytes_out.hpp"
#include "support/temp_dir.hpp"

namespace evname {
namespace {

using test::BytesOut;
using test::TempDir;

constexpr const char* kAccessList = "system.posix_acl_access";

/// Lets user 4711 read and write a file, and its owner and group. False: the file system can't.
bool add_access_list(const std::string& path) {
  BytesOut list(std::endian::little);
  list.u32(2);
  const struct {
    std::uint16_t tag, rights;
    std::uint32_t id;
  } entries[] = {{1, 6, UINT32_MAX},      // owner
                 {2, 6, 4711},            // user
                 {4, 4, UINT32_MAX},      // group
                 {0x10, 6, UINT32_MAX},   // mask
                 {0x20, 4, UINT32_MAX}};  // others
  for (const auto& entry : entries) list.u16(entry.tag).u16(entry.rights).u32(entry.id);
  const std::string bytes = list.str();
  return ::setxattr(path.c_str(), kAccessList, bytes.data(), bytes.size(), 0) == 0;
}

struct stat status_of(const std::string& path) {
  struct stat status = {};
  EXPECT_EQ(::stat(path.c_str(), &status), 0) << path;
  return status;
}

std::string list_of_names(const TempDir& dir) {
  std::set<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(dir.path()))
    names.insert(entry.path().filename());
  std::string out;
  for (const std::string& name : names) out += name + " ";
  return out;
}

/// Returns "" or the error.
std::string put_file(const std::string& path, std::string_view text,
                     const std::vector<std::string>& made_from = {}) {
  auto out = OutputFile::create(path, made_from);
  if (!out) return out.error().text();
  if (auto done = out->write(text); !done) return done.error().text();
  auto done = out->commit();
  return done ? "" : done.error().text();
}

TEST(OutputOver, AFileWithAnAccessListStaysTheSameFile) {
  const TempDir dir{{"probe", ""}};
  if (!add_access_list(dir.path("probe"))) GTEST_SKIP() << "no access lists here";
  const std::string path = dir.path("out"), sizes[] = {"", "short", std::string(700'000, 'n')};
  for (const std::string& text : sizes)
    for (const std::string& before : sizes) {
      dir.write("out", before);
      ASSERT_TRUE(add_access_list(path));
      const auto inode = status_of(path).st_ino;
      ASSERT_EQ(put_file(path, text), "");
      EXPECT_TRUE(dir.read("out") == text) << before.size() << ' ' << text.size();
      EXPECT_EQ(status_of(path).st_ino, inode);
      EXPECT_GT(::getxattr(path.c_str(), kAccessList, nullptr, 0), 0);
      EXPECT_EQ(list_of_names(dir), "out probe ");
    }
}

TEST(OutputOver, AFileWithAnAccessListIsNoMoreOpenThanItsSources) {
  const TempDir dir{{"out", "before"}, {"open", ""}, {"closed", ""}, {"folder/data", ""}};
  const std::string path = dir.path("out");
  if (!add_access_list(path)) GTEST_SKIP() << "no access lists here";
  ::chmod(dir.path("open").c_str(), 0666);
  ::chmod(dir.path("closed").c_str(), 0600);
  ::chmod(dir.path("folder/data").c_str(), 0600);
  const struct {
    const char* source;
    mode_t expected;  // of the access list's mask, and of others
  } rows[] = {{"open", 0664}, {"closed", 0600}, {"folder", 0600}};
  for (const auto& row : rows) {
    ASSERT_TRUE(add_access_list(path));
    ASSERT_EQ(put_file(path, row.source, {dir.path(row.source)}), "");
    EXPECT_EQ(status_of(path).st_mode & 0777u, row.expected) << row.source;
    EXPECT_EQ(dir.read("out"), row.source);
  }
}

TEST(OutputOver, NamesOfAnyLengthCanBeReplaced) {
  const TempDir dir;
  for (const std::size_t size : {1, 199, 200, 201, 255}) {
    const std::string name(size, 'n');
    ASSERT_EQ(put_file(dir.path(name), "one"), "") << size;
    ASSERT_EQ(put_file(dir.path(name), "two"), "") << size;
    EXPECT_EQ(dir.read(name), "two");
  }
  EXPECT_EQ(put_file(dir.path(std::string(256, 'n')), "x"),
            dir.path(std::string(256, 'n')) + ": File name too long");
}

// What a path stands for: proc_pid_fd(5), and the links of /dev.
TEST(OutputPlaces, AreDescriptorsOrFiles) {
  const struct {
    const char* path;
    int descriptor;
  } rows[] = {{"-", 1},
              {"/dev/stdout", 1},
              {"/dev/stderr", 2},
              {"/dev/fd/0", 0},
              {"/dev/fd/2", 2},
              {"/dev/fd/2147483647", 2147483647},
              {"/proc/self/fd/3", 3},
              {"/dev/fd/2147483648", -1},
              {"/dev/fd/", -1},
              {"/dev/fd/x", -1},
              {"/dev/fd/1/", -1},
              {"/dev/stdoutx", -1},
              {"stdout", -1},
              {"", -1}};
  for (const auto& row : rows) EXPECT_EQ(descriptor_of(row.path), row.descriptor) << row.path;
  const auto errors = find_target("/dev/stderr");
  ASSERT_TRUE(errors);
  EXPECT_EQ(errors->kind, Target::Kind::descriptor);
  EXPECT_EQ(errors->descriptor, 2);
}

TEST(OutputPlaces, AreFoundThroughLinks) {
  const TempDir dir{{"file", "text"}, {"locked", ""}};
  const auto link = [&](const char* name, const std::string& to) {
    ASSERT_EQ(::symlink(to.c_str(), dir.path(name).c_str()), 0);
  };
  using Kind = Target::Kind;
  link("near", "file");
  link("far", dir.path("near"));
  link("free", "none");
  link("null", "/dev/null");
  link("out", "/dev/fd/1");
  for (int i = 0; i < 45; ++i)
    link(("chain" + std::to_string(i)).c_str(), i == 0 ? "file" : "chain" + std::to_string(i - 1));
  const struct {
    std::string name;
    Kind kind;
    std::string path;
  } rows[] = {{"file", Kind::replaced, dir.path("file")},
              {"near", Kind::replaced, dir.path("file")},
              {"far", Kind::replaced, dir.path("file")},
              {"free", Kind::absent, dir.path("none")},
              {"none", Kind::absent, dir.path("none")},
              {"null", Kind::in_place, dir.path("null")},
              {"out", Kind::descriptor, "/dev/fd/1"},
              {"chain39", Kind::replaced, dir.path("file")}};  // the kernel follows 40 links
  for (const auto& row : rows) {
    const auto target = find_target(dir.path(row.name));
    ASSERT_TRUE(target) << row.name;
    EXPECT_EQ(target->kind, row.kind) << row.name;
    EXPECT_EQ(target->path, row.path) << row.name;
    EXPECT_EQ(target->is_new(), row.kind == Kind::replaced || row.kind == Kind::absent);
  }
  const std::pair<const char*, const char*> errors[] = {
      {"chain40", "Too many levels of symbolic links"}, {"file/below", "Not a directory"}};
  for (const auto& [name, message] : errors) {
    const auto target = find_target(dir.path(name));
    ASSERT_FALSE(target) << name;
    EXPECT_EQ(target.error().text(), dir.path(name) + ": " + message);
  }
}

TEST(OutputPlaces, TakeRightsFromTheirSources) {
  const TempDir dir{{"file", ""}, {"folder/x", ""}};
  const gid_t group = ::getegid(), other = group + 1;
  const struct {
    const char* source;
    mode_t of_source, asked, own_group, other_group;
  } rows[] = {{"file", 0644, 0777, 0755, 0755},    {"file", 0640, 0777, 0750, 0700},
              {"file", 0604, 0777, 0705, 0755},    {"file", 0600, 0666, 0600, 0600},
              {"file", 0666, 07777, 07777, 07777}, {"file", 0400, 0644, 0600, 0600},
              {"file", 0622, 0777, 0722, 0722},    {"folder", 0744, 0777, 0744, 0744},
              {"folder", 0751, 0777, 0751, 0711}};
  for (const auto& row : rows) {
    ASSERT_EQ(::chmod(dir.path(row.source).c_str(), row.of_source), 0);
    Access access;
    access.limit_to(dir.path(row.source));
    access.limit_to(dir.path("none"));
    access.limit_to("/dev/null");
    EXPECT_EQ(access.allowed(row.asked, group), row.own_group) << std::oct << row.of_source;
    EXPECT_EQ(access.allowed(row.asked, other), row.other_group) << std::oct << row.of_source;
  }
  ::chmod(dir.path("folder").c_str(), 0755);
}

TEST(OutputDirectories, OfWrongPlacesAreNotMade) {
  const TempDir dir{{"plain", ""}, {"like/x", ""}};
  for (const std::string& path : {std::string("/"), dir.path("like"), dir.path("plain/below"),
                                  dir.path("none/below"), std::string("//")})
    EXPECT_FALSE(OutputDirectory::create(path, dir.path("like"))) << path;
  OutputFiles made;
  EXPECT_TRUE(made.make_directory(""));
  EXPECT_TRUE(made.make_directory(dir.path("like")));
  const auto failed = made.make_directory(dir.path("plain/below/more"));
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().code, Errc::io);
}

int arrived = 0;

/// Counts the signals that arrive.
class SignalHandler {
 public:
  explicit SignalHandler(
      int signal, void (*handler)(int) = [](int) { ++arrived; })
      : signal_(signal) {
    struct sigaction action = {};
    action.sa_handler = handler;
    ::sigaction(signal, &action, &before_);
    arrived = 0;
  }
  ~SignalHandler() { ::sigaction(signal_, &before_, nullptr); }

 private:
  int signal_;
  struct sigaction before_ = {};
};

TEST(OutputSignals, EndAnOutputOnceItIsGone) {
  const TempDir dir;
  for (const int signal : {SIGHUP, SIGINT, SIGTERM}) {
    const SignalHandler handler(signal);
    {
      auto out = OutputFile::create(dir.path("out"), {}, Replaces::nothing);
      ASSERT_TRUE(out && out->write("before"));
      ::raise(signal);
      EXPECT_EQ(arrived, 0);
      int ends[2];
      ASSERT_EQ(::pipe(ends), 0);
      const std::string interrupted = dir.path("out") + ": Interrupted system call";
      const Bytes bytes(reinterpret_cast<const std::uint8_t*>("more"), 4);
      for (const auto& done : {out->write("more"), out->replace("more"), out->wait_for(ends[0]),
                               out->copy(-1, 0, bytes), out->commit()}) {
        ASSERT_FALSE(done) << signal;
        EXPECT_EQ(done.error().text(), interrupted);
      }
      ASSERT_EQ(::write(ends[1], "x", 1), 1);
      EXPECT_TRUE(out->wait_for(ends[0]));  // there is something to read
      for (const int end : ends) ::close(end);
    }
    EXPECT_EQ(arrived, 1);
    EXPECT_EQ(list_of_names(dir), "");
    {
      auto out = OutputDirectory::create(dir.path("folder"), dir.path());
      ASSERT_TRUE(out);
      ::raise(signal);
      EXPECT_FALSE(out->commit());
      EXPECT_EQ(arrived, 1);
    }
    EXPECT_EQ(arrived, 2);
    EXPECT_EQ(list_of_names(dir), "");
  }
}

TEST(OutputSignals, DoNotWaitOnceTheFileIsInItsPlace) {
  const TempDir dir;
  const SignalHandler handler(SIGTERM);
  auto out = OutputFile::create(dir.path("out"), {}, Replaces::nothing);
  ASSERT_TRUE(out && out->write("text") && out->commit());
  ::raise(SIGTERM);
  EXPECT_EQ(arrived, 1);
  OutputFiles made;
  ASSERT_TRUE(made.make_directory(dir.path("a/b")));
  ::raise(SIGTERM);
  EXPECT_EQ(arrived, 1);
  made.keep();
  EXPECT_EQ(arrived, 2);
}

TEST(OutputSignals, ThatAreIgnoredDoNotEndAnOutput) {
  const TempDir dir;
  const SignalHandler ignored(SIGHUP, SIG_IGN), handled(SIGINT);
  auto out = OutputFile::create(dir.path("out"), {}, Replaces::nothing);
  ASSERT_TRUE(out);
  ::raise(SIGHUP);
  ASSERT_TRUE(out->write("text") && out->commit());
  EXPECT_EQ(dir.read("out"), "text");
}

}  // namespace
}  // namespace evname
