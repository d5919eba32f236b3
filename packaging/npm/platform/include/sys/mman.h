#pragma once
// mmap() reads the file; a file in memory is a file without a name (system.cpp).
#include_next <sys/mman.h>

#define MFD_CLOEXEC 1

extern "C" int memfd_create(const char* name, unsigned flags);
