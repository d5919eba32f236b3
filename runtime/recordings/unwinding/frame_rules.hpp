#pragma once
// Keeps the rules of .eh_frame for finding the registers of a caller, for x86-64. libdwfl reads and
// evaluates the rules of an address again for each frame, which takes twenty times as long.

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include <elfutils/libdw.h>

#include "recordings/symbols/code_history.hpp"

namespace evname::unwinding {

/// Registers by their numbers in DWARF; the last is the return address.
struct Registers {
  static constexpr unsigned kCount = 17, kReturn = 16;
  std::array<std::uint64_t, kCount> values = {};
  std::uint32_t known = 0;  ///< a bit for each

  bool has(unsigned number) const { return (known >> number & 1) != 0; }
  void set(unsigned number, std::uint64_t value) {
    values[number] = value;
    known |= std::uint32_t{1} << number;
  }
};

class FrameRule {
 public:
  /// Returns the rule of an address; nullopt if there is none, or if it needs more than adding
  /// numbers to a register and reading the stack, as in stubs and signal trampolines.
  static std::optional<FrameRule> read(Dwarf_CFI* cfi, Dwarf_Addr address);

  /// Returns the registers of the caller. read(address) returns a word of the stack, or nullopt.
  template <class Read>
  Registers caller(const Registers& own, Read&& read) const {
    Registers out;
    const bool has_frame = own.has(frame_register_);
    const std::uint64_t frame = own.values[frame_register_] + frame_offset_;
    for (unsigned i = 0; i < Registers::kCount; ++i) {
      const Rule& rule = rules_[i];
      const std::uint64_t place = frame + static_cast<std::uint64_t>(std::int64_t{rule.offset});
      if (rule.how == How::same && own.has(i))
        out.set(i, own.values[i]);
      else if (rule.how == How::sum && has_frame)
        out.set(i, place);
      else if (rule.how == How::saved && has_frame)
        if (const std::optional<std::uint64_t> value = read(place)) out.set(i, *value);
    }
    return out;
  }

 private:
  enum class How : std::uint8_t { unknown, same, saved, sum };
  struct Rule {
    How how = How::unknown;
    std::int32_t offset = 0;  ///< from the frame: the value if `sum`, or the place if `saved`
  };

  static std::optional<Rule> rule_of(Dwarf_Frame* frame, unsigned number);

  unsigned frame_register_ = 0;
  std::uint64_t frame_offset_ = 0;
  std::array<Rule, Registers::kCount> rules_ = {};
};

/// Leaf functions keep their return address in a register, so chains of frame pointers lack their
/// callers. Returns true if, by the rules, the return address is still in the link register at the
/// instruction. Returns nullopt if there is no rule for the address.
std::optional<bool> keeps_return_address(Dwarf_CFI* cfi, Dwarf_Addr address);

/// Returns a 64-bit ELF file of this machine's byte order that has the table for unwinding, and no
/// code. It has the process's addresses, where other code may be in the place of the table.
/// `machine`: EM_*.
std::vector<std::uint8_t> code_image(std::uint16_t machine, std::uint64_t start,
                                     const symbols::CodeHistory::Unwinding& unwinding);

}  // namespace evname::unwinding
