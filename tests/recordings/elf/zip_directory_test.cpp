// ZipDirectory finds the libraries that an archive of zip_file() stores.

#include "recordings/elf/zip_directory.hpp"

#include <gtest/gtest.h>

#include "support/zip_file.hpp"

namespace evname::elf {
namespace {

constexpr std::uint64_t kFirst = 30 + 8, kSize = 64, kSecond = kFirst + kSize + 30 + 1;

TEST(ZipDirectory, Entries) {
  const struct {
    const char* what;
    test::ZipParts parts;
    bool has_first = true, has_second = true;
  } rows[] = {
      {"stored", {}},
      {"wide numbers", {.is_wide = true}},
      {"bytes before it", {.before = std::string(100, 'x')}},
      {"a comment", {.comment = "PK"}},
      {"compressed", {.method = 8}, false, false},
      {"encrypted", {.flags = 1}, false, false},
      {"a size that reaches into the next file", {.too_large = 1}, false},
      {"a size beyond all", {.too_large = 1 << 20}, false},
      {"wide, and a size beyond all", {.is_wide = true, .too_large = 1 << 20}, false},
  };
  for (const auto& row : rows) {
    const std::string bytes = test::zip_file(row.parts);
    const std::uint64_t shift = row.parts.before.size();
    const auto directory = ZipDirectory::read(test::view_of(bytes));
    ASSERT_TRUE(directory) << row.what;
    const auto has = [&](std::uint64_t start, bool expected, std::string_view name) {
      for (const std::uint64_t place : {start, start + kSize - 1}) {
        const auto found = directory->at(shift + place);
        ASSERT_EQ(found.has_value(), expected) << row.what << " " << name;
        if (!found) continue;
        EXPECT_EQ(found->name, name) << row.what;
        EXPECT_EQ(found->start, shift + start) << row.what;
        EXPECT_EQ(found->size, kSize) << row.what;
      }
      EXPECT_EQ(directory->named(name).has_value(), expected) << row.what << " " << name;
    };
    has(kFirst, row.has_first, "lib/a.so");
    has(kSecond, row.has_second, "b");
    EXPECT_FALSE(directory->at(shift + kFirst - 1)) << row.what;
    EXPECT_FALSE(directory->at(shift + kSecond + kSize)) << row.what;
    EXPECT_FALSE(directory->named("c")) << row.what;
  }
}

TEST(ZipDirectory, TwoEntriesOfOneName) {
  const std::string bytes = test::zip_file({.second = "lib/a.so"});
  EXPECT_FALSE(ZipDirectory::read(test::view_of(bytes))->named("lib/a.so"));
}

TEST(ZipDirectory, NoneWhereBytesAreMissing) {
  const std::string whole = test::zip_file({.is_wide = true});
  for (std::size_t size = 0; size < whole.size(); ++size)
    EXPECT_FALSE(ZipDirectory::read(test::view_of(whole).first(size))) << size;
}

}  // namespace
}  // namespace evname::elf
