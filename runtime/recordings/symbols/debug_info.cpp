#include "recordings/symbols/debug_info.hpp"

#include <algorithm>

#include <dwarf.h>

#include "recordings/symbols/symbol_table.hpp"

namespace evname::symbols {
namespace {

constexpr unsigned kDeepest = 256;  // trees of DIEs that a damaged file may have

/// Calls each(start, end) for the ranges of addresses of a DIE, as long as some are `left`.
template <class Each>
void for_each_range(Dwarf_Die* die, std::size_t& left, Each&& each) {
  Dwarf_Addr base = 0, start = 0, end = 0;
  std::ptrdiff_t at = 0;
  for (; left > 0 && (at = dwarf_ranges(die, at, &base, &start, &end)) > 0; --left)
    if (start < end) each(start, end);
}

/// `last` is the offset of the DIE that was visited last. Each follows those before it; in a
/// damaged file, a DIE's next may be one inside of it, which would be visited again and again.
template <class Each>
void for_each_child(Dwarf_Die* parent, Dwarf_Off& last, Each&& each) {
  Dwarf_Die child;
  if (dwarf_child(parent, &child) != 0) return;
  do {
    const Dwarf_Off offset = dwarf_dieoffset(&child);
    if (offset <= last) return;
    last = offset;
    each(child);
  } while (dwarf_siblingof(&child, &child) == 0);
}

std::uint64_t number_of(Dwarf_Die* die, unsigned name) {
  Dwarf_Attribute attribute;
  Dwarf_Word value = 0;
  if (!dwarf_attr(die, name, &attribute) || dwarf_formudata(&attribute, &value) != 0) return 0;
  return value;
}

/// Gives the caller of an inlined call the place of that call.
void set_call_site(Dwarf_Die* die, Frame& caller) {
  Dwarf_Die unit;
  Dwarf_Files* files = nullptr;
  std::size_t count = 0;
  const std::uint64_t file = number_of(die, DW_AT_call_file);
  const char* path = dwarf_diecu(die, &unit, nullptr, nullptr) &&
                             dwarf_getsrcfiles(&unit, &files, &count) == 0 && file < count
                         ? dwarf_filesrc(files, file, nullptr, nullptr)
                         : nullptr;
  caller.source = path ? path : "";
  caller.line =
      path ? static_cast<std::uint32_t>(number_of(die, DW_AT_call_line)) : std::uint32_t{0};
}

}  // namespace

std::unique_ptr<DebugInfo> DebugInfo::of(const ElfImage& image, bool demangle) {
  Dwarf* dwarf = dwarf_begin_elf(image.elf(), DWARF_C_READ, nullptr);
  return dwarf ? std::unique_ptr<DebugInfo>(new DebugInfo(image, dwarf, demangle)) : nullptr;
}

DebugInfo::DebugInfo(const ElfImage& image, Dwarf* dwarf, bool demangle)
    : image_(image), dwarf_(dwarf, dwarf_end), demangle_(demangle) {
  elf_rawfile(image.elf(), &ranges_left_);
}

void DebugInfo::read_units() {
  has_units_ = true;
  Dwarf_CU* unit = nullptr;
  Dwarf_Half version = 0;
  std::uint8_t type = 0;
  Dwarf_Die die, split;
  while (dwarf_get_units(dwarf_.get(), unit, &unit, &version, &type, &die, &split) == 0) {
    if (dwarf_tag(&die) != DW_TAG_compile_unit && type != DW_UT_skeleton) continue;
    const std::size_t index = units_.size();
    units_.push_back({type == DW_UT_skeleton && split.addr ? split : die});
    for_each_range(&die, ranges_left_, [&](std::uint64_t start, std::uint64_t end) {
      ranges_.push_back({start, end, index});
    });
  }
  std::sort(ranges_.begin(), ranges_.end(),
            [](const Range& a, const Range& b) { return a.start < b.start; });
}

DebugInfo::Unit* DebugInfo::unit_at(std::uint64_t address) {
  if (!has_units_) read_units();
  auto at = std::upper_bound(ranges_.begin(), ranges_.end(), address,
                             [](std::uint64_t a, const Range& b) { return a < b.start; });
  if (at == ranges_.begin() || (--at)->end <= address) return nullptr;
  return &units_[at->unit];
}

void DebugInfo::collect_functions(Dwarf_Die* parent, Dwarf_Off& last, Unit& unit, unsigned depth) {
  for_each_child(parent, last, [&](Dwarf_Die& child) {
    const int tag = dwarf_tag(&child);
    if (tag == DW_TAG_subprogram)
      for_each_range(&child, ranges_left_, [&](std::uint64_t start, std::uint64_t end) {
        unit.functions.push_back({start, end, child});
      });
    const bool encloses = tag == DW_TAG_namespace || tag == DW_TAG_module ||
                          tag == DW_TAG_structure_type || tag == DW_TAG_class_type ||
                          tag == DW_TAG_subprogram || tag == DW_TAG_lexical_block;
    if (encloses && depth < kDeepest) collect_functions(&child, last, unit, depth + 1);
  });
}

void DebugInfo::read_functions(Unit& unit) {
  unit.is_read = true;
  Dwarf_Off last = dwarf_dieoffset(&unit.die);
  collect_functions(&unit.die, last, unit, 0);
  std::stable_sort(unit.functions.begin(), unit.functions.end(),
                   [](const Function& a, const Function& b) { return a.start < b.start; });
}

void DebugInfo::collect_inlined(Dwarf_Die* parent, Dwarf_Off& last, std::uint32_t depth,
                                unsigned nesting, std::vector<Scope>& scopes) {
  if (nesting == kDeepest) return;
  for_each_child(parent, last, [&](Dwarf_Die& child) {
    const int tag = dwarf_tag(&child);
    if (tag == DW_TAG_inlined_subroutine) {
      for_each_range(&child, ranges_left_, [&](std::uint64_t start, std::uint64_t end) {
        scopes.push_back({start, end, depth, child});
      });
      collect_inlined(&child, last, depth + 1, nesting + 1, scopes);
    } else if (tag == DW_TAG_lexical_block) {
      collect_inlined(&child, last, depth, nesting + 1, scopes);
    }
  });
}

const std::vector<DebugInfo::Scope>* DebugInfo::inlined_at(Unit& unit, std::uint64_t address) {
  if (!unit.is_read) read_functions(unit);
  auto at = std::upper_bound(unit.functions.begin(), unit.functions.end(), address,
                             [](std::uint64_t a, const Function& b) { return a < b.start; });
  if (at == unit.functions.begin() || (--at)->end <= address) return nullptr;
  const auto [scopes, is_new] = unit.inlined.try_emplace(dwarf_dieoffset(&at->die));
  Dwarf_Off last = scopes->first;
  if (is_new) collect_inlined(&at->die, last, 0, 0, scopes->second);
  return &scopes->second;
}

std::string_view DebugInfo::name_of(Dwarf_Die die) {
  Dwarf_Attribute attribute;
  const char* name = nullptr;
  for (const unsigned kind : {DW_AT_linkage_name, DW_AT_MIPS_linkage_name})
    if (!name && dwarf_attr_integrate(&die, kind, &attribute)) name = dwarf_formstring(&attribute);
  if (!name) name = dwarf_diename(&die);
  if (!name) return "??";
  const auto [at, is_new] = names_.try_emplace(name);
  if (is_new && demangle_) at->second = demangle(name);
  if (at->second.empty()) at->second = name;
  return at->second;
}

void DebugInfo::frames(std::uint64_t address, const Frame& function, FrameDetails details,
                       std::vector<Frame>& frames) {
  frames.assign(1, function);
  if (++asked_ % kAskedOften == 0) image_.drop_pages();
  Unit* unit = unit_at(address);
  if (!unit) return;
  Frame leaf;
  Dwarf_Line* line = details.lines ? dwarf_getsrc_die(&unit->die, address) : nullptr;
  if (line) {
    const char* path = dwarf_linesrc(line, nullptr, nullptr);
    int number = 0;
    dwarf_lineno(line, &number);
    leaf.source = path ? path : "";
    leaf.line = static_cast<std::uint32_t>(number);
  }
  // Outermost first, as they are found.
  const std::vector<Scope>* scopes = details.inlines ? inlined_at(*unit, address) : nullptr;
  std::uint32_t depth = 0;
  if (scopes)
    for (const Scope& scope : *scopes) {
      if (scope.depth != depth || address < scope.start || address >= scope.end) continue;
      Dwarf_Die die = scope.die;
      if (details.lines) set_call_site(&die, frames.back());
      Frame inlined = function;
      inlined.function = name_of(die);
      inlined.inlined = inlined.function != function.function;
      frames.push_back(inlined);
      ++depth;
    }
  frames.back().source = leaf.source;
  frames.back().line = leaf.line;
  std::reverse(frames.begin(), frames.end());
}

}  // namespace evname::symbols
