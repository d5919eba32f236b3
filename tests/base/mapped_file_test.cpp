#include "base/mapped_file.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <string_view>

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

}  // namespace
}  // namespace evname
