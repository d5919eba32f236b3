// Recordings that are opened from a path, from bytes and from a descriptor are the same.
#include <gtest/gtest.h>

#include <fcntl.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <thread>

#include "evname/annotate.hpp"
#include "evname/rewrite.hpp"
#include "support/temp_dir.hpp"

namespace evname::test {
namespace {

std::string data(const char* name) {
  return std::string(std::getenv("EVNAME_SOURCE_ROOT")) + "/tests/data/" + name;
}

std::vector<std::uint8_t> bytes_of(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// The text of all samples, or the error.
std::string text_of(const Result<Recording>& file) {
  if (!file) return file.error().text();
  std::string out;
  const auto done = annotate(*file, {}, [&](std::string_view text) {
    out += text;
    return true;
  });
  return done ? out : done.error().text();
}

/// Opens a descriptor, which is closed at once.
Result<Recording> open_and_close(int descriptor) {
  auto file = Recording::open(descriptor, "name");
  ::close(descriptor);
  return file;
}

/// Opens the end of a pipe into which a thread writes the bytes.
std::string text_through_pipe(const std::vector<std::uint8_t>& bytes) {
  int ends[2];
  EXPECT_EQ(::pipe(ends), 0);
  std::thread writer([&] {
    for (std::size_t at = 0; at < bytes.size();) {
      const ssize_t put = ::write(ends[1], bytes.data() + at, bytes.size() - at);
      if (put <= 0) break;
      at += static_cast<std::size_t>(put);
    }
    ::close(ends[1]);
  });
  std::string text = text_of(open_and_close(ends[0]));
  writer.join();
  return text;
}

TEST(Opening, FromPathBytesAndDescriptorIsTheSame) {
  for (const char* name :
       {"neoverse-n1.data", "deferred-zstd.data", "off-cpu.data", "config4.data"}) {
    const std::string path = data(name);
    const std::string expected = text_of(Recording::open(path));
    ASSERT_EQ(expected.find(name), std::string::npos) << expected;  // an error has the path
    EXPECT_EQ(text_of(Recording::open(bytes_of(path))), expected);
    EXPECT_EQ(text_of(open_and_close(::open(path.c_str(), O_RDONLY))), expected);
    EXPECT_EQ(text_through_pipe(bytes_of(path)), expected);
  }
}

TEST(Opening, OfBytesCanBeRewritten) {
  const TempDir dir;
  const std::string path = data("neoverse-n1.data");
  // A file of the recording's name is not the recording.
  const std::string other = dir.write("other", "not a recording");
  const auto file = Recording::open(bytes_of(path), other);
  ASSERT_TRUE(file);
  EXPECT_EQ(file->facts().path, other);
  ASSERT_TRUE(extract(*file, {}, dir.path("part.data")));
  EXPECT_EQ(text_of(Recording::open(dir.path("part.data"))), text_of(Recording::open(path)));
}

TEST(Opening, ErrorsHaveTheName) {
  const struct {
    Result<Recording> file;
    const char* says;
  } kRows[] = {{Recording::open(std::vector<std::uint8_t>(), "box"), "box"},
               {Recording::open(std::vector<std::uint8_t>(64, 1), "box"), "box"},
               {Recording::open(-1, "box"), "box"}};
  for (const auto& row : kRows) {
    ASSERT_FALSE(row.file);
    EXPECT_NE(row.file.error().text().find(row.says), std::string::npos);
  }
}

}  // namespace
}  // namespace evname::test
