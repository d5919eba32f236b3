#include "recordings/elf/split_units.hpp"

#include <array>
#include <bit>
#include <system_error>
#include <utility>

#include <dwarf.h>
#include <fmt/format.h>

#include "base/text.hpp"
#include "recordings/elf/elf_image.hpp"
#include "recordings/elf/rooted_path.hpp"

namespace evname::elf {
namespace {

using Part = SplitUnit::Part;

constexpr const char* kPartNames[] = {".debug_info",        ".debug_abbrev",   ".debug_line",
                                      ".debug_str_offsets", ".debug_rnglists", ".debug_str",
                                      ".debug_line_str"};
static_assert(std::size(kPartNames) == SplitUnit::kParts);

/// The numbers of the columns of an index (DW_SECT_*), by its version.
struct PartNumber {
  std::uint32_t version, number;
  Part part;
};
constexpr PartNumber kPartNumbers[] = {
    {2, 1, Part::info},        {2, 3, Part::abbrev},      {2, 4, Part::line},
    {2, 6, Part::str_offsets}, {5, 1, Part::info},        {5, 3, Part::abbrev},
    {5, 4, Part::line},        {5, 6, Part::str_offsets}, {5, 8, Part::rnglists},
};

const Part* part_of(std::uint32_t version, std::uint32_t number) {
  for (const PartNumber& one : kPartNumbers)
    if (one.version == version && one.number == number) return &one.part;
  return nullptr;
}

Bytes from(Bytes bytes, std::uint64_t start) {
  return start < bytes.size() ? bytes.subspan(start) : Bytes{};
}

/// Returns a number of LEB128 at the start of the bytes.
std::uint64_t uleb_of(Cursor& in) {
  std::uint64_t value = 0;
  for (unsigned shift = 0; shift < 64; shift += 7) {
    const std::uint8_t byte = in.u8();
    value |= std::uint64_t{byte & 0x7fu} << shift;
    if ((byte & 0x80) == 0) break;
  }
  return value;
}

}  // namespace

SplitUnit::~SplitUnit() {
  dwarf_end(dwarf_);
  elf_end(elf_);
}

// The file has one byte for each section; libdw then gets the part in its place. The sections have
// the names of an unsplit file, so that libdw also takes the skeleton's .debug_addr from it.
std::unique_ptr<SplitUnit> SplitUnit::make(const Parts& parts, std::shared_ptr<const void> keeps,
                                           const ElfImage& image, Dwarf_Die skeleton,
                                           std::uint64_t id) {
  static constexpr std::uint8_t kByte[1] = {};
  std::vector<MadeSection> sections;
  std::vector<Bytes> contents;
  const auto add = [&](const char* name, Bytes content) {
    if (content.empty()) return;
    sections.push_back({name, kByte});
    contents.push_back(content);
  };
  for (unsigned i = 0; i < kParts; ++i) add(kPartNames[i], parts[i]);
  const std::uint64_t gnu_base = number_of(&skeleton, DW_AT_GNU_addr_base);
  add(".debug_addr", from(image.unpacked(".debug_addr"),
                          gnu_base ? gnu_base : number_of(&skeleton, DW_AT_addr_base)));
  add(".debug_ranges",
      from(image.unpacked(".debug_ranges"), number_of(&skeleton, DW_AT_GNU_ranges_base)));
  std::unique_ptr<SplitUnit> unit(new SplitUnit);
  unit->keeps_ = std::move(keeps);
  unit->info_ = parts[info];
  unit->lists_ = parts[rnglists];
  unit->file_ = make_elf(image.header(), {}, sections);
  if (unit->file_.empty()) return nullptr;
  unit->elf_ = elf_memory(reinterpret_cast<char*>(unit->file_.data()), unit->file_.size());
  for (std::size_t i = 0; unit->elf_ && i < contents.size(); ++i)
    if (!replace_content(elf_getscn(unit->elf_, i + 1), contents[i])) return nullptr;
  if (image.header().e_ident[EI_DATA] == ELFDATA2MSB) unit->order_ = std::endian::big;
  if (image.header().e_ident[EI_DATA] == ELFDATA2LSB) unit->order_ = std::endian::little;
  if (dwarf_lowpc(&skeleton, &unit->base_) != 0) unit->base_ = 0;
  unit->dwarf_ = unit->elf_ ? dwarf_begin_elf(unit->elf_, DWARF_C_READ, nullptr) : nullptr;
  return unit->dwarf_ && unit->find_die(id) ? std::move(unit) : nullptr;
}

bool SplitUnit::find_die(std::uint64_t id) {
  Dwarf_CU* unit = nullptr;
  std::uint8_t type = 0;
  while (dwarf_get_units(dwarf_, unit, &unit, &version_, &type, &die_, nullptr) == 0) {
    std::uint64_t own = 0;
    if (type == DW_UT_split_compile &&
        dwarf_cu_info(unit, nullptr, nullptr, nullptr, nullptr, &own, nullptr, nullptr) == 0 &&
        own == id)
      return true;
  }
  return false;
}

bool SplitUnit::is_relative(Dwarf_Die* die) const {
  return version_ < 5 && base_ != 0 && dwarf_hasattr(die, DW_AT_ranges) &&
         !dwarf_hasattr(die, DW_AT_low_pc);
}

// libdw takes the base address of lists of ranges from the unit itself.
std::optional<std::ptrdiff_t> SplitUnit::range_list(Dwarf_Die* die) const {
  Dwarf_Attribute ranges;
  if (base_ == 0 || dwarf_hasattr(die, DW_AT_low_pc) || !dwarf_attr(die, DW_AT_ranges, &ranges))
    return std::nullopt;
  const std::uint8_t* const at = ranges.valp;
  if (ranges.form != DW_FORM_rnglistx || at < info_.data() || at >= info_.data() + info_.size())
    return std::nullopt;
  Cursor number(info_.subspan(static_cast<std::size_t>(at - info_.data())), order_);
  Cursor lists(lists_, order_);
  const bool is_wide = lists.u32() == UINT32_MAX;
  const std::uint64_t header = is_wide ? 20 : 12, index = uleb_of(number);
  const std::uint64_t size = is_wide ? 8 : 4;
  if (!number.ok() || index > lists_.size()) return std::nullopt;
  Cursor table(from(lists_, header + index * size), order_);
  const std::uint64_t start = header + (is_wide ? table.u64() : table.u32());
  if (!table.ok() || start >= lists_.size()) return std::nullopt;
  return static_cast<std::ptrdiff_t>(start);
}

std::shared_ptr<SplitFile> SplitFile::open(const std::string& path, const std::string& root,
                                           Budget& budget) {
  auto file = std::make_shared<SplitFile>();
  file->image_ = ElfImage::open(path, budget, root);
  if (!file->image_ || !file->image_->sections_fit(path, budget)) return nullptr;
  const ElfImage& image = *file->image_;
  file->order_ =
      image.header().e_ident[EI_DATA] == ELFDATA2MSB ? std::endian::big : std::endian::little;
  for (unsigned i = 0; i < SplitUnit::kParts; ++i)
    file->whole_[i] = image.unpacked(std::string(kPartNames[i]) + ".dwo");
  file->index_ = image.unpacked(".debug_cu_index");
  file->image_->close_file();  // there may be thousands
  return file;
}

std::optional<SplitUnit::Parts> SplitFile::parts_of(std::uint64_t id) const {
  SplitUnit::Parts parts = whole_;
  if (whole_[SplitUnit::info].empty() || (!index_.empty() && !cut(index_, id, parts)))
    return std::nullopt;
  return parts;
}

/// The index is a hash table; each entry has the number of a row with the places of the parts.
bool SplitFile::cut(Bytes index, std::uint64_t id, SplitUnit::Parts& parts) const {
  constexpr std::uint32_t kMostColumns = 16;
  Cursor in(index, order_);
  std::uint32_t version = in.u16();
  const std::uint16_t second = in.u16();
  if (version != 5) version = order_ == std::endian::big ? second : version;
  const std::uint32_t columns = in.u32(), rows = in.u32(), slots = in.u32();
  const Bytes hashes = in.array(slots, 8), numbers = in.array(slots, 4);
  const Bytes kinds = in.array(columns, 4);
  if (columns == 0 || columns > kMostColumns || !std::has_single_bit(slots)) return false;
  const Bytes offsets = in.array(std::uint64_t{rows} * columns, 4);
  const Bytes sizes = in.array(std::uint64_t{rows} * columns, 4);
  if (!in.ok()) return false;
  const auto word = [&](Bytes of, std::uint64_t at) {
    return load<std::uint32_t>(of.data() + 4 * at, order_);
  };
  const std::uint64_t mask = slots - 1, step = (id >> 32 & mask) | 1;
  std::uint32_t row = 0;
  for (std::uint64_t tried = 0, at = id & mask; tried < slots; ++tried, at = (at + step) & mask) {
    row = word(numbers, at);
    if (row == 0 || load<std::uint64_t>(hashes.data() + 8 * at, order_) == id) break;
    row = 0;
  }
  if (row == 0 || row > rows) return false;
  for (unsigned part = 0; part < SplitUnit::kOwnParts; ++part) parts[part] = {};
  for (std::uint32_t column = 0; column < columns; ++column) {
    const Part* const part = part_of(version, word(kinds, column));
    if (!part) continue;
    const std::uint64_t at = std::uint64_t{row - 1} * columns + column;
    const std::uint64_t offset = word(offsets, at), size = word(sizes, at);
    const Bytes whole = whole_[*part];
    if (offset > whole.size() || size > whole.size() - offset) return false;
    parts[*part] = whole.subspan(offset, size);
  }
  return !parts[SplitUnit::info].empty();
}

const SplitUnit* SplitUnits::find(Dwarf_Die skeleton) {
  std::uint64_t id = 0;
  const char* name = text_of(skeleton, DW_AT_dwo_name);
  if (!name) name = text_of(skeleton, DW_AT_GNU_dwo_name);
  if (!name ||
      dwarf_cu_info(skeleton.cu, nullptr, nullptr, nullptr, nullptr, &id, nullptr, nullptr) != 0)
    return nullptr;
  if (!std::exchange(has_packages_, true)) open_packages();
  for (const auto& package : packages_)
    if (const SplitUnit* const found = take(package, skeleton, id)) return found;
  const char* const directory = text_of(skeleton, DW_AT_comp_dir);
  const std::filesystem::path place = std::filesystem::path(directory ? directory : "") / name;
  const std::string& symfs = search_.options.symfs;
  const bool is_of_process = search_.root != symfs;  // whose files are below another root
  if (is_of_process) {
    const auto program = std::filesystem::path(search_.name).parent_path();
    for (const auto& path : {program / place, program / name})
      if (const auto* const found = find_in(search_.root, skeleton, path, id)) return found;
  }
  if (!symfs.empty() && place.is_absolute())
    if (const auto* const found = find_in(symfs, skeleton, place, id)) return found;
  if (is_of_process) return nullptr;
  for (const auto& path : {directory_ / name, directory_ / place})
    if (const SplitUnit* const found = take(open(path, {}, true), skeleton, id)) return found;
  return nullptr;
}

const SplitUnit* SplitUnits::find_in(const std::string& root, Dwarf_Die skeleton,
                                     const std::filesystem::path& path, std::uint64_t id) {
  return take(open(root + inside_of(root, path.string()), root, false), skeleton, id);
}

const SplitUnit* SplitUnits::take(const std::shared_ptr<SplitFile>& file, Dwarf_Die skeleton,
                                  std::uint64_t id) {
  const auto parts = file ? file->parts_of(id) : std::nullopt;
  auto unit = parts ? SplitUnit::make(*parts, file, image_, skeleton, id) : nullptr;
  if (!unit) return nullptr;
  return units_.emplace_back(std::move(unit)).get();
}

/// A package is beside the program, beside its debug information, or at the path of the build id.
void SplitUnits::open_packages() {
  const std::string& root = search_.root;
  const std::string debug = root + "/usr/lib/debug", name = inside_of(root, search_.name);
  std::error_code ignored;
  const auto own = fmt::format("/proc/self/fd/{}", image_.descriptor());
  std::vector<std::string> paths = {root + name, debug + name, debug + name + ".debug"};
  if (root == search_.options.symfs)
    paths.push_back(std::filesystem::read_symlink(own, ignored).string());
  if (!image_.build_id().empty()) {
    const std::string by_id = debug + "/" + build_id_path(image_.build_id());
    paths.insert(paths.end(), {by_id, by_id + ".debug"});
  }
  for (const std::string& path : paths)
    if (auto file = open(path + ".dwp", root, false)) packages_.push_back(std::move(file));
}

/// Opens a file. If the debug information has named it, links are followed as they are, and what
/// leads out of --symfs is reported. `root`: see open_within().
std::shared_ptr<SplitFile> SplitUnits::open(const std::string& path, const std::string& root,
                                            bool is_named) const {
  const std::string place = within(root, path);
  std::error_code error;
  if (!std::filesystem::exists(place, error) && !error) return nullptr;
  const bool is_of_process = !root.empty() && root != search_.options.symfs;
  if (!is_of_process && !is_in_symfs(place)) {
    if (is_named)
      search_.problem(
          fmt::format("{}: {} is not in {}: not read", search_.name, path, search_.options.symfs));
    return nullptr;
  }
  if (const auto file = open_within(root, path); !file) {
    search_.problem(fmt::format("{}: {}", search_.name, file.error().text()));
    return nullptr;
  }
  auto file = SplitFile::open(path, root, search_.budget);
  if (file) search_.tell(fmt::format("{}: split debug information of {}", search_.name, path));
  return file;
}

/// Returns true for all files without --symfs.
bool SplitUnits::is_in_symfs(const std::filesystem::path& path) const {
  const std::string& symfs = search_.options.symfs;
  if (symfs.empty()) return true;
  std::error_code error;
  const std::string root = std::filesystem::canonical(symfs, error).string();
  const std::string whole = std::filesystem::canonical(path, error).string();
  return !root.empty() && whole.starts_with(root + "/");
}

}  // namespace evname::elf
