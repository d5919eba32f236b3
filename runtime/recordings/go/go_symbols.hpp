#pragma once
// Reads functions, lines and inlined calls of Go programs, which have them even without symbols.

#include <cstdint>
#include <memory>
#include <vector>

#include "evname/symbols.hpp"
#include "recordings/elf/elf_image.hpp"
#include "recordings/elf/symbol_search.hpp"
#include "recordings/elf/symbol_table.hpp"
#include "recordings/go/go_table.hpp"

namespace evname::go {

/// Returns true if a file has the table of Go's runtime.
bool has_go_table(const elf::ElfImage& image);

/// Go's table of a program or library. For one thread at a time.
class GoSymbols {
 public:
  /// Returns nullptr if the image has none that can be read. The image must outlive the object.
  static std::unique_ptr<GoSymbols> of(const elf::ElfImage& image);

  /// Adds the functions, by their offsets in the file, and arranges the symbols.
  void add_functions(elf::SymbolTable& table) const;
  /// Returns an address of a function amid the others.
  std::uint64_t any_address() const { return table_.function(table_.size() / 2).start; }
  /// Does what DebugInfo::frames() does.
  void frames(std::uint64_t address, const Frame& function, elf::FrameDetails details,
              std::vector<Frame>& frames);

 private:
  GoSymbols(const elf::ElfImage& image, const GoTable& table, std::vector<std::uint8_t> content)
      : image_(image), content_(std::move(content)), table_(table) {}
  bool has_all_in_code() const;

  const elf::ElfImage& image_;
  std::vector<std::uint8_t> content_;  ///< of a table that had to be relocated
  GoTable table_;
};

}  // namespace evname::go
