#pragma once
// Decodes machine code into the texts of instructions.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/bytes.hpp"
#include "recordings/elf/machine_code.hpp"

namespace evname::instructions {

/// An instruction, or bytes that are none.
struct Decoded {
  std::size_t size = 0;   ///< in bytes; at least 1
  std::string text = {};  ///< as an assembler reads it
  bool is_jump = false;
  bool is_call = false;
  std::optional<std::uint64_t> target = {};  ///< of a direct jump or call
  std::optional<std::uint64_t> data = {};    ///< an address that is relative to the instruction
};

/// Decodes the instructions of one kind of code, for one thread at a time.
class Decoder {
 public:
  virtual ~Decoder() = default;
  /// Returns the instruction at the beginning of `code`, which is not empty. Bytes that are no
  /// instruction, or only a part of one, become data: see data_at().
  virtual Decoded decode(Bytes code, std::uint64_t address) = 0;

  /// Makes a decoder; nullptr if this build can't decode code of that kind. `att`: the syntax of
  /// AT&T instead of Intel's, on x86.
  static std::unique_ptr<Decoder> of(const elf::CodeKind& kind, bool att);
};

/// Returns "Capstone" or "LLVM", which this build has; "" if it has none.
std::string_view decoder_name();

/// Returns the name of a machine, such as "riscv64"; its number if it has none here.
std::string machine_name(const elf::CodeKind& kind);

/// Returns bytes that are no instruction: ".inst 0x00000000" where the first bits tell the length,
/// else ".byte 0x06".
Decoded data_at(const elf::CodeKind& kind, Bytes code);

}  // namespace evname::instructions
