#pragma once
// Programs and libraries that lie inside another file, such as an Android package.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/read_file.hpp"
#include "recordings/elf/symbol_search.hpp"

namespace evname::symbols {

/// A mapped file that is no ELF file, and has ELF files inside: a ZIP archive that stores them, or
/// any other file, where they begin at a page.
class OuterFile {
 public:
  /// The place of a file inside.
  struct Place {
    std::string name = {};              ///< "base.apk!/lib/arm64-v8a/libc.so", or "image!0x3000"
    std::uint64_t start = 0, size = 0;  ///< its bytes
    /// Offsets of mappings count from here in the outer file: `start`, or 0 if the mapping had
    /// the name of the file inside.
    std::uint64_t origin = 0;
  };

  /// Returns nullptr if the mapped file is none that may have others inside.
  static std::unique_ptr<OuterFile> open(const elf::SymbolSearch& search);

  /// Returns the ELF file that has an offset; nullopt if none is known to have it.
  std::optional<Place> at(std::uint64_t offset) const;
  /// Copies a file to a descriptor without a name; nullptr if that fails.
  std::shared_ptr<const Descriptor> extract(const Place& place) const;

 private:
  OuterFile(MappedFile file, std::string name, std::string entry)
      : file_(std::move(file)), name_(std::move(name)), entry_(std::move(entry)) {}
  bool is_elf_at(std::uint64_t start) const;
  std::optional<Place> image_before(std::uint64_t offset) const;
  std::uint64_t size_of_image(std::uint64_t start, std::uint64_t offset) const;

  MappedFile file_;
  std::string name_;   ///< of the outer file
  std::string entry_;  ///< of the file inside, if the mapping has it
};

}  // namespace evname::symbols
