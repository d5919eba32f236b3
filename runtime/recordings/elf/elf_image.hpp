#pragma once
// Reads ELF files, and makes some from sections, for libraries that read only whole files.

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <gelf.h>

#include "base/bytes.hpp"
#include "base/read_file.hpp"
#include "evname/symbols.hpp"
#include "recordings/elf/symbol_search.hpp"

namespace evname::elf {

struct Section {
  Elf_Scn* section = nullptr;  ///< nullptr: there is none
  GElf_Shdr header = {};
  std::string_view name = {};
  /// Returns the content; nullptr if there is none, as for most sections of a file with only debug
  /// information.
  Elf_Data* data() const {
    Elf_Data* found = section ? elf_getdata(section, nullptr) : nullptr;
    return found && found->d_buf ? found : nullptr;
  }
};

class ElfImage {
 public:
  /// Opens an ELF file, packed or not; returns nullptr if it is none. Opens nothing but regular
  /// files. See open_within() for `root`.
  static std::unique_ptr<ElfImage> open(const std::string& path, Budget& budget,
                                        const std::string& root = {});
  /// Copies an image in memory, such as the vdso of this process, to a file without a name, which
  /// is /proc/self/fd/DESCRIPTOR; messages call it `name`.
  static std::unique_ptr<ElfImage> of_memory(const void* start, std::size_t size,
                                             const std::string& name, Budget& budget);
  ElfImage(const ElfImage&) = delete;
  ElfImage& operator=(const ElfImage&) = delete;
  ~ElfImage();

  /// Returns the file inside .gnu_debugdata; nullptr if there is none, or it can't be unpacked.
  std::unique_ptr<ElfImage> packed_debug_data(const std::string& name, Budget& budget) const;
  /// Takes the sections that libdw will unpack from the budget. Returns false if they are too much.
  bool sections_fit(const std::string& name, Budget& budget) const;
  /// Unpacks the visible sections of debug information in less than half of libelf's time,
  /// including those packed by zstd, which libelf supports from elfutils 0.189 on. Leaves other and
  /// damaged sections to libelf.
  void unpack_debug_sections() const;

  /// Returns the content of a section of debug information, unpacked; empty if there is none.
  Bytes unpacked(std::string_view name) const;
  /// Closes the descriptor. Only sections that were requested before can still be read.
  void close_file();

  Elf* elf() const { return elf_; }
  int descriptor() const { return file_.get(); }
  /// Returns the size of the file in bytes.
  std::size_t size() const;
  const GElf_Ehdr& header() const { return header_; }
  const std::vector<std::uint8_t>& build_id() const { return build_id_; }
  Section section(std::string_view name) const {
    return find_section([name](const Section& one) { return one.name == name; });
  }
  /// Passes sections to `take` until it returns true. Returns that section; an empty one if there
  /// is none.
  template <class Take>
  Section find_section(Take&& take) const {
    std::size_t count = 0;
    if (elf_getshdrnum(elf_, &count) != 0) return {};
    for (std::size_t i = 1; i < count; ++i)
      if (const Section one = section_at(i); one.section && take(one)) return one;
    return {};
  }
  Section section_at(std::size_t index) const;
  /// Returns a text of a section of texts; nullptr if there is none.
  const char* text_at(std::size_t section, std::size_t offset) const;
  /// Returns .dynsym or .symtab if it has the right type and its entries have a size.
  Section symbol_section(bool dynamic) const;
  /// Returns a value of .dynamic by its DT_*.
  std::optional<std::uint64_t> dynamic(std::int64_t tag) const;
  /// Returns the file name in .gnu_debuglink; empty if there is none.
  std::string debug_link() const;
  bool has_debug_info() const;
  /// Releases the memory of the mapped file; the kernel reads it again if needed.
  void drop_pages() const;

  ///@{
  /// Convert between the file's own addresses and its offsets, by the loaded segments; nullopt if
  /// none contains it.
  std::optional<std::uint64_t> offset_of(std::uint64_t address) const;
  std::optional<std::uint64_t> address_of(std::uint64_t offset) const;
  ///@}
  /// Returns the distance from the file's addresses to the mapped ones, for the segment of a mapped
  /// address. Offset and address in the file may differ.
  std::uint64_t bias(const Mapping& mapping, std::uint64_t address) const {
    const std::uint64_t offset = address - mapping.start + mapping.offset;
    return address - address_of(offset).value_or(offset);
  }
  /// Returns the segments that are loaded.
  const std::vector<GElf_Phdr>& segments() const { return loaded_; }
  /// Returns the load address of the first segment, as libdwfl computes it; 0 if there is none.
  std::uint64_t first_address() const {
    return loaded_.empty() ? 0 : loaded_[0].p_vaddr & -loaded_[0].p_align;
  }

 private:
  ElfImage(Elf* elf, Descriptor file);
  static std::unique_ptr<ElfImage> of_descriptor(Descriptor file, const std::string& name,
                                                 Budget& budget);
  void find_mapping() const;
  void unpack_one(Section packed) const;

  Elf* elf_;
  Descriptor file_;
  mutable std::size_t texts_section_ = 0;                          ///< the owner of the texts below
  mutable std::string_view texts_;                                 ///< up to the last NUL
  mutable std::vector<std::unique_ptr<std::uint8_t[]>> unpacked_;  ///< content of sections
  mutable bool looked_for_mapping_ = false;
  mutable char* mapped_ = nullptr;  ///< nullptr: it is not in a mapping of the file
  mutable std::size_t mapped_size_ = 0;
  GElf_Ehdr header_ = {};
  std::vector<GElf_Phdr> loaded_;
  std::vector<std::uint8_t> build_id_;
};

/// Returns ".build-id/ab/cdef…".
std::string build_id_path(const std::vector<std::uint8_t>& id);

struct MadeSection {
  std::string_view name;
  Bytes content;
  std::uint64_t address = 0;  ///< 0: it is not loaded
};

/// Makes libelf return other content of a section, which must outlive its Elf. libdw asks for it by
/// elf_getdata(), and by elf_rawdata() in elfutils 0.192. Returns false if the section has none.
bool replace_content(Elf_Scn* section, Bytes content);

/// Returns a file for the machine of another one, with these segments and sections; empty if libelf
/// fails.
std::vector<std::uint8_t> make_elf(const GElf_Ehdr& like, std::span<const GElf_Phdr> segments,
                                   std::span<const MadeSection> sections);

}  // namespace evname::elf
