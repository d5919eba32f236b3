// Functions of Linux and of C++'s threads that wasi-libc lacks, as they are on a system without
// users and threads.
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <typeinfo>

extern "C" {

/// Tells the host why the module ends; it does not return.
[[noreturn]] __attribute__((import_module("evname"), import_name("thrown"))) void
evname_tell_host_of(const char* thrown_type);

char* secure_getenv(const char* name) { return std::getenv(name); }

/// Reads what is mapped. The pages of a file can't be fetched when they are first touched, so a map
/// takes as much memory as it has bytes; the host reads them a piece at a time.
void* mmap(void*, std::size_t size, int, int flags, int file, off_t offset) {
  char* const memory = static_cast<char*>(std::calloc(1, size));
  if (memory == nullptr) return errno = ENOMEM, MAP_FAILED;
  for (std::size_t done = 0; (flags & MAP_ANONYMOUS) == 0 && done < size;) {
    const ssize_t got =
        ::pread(file, memory + done, size - done, offset + static_cast<off_t>(done));
    if (got < 0) {
      std::free(memory);
      return MAP_FAILED;
    }
    if (got == 0) break;  // the file has become shorter: zeros
    done += static_cast<std::size_t>(got);
  }
  return memory;
}

int munmap(void* memory, std::size_t) { return std::free(memory), 0; }
int madvise(void*, std::size_t, int) { return 0; }

int mkostemp(char* name, int) {
  static unsigned next = 0;
  unsigned number = next++;
  for (char* at = name + std::strlen(name) - 6; *at != '\0'; ++at, number /= 10)
    *at = static_cast<char>('0' + number % 10);
  return ::open(name, O_RDWR | O_CREAT | O_EXCL, 0600);
}

/// The one thread ends with the module, whose memory goes away as a whole.
int __cxa_thread_atexit(void (*)(void*), void*, void*) { return 0; }

// The module has no exceptions: Debian's libc++ for wasm32 can't catch them. What is not an error
// of a Result ends the module, which the package reports as an error of the call.
void* __cxa_allocate_exception(std::size_t size) noexcept { return std::malloc(size); }
[[noreturn]] void __cxa_throw(void*, std::type_info* type, void (*)(void*)) {
  evname_tell_host_of(type->name());
}

}  // extern "C"
