// Debug information in separate files: .gnu_debugaltlink (dwz(1)), and split units (DWARF 5,
// section 7.3.2).

#include <gtest/gtest.h>

#include <filesystem>

#include "recordings/elf/dwarf.hpp"
#include "recordings/elf/elf_fixture.hpp"

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
      {"by its path in the tree", dir_.path("root") + "/none", "root/none", false},
      {"of a copy of a debug file", "../../.dwz/a/more.debug",
       "root/usr/lib/debug/.dwz/a/more.debug", true},
      {"in perf's cache", "none", "cache/.build-id/77/" + hex + "/elf", true},
      {"another one", "more.debug", "root/opt/more.debug", false, std::string(20, '\x78')},
      {"none", "more.debug", "root/opt/other.debug", false},
  };
  for (const auto& c : cases) {
    std::filesystem::remove_all(dir_.path("root"));
    std::filesystem::remove_all(dir_.path("cache"));
    std::vector<ElfParts::Extra> sections = sections_of(own);
    sections.push_back({".gnu_debugaltlink", c.link + '\0' + id});
    dir_.write("root/opt/program", elf_file({.sections = sections}));
    dir_.write(c.place, supplement(c.build_id));
    SymbolOptions with = options();
    with.symfs = dir_.path("root");
    std::string told;
    with.tell = [&](std::string_view message) { told += std::string(message) + '\n'; };
    EXPECT_EQ(frames("/opt/program", with), c.is_found ? "shared first_function" : "first_function")
        << c.what;
    const bool is_told = told.find("/opt/program: more debug information of ") != std::string::npos;
    EXPECT_EQ(is_told, c.is_found) << c.what;
    EXPECT_EQ(symbols_.back()->problems().empty(), c.is_found) << c.what;
  }
  // Without symfs.
  std::vector<ElfParts::Extra> sections = sections_of(own);
  sections.push_back({".gnu_debugaltlink", "more.debug" + ('\0' + id)});
  const std::string path = dir_.write("plain/program", elf_file({.sections = sections}));
  EXPECT_EQ(frames(path, options()), "first_function");
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
  // A path that is not a file is reported.
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

// A file may say that its supplement is itself.
TEST_F(DebugFiles, ASupplementOfItself) {
  const std::string id(20, '\x5a');
  Units own;
  own.add(ranged(DW_TAG_compile_unit, 0, kSize, {},
                 {ranged(DW_TAG_subprogram, 0, kSize, {},
                         {ranged(DW_TAG_inlined_subroutine, 0, kSize,
                                 {{DW_AT_abstract_origin, DW_FORM_GNU_ref_alt, 12}}, {})})}));
  std::vector<ElfParts::Extra> sections = sections_of(own);
  sections.push_back({".gnu_debugaltlink", "program" + ('\0' + id)});
  const std::string path = dir_.write("program", elf_file({.sections = sections}));
  EXPECT_EQ(frames(path, options()), "first_function");
}

/// An index of units in the layout of DWARF 5, section 7.3.5, or of GNU's before it.
struct PackageIndex {
  std::uint16_t version = 5;
  std::vector<std::uint32_t> kinds = {};
  struct Row {
    std::uint64_t id;
    std::vector<std::uint32_t> offsets, sizes;
  };
  std::vector<Row> rows = {};
  std::uint32_t slots = 4;

  std::string str() const {
    std::vector<std::uint64_t> ids(slots);
    std::vector<std::uint32_t> numbers(slots);
    for (std::uint32_t i = 0; i < rows.size(); ++i) {
      const std::uint64_t step = (rows[i].id >> 32 & (slots - 1)) | 1;
      std::uint64_t at = rows[i].id & (slots - 1);
      while (numbers[at] != 0) at = (at + step) & (slots - 1);
      ids[at] = rows[i].id;
      numbers[at] = i + 1;
    }
    BytesOut out;
    out.u16(version).u16(0).u32(static_cast<std::uint32_t>(kinds.size()));
    out.u32(static_cast<std::uint32_t>(rows.size())).u32(slots);
    for (const std::uint64_t id : ids) out.u64(id);
    for (const std::uint32_t number : numbers) out.u32(number);
    for (const std::uint32_t kind : kinds) out.u32(kind);
    for (const Row& row : rows)
      for (const std::uint32_t offset : row.offsets) out.u32(offset);
    for (const Row& row : rows)
      for (const std::uint32_t size : row.sizes) out.u32(size);
    return out.str();
  }
};

