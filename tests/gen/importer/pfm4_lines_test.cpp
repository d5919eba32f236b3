// The cells of a line of arch/pfm4, by the members of libpfm4's structs. Flags:
// lib/pfmlib_intel_x86_priv.h, pfmlib_amd64_priv.h, pfmlib_netburst_priv.h and pfmlib_priv.h.
#include "importer/pfm4_lines.hpp"

#include <gtest/gtest.h>

namespace evname::importer {
namespace {

const PmuNames kNames = {{110, "ivb"}, {115, "hsw"}};

std::string line(const Pfm4Row& row, const char* layout = "intel") {
  return pfm4_line(row, layout, kNames);
}

TEST(Pfm4Lines, HaveACellForEachMember) {
  const struct {
    Pfm4Row row;
    const char* layout;
    const char* line;
  } cases[] = {
      {{.name = "E"}, "intel", "E,,0\n"},
      {{.name = "E", .code = 0x3c, .group = 10, .flags = 4, .modifiers = 0x3, .required = 0x14},
       "intel",
       "E,,0x3c,10,pebs,k u,e c\n"},
      {{.is_mask = true, .name = "M", .code = 0x100}, "intel", ",M,0x100\n"},
      {{.name = "E", .model = 110}, "intel", "E,,0,,,,,ivb\n"},
      {{.name = "E", .model = 7}, "intel", "E,,0,,,,,7\n"},
      {{.name = "E", .alias = "F:c=1,i"}, "intel", "E,,0,,,,,,\"F:c=1,i\"\n"},
      {{.is_mask = true, .name = "M", .filters = {0x10, 0x20}}, "intel", ",M,0,,,,,,,0x10,0x20\n"},
      {{.is_mask = true, .name = "M", .filters = {0, 0x20}}, "intel", ",M,0,,,,,,,,0x20\n"},
      {{.is_mask = true, .name = "M", .group = 3}, "intel", ",M,0,3\n"},
      // grpid: the group, and in the upper byte the one that it needs (INTEL_X86_GRP_REQ).
      {{.is_mask = true, .name = "M", .group = 0x103, .flags = 1 << 15},
       "intel",
       ",M,0,3/1,grp_req\n"},
      {{.name = "E", .group = 0x103, .flags = 1 << 15}, "intel", "E,,0,259,grp_req\n"}};
  for (const auto& c : cases) EXPECT_EQ(line(c.row, c.layout), c.line);
}

// INTEL_X86_NCOMBO is 0x1, INTEL_X86_PEBS 0x4 and so on; bit 1 (FALLBACK_GEN) has no word.
TEST(Pfm4Lines, EachFlagHasItsWord) {
  const std::pair<const char*, std::vector<const char*>> layouts[] = {
      {"intel",
       {"ncombo",
        "",
        "pebs",
        "dfl",
        "grp_excl",
        "offcore",
        "excl_grp_gt",
        "fixed",
        "no_auto",
        "override",
        "ldlat",
        "grp_dfl_none",
        "frontend",
        "fethr",
        "excl_grp_but_0",
        "grp_req",
        "filt_umask",
        "force_filt0",
        "spec",
        "deprecated",
        "dup",
        "no_mods",
        ""}},
      {"amd", {"ncombo", "ibsfetch", "ibsop", "dfl", "omit", ""}},
      {"netburst", {"dfl", ""}}};
  for (const auto& [layout, words] : layouts)
    for (std::size_t bit = 0; bit < words.size(); ++bit) {
      const std::string word = words[bit];
      EXPECT_EQ(line({.name = "E", .flags = std::uint64_t{1} << bit}, layout),
                word.empty() ? "E,,0\n" : "E,,0,," + word + "\n")
          << layout << bit;
    }
  EXPECT_EQ(line({.name = "E", .flags = 0x1f}, "amd"), "E,,0,,ncombo ibsfetch ibsop dfl omit\n");
}

// AMD64_FL_FROM and AMD64_FL_TILL: a byte each, from bit 8 and from bit 16.
TEST(Pfm4Lines, EventsOfAmdHaveRevisions) {
  const std::pair<std::uint64_t, const char*> cases[] = {{0x000500, "E,,0,,,,,5-\n"},
                                                         {0x070000, "E,,0,,,,,-7\n"},
                                                         {0x070500, "E,,0,,,,,5-7\n"},
                                                         {0xfffe00, "E,,0,,,,,254-255\n"},
                                                         {0x1000000, "E,,0\n"}};
  for (const auto& [flags, text] : cases)
    EXPECT_EQ(line({.name = "E", .flags = flags}, "amd"), text);
  EXPECT_EQ(line({.name = "E", .flags = 0x070500, .model = 115}, "amd"), "E,,0,,,,,hsw\n");
  EXPECT_EQ(line({.name = "E", .flags = 1 << 20}, "intel"), "E,,0,,dup\n");
}

// The lowest modifier of each layout, and the last: pfm4's own order of *_ATTR_*.
TEST(Pfm4Lines, ModifiersAreThoseOfTheLayout) {
  const std::tuple<const char*, std::uint64_t, const char*> cases[] = {
      {"intel", 0x201, "k fe_thres"},
      {"nehalem-uncore", 0x9, "e o"},
      {"uncore", 0x800001, "e occ_e"},
      {"netburst", 0x11, "u thr"},
      {"amd", 0x41, "k g"},
      {"arm", 0x5, "k hv"},
      {"arm-uncore", 0x5, "k hv"},
      {"torrent", 0x9, "type hi_cmp"},
      {"mips", 0x9, "k e"},
      {"plain", 0x9, ""}};
  for (const auto& [layout, bits, words] : cases)
    EXPECT_EQ(line({.name = "E", .modifiers = bits, .alias = "A"}, layout),
              std::string("E,,0,,,") + words + ",,,A\n")
        << layout;
}

// PFMLIB_PMU_FL_*: RAW_UMASK is 0x4.
TEST(Pfm4Lines, PmusHaveCommonFlags) {
  EXPECT_EQ(common_flag_words(0x7f), "raw-masks arch-default no-sampling speculation deprecated");
  EXPECT_EQ(common_flag_words(0x3), "");
  EXPECT_EQ(common_flag_words(0x4), "raw-masks");
  EXPECT_EQ(common_flag_words(0x40), "deprecated");
  EXPECT_TRUE(is_common_flag("no-sampling"));
  EXPECT_FALSE(is_common_flag("edge-cmask"));
}

// RFC 4180; a line of arch has no line feeds in it.
TEST(Pfm4Lines, CellsAreQuotedWhereTheyMust) {
  EXPECT_EQ(csv_line({"a", "", "b"}), "a,,b\n");
  EXPECT_EQ(csv_line({"", "a,b", "c"}), ",\"a,b\",c\n");
  EXPECT_EQ(csv_line({"say \"x\""}), "\"say \"\"x\"\"\"\n");
  EXPECT_EQ(csv_line({"a\nb", "c\rd"}), "\"a b\",\"c d\"\n");
}

}  // namespace
}  // namespace evname::importer
