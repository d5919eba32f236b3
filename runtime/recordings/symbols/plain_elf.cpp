// The symbols of ELF files without elfutils, for WebAssembly: .symtab and .dynsym, by the rules of
// elf_symbols.cpp. Debug information, .gnu_debugdata, stubs and the stacks that need unwind tables
// are left to builds with elfutils.
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/bytes.hpp"
#include "base/read_file.hpp"
#include "base/text.hpp"
#include "recordings/symbols/elf_search.hpp"

namespace evname::symbols {
namespace {

// ELF's numbers (System V ABI, "Object Files"), and those of machines whose symbols mark data.
constexpr std::uint32_t kSymbols = 2, kNote = 7, kNoBits = 8, kDynamicSymbols = 11, kLoaded = 1;
constexpr std::uint64_t kAllocated = 2;
constexpr std::uint16_t kUndefined = 0, kAbsolute = 0xfff1, kLastIndex = 0xffff;
constexpr std::uint16_t kArm = 40, kAarch64 = 183, kRiscv = 243;
constexpr std::uint32_t kBuildIdNote = 3;

struct PlainSection {
  std::string_view name;
  std::uint32_t type = 0, link = 0;
  std::uint64_t flags = 0, address = 0, offset = 0, size = 0;
};

struct PlainSegment {
  std::uint32_t type = 0;
  std::uint64_t offset = 0, address = 0, file_size = 0, memory_size = 0;
};

/// The headers of an ELF file, of either word size and byte order.
class PlainImage {
 public:
  static std::unique_ptr<PlainImage> open(const std::string& path) {
    auto file = MappedFile::open(path);
    if (!file || file->bytes().size() < 52) return nullptr;
    const Bytes head = file->bytes().first(16);
    const bool is_elf = head[0] == 0x7f && head[1] == 'E' && head[2] == 'L' && head[3] == 'F';
    if (!is_elf || head[4] < 1 || head[4] > 2 || head[5] < 1 || head[5] > 2) return nullptr;
    return std::unique_ptr<PlainImage>(new PlainImage(*std::move(file)));
  }

  bool is_wide() const { return wide_; }
  std::uint16_t machine() const { return machine_; }
  std::size_t size() const { return file_.bytes().size(); }
  const std::vector<PlainSection>& sections() const { return sections_; }
  const std::vector<std::uint8_t>& build_id() const { return build_id_; }
  bool has(std::uint32_t type) const {
    return std::ranges::find(sections_, type, &PlainSection::type) != sections_.end();
  }

  /// A cursor over `size` bytes at a place, as far as the file has them.
  Cursor at(std::uint64_t offset, std::uint64_t size) const {
    const Bytes all = file_.bytes();
    const auto from = static_cast<std::size_t>(std::min<std::uint64_t>(offset, all.size()));
    const auto most = static_cast<std::size_t>(std::min<std::uint64_t>(size, all.size() - from));
    return Cursor(all.subspan(from, most), order_);
  }
  Cursor content(const PlainSection& section) const {
    return section.type == kNoBits ? Cursor({}, order_) : at(section.offset, section.size);
  }
  /// Reads a word of the file's size.
  std::uint64_t word(Cursor& from) const { return wide_ ? from.u64() : from.u32(); }

  /// The name at a place in a section of texts; nullptr: it does not end there.
  const char* text_at(std::size_t section, std::uint64_t place) const {
    if (section >= sections_.size()) return nullptr;
    Cursor from = content(sections_[section]);
    from.skip(place);
    const std::string_view text = from.line();
    return from.ok() ? text.data() : nullptr;
  }

  std::optional<std::uint64_t> offset_of(std::uint64_t address) const {
    for (const PlainSegment& segment : segments_)
      if (segment.type == kLoaded && address >= segment.address &&
          address - segment.address < std::max(segment.memory_size, segment.file_size))
        return address - segment.address + segment.offset;
    return std::nullopt;
  }
  std::optional<std::uint64_t> address_of(std::uint64_t offset) const {
    for (const PlainSegment& segment : segments_)
      if (segment.type == kLoaded && offset >= segment.offset &&
          offset - segment.offset < segment.file_size)
        return offset - segment.offset + segment.address;
    return std::nullopt;
  }

 private:
  explicit PlainImage(MappedFile file) : file_(std::move(file)) {
    wide_ = file_.bytes()[4] == 2;
    order_ = file_.bytes()[5] == 1 ? std::endian::little : std::endian::big;
    Cursor header = at(18, 64);
    machine_ = header.u16();
    header.skip(4);
    word(header);  // e_entry
    const std::uint64_t segments = word(header), sections = word(header);
    header.skip(6);  // e_flags, e_ehsize
    const std::uint16_t segment_size = header.u16(), segment_count = header.u16();
    const std::uint16_t section_size = header.u16();
    std::uint64_t section_count = header.u16(), names = header.u16();
    if (!header.ok()) return;
    read_segments(segments, segment_size, segment_count);
    if (sections == 0 || section_size < (wide_ ? 64 : 40)) return;
    const PlainSection first = section_at(sections);
    if (section_count == 0) section_count = first.size;
    if (names == kLastIndex) names = first.link;
    read_sections(sections, section_size, section_count, names);
    find_build_id();
  }

