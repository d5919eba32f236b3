#include "events/trees/tree.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "support/temp_dir.hpp"

namespace evname::trees {
namespace {

std::vector<MapfileRow> read(std::string_view text, Diagnostics& diagnostics) {
  const test::TempDir dir;
  return read_mapfile(dir.write("mapfile.csv", text), diagnostics);
}

TEST(Mapfile, TheFirstRowIsAHeadingAndHashesAreComments) {
  Diagnostics diagnostics;
  const auto rows = read("id,1,dir\n# comment\n\nx,v2,d,core\r\ny,v3,e\n", diagnostics);
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].pattern, "x");
  EXPECT_EQ(rows[0].version, "v2");
  EXPECT_EQ(rows[0].directory, "d");
  EXPECT_EQ(rows[0].type, "core");
  EXPECT_EQ(rows[1].type, "");
}

TEST(Mapfile, QuotedColumnsMayHoldCommasAndQuotes) {
  Diagnostics diagnostics;
  const auto rows = read("h\n\"a,b\",v,\"d\"\"q\"\n", diagnostics);
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].pattern, "a,b");
  EXPECT_EQ(rows[0].directory, "d\"q");
}

TEST(Mapfile, ARowWithTooFewColumnsIsAnErrorWithItsLine) {
  Diagnostics diagnostics;
  const test::TempDir dir;
  EXPECT_TRUE(read_mapfile(dir.write("mapfile.csv", "h\nx,v\n"), diagnostics).empty());
  ASSERT_EQ(diagnostics.all().size(), 1u);
  EXPECT_TRUE(diagnostics.text(diagnostics.all()[0])
                  .ends_with("mapfile.csv:2: error: 2 columns where at least 3 are needed"));
}

// A directory is its device and inode. Models are counted by hand.
TEST(Walk, NoDirectoryIsFollowedTwice) {
  const struct {
    const char *target, *link, *models;
  } cases[] = {
      {"", "", "other skylakex skylakex/sys "},
      {".", "x86/skylakex/loop", "other skylakex skylakex/sys "},
      {"..", "x86/skylakex/sys/loop", "other skylakex skylakex/sys "},
      {"../..", "x86/skylakex/loop", "other skylakex skylakex/sys "},
      {"../other", "x86/skylakex/loop", "other skylakex skylakex/sys "},
      {"../skylakex", "x86/other/loop", "other skylakex skylakex/sys "},
      {".", "x86/loop", "other skylakex skylakex/sys "},
      {"skylakex", "x86/a", "other skylakex skylakex/sys "},
      {".", "loop", "other skylakex skylakex/sys "},
      {"x86", "i386", "other skylakex skylakex/sys "},
      {"../../elsewhere", "x86/more", "more other skylakex skylakex/sys "},
      {"nowhere", "x86/skylakex/loop", "other skylakex skylakex/sys "},
  };
  for (const auto& c : cases) {
    const test::TempDir dir{{"trees/x86/mapfile.csv", "h\n"},
                            {"trees/x86/skylakex/a.json", "[]"},
                            {"trees/x86/skylakex/sys/b.json", "[]"},
                            {"trees/x86/other/c.json", "[]"},
                            {"elsewhere/d.json", "[]"}};
    const std::string link = dir.path("trees/") + c.link;
    if (*c.link != '\0') std::filesystem::create_directory_symlink(c.target, link);
    std::string models;
    for (const ArchDir& arch : find_architectures(dir.path("trees")))
      for (const ModelDir& model : arch.models) models += model.name + " ";
    EXPECT_EQ(models, c.models) << c.link << " -> " << c.target;
  }
}

struct LintCase {
  const char* arch;
  const char* rows;  ///< patterns separated by spaces
  const char* message;
};

TEST(Mapfile, RowsThatCanNeverMatchAreReported) {
  const LintCase cases[] = {
      {"x86", "GenuineIntel-6-8F GenuineIntel-6-55-[01234]", nullptr},
      {"x86", "AuthenticAMD-25-[[:xdigit:]]", nullptr},
      {"x86", "GenuineIntel-6-8f", "x86 models are written in upper case"},
      {"x86", "GenuineIntel-6-(8F",
       "not an extended regular expression, or one that repeats too much"},
      {"x86", "A-1-2 A-1-2", "'A-1-2' in an earlier row takes all of it"},
      {"arm64", "0x00000000410fd0c0 0x00000000420f5160", nullptr},
      {"arm64", "neoverse", "not a MIDR number"},
      {"arm64", "0x00000000410fd0c0 0x00000000411fd0c1",
       "'0x00000000410fd0c0' in an earlier row takes all of it"},
      {"arm64", "0x00000000411fd0c1 0x00000000410fd0c0", nullptr},
      {"arm64", "0x00000000411fd0c1 0x00000000410fd0c2", nullptr},
      {"arm64", "0x00000000411fd0c1 0x00000000411fd0c0", nullptr},
      {"arm64", "0x00000000411fd0c1 0x00000000421fd0c1", nullptr},
      {"arm64", "0x00000000411fd0c1 0x00000000411fd0d1", nullptr},
      {"arm64", "0x00000000411fd0c1 0x00000000411fd0c2",
       "'0x00000000411fd0c1' in an earlier row takes all of it"},
      {"arm64", "0x00000000411fd0c1 0x00000000412fd0c0",
       "'0x00000000411fd0c1' in an earlier row takes all of it"},
      {"arm", "0x00000000410fc0f0 0x00000000411fc0f0",
       "'0x00000000410fc0f0' in an earlier row takes all of it"},
      {"arm", "cortex", "not a MIDR number"},
      {"x86", "\tA-1-2", "spaces around the pattern"},
      {"x86", "A-1-2\t", "spaces around the pattern"},
      {"x86", "A-1-[[:xdigit:]]f", "x86 models are written in upper case"},
      {"x86", "abc", nullptr},
      {"x86", "0x10 0x11", nullptr},
      {"s390", "^IBM.393[16].*$ ^IBM.ab-c", nullptr},
      {"s390", "^IBM.39[", "not an extended regular expression, or one that repeats too much"},
  };
  for (const LintCase& c : cases) {
    std::vector<MapfileRow> rows;
    std::string_view rest = c.rows;
    while (!rest.empty()) {
      const auto space = rest.find(' ');
      rows.push_back({std::string(rest.substr(0, space)), "", "d", "", {}, {}});
      rest = space == std::string_view::npos ? "" : rest.substr(space + 1);
    }
    Diagnostics diagnostics;
    diagnostics.add_file("mapfile.csv");
    lint_mapfile(c.arch, rows, diagnostics);
    ASSERT_EQ(diagnostics.all().size(), c.message ? 1u : 0u) << c.rows;
    for (const Diagnostic& d : diagnostics.all())
      EXPECT_EQ(d.message, std::string("can never match: ") + c.message);
  }
}

}  // namespace
}  // namespace evname::trees
