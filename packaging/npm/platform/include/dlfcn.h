#pragma once
// A module loads no libraries.
#define RTLD_LAZY 1

static inline void* dlopen(const char*, int) { return nullptr; }
static inline void* dlsym(void*, const char*) { return nullptr; }
static inline int dlclose(void*) { return 0; }
