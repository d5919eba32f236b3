// Implements dlopen() for the static command by glibc's internal function. The linker warns of
// dlopen() in static programs, although evname also works without the library of --debuginfod.

extern "C" {
void* __libc_dlopen_mode(const char* name, int mode) __attribute__((weak));
void* __wrap_dlopen(const char* name, int mode);
}

void* __wrap_dlopen(const char* name, int mode) {
  constexpr unsigned kByDlopen =
      0x80000000;  // __RTLD_DLOPEN of glibc: dlsym() and dlclose() may follow
  const auto flags = static_cast<int>(static_cast<unsigned>(mode) | kByDlopen);
  return __libc_dlopen_mode != nullptr ? __libc_dlopen_mode(name, flags) : nullptr;
}
