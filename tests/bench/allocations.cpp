#include "bench/allocations.hpp"

#include <cstdlib>
#include <new>

namespace {
thread_local std::uint64_t counted = 0;
}

namespace evname::bench {
std::uint64_t allocations() { return counted; }
}  // namespace evname::bench

// The program's operator new, libraries included.
void* operator new(std::size_t size) {
  ++counted;
  if (void* memory = std::malloc(size)) return memory;
  throw std::bad_alloc();
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
