#pragma once
// Finds the callers of a function by its registers and a copy of its stack.

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "evname/symbols.hpp"

namespace evname::unwinding {

/// The registers and the part of the stack that the kernel copied from a thread.
struct StackCopy {
  std::int32_t pid = -1, tid = -1;
  std::string_view arch = {};  ///< as uname -m prints it
  bool is_32_bit = false;      ///< of a process on a 64-bit machine
  std::uint64_t mask = 0;      ///< of the registers: PERF_REG_* of the architecture
  std::span<const std::uint64_t> registers = {};  ///< lowest bit of the mask first
  std::span<const std::uint8_t> stack = {};       ///< from the stack pointer up
  std::uint64_t generation = 0;                   ///< changes whenever the mappings may have
};

/// Unwinds stacks, and caches data of processes. For one thread at a time.
class Unwinder {
 public:
  /// Returns the mapping of an address in the process at that time.
  using FindMapping = std::function<std::optional<Mapping>(std::uint64_t address)>;

  explicit Unwinder(const Symbols& symbols);
  ~Unwinder();

  /// Appends the address of the instruction, and of each call that led to it, to `addresses`: at
  /// most `most`. Ends at the first call that can't be unwound.
  void unwind(const StackCopy& copy, const FindMapping& find, std::size_t most,
              std::vector<std::uint64_t>& addresses);

  /// Returns true if, by the function's tables, the return address is still in the link register at
  /// an address; nullopt without tables. Uses only the process of the copy.
  std::optional<bool> returns_by_link(const StackCopy& copy, const FindMapping& find,
                                      std::uint64_t address);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace evname::unwinding
