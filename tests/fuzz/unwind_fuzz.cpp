// Callers from a copy of a stack. The input is the number of an architecture, the mask of the
// registers, how many bytes of stack there are, the registers, the stack, and the ELF file that is
// mapped at 0x10000.

#include <bit>

#include "fuzz/file_tree.hpp"
#include "fuzz/input.hpp"
#include "fuzz/target.hpp"
#include "recordings/unwinding/unwinder.hpp"

namespace evname::fuzz::unwind_target {

FUZZ_TARGET(unwind, data, size) {
  static constexpr const char* kArchitectures[] = {"x86_64",  "aarch64", "armv7l", "ppc64le",
                                                   "riscv64", "s390x",   "ppc64",  "sparc64"};
  static constexpr const char* kFile = "program";
  static fuzz::FileTree tree(std::span(&kFile, 1));
  fuzz::Pieces pieces(data, size);
  unwinding::StackCopy copy;
  const std::uint8_t arch = pieces.byte();
  copy.arch = kArchitectures[arch % 8];
  copy.is_32_bit = arch & 8;
  copy.pid = copy.tid = 1;
  copy.mask = pieces.number<std::uint64_t>();
  const auto stack_size = pieces.number<std::uint16_t>();
  std::vector<std::uint64_t> registers(static_cast<std::size_t>(std::popcount(copy.mask)));
  for (std::uint64_t& value : registers) value = pieces.number<std::uint64_t>();
  const std::string_view stack = pieces.take(stack_size);
  copy.registers = registers;
  copy.stack = {reinterpret_cast<const std::uint8_t*>(stack.data()), stack.size()};
  tree.fill(0, pieces.rest());

  const Symbols symbols({.symfs = tree.path(), .cache = tree.path("cache")});
  const Mapping mapping{.file = "/program", .start = 0x10000, .end = 0x20000};
  const auto find = [&](std::uint64_t address) {
    return address >= mapping.start && address < mapping.end ? std::optional(mapping)
                                                             : std::nullopt;
  };
  unwinding::Unwinder unwinder(symbols);
  std::vector<std::uint64_t> addresses;
  for (copy.generation = 0; copy.generation < 2; ++copy.generation)
    unwinder.unwind(copy, find, 64, addresses);
  for (const std::uint64_t register_value : registers)
    unwinder.returns_by_link(copy, find, register_value);
  return 0;
}

}  // namespace evname::fuzz::unwind_target
