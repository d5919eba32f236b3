// What elfutils' configure would find in wasi-libc, and declarations that this lacks.
#pragma once
#include <sys/stat.h>
#include <sys/types.h>

#define PACKAGE_NAME "elfutils"
#define PACKAGE_VERSION "0"
#define LOCALEDIR ""
#define HAVE_DECL_MEMPCPY 1
#define HAVE_DECL_MEMRCHR 1
#define HAVE_DECL_REALLOCARRAY 1
#define HAVE_ERR_H 1
#define HAVE_VISIBILITY 1
#define USE_ZSTD 1

char* basename(const char* path);
char* realpath(const char* path, char* resolved);
int dup(int file);
int fchmod(int file, mode_t mode);

#include <eu-config.h>
