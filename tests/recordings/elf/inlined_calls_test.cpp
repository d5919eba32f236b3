// Inlined calls, their names and their places, as DWARF (sections 3.3.8 and 6.2) describes them.

#include <gtest/gtest.h>

#include "recordings/elf/dwarf.hpp"
#include "recordings/elf/elf_fixture.hpp"
#include "recordings/symbols/code_history.hpp"

namespace evname::inlined_test {
namespace {

using namespace test;

constexpr std::uint64_t kAddress = ElfParts::kAddress;

Die call(const std::string& function, std::uint64_t start, std::uint64_t end, std::uint64_t file,
         std::uint64_t line, std::vector<Die> inside = {}) {
  return ranged(DW_TAG_inlined_subroutine, start, end,
                {reference_at(DW_AT_abstract_origin, function), number_at(DW_AT_call_file, file),
                 number_at(DW_AT_call_line, line)},
                std::move(inside));
}

Die function_named(const std::string& name) {
  return {DW_TAG_subprogram, {text_at(DW_AT_name, name)}, {}, name};
}

class InlinedCalls : public ElfFiles {
 protected:
  void write(const Units& units, const LineTable& lines = {}, const std::string& ranges = {},
             std::vector<ElfParts::Extra> more = {}) {
    std::vector<ElfParts::Extra> sections = {{".debug_info", units.info()},
                                             {".debug_abbrev", units.abbreviations()},
                                             {".debug_line", lines.str()},
                                             {".debug_ranges", ranges}};
    sections.insert(sections.end(), more.begin(), more.end());
    path_ = dir_.write("program", elf_file({.sections = sections}));
    symbols_.push_back(std::make_unique<Symbols>(options()));
  }
  /// "name@file:line" of each frame, innermost first; "name" if it has no place.
  std::string frames(std::uint64_t offset) {
    std::vector<Frame> found;
    symbols_.back()->frames(kStart + offset, mapping(path_), found);
    return text_of(found);
  }
  static std::string text_of(const std::vector<Frame>& frames) {
    std::string out;
    for (const Frame& frame : frames) {
      out += (out.empty() ? "" : " ") + std::string(frame.function);
      if (frame.inlined) out += '*';
      if (!frame.source.empty() || frame.line != 0)
        out += "@" + std::string(frame.source) + ":" + std::to_string(frame.line);
    }
    return out;
  }
  std::string path_;
};

const LineTable kLines{.files = {{"a.c"}, {"b.h"}},
                       .rows = {{kAddress, 1, 1},
                                {kAddress + 0x10, 2, 5},
                                {kAddress + 0x20, 2, 6},
                                {kAddress + 0x40, 1, 9},
                                {kAddress + 0x80, 1, LineTable::kEnd}}};

TEST_F(InlinedCalls, CallsWithinCalls) {
  const Die function = ranged(
      DW_TAG_subprogram, 0, 0x80, {text_at(DW_AT_name, "first_function")},
      {call("one", 0x10, 0x30, 1, 10,
            {call("two", 0x18, 0x20, 2, 20, {call("three", 0x1c, 0x20, 2, 30)}),
             ranged(DW_TAG_lexical_block, 0x20, 0x28, {}, {call("four", 0x20, 0x24, 1, 40)}),
             call("two", 0x28, 0x2c, 1, 50)}),
       ranged(DW_TAG_lexical_block, 0x40, 0x50, {},
              {ranged(DW_TAG_lexical_block, 0x40, 0x50, {}, {call("one", 0x44, 0x48, 1, 60)})})});
  Die unit = ranged(DW_TAG_compile_unit, 0, 0x80, {offset_at(DW_AT_stmt_list, 0)}, {function});
  for (const char* name : {"one", "two", "three", "four"})
    unit.children.push_back(function_named(name));
  write(Units().add(unit), kLines);
  const struct {
    std::uint64_t offset;
    std::string_view frames;
  } cases[] = {
      {0, "first_function@a.c:1"},
      {0x0f, "first_function@a.c:1"},
      {0x10, "one*@b.h:5 first_function@a.c:10"},
      {0x17, "one*@b.h:5 first_function@a.c:10"},
      {0x18, "two*@b.h:5 one*@b.h:20 first_function@a.c:10"},
      {0x1c, "three*@b.h:5 two*@b.h:30 one*@b.h:20 first_function@a.c:10"},
      {0x1f, "three*@b.h:5 two*@b.h:30 one*@b.h:20 first_function@a.c:10"},
      {0x20, "four*@b.h:6 one*@a.c:40 first_function@a.c:10"},
      {0x24, "one*@b.h:6 first_function@a.c:10"},
      {0x28, "two*@b.h:6 one*@a.c:50 first_function@a.c:10"},
      {0x2c, "one*@b.h:6 first_function@a.c:10"},
      {0x30, "first_function@b.h:6"},
      {0x3f, "first_function@b.h:6"},
      {0x40, "second_function@a.c:9"},
      {0x44, "one*@a.c:9 second_function@a.c:60"},
      {0x48, "second_function@a.c:9"},
      {0x60, "@a.c:9"},  // perf looks for calls only in functions that it knows
      {0x7f, "@a.c:9"},
      {0x80, ""},
  };
  for (const auto& c : cases) EXPECT_EQ(frames(c.offset), c.frames) << c.offset;
}

// A call whose addresses extend beyond its function is only searched in the function.
TEST_F(InlinedCalls, ACallThatGoesOnBeyondItsFunction) {
  write(Units().add(ranged(DW_TAG_compile_unit, 0, 0x80, {},
                           {function_named("one"), ranged(DW_TAG_subprogram, 0x10, 0x20, {},
                                                          {call("one", 0x14, 0x24, 1, 1)})})));
  EXPECT_EQ(frames(0x1f), "one* first_function");
  EXPECT_EQ(frames(0x20), "first_function");
}

// The caller chooses the details; the others are missing. So it is with names that a recording has
// of its own, when the file is gone.
TEST_F(InlinedCalls, OnlyTheDetailsThatAreAskedFor) {
  write(Units().add(ranged(DW_TAG_compile_unit, 0, 0x80, {offset_at(DW_AT_stmt_list, 0)},
                           {function_named("one"), ranged(DW_TAG_subprogram, 0, 0x80, {},
                                                          {call("one", 0x10, 0x30, 1, 10)})})),
        kLines);
  const struct {
    bool lines, inlines;
    std::string_view frames, calls;
    bool has_debug_info;
  } cases[] = {
      {true, true, "one*@b.h:5 first_function@a.c:10", "one* first_function", true},
      {true, false, "first_function@b.h:5", "first_function", true},
      {false, true, "one* first_function", "one* first_function", true},
      {false, false, "first_function", "first_function", false},
  };
  const Symbols whole(options());
  detail::SymbolsAccess::collect(whole);
  std::vector<Frame> all;
  whole.frames(kStart + 0x10, mapping(path_), all);
  const auto names =
      std::make_shared<const std::string>(detail::SymbolsAccess::collected(whole).packed);
  for (const bool is_packed : {false, true})
    for (const auto& c : cases) {
      SymbolOptions with = options();
      with.lines = c.lines;
      with.inlines = c.inlines;
      const Symbols symbols(with);
      Mapping of = mapping(path_);
      if (is_packed) of.names = &names;
      std::vector<Frame> frames, calls;
      symbols.frames(kStart + 0x10, of, frames);
      symbols.calls(kStart + 0x10, of, calls);
      EXPECT_EQ(text_of(frames), c.frames) << is_packed;
      EXPECT_EQ(text_of(calls), c.calls) << is_packed;
      for (const Frame& frame : frames) EXPECT_EQ(frame.has_debug_info, c.has_debug_info);
      EXPECT_EQ(symbols.has_calls(), c.inlines);
    }
}

// A name is the linkage name or the name, of the DIE or of those that it refers to.
TEST_F(InlinedCalls, NamesOfFunctions) {
  const Die::Attribute specified = reference_at(DW_AT_specification, "declaration");
  const struct {
    std::vector<Die::Attribute> abstract, declaration;
    std::string_view name;
  } cases[] = {
      {{text_at(DW_AT_name, "plain")}, {}, "plain"},
      {{text_at(DW_AT_name, "add"), text_at(DW_AT_linkage_name, "_Z3addii")}, {}, "add(int, int)"},
      {{text_at(DW_AT_linkage_name, "linked"), text_at(DW_AT_name, "add")}, {}, "linked"},
      {{text_at(DW_AT_name, "add"), text_at(DW_AT_MIPS_linkage_name, "_Z3subv")}, {}, "sub()"},
      {{specified}, {text_at(DW_AT_name, "declared")}, "declared"},
      {{specified}, {text_at(DW_AT_linkage_name, "_ZN1A1bEv")}, "A::b()"},
      {{specified, text_at(DW_AT_name, "own")}, {text_at(DW_AT_name, "declared")}, "own"},
      {{}, {}, ""},  // a part of its caller
  };
  for (const auto& c : cases) {
    const Die abstract{DW_TAG_subprogram, c.abstract, {}, "abstract"},
        declaration{DW_TAG_subprogram, c.declaration, {}, "declaration"};
    write(Units().add(
        ranged(DW_TAG_compile_unit, 0, 0x80, {},
               {declaration, abstract,
                ranged(DW_TAG_subprogram, 0, 0x80, {}, {call("abstract", 0x10, 0x30, 1, 1)})})));
    EXPECT_EQ(frames(0x10),
              c.name.empty() ? "first_function" : std::string(c.name) + "* first_function");
    SymbolOptions with = options();
    with.demangle = false;
    const Symbols symbols(with);
    std::vector<Frame> found;
    symbols.frames(kStart + 0x10, mapping(path_), found);
    if (c.name == "add(int, int)") {
      EXPECT_EQ(text_of(found), "_Z3addii* first_function");
    }
  }
}

// perf takes a call of the function's own name for the function itself (inline_list__append).
TEST_F(InlinedCalls, ACallOfTheSameName) {
  write(Units().add(ranged(
      DW_TAG_compile_unit, 0, 0x80, {},
      {function_named("first_function"),
       ranged(DW_TAG_subprogram, 0, 0x80, {}, {call("first_function", 0x10, 0x30, 1, 1)})})));
  EXPECT_EQ(frames(0x10), "first_function first_function");
}

// Functions may be inside of others, of namespaces and of types, but not of anything.
TEST_F(InlinedCalls, FunctionsInsideOfOthers) {
  const struct {
    unsigned tag;
    bool is_found;
  } cases[] = {{DW_TAG_namespace, true},  {DW_TAG_module, true},     {DW_TAG_structure_type, true},
               {DW_TAG_class_type, true}, {DW_TAG_subprogram, true}, {DW_TAG_lexical_block, true},
               {DW_TAG_variable, false},  {DW_TAG_union_type, false}};
  for (const auto& c : cases) {
    const Die function = ranged(DW_TAG_subprogram, 0x10, 0x20, {}, {call("one", 0x14, 0x18, 1, 1)});
    write(Units().add(ranged(DW_TAG_compile_unit, 0, 0x80, {},
                             {function_named("one"), Die{c.tag, {}, {function}}})));
    EXPECT_EQ(frames(0x14), c.is_found ? "one* first_function" : "first_function") << c.tag;
  }
}

// Of several functions, the one whose addresses are asked for has the calls.
TEST_F(InlinedCalls, SeveralFunctionsAndUnits) {
  const auto function = [](std::uint64_t start, std::uint64_t end, const char* name) {
    return ranged(DW_TAG_subprogram, start, end, {}, {call(name, start + 4, end - 4, 1, 7)});
  };
  Units units;
  units.add(ranged(DW_TAG_compile_unit, 0x30, 0x60, {offset_at(DW_AT_stmt_list, 0)},
                   {function_named("c"), function_named("d"), function(0x40, 0x60, "d"),
                    function(0x30, 0x40, "c")}));
  units.add(ranged(DW_TAG_compile_unit, 0, 0x28, {offset_at(DW_AT_stmt_list, 0)},
                   {function_named("a"), function_named("b"), function(0x10, 0x20, "b"),
                    function(0, 0x10, "a")}));
  units.add(ranged(DW_TAG_partial_unit, 0x28, 0x30, {offset_at(DW_AT_stmt_list, 0)}, {}));
  write(units, kLines);
  const struct {
    std::uint64_t offset;
    std::string_view frames;
  } cases[] = {{0, "first_function@a.c:1"},
               {4, "a*@a.c:1 first_function@a.c:7"},
               {0x0c, "first_function@a.c:1"},
               {0x14, "b*@b.h:5 first_function@a.c:7"},
               {0x20, "first_function@b.h:6"},  // of a unit, and of no function
               {0x27, "first_function@b.h:6"},
               {0x28, "first_function"},  // of no unit
               {0x34, "c*@b.h:6 first_function@a.c:7"},
               {0x44, "d*@a.c:9 second_function@a.c:7"},
               {0x5c, "second_function@a.c:9"}};
  for (const auto& c : cases) EXPECT_EQ(frames(c.offset), c.frames) << c.offset;
}

// The addresses of a function, a unit or a call may be a list (section 2.17.3 of DWARF 4).
TEST_F(InlinedCalls, ListsOfRanges) {
  const std::string ranges = test::BytesOut()
                                 .u64(0x10)
                                 .u64(0x18)  // of the call
                                 .u64(0x20)
                                 .u64(0x20)
                                 .u64(0x50)
                                 .u64(0x58)
                                 .u64(0)
                                 .u64(0)
                                 .u64(0x40)
                                 .u64(0x60)  // of the function
                                 .u64(0)
                                 .u64(0x20)
                                 .u64(0)
                                 .u64(0)
                                 .str();
  const Die inlined{DW_TAG_inlined_subroutine,
                    {reference_at(DW_AT_abstract_origin, "one"), offset_at(DW_AT_ranges, 0)}};
  const Die function{DW_TAG_subprogram, {offset_at(DW_AT_ranges, 64)}, {inlined}};
  write(Units().add({DW_TAG_compile_unit,
                     {address_at(DW_AT_low_pc, kAddress), offset_at(DW_AT_ranges, 64)},
                     {function_named("one"), function}}),
        {}, ranges);
  const struct {
    std::uint64_t offset;
    std::string_view frames;
  } cases[] = {{0, "first_function"},          {0x10, "one* first_function"},
               {0x17, "one* first_function"},  {0x18, "first_function"},
               {0x20, "first_function"},       {0x40, "second_function"},
               {0x50, "one* second_function"}, {0x58, "second_function"}};
  for (const auto& c : cases) EXPECT_EQ(frames(c.offset), c.frames) << c.offset;
}

// Paths of files are below the unit's directory or one of the line table, as libdw joins them.
TEST_F(InlinedCalls, PathsOfFiles) {
  const LineTable table{.directories = {"inc", "/usr/include"},
                        .files = {{"a.c"}, {"b.h", 1}, {"c.h", 2}, {"/d/e.h"}},
                        .rows = {{kAddress, 1, 100},
                                 {kAddress + 0x10, 2, 200},
                                 {kAddress + 0x20, 3, 70},
                                 {kAddress + 0x30, 4, 3},
                                 {kAddress + 0x34, 9, 3},  // there is no such file
                                 {kAddress + 0x38, 1, 5},
                                 {kAddress + 0x38, 1, 6},  // the last row of an address counts
                                 {kAddress + 0x3c, 1, LineTable::kEnd},
                                 {kAddress + 0x50, 1, 8},
                                 {kAddress + 0x54, 1, LineTable::kEnd}}};
  write(Units().add(ranged(DW_TAG_compile_unit, 0, 0x80,
                           {offset_at(DW_AT_stmt_list, 0), text_at(DW_AT_comp_dir, "/src")},
                           {function_named("one"),
                            ranged(DW_TAG_subprogram, 0, 0x80, {},
                                   {call("one", 8, 0xa, 3, 300), call("one", 0xa, 0xc, 5, 300),
                                    call("one", 0xc, 0xe, 4, 0)})})),
        table);
  const struct {
    std::uint64_t offset;
    std::string_view frames;
  } cases[] = {{0, "first_function@/src/a.c:100"},
               {0x10, "first_function@inc/b.h:200"},
               {0x20, "first_function@/usr/include/c.h:70"},
               {0x30, "first_function@/d/e.h:3"},
               {0x37, "first_function@:3"},
               {0x38, "first_function@/src/a.c:6"},
               {0x3b, "first_function@/src/a.c:6"},
               {0x3c, "first_function"},  // between two sequences
               {0x50, "second_function@/src/a.c:8"},
               {0x54, "second_function"},
               {8, "one*@/src/a.c:100 first_function@/usr/include/c.h:300"},
               {0xa, "one*@/src/a.c:100 first_function"},  // file 5 is none
               {0xc, "one*@/src/a.c:100 first_function@/d/e.h:0"}};
  for (const auto& c : cases) EXPECT_EQ(frames(c.offset), c.frames) << c.offset;
}

}  // namespace
}  // namespace evname::inlined_test
