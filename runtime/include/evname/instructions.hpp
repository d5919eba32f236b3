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
    bool is_jump = false;     ///< it may continue elsewhere, and does not come back
    bool is_call = false;     ///< it calls a function
    bool is_patched = false;  ///< the running kernel has other bytes there than its file
    /// The address that a direct jump or call continues at.
    std::optional<std::uint64_t> target = {};
    /// The symbol of the target of a call, of the target of a jump out of the function, or of the
    /// data that an operand refers to relative to the instruction: "memcpy@plt", "table+0x10".
    std::string symbol = {};
    /// As Symbols::frames() returns them: inlined calls, innermost first, then the function. The
    /// views are valid as long as the Symbols.
    std::vector<Frame> frames = {};
    std::vector<std::uint64_t> samples = {};  ///< by Report::events()
    ///@{
    /// From branch stacks of samples, whatever their event: how often it ran between two branches
    /// of a stack, how many branches begin there, and what these add up to.
    std::uint64_t executed = 0, branched = 0;
    Report::Branches branches = {};
    ///@}
    /// Instructions per cycle of the longest block that ends with this branch and whose cycles are
    /// known, as perf computes them; 0: unknown.
    double ipc = 0;
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
  struct EVNAME_API Code {
    std::uint64_t start = 0;                     ///< the function's address
    std::vector<Instruction> instructions = {};  ///< by address
    std::vector<std::uint64_t> outside = {};  ///< by event: samples of no instruction of the list
    /// A sentence on why the bytes, or some of them, are unknown, or that a kernel has patched
    /// them; else empty. The addresses of samples are in the list nevertheless, without bytes.
    std::string problem = {};

    ///@{
    /// The instructions, and the cycles, of the blocks that have an Instruction::ipc, each as often
    /// as it ran.
    double timed_instructions = 0, timed_cycles = 0;
    ///@}

    /// Returns the index of the instruction that has an address; nullopt if none has it.
    std::optional<std::size_t> find(std::uint64_t address) const;
  };

  /// Makes an empty report.
  explicit InstructionReport(ReportOptions options);

  /// Returns true if this build can decode instructions (it has Capstone or LLVM).
  static bool decodes();

  /// Returns true if samples had branch stacks with addresses of known functions.
  bool has_branches() const;

  /// Returns the functions, those with most samples first. Samples without an address are in none.
  std::vector<Function> functions() const;
  /// Returns the instructions of a function of this report. At most 512 KiB of code, and
  /// 131,072 instructions, are decoded; of more than 128 events, fewer.
  Code code(const Function& function, Syntax syntax = Syntax::intel) const;
};

}  // namespace evname