  void read_segments(std::uint64_t place, std::uint16_t size, std::uint16_t count) {
    if (size < (wide_ ? 56 : 32)) return;
    for (unsigned i = 0; i < count; ++i) {
      Cursor from = at(place + std::uint64_t{i} * size, size);
      PlainSegment one;
      one.type = from.u32();
      if (wide_) from.skip(4);
      one.offset = word(from);
      one.address = word(from);
      word(from);
      one.file_size = word(from);
      one.memory_size = word(from);
      if (!from.ok()) return;
      segments_.push_back(one);
    }
  }

  PlainSection section_at(std::uint64_t place) const {
    Cursor from = at(place, wide_ ? 64 : 40);
    PlainSection one;
    from.skip(4);
    one.type = from.u32();
    one.flags = word(from);
    one.address = word(from);
    one.offset = word(from);
    one.size = word(from);
    one.link = from.u32();
    if (!from.ok()) one = {};
    return one;
  }

  void read_sections(std::uint64_t place, std::uint16_t size, std::uint64_t count,
                     std::uint64_t names) {
    count = std::min<std::uint64_t>(count, file_.bytes().size() / size);
    for (std::uint64_t i = 0; i < count; ++i) sections_.push_back(section_at(place + i * size));
    for (std::uint64_t i = 0; i < count; ++i)
      if (const char* name =
              text_at(static_cast<std::size_t>(names), at(place + i * size, 4).u32()))
        sections_[static_cast<std::size_t>(i)].name = name;
  }

  void find_build_id() {
    for (const PlainSection& section : sections_)
      if (section.type == kNote && build_id_.empty()) read_notes(content(section));
  }

  void read_notes(Cursor from) {
    while (from.remaining() >= 12) {
      const std::uint32_t name_size = from.u32(), size = from.u32(), type = from.u32();
      const Bytes name = from.bytes((std::uint64_t{name_size} + 3) / 4 * 4);
      const Bytes content = from.bytes((std::uint64_t{size} + 3) / 4 * 4);
      if (!from.ok()) return;
      if (type != kBuildIdNote || Cursor::until_nul(name) != "GNU") continue;
      build_id_.assign(content.begin(), content.begin() + static_cast<std::ptrdiff_t>(size));
      return;
    }
  }

  MappedFile file_;
  bool wide_ = false;
  std::endian order_ = std::endian::little;
  std::uint16_t machine_ = 0;
  std::vector<PlainSection> sections_;
  std::vector<PlainSegment> segments_;
  std::vector<std::uint8_t> build_id_;
};

struct PlainSymbol {
  std::uint32_t name = 0;
  std::uint8_t info = 0, other = 0;
  std::uint16_t section = 0;
  std::uint64_t value = 0, size = 0;

  std::uint8_t type() const { return info & 15; }
  bool is_label() const {
    const unsigned visibility = other & 3;  // hidden: 2, internal: 1
    return type() == kNoType && (visibility == 0 || visibility == 3);
  }
};

/// The symbols of an image on their way into a table.
class PlainReader {
 public:
  PlainReader(const PlainImage& image, bool by_address, bool demangle, Budget& budget,
              SymbolTable& table)
      : image_(image),
        by_address_(by_address),
        demangle_(demangle),
        budget_(budget),
        table_(table) {}

  void read(std::uint32_t type) {
    const auto section = std::ranges::find(image_.sections(), type, &PlainSection::type);
    if (section == image_.sections().end()) return;
    const std::size_t size = image_.is_wide() ? 24 : 16;
    Cursor from = image_.content(*section);
    const std::uint64_t most = budget_.room(image_.size());
    while (from.remaining() >= size && names_size_ <= most) add(symbol(from), section->link);
    budget_.take(names_size_, image_.size(), "part of a file's list of symbols");
    table_.arrange();
  }

  /// Adds the stubs that lead to functions of other files, all of a section as one function: else
  /// they would be part of what comes before them.
  void add_stubs() {
    for (const PlainSection& section : image_.sections())
      if (section.name.starts_with(".plt") && section.type != kNoBits && section.size > 0 &&
          section.size <= UINT64_MAX - section.offset)
        table_.add({section.offset, section.offset + section.size, "@plt", kFunction, kGlobal});
    table_.arrange();
  }

 private:
  PlainSymbol symbol(Cursor& from) const {
    PlainSymbol one;
    one.name = from.u32();
    if (!image_.is_wide()) one.value = from.u32(), one.size = from.u32();
    one.info = from.u8();
    one.other = from.u8();
    one.section = from.u16();
    if (image_.is_wide()) one.value = from.u64(), one.size = from.u64();
    return one;
  }

