#include <gtest/gtest.h>
#include <sys/stat.h>

#include "base/cpu_list.hpp"
#include "base/edit_distance.hpp"
#include "base/small_file.hpp"
#include "support/temp_dir.hpp"

namespace evname {
namespace {

using Cpus = std::vector<unsigned>;

TEST(CpuList, ReadsRangesUpToTheLimit) {
  EXPECT_EQ(parse_cpu_list("0-2,8\n", 10), (Cpus{0, 1, 2, 8}));
  EXPECT_EQ(parse_cpu_list("0-4294967295", 2), (Cpus{0, 1}));
  EXPECT_EQ(parse_cpu_list("4294967295", 2), (Cpus{4294967295u}));
  EXPECT_EQ(parse_cpu_list("3-1,x", 10), Cpus{});
  EXPECT_EQ(parse_cpu_list("", 10), Cpus{});
}

TEST(EditDistance, CountsSingleChanges) {
  EXPECT_EQ(edit_distance("skylake", "skylakex"), 1u);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3u);
  EXPECT_EQ(edit_distance("", "abc"), 3u);
  EXPECT_EQ(edit_distance("abc", "abc"), 0u);
}

TEST(SmallFile, HeadStopsAtTheLimit) {
  const test::TempDir tree{{"file", "0123456789"}};
  EXPECT_EQ(read_head(tree.path("file"), 4).value_or(""), "0123");
  EXPECT_EQ(read_head(tree.path("file")).value_or(""), "0123456789");
}

TEST(SmallFile, OnlyRegularFilesAreRead) {
  const test::TempDir tree{{"directory/file", ""}};
  ASSERT_EQ(::mkfifo(tree.path("fifo").c_str(), 0600), 0);
  EXPECT_EQ(read_head(tree.path("fifo")).error().code, Errc::unsupported);
  EXPECT_EQ(read_head(tree.path("directory")).error().code, Errc::unsupported);
  EXPECT_EQ(read_head(tree.path("absent")).error().code, Errc::not_found);
  EXPECT_TRUE(is_directory(tree.path("directory")));
  EXPECT_FALSE(is_directory(tree.path("fifo")));
}

}  // namespace
}  // namespace evname
