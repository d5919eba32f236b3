// Debug information that is in files of its own: those of .gnu_debugaltlink (dwz(1)), and split
// units (DWARF 5, section 7.3.2).

#include <gtest/gtest.h>

#include <filesystem>

#include "recordings/symbols/dwarf.hpp"
#include "recordings/symbols/elf_fixture.hpp"

namespace evname::debug_files_test {
namespace {

using namespace test;

constexpr std::uint64_t kSize = 0x40;  ///< of each DIE with addresses

std::vector<ElfParts::Extra> sections_of(const Units& units, std::string_view suffix = "") {
  const bool split = !suffix.empty();
  return {{split ? ".debug_info.dwo" : ".debug_info", units.info()},
          {split ? ".debug_abbrev.dwo" : ".debug_abbrev", units.abbreviations()}};
}

class DebugFiles : public ElfFiles {
 protected:
  /// The names of the frames at the start of the program, and their places if they have one.
  std::string frames(const std::string& file, const SymbolOptions& options) {
    symbols_.push_back(std::make_unique<Symbols>(options));
    std::vector<Frame> found;
    symbols_.back()->frames(kStart + 1, mapping(file), found);
    std::string out;
    for (const Frame& frame : found) {
      out += (out.empty() ? "" : " ") + std::string(frame.function);
      if (frame.line != 0)
        out += "@" + std::string(frame.source) + ":" + std::to_string(frame.line);
    }
    return out;
  }
};

// The function that was inlined is described in the supplement.
TEST_F(DebugFiles, Supplements) {
  const std::string id(20, '\x77'), hex(38, '7');
  Units shared, own;
  shared.add({DW_TAG_partial_unit,
              {},
              {{DW_TAG_subprogram, {text_at(DW_AT_name, "shared")}, {}, "shared"}}});
  own.add(ranged(
      DW_TAG_compile_unit, 0, kSize, {},
      {ranged(
          DW_TAG_subprogram, 0, kSize, {},
          {ranged(DW_TAG_inlined_subroutine, 0, kSize,
                  {{DW_AT_abstract_origin, DW_FORM_GNU_ref_alt, shared.offset("shared")}}, {})})}));
  const auto supplement = [&](const std::string& build_id) {
    return elf_file({.build_id = build_id, .sections = sections_of(shared)});
  };
  const struct {
    const char* what;
    std::string link, place;
    bool is_found;
    std::string build_id = std::string(20, '\x77');
  } cases[] = {
      {"beside the program", "more.debug", "root/opt/more.debug", true},
      {"in a folder beside it", "dwz/more.debug", "root/opt/dwz/more.debug", true},
      {"in a folder above", "../dwz/more.debug", "root/dwz/more.debug", true},
      {"above all", "../../../more.debug", "more.debug", false},
      {"above all, which is the root", "../../../more.debug", "root/more.debug", true},
      {"anywhere", "/dwz/more.debug", "root/dwz/more.debug", true},
      {"by its build id", "none", "root/usr/lib/debug/.build-id/77/" + hex + ".debug", true},
      {"another one", "more.debug", "root/opt/more.debug", false, std::string(20, '\x78')},
      {"none", "more.debug", "root/opt/other.debug", false},
  };
  for (const auto& c : cases) {
    std::filesystem::remove_all(dir_.path("root"));
    std::vector<ElfParts::Extra> sections = sections_of(own);
    sections.push_back({".gnu_debugaltlink", c.link + '\0' + id});
    dir_.write("root/opt/program", elf_file({.sections = sections}));
    dir_.write(c.place, supplement(c.build_id));
    SymbolOptions with = options();
    with.symfs = dir_.path("root");
    std::string told;
    with.tell = [&](std::string_view message) { told += std::string(message) + '\n'; };
    EXPECT_EQ(frames("/opt/program", with),
              c.is_found ? "shared first_function" : "?? first_function")
        << c.what;
    const bool is_told = told.find("/opt/program: more debug information of ") != std::string::npos;
    EXPECT_EQ(is_told, c.is_found) << c.what;
  }
  // Without symfs.
  std::vector<ElfParts::Extra> sections = sections_of(own);
  sections.push_back({".gnu_debugaltlink", "more.debug" + ('\0' + id)});
  const std::string path = dir_.write("plain/program", elf_file({.sections = sections}));
  EXPECT_EQ(frames(path, options()), "?? first_function");
  dir_.write("plain/more.debug", supplement(id));
  EXPECT_EQ(frames(path, options()), "shared first_function");
  sections.back().content = dir_.write("far/more.debug", supplement(id)) + '\0' + id;
  std::filesystem::remove(dir_.path("plain/more.debug"));
  dir_.write("plain/program", elf_file({.sections = sections}));
  EXPECT_EQ(frames(path, options()), "shared first_function");
}

// The skeleton has addresses and lines, the file that it names the functions.
TEST_F(DebugFiles, SplitUnits) {
  constexpr std::uint64_t kId = 0x1122334455667788;
  const LineTable lines{
      .files = {{"a.c"}, {"b.c"}},
      .rows = {{ElfParts::kAddress, 1, 7}, {ElfParts::kAddress + kSize, 1, LineTable::kEnd}}};
  const auto split = [](std::uint64_t id) {
    Units units;
    units.add({DW_TAG_compile_unit,
               {},
               {{DW_TAG_subprogram, {text_at(DW_AT_name, "split")}, {}, "split"},
                ranged(DW_TAG_subprogram, 0, kSize, {},
                       {ranged(DW_TAG_inlined_subroutine, 0, kSize,
                               {reference_at(DW_AT_abstract_origin, "split"),
                                number_at(DW_AT_call_file, 1), number_at(DW_AT_call_line, 30)},
                               {})})}},
              5, DW_UT_split_compile, id);
    return elf_file({.sections = sections_of(units, ".dwo")});
  };
  const struct {
    const char* what;
    std::string name, directory, place;
    bool is_found;
    std::uint64_t id = kId;
  } cases[] = {
      {"beside the program", "a.dwo", "", "a.dwo", true},
      {"in the unit's directory", "a.dwo", "build", "build/a.dwo", true},
      {"by its path", "/a.dwo", "", "a.dwo", true},
      {"another unit", "a.dwo", "", "a.dwo", false, 5},
      {"none", "a.dwo", "", "b.dwo", false},
  };
  for (const auto& c : cases) {
    std::filesystem::remove_all(dir_.path("opt"));
    const bool is_path = c.name.starts_with('/');
    Units skeleton;
    std::vector<Die::Attribute> attributes = {
        text_at(DW_AT_dwo_name, is_path ? dir_.path("opt") + c.name : c.name),
        offset_at(DW_AT_stmt_list, 0)};
    if (!c.directory.empty())
      attributes.push_back(text_at(DW_AT_comp_dir, dir_.path("opt/" + c.directory)));
    skeleton.add(ranged(DW_TAG_skeleton_unit, 0, kSize, attributes, {}), 5, DW_UT_skeleton, kId);
    std::vector<ElfParts::Extra> sections = sections_of(skeleton);
    sections.push_back({".debug_line", lines.str()});
    const std::string path = dir_.write("opt/program", elf_file({.sections = sections}));
    dir_.write("opt/" + c.place, split(c.id));
    const std::string found = frames(path, options());
    const std::string source =
        (c.directory.empty() ? "" : dir_.path("opt/" + c.directory) + "/") + "a.c";
    EXPECT_EQ(found, c.is_found ? "split@" + source + ":7 first_function@" + source + ":30"
                                : "first_function@" + source + ":7")
        << c.what;
    EXPECT_TRUE(symbols_.back()->problems().empty()) << c.what;
  }
  // What is there and no file is told.
  std::filesystem::remove(dir_.path("opt/b.dwo"));
  std::filesystem::create_directory(dir_.path("opt/a.dwo"));
  EXPECT_EQ(frames(dir_.path("opt/program"), options()), "first_function@a.c:7");
  EXPECT_EQ(symbols_.back()->problems().size(), 1);
  // A link does not lead out of --symfs.
  std::filesystem::remove(dir_.path("opt/a.dwo"));
  SymbolOptions below = options();
  below.symfs = dir_.path("opt");
  const std::string inside = dir_.write("opt/a.dwo", split(kId)), outside = dir_.path("a.dwo");
  EXPECT_EQ(frames("/program", below), "split@a.c:7 first_function@a.c:30");
  std::filesystem::rename(inside, outside);
  std::filesystem::create_symlink(outside, inside);
  EXPECT_EQ(frames("/program", below), "first_function@a.c:7");
  EXPECT_EQ(
      symbols_.back()->problems(),
      std::vector<std::string>{"/program: " + inside + " is not in " + below.symfs + ": not read"});
}

}  // namespace
}  // namespace evname::debug_files_test
