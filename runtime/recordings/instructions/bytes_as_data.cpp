#include <elf.h>

#include <algorithm>

#include <fmt/format.h>

#include "recordings/instructions/decoder.hpp"
#include "recordings/instructions/known_length.hpp"

namespace evname::instructions {
namespace {

/// The length of the instruction at the beginning of the code, as its first bytes tell.
std::size_t length_at(const elf::CodeKind& kind, Bytes code) {
  switch (kind.machine) {
    case EM_AARCH64:
    case EM_PPC64:
    case EM_PPC:
      return 4;
    case EM_ARM: {
      if (!kind.thumb) return 4;
      // The first five bits of a Thumb instruction of 32 bits are 11101, 11110 or 11111.
      const std::uint8_t first = code.size() < 2 ? 0 : code[kind.big_endian ? 0 : 1];
      return first >= 0xe8 ? 4 : 2;
    }
    case EM_RISCV:  // the low two bits are 11 unless it is a compressed one
      return (code[0] & 3) == 3 ? 4 : 2;
    case EM_S390:  // its high two bits: z/Architecture Principles of Operation, chapter 5
      return code[0] < 0x40 ? 2 : code[0] < 0xc0 ? 4 : 6;
    case EM_X86_64:  // a decoder that is older than the instruction loses none that follow it
      return std::max<std::size_t>(x86_length(code).size, 1);
    default:
      return 1;
  }
}

std::uint64_t number_at(Bytes code, bool big_endian) {
  std::uint64_t number = 0;
  for (std::size_t i = 0; i < code.size(); ++i)
    number = number << 8 | code[big_endian ? i : code.size() - 1 - i];
  return number;
}

struct MachineName {
  std::uint16_t machine;
  bool wide;
  std::string_view name;
};
constexpr MachineName kMachineNames[] = {
    {EM_X86_64, true, "x86-64"},
    {EM_X86_64, false, "x32"},
    {EM_386, false, "x86"},
    {EM_AARCH64, true, "arm64"},
    {EM_ARM, false, "arm"},
    {EM_PPC64, true, "ppc64"},
    {EM_PPC, false, "ppc"},
    {EM_S390, true, "s390x"},
    {EM_RISCV, true, "riscv64"},
    {EM_RISCV, false, "riscv32"},
    {EM_LOONGARCH, true, "loongarch64"},
    {EM_SPARCV9, true, "sparc64"},
    {EM_MIPS, true, "mips64"},
    {EM_MIPS, false, "mips"},
};

}  // namespace

std::string machine_name(const elf::CodeKind& kind) {
  for (const MachineName& one : kMachineNames)
    if (one.machine == kind.machine && one.wide == kind.wide) return std::string(one.name);
  return fmt::format("machine {}", kind.machine);
}

Decoded data_at(const elf::CodeKind& kind, Bytes code) {
  const std::size_t length = length_at(kind, code);
  Decoded out;
  out.size = std::min(length, code.size());
  const Bytes own = code.first(out.size);
  if (length > 1 && out.size == length && kind.machine != EM_X86_64) {
    std::uint64_t number = number_at(own, kind.big_endian);
    if (kind.thumb && length == 4 && !kind.big_endian)  // the first half is the upper one
      number = number >> 16 | (number & 0xffff) << 16;
    out.text = fmt::format(".inst 0x{:0{}x}", number, 2 * length);
    return out;
  }
  out.text = ".byte ";
  for (std::size_t i = 0; i < own.size(); ++i)
    out.text += fmt::format("{}0x{:02x}", i == 0 ? "" : ", ", own[i]);
  return out;
}

}  // namespace evname::instructions
