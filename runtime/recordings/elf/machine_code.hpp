#pragma once
// The machine code of a function as it is in its file.

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace evname::elf {

class ElfImage;

/// A machine and its mode, which decide how bytes are decoded.
struct CodeKind {
  std::uint16_t machine = 0;  ///< EM_* of elf.h
  bool wide = true;           ///< 64 bits
  bool big_endian = false;    ///< of instructions
  bool thumb = false;         ///< Arm's shorter instructions

  bool operator==(const CodeKind&) const = default;
};

/// Says what the bytes from an address on are.
struct CodeMark {
  std::uint64_t address = 0;
  bool is_data = false;
  bool thumb = false;
};

/// A piece of machine code.
struct CodePiece {
  CodeKind kind = {};                    ///< at its start
  std::uint64_t address = 0;             ///< of the first byte, as the file has it
  std::vector<std::uint8_t> bytes = {};  ///< fewer than were asked for if the file has no more
  std::vector<CodeMark> marks = {};      ///< by address; the first may be before the piece
  bool is_linked = true;                 ///< false: addresses in instructions are not set yet
  /// The file's bytes, if `bytes` are from the memory of a kernel, which patches its code.
  std::vector<std::uint8_t> unpatched = {};
};

/// Returns true if a file has the bytes at an address. Files of debug information have none.
bool has_code(const ElfImage& image, std::uint64_t address);
/// Returns the marks that symbols of Arm and AArch64 are, by address ("ELF for the Arm
/// Architecture", mapping symbols); none for other machines.
std::vector<CodeMark> read_marks(const ElfImage& names);
/// Returns up to `size` bytes of code from an address on, with the file's marks for these bytes.
CodePiece read_code(const ElfImage& image, std::span<const CodeMark> marks, std::uint64_t address,
                    std::uint64_t size);
/// Does the same for a file that is not linked: `offset` counts from its .text.
CodePiece read_module_code(const ElfImage& image, std::uint64_t offset, std::uint64_t size);
/// Returns up to `size` bytes of the code of a running kernel, as /proc/kcore or a copy has them
/// (fs/proc/kcore.c of the kernel); none if the file lacks them, or if only root may read it.
CodePiece read_core(const std::string& path, std::uint64_t address, std::uint64_t size);

}  // namespace evname::elf
