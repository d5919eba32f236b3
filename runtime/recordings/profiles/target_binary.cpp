#include "recordings/profiles/target_binary.hpp"

#include <elf.h>

#include <algorithm>

#include <fmt/format.h>

#include "base/file_identity.hpp"
#include "base/read_file.hpp"
#include "base/sorting.hpp"

namespace evname::profiles {
namespace {

// Layouts: elf(5).
constexpr std::uint64_t kKernelHalf = std::uint64_t{1} << 63;
constexpr std::uint64_t kMostCode = UINT32_MAX - 2;
constexpr std::size_t kMostBuildId = 64;

/// Reads the parts of an ELF file whose width depends on its class.
class HeaderReader {
 public:
  HeaderReader(Bytes file, const std::string& path) : file_(file), path_(path) {}

  Result<TargetBinary> read() {
    constexpr std::string_view kMagic =
        "\x7f"
        "ELF";
    if (file_.size() < 52 || !std::equal(kMagic.begin(), kMagic.end(), file_.begin()))
      return fail(Errc::unsupported, "no ELF file", path_);
    wide_ = file_[4] == 2;
    order_ = file_[5] == 2 ? std::endian::big : std::endian::little;
    binary_.path = path_;
    Cursor in(file_.subspan(16), order_);
    const std::uint16_t type = in.u16();
    const auto machine = static_cast<CodeMachine>(in.u16());
    if (wide_ && order_ == std::endian::little &&
        (machine == CodeMachine::x86_64 || machine == CodeMachine::aarch64))
      binary_.machine = machine;
    in.skip(4);
    word(in);  // entry
    const std::uint64_t segments = word(in), sections = word(in);
    in.skip(6);
    const std::uint16_t segment_size = in.u16(), segment_count = in.u16();
    const std::uint16_t section_size = in.u16(), section_count = in.u16();
    const std::uint16_t names = in.u16();
    if (!in.ok()) return fail(Errc::out_of_range, "the header is cut off", path_);
    if (type != ET_EXEC && type != ET_DYN && type != ET_REL)
      return fail(Errc::unsupported, "neither a program nor a library", path_);
    for (std::uint16_t i = 0; i < segment_count; ++i)
      if (!read_segment(segments + std::uint64_t{i} * segment_size))
        return fail(Errc::out_of_range, fmt::format("program header {} is not in the file", i),
                    path_);
    notes_left_ = file_.size();
    for (std::uint16_t i = 0; i < section_count; ++i)
      read_section(sections + std::uint64_t{i} * section_size);
    if (names < sections_.size()) leave_out_plt(sections_[names]);
    read_symbols();
    return finish(type);
  }

 private:
  struct Section {
    std::uint32_t name = 0, type = 0;
    bool is_code = false;
    std::uint64_t address = 0, offset = 0, size = 0;
  };

  std::uint64_t word(Cursor& in) const { return wide_ ? in.u64() : in.u32(); }

  Bytes part(std::uint64_t offset, std::uint64_t size) const {
    if (offset > file_.size() || size > file_.size() - offset) return {};
    return file_.subspan(offset, size);
  }

  bool read_segment(std::uint64_t at) {
    Cursor in(part(at, wide_ ? 56 : 32), order_);
    const std::uint32_t type = in.u32();
    std::uint32_t flags = wide_ ? in.u32() : 0;
    Segment segment;
    segment.offset = word(in);
    segment.address = word(in);
    word(in);  // physical address
    segment.size = word(in);
    word(in);  // size in memory
    if (!wide_) flags = in.u32();
    segment.alignment = std::max<std::uint64_t>(word(in), 1);
    segment.executable = flags & PF_X;
    if (!in.ok()) return false;
    if (type == PT_NOTE) read_notes(part(segment.offset, segment.size), segment.alignment);
    if (type == PT_LOAD && segment.size <= UINT64_MAX - segment.address)
      binary_.segments.push_back(segment);
    return true;
  }

  void read_section(std::uint64_t at) {
    Cursor in(part(at, wide_ ? 64 : 40), order_);
    Section section;
    section.name = in.u32();
    section.type = in.u32();
    section.is_code = word(in) & SHF_EXECINSTR;
    section.address = word(in);
    section.offset = word(in);
    section.size = word(in);
    sections_.push_back(in.ok() ? section : Section{});
    if (section.type == SHT_NOTE) read_notes(part(section.offset, section.size), 4);
  }

  void leave_out_plt(const Section& names) {
    constexpr std::string_view kPlt = ".plt";
    const Bytes texts = part(names.offset, names.size);
    for (Section& section : sections_) {
      if (section.name >= texts.size()) continue;
      const Bytes rest = texts.subspan(section.name);  // any number may end with the same bytes
      if (Cursor::until_nul(rest.first(std::min(rest.size(), kPlt.size() + 1))) == kPlt)
        section.is_code = false;
    }
  }

