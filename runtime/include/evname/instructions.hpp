#pragma once
// Adds up samples by the instructions of functions, and decodes these.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "evname/export.h"
#include "evname/report.hpp"
#include "evname/symbols.hpp"

namespace evname {

/// A report that also counts the samples of each instruction. The code of a function comes from the
/// file that was recorded, by its build id, through ReportOptions::symbols.
class EVNAME_API InstructionReport : public Report {
 public:
  /// The syntaxes of x86; other machines have one.
  enum class Syntax : std::uint8_t { intel, att };

  /// An instruction with its samples.
  struct Instruction {
    std::uint64_t address = 0;             ///< in the file's own addresses, as objdump prints them
    std::vector<std::uint8_t> bytes = {};  ///< empty: unknown
    /// As an assembler reads it; ".byte 0x06" or ".inst 0x00000000" for bytes that are no
    /// instruction; empty if the bytes are unknown.
    std::string text = {};
    bool is_jump = false;  ///< it may continue elsewhere, and does not come back
    bool is_call = false;  ///< it calls a function
    /// The address that a direct jump or call continues at.
    std::optional<std::uint64_t> target = {};
    /// The symbol of the target of a call, of the target of a jump out of the function, or of the
    /// data that an operand refers to relative to the instruction: "memcpy@plt", "table+0x10".
    std::string symbol = {};
    /// As Symbols::frames() returns them: inlined calls, innermost first, then the function. The
    /// views are valid as long as the Symbols.
    std::vector<Frame> frames = {};
    std::vector<std::uint64_t> samples = {};  ///< by Report::events()
  };

  /// A function that has samples.
  struct Function {
    std::size_t number = 0;     ///< identifies it in the report
    std::string name;           ///< of its symbol; "libc.so.6 (no name)" for all without one
    std::string dso = {};       ///< as dso_name() returns it
    std::string build_id = {};  ///< of the file, hexadecimal; empty: unknown
    std::uint64_t all = 0;      ///< its samples of all events
    std::vector<std::uint64_t> samples = {};  ///< the same by Report::events()
  };

  /// The instructions of a function. Their samples and `outside` add up to the function's.
  struct Code {
    std::vector<Instruction> instructions = {};  ///< by address
    std::vector<std::uint64_t> outside = {};  ///< by event: samples of no instruction of the list
    /// A sentence on why the bytes, or some of them, are unknown; empty: they are all known. The
    /// addresses of samples are in the list nevertheless, without bytes.
    std::string problem = {};
  };

  /// Makes an empty report.
  explicit InstructionReport(ReportOptions options);

  /// Returns true if this build can decode instructions (it has Capstone or LLVM).
  static bool decodes();

  /// Returns the functions, those with most samples first. Samples without an address are in none.
  std::vector<Function> functions() const;
  /// Returns the instructions of a function of this report. At most 512 KiB of code, and
  /// 131,072 instructions, are decoded; of more than 128 events, fewer.
  Code code(const Function& function, Syntax syntax = Syntax::intel) const;
};

}  // namespace evname
