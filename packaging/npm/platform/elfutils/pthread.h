// The module has one thread, so that a lock is always free.
#pragma once
#include <sys/types.h>

#define pthread_rwlock_init(lock, attributes) 0
#define pthread_rwlock_destroy(lock) 0
#define pthread_rwlock_rdlock(lock) 0
#define pthread_rwlock_tryrdlock(lock) 0
#define pthread_rwlock_wrlock(lock) 0
#define pthread_rwlock_unlock(lock) 0
