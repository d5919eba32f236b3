#pragma once
// WASI hands a program no auxiliary vector; it has random bytes in another way.
#include <unistd.h>

#define AT_RANDOM 25
#define AT_SYSINFO_EHDR 33

static inline unsigned long getauxval(unsigned long type) {
  if (type != AT_RANDOM) return 0;
  static unsigned char bytes[16];
  return getentropy(bytes, sizeof bytes) == 0 ? (unsigned long)bytes : 0;
}
