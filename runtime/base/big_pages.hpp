#pragma once
// Allocates memory for tables of megabytes that are read at random places, or written once.

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>

#ifdef __linux__
#include <sys/mman.h>
#endif

namespace evname {
inline namespace base {

inline constexpr std::size_t kBigPage = std::size_t{2} << 20;

/// Asks the kernel for pages of 2 MiB in the parts of this memory that were not written yet.
inline void use_big_pages([[maybe_unused]] void* memory, [[maybe_unused]] std::size_t size) {
#ifdef MADV_HUGEPAGE
  std::size_t room = size;
  if (std::align(kBigPage, kBigPage, memory, room))
    ::madvise(memory, room / kBigPage * kBigPage, MADV_HUGEPAGE);  // if it fails, pages stay small
#endif
}

/// Allocates memory as std::allocator does, in pages of 2 MiB where the kernel has them. Random
/// reads of a table then seldom wait for the CPU to find its pages, and filling the table takes a
/// fault for each 2 MiB instead of each 4 KiB.
template <class T>
struct BigPages {
  using value_type = T;

  BigPages() = default;
  template <class Other>
  BigPages(const BigPages<Other>&) {}  // NOLINT(google-explicit-constructor): as allocators do

  T* allocate(std::size_t count) {
    const std::size_t size = count * sizeof(T);
    if (size < kBigPage) return static_cast<T*>(::operator new(size));
    void* const memory = ::operator new(size, kAlignment);
    use_big_pages(memory, size);
    return static_cast<T*>(memory);
  }
  void deallocate(T* memory, std::size_t count) {
    if (count * sizeof(T) < kBigPage)
      ::operator delete(memory);
    else
      ::operator delete(memory, kAlignment);
  }

  friend bool operator==(const BigPages&, const BigPages&) { return true; }

 private:
  static constexpr std::align_val_t kAlignment{kBigPage};
};

}  // namespace base
}  // namespace evname
