#pragma once
// Addresses that two instructions make together: one loads a page, and a later one adds the rest.

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace evname::instructions {

/// Follows the registers that hold a page or an address, of arm64 (ADRP), RISC-V (AUIPC) and 64-bit
/// Power (LIS, ADDIS, and the table of contents in r2), by the texts of instructions, whichever
/// decoder made them. On other machines it finds nothing.
class AddressPairs {
 public:
  /// `machine`: its number in elf.h.
  explicit AddressPairs(std::uint16_t machine) : machine_(machine) {}

  /// Takes the next instruction. Returns the address that it completes, reads or writes, if an
  /// earlier one loaded the page.
  std::optional<std::uint64_t> add(std::string_view text, std::uint64_t address);
  /// Forgets the registers that a function uses as it likes: the next instruction is also reached
  /// from elsewhere.
  void forget();

 private:
  struct Parts;

  std::optional<std::uint64_t> add_arm64(const Parts& parts);
  std::optional<std::uint64_t> add_riscv(const Parts& parts, std::uint64_t address);
  std::optional<std::uint64_t> add_ppc64(const Parts& parts, std::uint64_t address);
  void forget_calls();
  bool is_kept_by_calls(std::size_t at) const;
  std::optional<std::uint64_t> value(std::string_view name, std::string_view more) const;
  void set(std::string_view name, std::optional<std::uint64_t> value);
  std::optional<std::size_t> number_of(std::string_view name) const;

  std::uint16_t machine_;
  std::array<std::optional<std::uint64_t>, 32> known_ = {};  ///< by register
};

}  // namespace evname::instructions
