#ifndef EVNAME_REPORT_H
#define EVNAME_REPORT_H
/** @file
 * Output of samples for C and languages that call C: as text, as a report that adds them up, or as
 * a new recording with event names. The rules of evname.h on threads, results, text and `reserved`
 * apply. An evname_report may be used by one thread at a time.
 */

#include "evname/evname.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Selecting samples ---- */

/** A range of times of the recording's clock, both inclusive. */
typedef struct evname_time_range {
  uint64_t first; /**< ns */
  uint64_t last;  /**< ns */
} evname_time_range;

/** Parses times in the syntax of `perf script --time` ("12.5,13", "10%-20%"). `count` is set to the
 * number of ranges; those beyond `room` are not written. Fails with EVNAME_INVALID_ARGUMENT.
 * EVNAME_NOT_FOUND: shares are requested and the recording does not contain the times of its first
 * and last sample. */
EVNAME_API int evname_parse_times(const evname_recording* recording, const char* text,
                                  evname_time_range* out, size_t room, size_t* count,
                                  evname_error* error);

/** Selects samples: an empty list accepts all, and a sample must satisfy all lists that are set.
 * Zeroed: all samples. */
typedef struct evname_filter {
  const char* event;              /**< glob for event names, ignoring case; NULL: all */
  const uint32_t* cpus;           /**< the sample must match one */
  size_t cpus_count;              /**< number of CPUs */
  const int32_t* pids;            /**< the sample must match one */
  size_t pids_count;              /**< number of processes */
  const int32_t* tids;            /**< the sample must match one */
  size_t tids_count;              /**< number of threads */
  const char* const* comms;       /**< the sample must match one */
  size_t comms_count;             /**< number of names */
  const evname_time_range* times; /**< the sample must match one */
  size_t times_count;             /**< number of ranges */
  uint32_t samples_flags;         /**< enum evname_samples_flags: how to read the recording */
  uint32_t jobs;                  /**< maximum number of threads to use; 0: one per core */
  const char* sym;      /**< glob for a function at the sample's address, also one inlined there;
                             NULL: all */
  const char* dso;      /**< glob for the file that has the address, with or without its directory;
                             NULL: all */
  uint64_t reserved[2]; /**< 0, for later */
} evname_filter;

/* ---- Samples as text ---- */

/** Output format of samples. */
enum evname_format {
  EVNAME_FORMAT_TEXT = 0,  /**< perf script's layout */
  EVNAME_FORMAT_CSV = 1,   /**< RFC 4180, with a header */
  EVNAME_FORMAT_JSONL = 2, /**< one JSON object per line */
  EVNAME_FORMAT_FOLDED = 3 /**< "event;comm;root;…;leaf count": input for flame graph tools */
};

/** Flags of evname_annotate_options. */
enum evname_annotate_flags {
  EVNAME_ANNOTATE_RECORDED_NAMES = 1, /**< text: name events as perf script does */
  EVNAME_ANNOTATE_COUNT_PERIODS = 2   /**< folded: sum periods instead of samples */
};

/** Options of evname_annotate. Zeroed: all samples, as text with the default fields. */
typedef struct evname_annotate_options {
  const char* fields;   /**< "comm,pid,ip", or "+ip,-tid" to change the default; NULL: default */
  uint64_t limit;       /**< maximum number of samples to write; 0: all */
  uint32_t format;      /**< enum evname_format */
  uint32_t flags;       /**< enum evname_annotate_flags */
  uint64_t reserved[4]; /**< 0, for later */
} evname_annotate_options;

/** Writes the samples to the file descriptor `file`, which stays open. `options`, `filter` and
 * `tally` may be NULL. <evname/annotate.hpp> documents the keys of CSV and JSON.
 * EVNAME_NOT_FOUND: no event samples a requested field. EVNAME_IO: the output could not be written.
 */
EVNAME_API int evname_annotate(const evname_recording* recording,
                               const evname_annotate_options* options, const evname_filter* filter,
                               int file, evname_tally* tally, evname_error* error);

/* ---- Reports ---- */

/** Samples added up by event, file, thread, CPU, cgroup or function. */
typedef struct evname_report evname_report;

/** Makes an empty report. `keys` distinguish its rows: some of
 * "event,file,pmu,comm,pid,tid,cpu,cgroup,sym,dso,srcfile,srcline";
 * NULL: "event". `filter` may be NULL. EVNAME_INVALID_ARGUMENT: there is no such key. */
EVNAME_API int evname_report_new(const char* keys, const evname_filter* filter, evname_report** out,
                                 evname_error* error);
/** Frees a report. */
EVNAME_API void evname_report_free(evname_report* report);

/** Adds the samples of a recording. Rows with the same keys are merged, whatever their recording.
 * `tally` may be NULL. */
EVNAME_API int evname_report_add(evname_report* report, const evname_recording* recording,
                                 evname_tally* tally, evname_error* error);

/** The samples that are equal in all keys. */
typedef struct evname_report_row {
  const char* const*
      keys;          /**< one value per key, "-": not sampled; valid until samples are added */
  size_t keys_count; /**< number of keys */
  uint64_t samples;  /**< number of samples */
  uint64_t period;   /**< sum of their periods: an estimate of the event's count */
  double share; /**< 0 to 1, of all samples or, if "event" is one of several keys, of the event's */
  uint64_t first;       /**< time of the first sample in ns; first > last if no sample has a time */
  uint64_t last;        /**< time of the last sample in ns */
  uint64_t lost;        /**< samples that the kernel reported as lost; only by event (and file) */
  uint64_t throttled;   /**< how often the kernel throttled the event; likewise */
  uint64_t of;          /**< the number of samples that `share` is a share of */
  uint64_t reserved[3]; /**< 0, for later */
} evname_report_row;

/** Returns the number of rows. */
EVNAME_API size_t evname_report_row_count(const evname_report* report);
/** Gets a row. Those with most samples come first, then by keys; if "event" is one of several keys,
 * the rows of an event follow each other. With "event", an event without samples has a row, too;
 * its other keys are "-". Fails with EVNAME_OUT_OF_RANGE. */
EVNAME_API int evname_report_row_at(const evname_report* report, size_t index,
                                    evname_report_row* out);

/* ---- Event names in a new recording ---- */

/** A list of renamed events. */
typedef struct evname_renames evname_renames;

/** A renamed event. Texts live as long as the list. */
typedef struct evname_rename {
  uint64_t event;       /**< its index in the recording */
  const char* from;     /**< recorded name: "r11:u" */
  const char* to;       /**< new name: "cpu_cycles:u" */
  uint64_t reserved[2]; /**< 0, for later */
} evname_rename;

/** Writes the recording to `path`, with names for the events that are recorded as codes; everything
 * else is copied byte for byte. `path` appears complete or not at all; "-" is standard output; NULL
 * writes nothing. `out` (may be NULL) is set to the events that got a name, or would. Fails with
 * EVNAME_IO. EVNAME_UNSUPPORTED: a form that no perf since 3.2 writes. */
EVNAME_API int evname_inject(const evname_recording* recording, const char* path,
                             evname_renames** out, evname_error* error);
/** Returns the number of renamed events. */
EVNAME_API size_t evname_renames_count(const evname_renames* renames);
/** Gets a renamed event. Fails with EVNAME_OUT_OF_RANGE. */
EVNAME_API int evname_renames_at(const evname_renames* renames, size_t index, evname_rename* out);
/** Frees a list. */
EVNAME_API void evname_renames_free(evname_renames* renames);

#ifdef __cplusplus
}
#endif

#endif
