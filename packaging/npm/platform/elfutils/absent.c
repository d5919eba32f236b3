// Functions that elfutils refers to, but a module never calls or wasi-libc lacks.
#include <stdlib.h>
#include <string.h>

#include "libdwflP.h"
#include "libeblP.h"

// Machine code is not printed.
#define NO_DISASSEMBLER(name)                                                           \
  int name(Ebl* ebl, const uint8_t** start, const uint8_t* end, GElf_Addr address,      \
           const char* format, DisasmOutputCB_t out, DisasmGetSymCB_t symbol, void* to, \
           void* of) {                                                                  \
    return -1;                                                                          \
  }
NO_DISASSEMBLER(bpf_disasm)
NO_DISASSEMBLER(i386_disasm)
NO_DISASSEMBLER(riscv_disasm)
NO_DISASSEMBLER(x86_64_disasm)

// evname unpacks files itself, within limits.
Dwfl_Error __libdw_gunzip(int file, off_t start, void* mapped, size_t size, void** whole,
                          size_t* whole_size) {
  return DWFL_E_BADELF;
}

void error(int status, int number, const char* format, ...) {}

// No path that elfutils asks for leads over a link.
char* realpath(const char* path, char* resolved) {
  return resolved ? strcpy(resolved, path) : strdup(path);
}
