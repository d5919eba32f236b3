#pragma once
// The program, library, kernel or module that a compiler's profile is for, and the ends of its
// instructions.

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/bytes.hpp"
#include "base/read_file.hpp"
#include "evname/error.hpp"

namespace evname::profiles {

/// An architecture by its number in ELF headers (EM_X86_64, EM_AARCH64).
enum class CodeMachine : std::uint16_t { other = 0, x86_64 = 62, aarch64 = 183 };

/// Returns true if code may run from the beginning of `code` to its end without a branch: it
/// consists of whole instructions without a call, return or unconditional jump. Also returns true
/// for other architectures, and from an unknown instruction on.
bool runs_through(Bytes code, CodeMachine machine);

/// A part of an ELF file that is loaded (PT_LOAD).
struct Segment {
  std::uint64_t address = 0, offset = 0, size = 0, alignment = 1;
  bool executable = false;
};

/// Addresses of a file.
struct CodeRange {
  std::uint64_t begin = 0, end = 0;
};

/// The kind of file; it decides how its addresses are found in recordings.
enum class BinaryKind : std::uint8_t {
  fixed,        ///< a program that is loaded at its own addresses
  relocated,    ///< a PIE, or a library
  kernel,       ///< vmlinux
  kernel_part,  ///< a module, which is not linked: its addresses are offsets in its code
};

struct TargetBinary {
  std::string path;
  CodeMachine machine = CodeMachine::other;
  BinaryKind kind = BinaryKind::fixed;
  std::vector<Segment> segments;       ///< sorted by address
  std::vector<std::uint8_t> build_id;  ///< empty: it has none
  /// The code in the sense of llvm-profgen: each code section except .plt, from its first symbol
  /// on; all code if the file has no symbols. The largest comes first.
  std::vector<CodeRange> with_symbols;
  std::shared_ptr<const MappedFile> content;  ///< nullptr if it was read from memory

  /// Reads the headers of an ELF file. Errors: as for opening a file; unsupported if it is not an
  /// ELF file, has no code, or more than 4 GiB of code; out_of_range if its headers point outside.
  static Result<TargetBinary> open(const std::string& path);
  static Result<TargetBinary> read(Bytes file, const std::string& path);

  /// Returns the executable segment that a mapping of the file from `offset` on shows; nullptr if
  /// there is none.
  const Segment* segment_at(std::uint64_t offset) const;
  /// Return the lowest address of code, and the address after the last.
  std::uint64_t code_begin() const;
  std::uint64_t code_end() const;
  /// Returns the bytes of code from one address to before another; nothing if the file lacks them.
  Bytes code(std::uint64_t begin, std::uint64_t end) const;
  /// Returns the offset in the file of an address.
  std::uint64_t offset_of(std::uint64_t address) const;
};

/// Returns true if two build ids are the same: some recorders fill them with zeros to 20 bytes.
bool is_same_build_id(Bytes one, Bytes other);

}  // namespace evname::profiles
