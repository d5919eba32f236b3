#include "recordings/elf/debug_info.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <new>
#include <utility>

#include <dwarf.h>
#include <elfutils/libdwelf.h>
#include <fmt/format.h>

#include "base/bytes.hpp"
#include "base/text.hpp"
#include "recordings/elf/debuginfod.hpp"
#include "recordings/elf/rooted_path.hpp"
#include "recordings/elf/split_units.hpp"
#include "recordings/elf/symbol_table.hpp"

namespace evname::elf {

const LineTables::Table& LineTables::table_of(Dwarf_Die& unit) {
  const auto [at, is_new] = tables_.try_emplace(dwarf_dieoffset(&unit));
  if (is_new && dwarf_hasattr(&unit, DW_AT_stmt_list)) read(at->first, at->second);
  return at->second;
}

/// Returns false if the unit's table may have too many rows, or if the section was read too often:
/// each unit has its own part. A byte makes at most one row.
bool LineTables::has_room(Dwarf_Die& unit) {
  constexpr std::uint64_t kRowSize = 100;  // in libdw
  constexpr std::uint64_t kMostTimes = 4;
  Dwarf_Attribute attribute;
  Dwarf_Word offset = 0;
  if (!dwarf_attr(&unit, DW_AT_stmt_list, &attribute) || dwarf_formudata(&attribute, &offset) != 0)
    return false;
  Elf_Data* data = nullptr;
  for (const char* name : {".debug_line", ".zdebug_line"})  // libdw has unpacked it
    if (!data) data = image_.section(name).data();
  if (!data || offset >= data->d_size) return true;
  const bool is_big = image_.header().e_ident[EI_DATA] == ELFDATA2MSB;
  Cursor in({static_cast<const std::uint8_t*>(data->d_buf), data->d_size},
            is_big ? std::endian::big : std::endian::little);
  in.skip(offset);
  std::uint64_t size = in.u32();
  if (size == UINT32_MAX) size = in.u64();
  size = std::min<std::uint64_t>(size, in.remaining());
  bytes_read_ += size;
  const bool too_often = bytes_read_ / kMostTimes > data->d_size;
  return limits_.has_room(too_often ? UINT64_MAX : size * kRowSize);
}

void LineTables::read(Dwarf_Off unit, Table& table) {
  if (!dwarf_) {
    dwarf_.reset(open_());
    rows_read_ = 0;
  }
  Dwarf_Die die;
  Dwarf_Lines* lines = nullptr;
  Dwarf_Files* files = nullptr;
  std::size_t count = 0, file_count = 0;
  if (!dwarf_ || !dwarf_offdie(dwarf_.get(), unit, &die) || !has_room(die) ||
      dwarf_getsrclines(&die, &lines, &count) != 0)
    return;
  rows_read_ += count;
  if (dwarf_getsrcfiles(&die, &files, &file_count) != 0) file_count = 0;
  for (std::size_t i = 0; i < file_count; ++i)
    table.files.push_back(kept(dwarf_filesrc(files, i, nullptr, nullptr)));
  for (std::size_t i = 0; i < count; ++i) {
    Dwarf_Line* const line = dwarf_onesrcline(lines, i);
    Row row{0, kNoFile, kEnd};
    bool ends = false;
    std::size_t file = 0;
    int number = 0;
    Dwarf_Files* ignored = nullptr;
    if (!line || dwarf_lineaddr(line, &row.address) != 0) continue;
    dwarf_lineendsequence(line, &ends);
    if (!ends) {
      dwarf_lineno(line, &number);
      row.line = static_cast<std::uint32_t>(number);
      if (dwarf_line_file(line, &ignored, &file) == 0) row.file = static_cast<std::uint32_t>(file);
    }
    // The last row of an address counts; a row that repeats the previous line is left out.
    if (!table.rows.empty() && table.rows.back().address == row.address) table.rows.pop_back();
    if (table.rows.empty() || table.rows.back().file != row.file ||
        table.rows.back().line != row.line)
      table.rows.push_back(row);
  }
  table.rows.shrink_to_fit();
  if (rows_read_ > kMostRows) dwarf_.reset();
}

LineTables::Place LineTables::place(Dwarf_Die unit, std::uint64_t address) {
  const Table& table = table_of(unit);
  const auto after = std::upper_bound(table.rows.begin(), table.rows.end(), address,
                                      [](std::uint64_t a, const Row& b) { return a < b.address; });
  if (after == table.rows.begin()) return {};
  const Row& row = after[-1];
  if (row.file == kNoFile && row.line == kEnd) return {};
  return {row.file < table.files.size() ? table.files[row.file] : std::string_view(), row.line};
}

std::string_view LineTables::path(Dwarf_Die unit, std::uint64_t file) {
  const Table& table = table_of(unit);
  return file < table.files.size() ? table.files[file] : std::string_view();
}

namespace {

constexpr unsigned kDeepest = 256;         // trees of DIEs that a damaged file may have
constexpr std::uint64_t kUnitSize = 1400;  // the memory of libdw and DebugInfo for a unit, at least
constexpr unsigned kUnitsOfMemory = 64;    // for whose first tables demand_memory() asks at once

/// libdw would abort the process. The attribute of GNU is a part of the type that libdw asks for.
__attribute__((noreturn)) void out_of_memory() { throw std::bad_alloc(); }

/// Throws std::bad_alloc unless the process may still grow: libdw does not check the first
/// allocations of its tables, and reads lines onto the stack.
void demand_memory() {
  constexpr std::size_t kSome = 1 << 19;
  void* const room = ::mmap(nullptr, kSome, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (room == MAP_FAILED) throw std::bad_alloc();
  ::munmap(room, kSome);
}

/// Sections that only LineTables reads, or that nothing reads.
constexpr const char* kLines = ".debug_line";
constexpr const char* kUnread[] = {kLines,         ".debug_aranges",  ".debug_frame",
                                   ".debug_loc",   ".debug_loclists", ".debug_macinfo",
                                   ".debug_macro", ".debug_pubnames"};

/// Hides a packed section from libdw, or shows it again. libdw unpacks all sections when it opens a
/// file.
void show_packed(const ElfImage& image, const char* name, bool is_shown) {
  Section packed = image.section(name);
  if (!(packed.header.sh_flags & SHF_COMPRESSED)) return;
  packed.header.sh_type = is_shown ? SHT_PROGBITS : SHT_NOBITS;
  gelf_update_shdr(packed.section, &packed.header);
}

/// Returns the debug information of a file; nullptr if there is none.
Dwarf* begin(const ElfImage& image) {
  image.unpack_debug_sections();
  return dwarf_begin_elf(image.elf(), DWARF_C_READ, nullptr);
}

}  // namespace

std::unique_ptr<DebugInfo> DebugInfo::of(const ElfImage& image, const SymbolSearch& search) {
  for (const char* name : kUnread) show_packed(image, name, false);
  Dwarf* dwarf = begin(image);
  return dwarf ? std::unique_ptr<DebugInfo>(new DebugInfo(image, dwarf, search)) : nullptr;
}

DebugInfo::DebugInfo(const ElfImage& image, Dwarf* dwarf, const SymbolSearch& search)
    : image_(image),
      search_(search),
      limits_(search, image.size()),
      dwarf_(dwarf, dwarf_end),
      split_units_(image, search, directory_),
      lines_(image, limits_, [this] {
        show_packed(image_, kLines, true);
        Dwarf* const again = begin(image_);
        if (!again) return again;
        dwarf_new_oom_handler(again, out_of_memory);
        if (Dwarf* const other = dwarf_getalt(dwarf_.get())) dwarf_setalt(again, other);
        return again;
      }) {
  ranges_left_ = image.size();
  std::error_code ignored;
  const auto own = fmt::format("/proc/self/fd/{}", image.descriptor());
  directory_ = std::filesystem::read_symlink(own, ignored).parent_path();
  dwarf_new_oom_handler(dwarf, out_of_memory);
  set_supplement(dwarf, true);
}

/// Returns the directory of --symfs without links; "" if there is none.
std::string DebugInfo::canonical_symfs() const {
  const std::string& symfs = search_.options.symfs;
  std::error_code ignored;
  return symfs.empty() ? symfs : std::filesystem::canonical(symfs, ignored).string();
}

/// Looks in the places of libdw and gdb, and of files stored by build id. Opens only regular files
/// with the build id, and does not leave --symfs by ".." or by a link.
std::unique_ptr<ElfImage> DebugInfo::find_supplement(const std::string& name,
                                                     const std::vector<std::uint8_t>& id) const {
  const std::string &symfs = search_.options.symfs, cached = search_.options.cache + "/";
  std::string root = canonical_symfs();
  if (!directory_.string().starts_with(root)) root.clear();
  const auto beside = directory_.string().substr(root.size()) + "/" + name;
  const std::string debug = "/usr/lib/debug/";
  const std::string by_id = debug + build_id_path(id) + ".debug";
  std::vector<std::pair<std::string, std::string>> places;
  if (const std::string& own = search_.root; own != symfs) {  // of a process that lives
    const auto program = std::filesystem::path(search_.name).parent_path();
    places = {{own, by_id}, {own, inside_of(own, (program / name).string())}};
  }
  places.insert(places.end(),
                {{symfs, by_id}, {root, inside_of(root, name[0] == '/' ? name : beside)}});
  if (name[0] == '/') places.emplace_back(symfs, inside_of(symfs, name));
  if (const auto shared = name.find(".dwz/"); shared != name.npos)  // of a copy of a debug file
    places.emplace_back(symfs, inside_of(symfs, debug + name.substr(shared)));
  for (const char* kind : {"/elf", "/debug"})
    places.emplace_back("", cached + build_id_path(id) + kind);
  const auto open = [&](const std::string& tree, const std::string& path) {
    auto image = ElfImage::open(path, search_.budget, tree);
    if (!image || image->build_id() != id || !image->sections_fit(path, search_.budget))
      return std::unique_ptr<ElfImage>();
    search_.tell(fmt::format("{}: more debug information of {}", search_.name, path));
    return image;
  };
  for (const auto& [tree, place] : places)
    if (auto image = open(tree, tree + place)) return image;
  const std::string fetched = debuginfod_file(id, "debuginfo", search_);
  auto image = fetched.empty() ? nullptr : open("", fetched);
  if (!image)
    search_.problem(
        fmt::format("{}: no file of build id {}, which has a part of the debug information ({})",
                    search_.name, hex_text(id), name));
  return image;
}

/// Opens the file of .gnu_debugaltlink, or an empty one in its place; libdw would open any file
/// that the link names.
void DebugInfo::set_supplement(Dwarf* dwarf, bool looks_for_it) {
  const char* name = nullptr;
  const void* start = nullptr;
  const ssize_t size = dwelf_dwarf_gnu_debugaltlink(dwarf, &name, &start);
  if (size <= 0) return;
  const auto* id = static_cast<const std::uint8_t*>(start);
  std::unique_ptr<ElfImage> image;
  if (looks_for_it) image = find_supplement(name, {id, id + size});
  Dwarf* found = image ? begin(*image) : nullptr;
  if (found) {
    dwarf_new_oom_handler(found, out_of_memory);
    set_supplement(found, false);
  } else {
    // A line table of one byte is the least that libdw accepts as debug information.
    constexpr std::uint8_t kByte[1] = {};
    const MadeSection lines{kLines, kByte};
    const auto file = make_elf(image_.header(), {}, {&lines, 1});
    image = ElfImage::of_memory(file.data(), file.size(), name, search_.budget);
    found = image ? begin(*image) : nullptr;
    if (!found) throw std::bad_alloc();
  }
  supplements_.push_back({std::move(image), {found, dwarf_end}});
  dwarf_setalt(dwarf, found);
}

/// Replaces a skeleton by its split unit, if that exists.
void DebugInfo::look_elsewhere(Unit& unit) {
  unit.is_elsewhere = false;
  unit.split = split_units_.find(unit.skeleton);
  if (!unit.split) return;
  dwarf_new_oom_handler(unit.split->dwarf(), out_of_memory);
  unit.die = unit.split->die();
}

/// Calls each(start, end) for the ranges of addresses of a DIE, as long as some are left.
template <class Each>
void DebugInfo::for_each_range(Dwarf_Die* die, const SplitUnit* split, Each&& each) {
  Dwarf_Addr base = 0, start = 0, end = 0;
  std::ptrdiff_t at = 0;
  if (split)
    if (const auto list = split->range_list(die)) {
      at = *list;
      base = split->base();
    }
  bool is_relative = split && split->is_relative(die);
  for (; ranges_left_ > 0 && (at = dwarf_ranges(die, at, &base, &start, &end)) > 0;
       --ranges_left_) {
    if (std::exchange(is_relative, false) && base == 0) {
      base = split->base();
      start += base;
      end += base;
    }
    if (start < end) each(start, end);
  }
}

void DebugInfo::read_units() {
  has_units_ = true;
  Dwarf_CU* unit = nullptr;
  Dwarf_Half version = 0;
  std::uint8_t type = 0;
  Dwarf_Die die;
  std::uint64_t size = 0;  // of what libdw keeps
  for (unsigned count = 0;; ++count) {
    if (count % kUnitsOfMemory == 0) demand_memory();
    if (dwarf_get_units(dwarf_.get(), unit, &unit, &version, &type, &die, nullptr) != 0) break;
    if (limits_.time_is_over() || !limits_.has_room(size += kUnitSize)) break;
    if (dwarf_tag(&die) != DW_TAG_compile_unit && type != DW_UT_skeleton) continue;
    const std::size_t index = units_.size();
    units_.push_back({die, die, type == DW_UT_skeleton});
    for_each_range(&die, nullptr, [&](std::uint64_t start, std::uint64_t end) {
      ranges_.push_back({start, end, index});
    });
  }
  limits_.take(size);
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

/// `last` is the offset of the last visited DIE. Offsets must grow; in a damaged file, a DIE inside
/// another may be its next one, which would never end.
template <class Each>
void DebugInfo::for_each_child(Dwarf_Die* parent, Dwarf_Off& last, Each&& each) {
  Dwarf_Die child;
  if (dwarf_child(parent, &child) != 0) return;
  do {
    const Dwarf_Off offset = dwarf_dieoffset(&child);
    if (offset <= last) return;
    last = offset;
    each(child);
  } while (!limits_.time_is_over() && dwarf_siblingof(&child, &child) == 0);
}

void DebugInfo::collect_functions(Dwarf_Die* parent, Dwarf_Off& last, Unit& unit, unsigned depth) {
  for_each_child(parent, last, [&](Dwarf_Die& child) {
    const int tag = dwarf_tag(&child);
    if (tag == DW_TAG_subprogram)
      for_each_range(&child, unit.split, [&](std::uint64_t start, std::uint64_t end) {
        unit.functions.push_back({start, end, child});
      });
    const bool encloses = tag == DW_TAG_namespace || tag == DW_TAG_module ||
                          tag == DW_TAG_structure_type || tag == DW_TAG_class_type ||
                          tag == DW_TAG_subprogram || tag == DW_TAG_lexical_block;
    if (encloses && depth < kDeepest) collect_functions(&child, last, unit, depth + 1);
  });
}

void DebugInfo::read_functions(Unit& unit) {
  demand_memory();
  unit.is_read = true;
  Dwarf_Off last = dwarf_dieoffset(&unit.die);
  collect_functions(&unit.die, last, unit, 0);
  std::stable_sort(unit.functions.begin(), unit.functions.end(),
                   [](const Function& a, const Function& b) { return a.start < b.start; });
}

void DebugInfo::collect_inlined(const Unit& unit, Dwarf_Die* parent, Dwarf_Off& last,
                                std::uint32_t depth, unsigned nesting, std::vector<Scope>& scopes) {
  if (nesting == kDeepest) return;
  for_each_child(parent, last, [&](Dwarf_Die& child) {
    const int tag = dwarf_tag(&child);
    if (tag == DW_TAG_inlined_subroutine) {
      for_each_range(&child, unit.split, [&](std::uint64_t start, std::uint64_t end) {
        scopes.push_back({start, end, depth, child});
      });
      collect_inlined(unit, &child, last, depth + 1, nesting + 1, scopes);
    } else if (tag == DW_TAG_lexical_block) {
      collect_inlined(unit, &child, last, depth, nesting + 1, scopes);
    }
  });
}

const std::vector<DebugInfo::Scope>* DebugInfo::inlined_at(Unit& unit, std::uint64_t address) {
  if (unit.is_elsewhere) look_elsewhere(unit);
  if (!unit.is_read) read_functions(unit);
  auto at = std::upper_bound(unit.functions.begin(), unit.functions.end(), address,
                             [](std::uint64_t a, const Function& b) { return a < b.start; });
  if (at == unit.functions.begin() || (--at)->end <= address) return nullptr;
  const auto [scopes, is_new] = unit.inlined.try_emplace(dwarf_dieoffset(&at->die));
  Dwarf_Off last = scopes->first;
  if (is_new) collect_inlined(unit, &at->die, last, 0, 0, scopes->second);
  return &scopes->second;
}

std::string_view DebugInfo::name_of(Dwarf_Die die) {
  Dwarf_Attribute attribute;
  const char* name = nullptr;
  for (const unsigned kind : {DW_AT_linkage_name, DW_AT_MIPS_linkage_name})
    if (!name && dwarf_attr_integrate(&die, kind, &attribute)) name = dwarf_formstring(&attribute);
  if (!name) name = dwarf_diename(&die);
  if (!name) return {};
  const auto [at, is_new] = names_.try_emplace(name);
  if (is_new && search_.options.demangle) at->second = demangle(name, search_.budget);
  if (at->second.empty()) at->second = name;
  return at->second;
}

/// Gives the caller of an inlined call the place of that call.
void DebugInfo::set_call_site(const Unit& unit, Dwarf_Die die, Frame& caller) {
  const std::uint64_t file = number_of(&die, DW_AT_call_file);
  Dwarf_Die own = unit.die;
  Dwarf_Files* files = nullptr;
  std::size_t count = 0;
  if (own.cu != unit.skeleton.cu && dwarf_getsrcfiles(&own, &files, &count) == 0) {
    const char* const path = file < count ? dwarf_filesrc(files, file, nullptr, nullptr) : nullptr;
    caller.source = path ? path : "";
    // Before DWARF 5, only the skeleton has the directory of relative paths.
    Dwarf_Die skeleton = unit.skeleton;
    const char* const directory = text_of(skeleton, DW_AT_comp_dir);
    if (path && *path != '/' && directory)
      caller.source = *paths_.insert(fmt::format("{}/{}", directory, path)).first;
  } else {
    caller.source = lines_.path(unit.skeleton, file);
  }
  caller.line = 0;
  if (!caller.source.empty())
    caller.line = static_cast<std::uint32_t>(number_of(&die, DW_AT_call_line));
}

void DebugInfo::frames(std::uint64_t address, const Frame& function, FrameDetails details,
                       std::vector<Frame>& frames) {
  frames.assign(1, function);
  if (limits_.are_spent()) return;
  const ReadingLimits::Reading reading(limits_);
  if (limits_.time_is_over()) return;  // searching scopes takes time even if everything is read
  if (++asked_ % kAskedOften == 0) image_.drop_pages();
  Unit* unit = unit_at(address);
  if (!unit) return;
  if (!std::exchange(unit->is_asked, true)) demand_memory();
  const auto leaf = details.lines ? lines_.place(unit->skeleton, address) : LineTables::Place{};
  // Outermost first, in the order of the search.
  const std::vector<Scope>* scopes = details.inlines ? inlined_at(*unit, address) : nullptr;
  if (limits_.are_spent()) return;
  std::uint32_t depth = 0;
  if (scopes)
    for (const Scope& scope : *scopes) {
      if (scope.depth != depth || address < scope.start || address >= scope.end) continue;
      ++depth;
      // A call without a name, because the file with its function is missing, is a part of its
      // caller.
      const std::string_view name = name_of(scope.die);
      if (name.empty()) continue;
      if (details.lines) set_call_site(*unit, scope.die, frames.back());
      Frame inlined = function;
      inlined.function = name;
      inlined.inlined = inlined.function != function.function;
      frames.push_back(inlined);
    }
  frames.back().source = leaf.path;
  frames.back().line = leaf.line;
  std::reverse(frames.begin(), frames.end());
}

}  // namespace evname::elf
