#ifndef EVNAME_SAMPLER_H
#define EVNAME_SAMPLER_H
/** @file
 * This header declares samplers, which sample events inside the program that uses them. The rules
 * of evname.h apply. File descriptors are close-on-exec. A child of fork() can't use its copy of a
 * sampler, and changes nothing by freeing it.
 */

#include "evname/counters.h"
#include "evname/recordings.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Open events that are sampled. One thread at a time may use a sampler and its samples. */
typedef struct evname_sampler evname_sampler;

/** The ways to find the callers of a sample. */
enum evname_call_chains {
  EVNAME_CHAINS_NONE = 0,           /**< there are none */
  EVNAME_CHAINS_FRAME_POINTERS = 1, /**< the kernel follows frame pointers */
  EVNAME_CHAINS_STACK_COPIES = 2,   /**< by unwind tables, from a copy of the stack */
  EVNAME_CHAINS_BRANCH_RECORDS = 3  /**< the CPU's own record of calls (LBR) */
};

/** Events that are sampled alike. Zeroed but for `events`, it has the defaults. */
typedef struct evname_sampled_events {
  const char* events;   /**< a list in the syntax of `perf -e` */
  uint64_t period;      /**< take a sample every so many events; 0: by `frequency` */
  uint64_t frequency;   /**< samples a second; 0: as the event suggests, else 4,000 */
  const char* fields;   /**< names of fields of evname_sample beside ip, pid, tid and time, such as
                             "cpu,addr"; may be NULL */
  uint32_t chains;      /**< enum evname_call_chains */
  uint32_t stack_size;  /**< bytes of each copy of a stack, a multiple of 8; 0: 8,192 */
  uint32_t max_stack;   /**< maximum number of callers; 0: the kernel's limit */
  uint32_t padding;     /**< 0 */
  uint64_t branches;    /**< PERF_SAMPLE_BRANCH_* bits: branches to sample; 0: none */
  uint64_t reserved[4]; /**< 0, for later */
} evname_sampled_events;

/** Flags of evname_sampler_options. */
enum evname_sampler_flags {
  EVNAME_SAMPLER_INHERIT = 1,        /**< also the threads and processes that are made later */
  EVNAME_SAMPLER_ENABLE_ON_EXEC = 2, /**< start when the thread executes a program; events that
                                          sample CPUs start when they are opened */
  EVNAME_SAMPLER_DATA_MAPPINGS = 4,  /**< follow mappings that are not executable, too */
  EVNAME_SAMPLER_KERNEL_TOO = 8,     /**< fail if the kernel may not be sampled, instead of sampling
                                          only user space */
  EVNAME_SAMPLER_THREAD = 16         /**< make the thread for evname_sampler_start */
};

/** How a sampler is opened. Zeroed, it has the defaults. */
typedef struct evname_sampler_options {
  uint32_t flags; /**< enum evname_sampler_flags */
  uint32_t
      buffer_pages;     /**< pages of each buffer, a power of 2; 0: 512 KiB, or what is permitted */
  uint64_t keep;        /**< bytes of records to keep for evname_sampler_take_recording */
  uint32_t trace_pages; /**< pages of each area for a trace (arm_spe_0//), a power of 2; 0: 4 MiB
                             for root, else 128 KiB */
  uint32_t padding;     /**< 0 */
  uint64_t reserved[3]; /**< 0, for later */
} evname_sampler_options;

/** The losses of a sampler so far. */
typedef struct evname_losses {
  uint64_t lost;        /**< samples, and pieces of a trace, that found no room in a buffer */
  uint64_t damaged;     /**< how often the invalid rest of a buffer was left out */
  uint64_t not_kept;    /**< records beyond `keep` */
  uint64_t reserved[3]; /**< 0, for later */
} evname_losses;

/** Opens `count` lists of events. Nothing is sampled until they are enabled. `target` NULL: this
 * thread; `options` NULL: the defaults. The message of a failure says which event can't be sampled
 * and why; its hint proposes a remedy. The machine may be freed. */
EVNAME_API int evname_sampler_open(const evname_machine* machine,
                                   const evname_sampled_events* events, size_t count,
                                   const evname_count_target* target,
                                   const evname_sampler_options* options, evname_sampler** out,
                                   evname_error* error);
/** Stops the thread of a sampler, and frees the sampler. It is closed when its evname_samples are
 * freed, too. */
EVNAME_API void evname_sampler_free(evname_sampler* sampler);

/** Returns a sentence on a refusal of the kernel, with its replacement; "" after the last. Lives as
 * long as the sampler. */