  void read_symbols() {
    const auto symbols = std::find_if(sections_.begin(), sections_.end(),
                                      [](const Section& one) { return one.type == SHT_SYMTAB; });
    if (symbols == sections_.end()) return;
    std::vector<std::uint64_t> first(sections_.size(), UINT64_MAX);
    const std::size_t entry = wide_ ? 24 : 16;
    Bytes rest = part(symbols->offset, symbols->size);
    for (; rest.size() >= entry; rest = rest.subspan(entry)) {
      Cursor in(rest, order_);
      in.skip(wide_ ? 6 : 4);
      std::uint64_t value = 0;
      if (!wide_) {
        value = in.u32();
        in.skip(6);
      }
      const std::uint16_t section = in.u16();
      if (wide_) value = in.u64();
      if (section < first.size()) first[section] = std::min(first[section], value);
    }
    for (std::size_t i = 0; i < sections_.size(); ++i) {
      const Section& one = sections_[i];
      if (one.is_code && one.size <= UINT64_MAX - one.address && first[i] < one.address + one.size)
        binary_.with_symbols.push_back({first[i], one.address + one.size});
    }
    sort_stably(binary_.with_symbols, [](const CodeRange& one, const CodeRange& other) {
      return one.end - one.begin > other.end - other.begin;
    });
  }

  /// Reads notes, unless the same bytes were read before too often.
  void read_notes(Bytes notes, std::uint64_t alignment) {
    if (notes.size() > notes_left_ || !binary_.build_id.empty()) return;
    notes_left_ -= notes.size();
    const std::string id = build_id_of_notes(notes, alignment, order_);
    if (id.size() <= kMostBuildId) binary_.build_id.assign(id.begin(), id.end());
  }

  Result<TargetBinary> finish(std::uint16_t type) {
    auto& segments = binary_.segments;
    sort_stably_by(segments, &Segment::address);
    if (type == ET_REL) {
      binary_.kind = BinaryKind::kernel_part;
      segments = {{0, 0, std::min<std::uint64_t>(file_.size(), kMostCode), 1, true}};
    }
    const auto code = std::find_if(segments.begin(), segments.end(),
                                   [](const Segment& one) { return one.executable; });
    if (code == segments.end())
      return fail(Errc::unsupported, "no part of the file is code that is loaded", path_);
    if (type != ET_REL)
      binary_.kind = code->address >= kKernelHalf && wide_ ? BinaryKind::kernel
                     : type == ET_DYN                      ? BinaryKind::relocated
                                                           : BinaryKind::fixed;
    if (binary_.code_end() - binary_.code_begin() > kMostCode)
      return fail(Errc::unsupported, "the file has more than 4 GiB of code", path_);
    if (binary_.with_symbols.empty())
      for (const Segment& one : segments)
        if (one.executable) binary_.with_symbols.push_back({one.address, one.address + one.size});
    return std::move(binary_);
  }

  Bytes file_;
  const std::string& path_;
  bool wide_ = true;
  std::endian order_ = std::endian::little;
  std::uint64_t notes_left_ = file_.size();  ///< bytes of segments, or of sections
  std::vector<Section> sections_;
  TargetBinary binary_;
};

}  // namespace

Result<TargetBinary> TargetBinary::open(const std::string& path) {
  auto file = MappedFile::open(path);
  if (!file) return fail(file);
  auto binary = read(file->bytes(), path);
  if (binary) binary->content = std::make_shared<MappedFile>(std::move(*file));
  return binary;
}

Result<TargetBinary> TargetBinary::read(Bytes file, const std::string& path) {
  return HeaderReader(file, path).read();
}

// The kernel maps whole pages, so that a mapping begins at or before its segment.
const Segment* TargetBinary::segment_at(std::uint64_t offset) const {
  for (const Segment& segment : segments) {
    const std::uint64_t page = segment.offset - segment.offset % segment.alignment;
    if (segment.executable && offset >= page &&
        offset - segment.offset + segment.alignment < segment.size + segment.alignment)
      return &segment;
  }
  return nullptr;
}

std::uint64_t TargetBinary::code_begin() const {
  std::uint64_t begin = UINT64_MAX;
  for (const Segment& segment : segments)
    if (segment.executable) begin = std::min(begin, segment.address);
  return begin;
}

std::uint64_t TargetBinary::code_end() const {
  std::uint64_t end = 0;
  for (const Segment& segment : segments)
    if (segment.executable) end = std::max(end, segment.address + segment.size);
  return end;
}

Bytes TargetBinary::code(std::uint64_t begin, std::uint64_t end) const {
  if (!content || begin > end) return {};
  const std::uint64_t offset = offset_of(begin);
  const Bytes all = content->bytes();
  if (offset > all.size() || end - begin > all.size() - offset) return {};
  return all.subspan(offset, end - begin);
}

std::uint64_t TargetBinary::offset_of(std::uint64_t address) const {
  for (const Segment& segment : segments)
    if (address >= segment.address && address - segment.address < segment.size)
      return address - segment.address + segment.offset;
  return address;
}

bool is_same_build_id(Bytes one, Bytes other) {
  if (one.size() > other.size()) std::swap(one, other);
  return !one.empty() && std::equal(one.begin(), one.end(), other.begin()) &&
         std::all_of(other.begin() + static_cast<std::ptrdiff_t>(one.size()), other.end(),
                     [](std::uint8_t byte) { return byte == 0; });
}

}  // namespace evname::profiles
