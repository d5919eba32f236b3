// dlopen() for the static command, by the function of glibc that dlopen() itself calls: the linker
// warns of dlopen() in static programs, though --debuginfod works without the library that it
// loads.

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