EVNAME_API const char* evname_sampler_warning(const evname_sampler* sampler, size_t index);

/** Starts all events. */
EVNAME_API int evname_sampler_enable(evname_sampler* sampler, evname_error* error);
/** Stops all events. Samples that were taken can still be read. */
EVNAME_API int evname_sampler_disable(evname_sampler* sampler, evname_error* error);
/** Waits until a buffer is half full, a sampled thread ends or the time is over. `alive` (may be
 * NULL) is set to 0 if no thread is left. */
EVNAME_API int evname_sampler_wait(evname_sampler* sampler, uint32_t milliseconds, int32_t* alive,
                                   evname_error* error);

/** Gets the samples. evname_samples_next returns the samples that are there at the first call, then
 * 0; when it is called again, it goes on with later ones. evname_samples_stack and
 * evname_samples_mapping need no flag. The sampler may be freed before the evname_samples. Two
 * evname_samples of one sampler share its samples. */
EVNAME_API int evname_sampler_samples(evname_sampler* sampler, evname_samples** out,
                                      evname_error* error);
/** The sampler's thread calls this function. It should call evname_samples_next, on the
 * evname_samples in `context`, until that returns 0. If it returns another number than 0, the
 * thread reads no more. It must neither free nor stop the sampler. */
typedef int (*evname_sample_reader)(void* context);

/** Lets the thread of the sampler call `reader` every `milliseconds` and when a buffer is half
 * full, until evname_sampler_stop and then once more. The thread is not sampled itself. Meanwhile
 * the samples can be read only in that thread: evname_samples_next, evname_sampler_wait,
 * evname_sampler_take_recording and scopes fail in others. EVNAME_INVALID_ARGUMENT: the sampler was
 * opened without EVNAME_SAMPLER_THREAD, or started before. */
EVNAME_API int evname_sampler_start(evname_sampler* sampler, evname_sample_reader reader,
                                    void* context, uint32_t milliseconds, evname_error* error);
/** Waits until the thread has read all samples, and stops it. EVNAME_IO: `reader` has returned
 * another number than 0. */
EVNAME_API int evname_sampler_stop(evname_sampler* sampler, evname_error* error);

/** Gets a recording with the sampler's events and no samples. evname_sample.event indexes its
 * events. One of them is evname's own: the last one or, with a trace, the one before the events
 * made from the trace. */
EVNAME_API int evname_sampler_recording(const evname_sampler* sampler, evname_recording** out,
                                        evname_error* error);
/** Gets the samples that were read since the last call as a recording, for reports, profiles and
 * text. EVNAME_INVALID_ARGUMENT: `keep` was 0. */
EVNAME_API int evname_sampler_take_recording(evname_sampler* sampler, evname_recording** out,
                                             evname_error* error);

/** Gets the losses so far. Fails only with EVNAME_NO_MEMORY. */
EVNAME_API int evname_sampler_losses(const evname_sampler* sampler, evname_losses* out);

/** A scope finds the functions that cause events between two points of a program. Nothing else may
 * read the samples of its sampler. */
typedef struct evname_scope evname_scope;

/** A function, and its part of the samples. Texts live until the scope is stopped again or freed.
 */
typedef struct evname_sampled_function {
  const char* function; /**< as in its source; the file and the offset if it is unknown */
  const char* dso;      /**< the file that has it */
  uint64_t samples;     /**< taken in the function itself, not in its callees */
  uint64_t period;      /**< events that they stand for */
  uint64_t reserved[2]; /**< 0, for later */
} evname_sampled_function;

/** Makes a scope. `symbols` NULL: the default options. The sampler and the symbols may be freed
 * before the scope. */
EVNAME_API int evname_scope_new(evname_sampler* sampler, const evname_symbols* symbols,
                                evname_scope** out, evname_error* error);
/** Frees a scope. */
EVNAME_API void evname_scope_free(evname_scope* scope);
/** Drops the samples that were taken before, and starts the events. */
EVNAME_API int evname_scope_start(evname_scope* scope, evname_error* error);
/** Stops the events, and adds the samples since evname_scope_start. */
EVNAME_API int evname_scope_stop(evname_scope* scope, evname_error* error);
/** Gets a function of the samples of an event, an index of evname_recorded_event_at: the one with
 * most events has index 0. EVNAME_OUT_OF_RANGE: there are no more. */
EVNAME_API int evname_scope_function(evname_scope* scope, size_t event, size_t index,
                                     evname_sampled_function* out);

#ifdef __cplusplus
}
#endif

#endif
