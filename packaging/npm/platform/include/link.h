#pragma once
// ELF's structs of this word size; no ELF file is loaded where a module runs.
#include <elf.h>

#define ElfW(name) Elf32_##name
