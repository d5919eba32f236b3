#ifndef EVNAME_H
#define EVNAME_H
/** @file
 * This header is all of evname for C and languages that call C: events.h turns PMU event names into
 * perf_event_attr and back, recordings.h reads the events and samples of perf.data, counters.h
 * counts, and sampler.h samples. These rules hold for all functions.
 *
 * Threads: no initialisation is needed. A handle that functions take as const may be used by
 * several threads at once, another one by one thread at a time. Free a handle when no thread uses
 * it any more; freeing NULL does nothing.
 *
 * Results: functions that can fail return an enum evname_status; EVNAME_OK is 0. `error`, always
 * the last parameter, may be NULL and is written only on failure. Output handles are then set to
 * NULL. Any of these functions may return EVNAME_NO_MEMORY; existing handles stay usable.
 *
 * Pointers must not be NULL unless a comment allows it, or they are arrays without elements. With a
 * NULL, functions do nothing: they return EVNAME_INVALID_ARGUMENT if they return a status, else 0,
 * "", EVNAME_NO_NODE or NULL.
 *
 * Arguments: the library reads what your pointers and structs point to only during the call.
 *
 * Text: all text ends with NUL. A returned `const char *` is "" if there is no text, NULL only if
 * its comment says so, and lives as long as the object that its comment names. Text is written to a
 * buffer of the caller as by snprintf(): it is truncated to fit, NUL is always written (unless the
 * size is 0), and the length of the whole text is returned.
 *
 * ABI: structs keep their size and layout as long as the library's soname does. Those that may grow
 * end with `reserved` words: the library sets them to 0 in its output; set them to 0 in your input,
 * since others are an EVNAME_INVALID_ARGUMENT.
 */

#include "evname/counters.h"
#include "evname/decoded.h"
#include "evname/events.h"
#include "evname/recordings.h"
#include "evname/sampler.h"

#endif