  /// Marks of instructions and data (the ABIs of Arm and RISC-V).
  bool is_mark(std::string_view name) const {
    if (name.size() < 2 || name[0] != '$') return false;
    if (image_.machine() == kArm || image_.machine() == kAarch64)
      return std::string_view("adtx").find(name[1]) != name.npos &&
             (name.size() == 2 || name[2] == '.');
    return image_.machine() == kRiscv && (name[1] == 'd' || name[1] == 'x');
  }

  void add(PlainSymbol symbol, std::size_t names) {
    const std::uint8_t type = symbol.type();
    const bool label = symbol.is_label();
    if (!label && type != kFunction && type != kIndirect && type != kObject) return;
    if (symbol.name == 0 || symbol.section == kUndefined || symbol.section == kAbsolute) return;
    if (symbol.section >= image_.sections().size()) return;
    const PlainSection& section = image_.sections()[symbol.section];
    if (!(section.flags & kAllocated)) return;
    const char* name = image_.text_at(names, symbol.name);
    if (!name) return;
    const std::string_view text = name;
    names_size_ += text.size();  // any number of names may end with the same bytes
    if (is_mark(text) || (by_address_ && is_ignored_kernel_symbol(text))) return;
    if (label && section.name.find("text") == section.name.npos &&
        section.name.find("data") == section.name.npos)
      return;
    if (image_.machine() == kArm && type == kFunction) symbol.value &= ~std::uint64_t{1};  // Thumb
    const std::uint64_t in_section = symbol.value - section.address + section.offset;
    const std::uint64_t start =
        by_address_ ? symbol.value : image_.offset_of(symbol.value).value_or(in_section);
    if (symbol.size > UINT64_MAX - start) return;
    table_.add({start, start + symbol.size, name, type, static_cast<std::uint8_t>(symbol.info >> 4),
                demangle_});
  }

  const PlainImage& image_;
  bool by_address_, demangle_;
  Budget& budget_;
  SymbolTable& table_;
  std::uint64_t names_size_ = 0;
};

class PlainFile final : public ElfSymbols {
 public:
  PlainFile(std::unique_ptr<PlainImage> image, std::string path, bool by_address,
            const SymbolSearch& search)
      : image_(std::move(image)), path_(std::move(path)), by_address_(by_address) {
    table_ = SymbolTable(&search.budget);
    PlainReader reader(*image_, by_address, search.options.demangle && !by_address, search.budget,
                       table_);
    reader.read(kSymbols);
    reader.read(kDynamicSymbols);
    if (!by_address) reader.add_stubs();
  }

  std::uint64_t address_of(std::uint64_t offset) const override {
    return by_address_ ? offset : image_->address_of(offset).value_or(offset);
  }
  std::string path() const override { return path_; }
  bool frames(std::uint64_t, const Frame&, FrameDetails, std::vector<Frame>&) override {
    return false;
  }

 private:
  std::unique_ptr<PlainImage> image_;
  std::string path_;
  bool by_address_;
};

/// Returns the image at a path if it is the recorded file; reports another one.
std::unique_ptr<PlainImage> fitting(const std::string& path, const SymbolSearch& search) {
  auto image = PlainImage::open(path);
  if (!image || search.build_id.empty() || image->build_id() == search.build_id) return image;
  search.problem(fmt::format("{}: {} has build id {}, not {}: not used", search.name, path,
                             image->build_id().empty() ? "none" : hex_text(image->build_id()),
                             hex_text(search.build_id)));
  return nullptr;
}

}  // namespace

bool reads_elf() { return true; }

std::unique_ptr<ElfSymbols> find_elf_symbols(const SymbolSearch& search) {
  const std::string& symfs = search.options.symfs;
  const std::string path = symfs + inside_of(symfs, search.name);
  std::unique_ptr<PlainImage> best;
  std::string from;
  for (const std::string& place : {symfs + "/usr/lib/debug" + search.name + ".debug", path}) {
    auto image = fitting(place, search);
    if (!image || !(image->has(kSymbols) || (!best && image->has(kDynamicSymbols)))) continue;
    if (best && best->has(kSymbols)) break;
    best = std::move(image);
    from = place;
  }
  if (best) {
    search.tell(fmt::format("{}: symbols of {}", search.name, from));
    return std::make_unique<PlainFile>(std::move(best), from, false, search);
  }
  if (!search.name.starts_with('['))
    search.problem(fmt::format("{}: no file with its symbols is here (build id {})", search.name,
                               search.build_id.empty() ? "unknown" : hex_text(search.build_id)));
  return nullptr;
}

std::unique_ptr<ElfSymbols> find_vmlinux(const SymbolSearch& search) {
  const std::string& path = search.options.vmlinux;
  if (path.empty()) return nullptr;
  auto image = fitting(path, search);
  if (!image || !image->has(kSymbols)) return nullptr;
  return std::make_unique<PlainFile>(std::move(image), path, true, search);
}

}  // namespace evname::symbols
