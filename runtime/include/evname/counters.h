#ifndef EVNAME_COUNTERS_H
#define EVNAME_COUNTERS_H
/** @file
 * This header declares counters, which count events on the machine that this program runs on. The
 * rules of evname.h apply. File descriptors are close-on-exec.
 */

#include "evname/events.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Open counters. Several threads may enable, disable and read them at once. Only the thread that
 * opened them can read without a system call. */
typedef struct evname_counters evname_counters;

/** The kinds of places to count in. */
enum evname_count_kind {
  EVNAME_COUNT_THIS_THREAD = 0, /**< the thread that opens the counters */
  EVNAME_COUNT_THREADS = 1,     /**< the threads `ids` */
  EVNAME_COUNT_PROCESSES = 2,   /**< threads of the processes `ids` at the time of opening */
  EVNAME_COUNT_CPUS = 3,        /**< all that runs on `cpus` */
  EVNAME_COUNT_CGROUP = 4       /**< the threads of a cgroup on `cpus` */
};

/** The threads, CPUs or cgroup to count in. */
typedef struct evname_count_target {
  uint32_t kind;        /**< enum evname_count_kind */
  uint32_t padding;     /**< 0 */
  const int32_t* ids;   /**< of threads or processes; may be NULL */
  size_t ids_count;     /**< number of ids */
  const uint32_t* cpus; /**< may be NULL */
  size_t cpus_count;    /**< number of CPUs; 0: all that are online */
  const char* cgroup;   /**< absolute, or below the mount point of cgroups; may be NULL */
  uint64_t reserved[4]; /**< 0, for later */
} evname_count_target;

/** The ways to put events into groups, which are counted together. */
enum evname_count_groups {
  EVNAME_COUNT_REGROUPED = 0,  /**< as perf opens them */
  EVNAME_COUNT_AS_WRITTEN = 1, /**< by their braces */
  EVNAME_COUNT_SCHEDULED = 2, /**< the fewest groups that the counters can count; each event once */
  EVNAME_COUNT_SINGLE = 3     /**< each event on its own */
};

/** Flags of evname_counters_open. */
enum evname_count_flags {
  EVNAME_COUNT_INHERIT = 1,        /**< also the threads and processes that are made later */
  EVNAME_COUNT_ENABLE_ON_EXEC = 2, /**< start when the thread executes a program; events that are
                                        counted on CPUs, and clocks, start when they are opened */
  EVNAME_COUNT_PINNED = 4,         /**< never share a counter */
  EVNAME_COUNT_NO_USER_READS = 8,  /**< always read by system calls */
  EVNAME_COUNT_USER_SPACE = 16,    /**< the default since 0.2: no effect */
  EVNAME_COUNT_PARTIAL = 32,       /**< leave out events that can't be counted */
  EVNAME_COUNT_KERNEL_TOO = 64 /**< fail if the kernel may not be counted, instead of counting only
                                    user space */
};

/** The count of an event. */
typedef struct evname_counter_value {
  uint64_t value;   /**< number of times that the event was seen */
  uint64_t enabled; /**< ns that the event was enabled */
  uint64_t running; /**< ns that it had a counter; 0: it is not counted, ignore `value` */
  double scaled;    /**< `value` for all of `enabled`, an estimate if `running` is less */
} evname_counter_value;

/** Opens a list of events in the syntax of `perf -e`. They do not count until they are enabled.
 * `target` NULL: this thread. `groups` is an enum evname_count_groups, `flags` are bits of enum
 * evname_count_flags. The message of a failure says which event can't be counted and why; its
 * hint proposes a remedy. The machine may be freed. */
EVNAME_API int evname_counters_open(const evname_machine* machine, const char* events,
                                    const evname_count_target* target, uint32_t groups,
                                    uint32_t flags, evname_counters** out, evname_error* error);
/** Closes counters. */
EVNAME_API void evname_counters_free(evname_counters* counters);

/** Returns the number of events. */
EVNAME_API size_t evname_counters_count(const evname_counters* counters);
/** Gets an event; events are in the order of opening. `name` (may be NULL) and `pmu` of the attr
 * live as long as the counters. Fails with EVNAME_OUT_OF_RANGE. */
EVNAME_API int evname_counters_event_at(const evname_counters* counters, size_t index,
                                        evname_attr* out, const char** name);
/** Returns the reason why an event was left out (EVNAME_COUNT_PARTIAL); EVNAME_OK if it is counted.
 * Fails with EVNAME_OUT_OF_RANGE. */
EVNAME_API int evname_counters_problem(const evname_counters* counters, size_t index,
                                       evname_error* error);

/** Starts all counters. */
EVNAME_API int evname_counters_enable(const evname_counters* counters, evname_error* error);
/** Stops all counters; they can still be read. */
EVNAME_API int evname_counters_disable(const evname_counters* counters, evname_error* error);
/** Reads the count of each event since the counters were opened. `out` has room for `room` values.
 * EVNAME_INVALID_ARGUMENT: `room` is less than the number of events. Allocates only in a thread's
 * first call. */
EVNAME_API int evname_counters_read(const evname_counters* counters, evname_counter_value* out,
                                    size_t room, evname_error* error);
/** Returns the number of events that can be read now without a system call. */
EVNAME_API size_t evname_counters_user_readable(const evname_counters* counters);

#ifdef __cplusplus
}
#endif

#endif
