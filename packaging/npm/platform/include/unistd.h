#pragma once
// WASI has no users: all files belong to the one who runs the module.
#include <sys/types.h>
#include_next <unistd.h>

// Where a file has holes is not known: lseek fails.
#define SEEK_DATA 3
#define SEEK_HOLE 4

#ifdef __cplusplus
extern "C" {
#endif
static inline uid_t geteuid(void) { return 0; }
static inline gid_t getegid(void) { return 0; }
int mkostemp(char* name, int flags);
#ifdef __cplusplus
}
#endif
