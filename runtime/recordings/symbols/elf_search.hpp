#pragma once
// Finds ELF files and their debug information, and reads symbols from them.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "evname/symbols.hpp"
#include "recordings/elf/machine_code.hpp"
#include "recordings/elf/symbol_search.hpp"
#include "recordings/elf/symbol_table.hpp"

namespace evname::symbols {

/// The symbols and debug information of one mapped file. Any number of threads may use an object.
class ElfSymbols {
 public:
  virtual ~ElfSymbols() = default;
  /// Returns the address that the file itself has for an offset.
  virtual std::uint64_t address_of(std::uint64_t offset) const = 0;
  /// Returns the offset of an address of the file.
  virtual std::uint64_t offset_of(std::uint64_t address) const { return address; }
  /// Returns the symbol, as in the file, whose address a slot of the file's GOT gets; "": none.
  virtual std::string slot_name(std::uint64_t) { return {}; }
  /// Returns up to `size` bytes of code from an offset on; none if no file has them.
  virtual elf::CodePiece code(std::uint64_t offset, std::uint64_t size) = 0;
  /// The symbols by their offsets in the file.
  const elf::SymbolTable& table() const { return table_; }
  /// Returns the build id; empty: unknown.
  virtual std::vector<std::uint8_t> build_id() const { return {}; }
  /// Returns the path of the file that was mapped, or of what comes nearest.
  virtual std::string path() const = 0;
  /// Returns a path of the file with .debug_frame; empty: none. It is valid as long as the object.
  virtual std::string frame_table_path() const { return {}; }
  /// See DebugInfo::frames(). Returns false if there is no debug information.
  virtual bool frames(std::uint64_t offset, const Frame& function, elf::FrameDetails details,
                      std::vector<Frame>& frames) = 0;

 protected:
  elf::SymbolTable table_;
};

/// Returns true if this build reads ELF files.
bool reads_elf();
/// Returns true if an open file has the recorded inode and was not changed after the recording;
/// nullopt if that is unknown.
std::optional<bool> is_recorded_inode(const elf::SymbolSearch& search, int file);
/// Finds the files of a program or library. nullptr: nothing was found.
std::unique_ptr<ElfSymbols> find_elf_symbols(const elf::SymbolSearch& search);
/// Finds the kernel's image, whose table is by address. nullptr: none fits.
std::unique_ptr<ElfSymbols> find_vmlinux(const elf::SymbolSearch& search);
/// Finds the file of a kernel's module; offset 0 is where its .text begins. nullptr: none fits.
std::unique_ptr<ElfSymbols> find_module(const elf::SymbolSearch& search);

}  // namespace evname::symbols
