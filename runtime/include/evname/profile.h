#ifndef EVNAME_PROFILE_H
#define EVNAME_PROFILE_H
/** @file
 * Profiles for viewers, and recordings with some of the samples of another, for C and languages
 * that call C. The rules of evname.h on threads, results, text and `reserved` apply.
 */

#include "evname/report.h"
#include "evname/symbols.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Profiles ---- */

/** What reads a profile. In each, the events are apart. */
enum evname_profile_format {
  EVNAME_PROFILE_PPROF = 0,      /**< gzip; two sample types an event: its count and its samples */
  EVNAME_PROFILE_FIREFOX = 1,    /**< JSON of Firefox Profiler: a track per event and thread */
  EVNAME_PROFILE_SPEEDSCOPE = 2, /**< JSON; a profile per event */
  EVNAME_PROFILE_PERFETTO = 3    /**< a trace: a sampling session and a counter track per event */
};

/** Flags of evname_profile_options. */
enum evname_profile_flags {
  EVNAME_PROFILE_GZIP = 1 /**< compress formats that are not always compressed, too */
};

/** Options of evname_profile_write. Zeroed: pprof, with addresses in place of functions. */
typedef struct evname_profile_options {
  const evname_symbols* symbols; /**< names functions; NULL: they stay addresses */
  uint32_t format;               /**< enum evname_profile_format */
  uint32_t flags;                /**< enum evname_profile_flags */
  uint64_t reserved[4];          /**< 0, for later */
} evname_profile_options;

/** Writes a profile of one or more recordings to `path`, which appears complete or not at all, and
 * not if there are no samples; "-" is standard output. Events of the same name and PMU in several
 * recordings are one event. `options` and `filter` may be NULL; `samples` (may be NULL) is set to
 * the number of samples written, `tallies` (may be NULL) has one for each recording.
 * EVNAME_UNSUPPORTED: the library was built without what the format needs. EVNAME_NOT_FOUND: no
 * event samples what the filter asks for. Fails with EVNAME_IO, EVNAME_INVALID_ARGUMENT. */
EVNAME_API int evname_profile_write(const evname_recording* const* recordings, size_t count,
                                    const evname_profile_options* options,
                                    const evname_filter* filter, const char* path,
                                    uint64_t* samples, evname_tally* tallies, evname_error* error);

/* ---- Smaller recordings ---- */

/** As evname_inject, but of the samples only those that `filter` accepts; all other records and all
 * features are kept. `samples` (may be NULL) is set to the number of SAMPLE records written; where
 * it is 0, nothing is. `tally` may be NULL. EVNAME_UNSUPPORTED: the recording comes through a pipe,
 * or is a compressed directory. Fails with EVNAME_IO, EVNAME_NOT_FOUND. */
EVNAME_API int evname_extract(const evname_recording* recording, const evname_filter* filter,
                              const char* path, uint64_t* samples, evname_tally* tally,
                              evname_error* error);

/** What the recordings of evname_split differ by. */
enum evname_split_key {
  EVNAME_SPLIT_EVENT = 0,  /**< of the SAMPLE record: the leader of a group with `:S` */
  EVNAME_SPLIT_THREAD = 1, /**< thread id */
  EVNAME_SPLIT_COMM = 2,   /**< name of the thread at the time of the sample */
  EVNAME_SPLIT_CPU = 3     /**< CPU */
};

/** The recordings that evname_split wrote. */
typedef struct evname_parts evname_parts;

/** A recording of evname_split. Texts live as long as the list. */
typedef struct evname_part {
  const char* key;      /**< event, "comm (tid)", comm, or number of the CPU; "-": not sampled */
  const char* path;     /**< where it is */
  uint64_t samples;     /**< SAMPLE records in it */
  uint64_t reserved[2]; /**< 0, for later */
} evname_part;

/** Writes a recording for each value of `key` (enum evname_split_key) that the samples accepted by
 * `filter` (may be NULL) have, to a directory, which is made if it is not there. Each is as
 * evname_extract would write it, with the recorded names of events. `tally` may be NULL. Fails as
 * evname_extract. EVNAME_INVALID_ARGUMENT: there is no such key. */
EVNAME_API int evname_split(const evname_recording* recording, uint32_t key,
                            const evname_filter* filter, const char* directory, evname_parts** out,
                            evname_tally* tally, evname_error* error);
/** Returns the number of recordings. */
EVNAME_API size_t evname_parts_count(const evname_parts* parts);
/** Gets one, in the order in which their first samples were found. Fails with EVNAME_OUT_OF_RANGE.
 */
EVNAME_API int evname_parts_at(const evname_parts* parts, size_t index, evname_part* out);
/** Frees a list. */
EVNAME_API void evname_parts_free(evname_parts* parts);

#ifdef __cplusplus
}
#endif

#endif
