// Functions of Linux and of C++'s threads that wasi-libc lacks, as they are on a system without
// users and threads.
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdarg>
#include <cstdlib>
#include <cstring>
#include <typeinfo>

#include "events/tables/registry.hpp"
#include "evname/sampler.hpp"

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
int msync(void*, std::size_t, int) { return errno = ENOSYS, -1; }  // a map is a copy
int fchmod(int, mode_t) { return 0; }
pid_t getpid() { return 1; }

int mkostemp(char* name, int) {
  static unsigned next = 0;
  unsigned number = next++;
  for (char* at = name + std::strlen(name) - 6; *at != '\0'; ++at, number /= 10)
    *at = static_cast<char>('0' + number % 10);
  return ::open(name, O_RDWR | O_CREAT | O_EXCL, 0600);
}

/// A file in memory is one of the host's without a name that anybody else knows.
int memfd_create(const char*, unsigned) {
  char name[] = "/tmp/memory-XXXXXX";
  const int file = mkostemp(name, 0);
  if (file >= 0) ::unlink(name);
  return file;
}

/// Returns another number of an open file, which WASI has no call for.
__attribute__((import_module("evname"), import_name("duplicated"))) int evname_duplicated(int file);

int dup(int file) {
  const int other = evname_duplicated(file);
  return other >= 0 ? other : (errno = EBADF, -1);
}

int __real_fcntl(int file, int command, ...);
/// The linker puts it before wasi-libc's function.
int __wrap_fcntl(int file, int command, ...) {
  va_list more;
  va_start(more, command);
  const int argument = va_arg(more, int);
  va_end(more);
  return command == F_DUPFD_CLOEXEC ? dup(file) : __real_fcntl(file, command, argument);
}

/// The one thread ends with the module, whose memory goes away as a whole.
int __cxa_thread_atexit(void (*)(void*), void*, void*) { return 0; }

// The module has no exceptions: Debian's libc++ for wasm32 can't catch them. An exception therefore
// ends the module, and the package reports an error of the call.
void* __cxa_allocate_exception(std::size_t size) noexcept { return std::malloc(size); }
[[noreturn]] void __cxa_throw(void*, std::type_info* type, void (*)(void*)) {
  evname_tell_host_of(type->name());
}

/// Asks the host for tables that are apart from the module. Returns 0 if it can't have them now.
__attribute__((import_module("evname"), import_name("tables"))) int evname_bring_tables(
    const char* name, std::size_t size);

}  // extern "C"

bool evname::tables::bring(std::string_view name) {
  return evname_bring_tables(name.data(), name.size()) != 0;
}

/// The module has no samplers, but the C interface asks whether samples are of one that a thread
/// reads.
bool evname::Sampler::is_readable() const { return true; }
