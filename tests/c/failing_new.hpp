#pragma once
// An operator new that fails on request, and calls that are tried with it. Include it in one source
// of a program.

#include <evname/evname.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <new>

#include "checks.h"

namespace {

std::atomic<long> left = -1;   // allocations that succeed before one fails; negative: all do
std::atomic<long> made = 0;    // since they were counted last
std::atomic<long> in_use = 0;  // blocks

void* allocate(std::size_t size) {
  ++made;
  if (left >= 0 && left-- == 0) throw std::bad_alloc();
  void* const memory = std::malloc(size > 0 ? size : 1);
  if (memory == nullptr) throw std::bad_alloc();
  ++in_use;
  return memory;
}

void release(void* memory) noexcept {
  if (memory != nullptr) --in_use;
  std::free(memory);
}

}  // namespace

void* operator new(std::size_t size) { return allocate(size); }
void* operator new[](std::size_t size) { return allocate(size); }
void operator delete(void* memory) noexcept { release(memory); }
void operator delete[](void* memory) noexcept { release(memory); }
void operator delete(void* memory, std::size_t) noexcept { release(memory); }
void operator delete[](void* memory, std::size_t) noexcept { release(memory); }

namespace {

/// A call under test: it cleans up after itself, and returns a status.
using Call = std::function<int(evname_error*)>;

/// Allocations fail one by one. Of a call with thousands of them, later ones are skipped more and
/// more, since they belong to a loop.
constexpr long kTurns = 40;

/// Calls it with the first, the second, … allocation failing, until there are no more. `make`
/// prepares a call of its own for each, where calls change what they are given.
void fail_each(const char* name, const std::function<Call()>& make) {
  int refused = 0;
  for (long n = 0;; n += 1 + n / kTurns) {
    const Call call = make();
    evname_error error = {};
    left = n;
    const int status = call(&error);
    const bool all_made = left >= 0;
    left = -1;
    if (status != EVNAME_OK && status != EVNAME_NO_MEMORY) {
      ++failed_checks;
      std::fprintf(stderr, "%s: allocation %ld: %s\n", name, n, evname_status_text(status));
    }
    refused += status == EVNAME_NO_MEMORY;
    if (status != EVNAME_OK && call(&error) != EVNAME_OK) {
      ++failed_checks;
      std::fprintf(stderr, "%s: after allocation %ld: %s\n", name, n, error.message);
    }
    if (!all_made) continue;
    if (status == EVNAME_OK && n > 0 && refused == 0) {
      ++failed_checks;
      std::fprintf(stderr, "%s: %ld allocations failed, and it did not tell\n", name, n);
    }
    return;
  }
}

void fail_each(const char* name, const Call& call) {
  fail_each(name, std::function<Call()>([&] { return call; }));
}

/// A handle that `open` makes, or its status.
template <class Handle, class Open>
int opened(void (*free)(Handle*), Open&& open) {
  Handle* handle = reinterpret_cast<Handle*>(1);
  const int status = open(&handle);
  CHECK((handle == nullptr) == (status != EVNAME_OK));
  if (handle != nullptr) free(handle);
  return status;
}

}  // namespace
