// A build without elfutils follows no stacks.

#include "recordings/unwinding/unwinder.hpp"

namespace evname::unwinding {

struct Unwinder::State {};

Unwinder::Unwinder(const Symbols&) {}
Unwinder::~Unwinder() = default;
void Unwinder::unwind(const StackCopy&, const FindMapping&, std::size_t,
                      std::vector<std::uint64_t>&) {}
std::optional<bool> Unwinder::returns_by_link(const StackCopy&, const FindMapping&, std::uint64_t) {
  return std::nullopt;
}

}  // namespace evname::unwinding
