#pragma once
// WASI limits no sizes of files.

#define RLIMIT_FSIZE 1
#define RLIM_INFINITY (~0ULL)

typedef unsigned long long rlim_t;
struct rlimit {
  rlim_t rlim_cur, rlim_max;
};

static inline int getrlimit(int, struct rlimit* limit) {
  limit->rlim_cur = limit->rlim_max = RLIM_INFINITY;
  return 0;
}