// A package has the units of a whole program, one after the other.
TEST_F(DebugFiles, Packages) {
  constexpr std::uint64_t kId = 0x1122334455667788, kOther = 0x2200000355667788;
  const auto unit = [&](const std::string& name, std::uint64_t id) {
    Units units;
    units.add({DW_TAG_compile_unit,
               {},
               {{DW_TAG_subprogram, {text_at(DW_AT_name, name)}, {}, name},
                ranged(DW_TAG_subprogram, 0, kSize, {},
                       {ranged(DW_TAG_inlined_subroutine, 0, kSize,
                               {reference_at(DW_AT_abstract_origin, name)}, {})})}},
              5, DW_UT_split_compile, id);
    return units;
  };
  const Units first = unit("other", kOther), second = unit("packed", kId);
  const auto size = [](const std::string& text) { return static_cast<std::uint32_t>(text.size()); };
  const std::uint32_t at = size(first.info()), abbreviations = size(first.abbreviations());
  PackageIndex right{
      5,
      {1, 3},
      {{kOther, {0, 0}, {at, abbreviations}},
       {kId, {at, abbreviations}, {size(second.info()), size(second.abbreviations())}}}};
  PackageIndex gnu = right, empty = right, outside = right, long_one = right;
  gnu.version = 2;
  empty.rows.pop_back();
  std::string odd = right.str();
  odd[12] = 3;  // the number of slots
  outside.rows[1].offsets[0] += 8;
  long_one.rows[1].sizes[1] = UINT32_MAX;
  const auto package = [&](const std::string& index) {
    return elf_file(
        {.sections = {{".debug_info.dwo", first.info() + second.info()},
                      {".debug_abbrev.dwo", first.abbreviations() + second.abbreviations()},
                      {".debug_cu_index", index}}});
  };
  std::string id;
  for (int i = 0; i < 19; ++i) id += "5a";
  const struct {
    const char* what;
    std::string index, place = "root/opt/program.dwp";
    bool is_found = false;
  } cases[] = {
      {"beside the program", right.str(), "root/opt/program.dwp", true},
      {"GNU's", gnu.str(), "root/opt/program.dwp", true},
      {"by the build id", right.str(), "root/usr/lib/debug/.build-id/5a/" + id + ".dwp", true},
      {"of a debug file", right.str(), "root/usr/lib/debug/opt/program.debug.dwp", true},
      {"elsewhere", right.str(), "root/program.dwp"},
      {"without the unit", empty.str()},
      {"slots that are no power of 2", odd},
      {"beyond the section", outside.str()},
      {"a size beyond the section", long_one.str()},
      {"cut", right.str().substr(0, 60)},
      {"cut at its end", right.str().substr(0, right.str().size() - 1)},
  };
  for (const auto& c : cases) {
    std::filesystem::remove_all(dir_.path("root"));
    Units skeleton;
    skeleton.add(ranged(DW_TAG_skeleton_unit, 0, kSize, {text_at(DW_AT_dwo_name, "gone.dwo")}, {}),
                 5, DW_UT_skeleton, kId);
    dir_.write("root/opt/program", elf_file({.sections = sections_of(skeleton)}));
    dir_.write(c.place, package(c.index));
    SymbolOptions with = options();
    with.symfs = dir_.path("root");
    EXPECT_EQ(frames("/opt/program", with), c.is_found ? "packed first_function" : "first_function")
        << c.what;
  }
  // Any byte of the index may be another one: the unit is found or not, and no other one is.
  for (std::size_t i = 0; i < right.str().size(); ++i) {
    std::string damaged = right.str();
    damaged[i] ^= '\x15';
    dir_.write("root/opt/program.dwp", package(damaged));
    SymbolOptions with = options();
    with.symfs = dir_.path("root");
    const std::string found = frames("/opt/program", with);
    EXPECT_TRUE(found == "packed first_function" || found == "first_function") << i << found;
  }
}

}  // namespace
}  // namespace evname::debug_files_test
