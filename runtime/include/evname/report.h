#ifndef EVNAME_REPORT_H
#define EVNAME_REPORT_H
/** @file
 * What becomes of the samples of a recording, for C and for whatever calls C: written down as text,
 * added up as a report, or given names in a new recording. All that evname.h says of threads,
 * results, text and `reserved` holds here as well. An evname_report is for one thread at a time.
 */

#include "evname/evname.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Which samples ---- */

/** Times of the recording's clock in ns, both inclusive. */
typedef struct evname_time_range {
  uint64_t first; /**< ns */
  uint64_t last;  /**< ns */
} evname_time_range;

/** `text` as `perf script --time` takes it ("12.5,13", "10%-20%"). `count` is set to how many
 * ranges there are; those that are more than `room` are left out. EVNAME_INVALID_ARGUMENT.
 * EVNAME_NOT_FOUND: shares are asked for and the recording does not tell its times. */
EVNAME_API int evname_parse_times(const evname_recording* recording, const char* text,
                                  evname_time_range* out, size_t room, size_t* count,
                                  evname_error* error);

/** Lists that are empty let all samples pass; all that are given must fit. Zeroed: all samples. */
typedef struct evname_filter {
  const char* event;              /**< glob of event names, any case; NULL: all */
  const uint32_t* cpus;           /**< any of them */
  size_t cpus_count;              /**< how many */
  const int32_t* pids;            /**< any of them */
  size_t pids_count;              /**< how many */
  const int32_t* tids;            /**< any of them */
  size_t tids_count;              /**< how many */
  const char* const* comms;       /**< any of them */
  size_t comms_count;             /**< how many */
  const evname_time_range* times; /**< any of them */
  size_t times_count;             /**< how many */
  uint32_t samples_flags;         /**< enum evname_samples_flags: how the recording is read */
  uint32_t jobs;                  /**< threads to use where several serve; 0: one per core */
  uint64_t reserved[4];           /**< 0, for later */
} evname_filter;

/* ---- Samples as text ---- */

/** How samples are written. */
enum evname_format {
  EVNAME_FORMAT_TEXT = 0,  /**< laid out as perf script does */
  EVNAME_FORMAT_CSV = 1,   /**< RFC 4180, with a header */
  EVNAME_FORMAT_JSONL = 2, /**< one JSON object per line */
  EVNAME_FORMAT_FOLDED = 3 /**< "event;comm;root;…;leaf count": input of flame graph tools */
};

/** Of evname_annotate_options.flags. */
enum evname_annotate_flags {
  EVNAME_ANNOTATE_RECORDED_NAMES = 1, /**< in text, events as perf script names them */
  EVNAME_ANNOTATE_COUNT_PERIODS = 2   /**< folded: sum periods instead of samples */
};

/** Zeroed: all samples as text with the usual fields. */
typedef struct evname_annotate_options {
  const char* fields;   /**< "comm,pid,ip", or "+ip,-tid" to change the usual ones; NULL: these */
  uint64_t limit;       /**< write at most so many samples; 0: all */
  uint32_t format;      /**< enum evname_format */
  uint32_t flags;       /**< enum evname_annotate_flags */
  uint64_t reserved[4]; /**< 0, for later */
} evname_annotate_options;

/** Writes the samples to the file descriptor `file`, which stays open. `options`, `filter` and
 * `tally` may be NULL. What the keys of CSV and JSON are is told by <evname/annotate.hpp>.
 * EVNAME_NOT_FOUND: no event samples a field that is asked for. EVNAME_IO: it could not be written.
 */
EVNAME_API int evname_annotate(const evname_recording* recording,
                               const evname_annotate_options* options, const evname_filter* filter,
                               int file, evname_tally* tally, evname_error* error);

/* ---- Samples added up ---- */

/** What samples add up to. */
typedef struct evname_report evname_report;

/** Of no recording yet. `keys`: what rows are told apart by, of "event,file,pmu,comm,pid,tid,cpu";
 * NULL: "event". `filter` may be NULL. EVNAME_INVALID_ARGUMENT: there is no such key. */
EVNAME_API int evname_report_new(const char* keys, const evname_filter* filter, evname_report** out,
                                 evname_error* error);
/** Frees a report. */
EVNAME_API void evname_report_free(evname_report* report);

/** Adds all samples of the recording. Rows with the same keys are one, whatever their recording.
 * `tally` may be NULL. */
EVNAME_API int evname_report_add(evname_report* report, const evname_recording* recording,
                                 evname_tally* tally, evname_error* error);

/** Samples that are alike in all keys. */
typedef struct evname_report_row {
  const char* const* keys; /**< one per key, "-": not sampled; until samples are added */
  size_t keys_count;       /**< how many */
  uint64_t samples;        /**< how many */
  uint64_t period; /**< their periods added up: an estimate of how often the event happened */
  double share;   /**< 0 to 1, of all samples, or of those of the event if that and more are keys */
  uint64_t first; /**< ns; first > last: no sample has a time */
  uint64_t last;  /**< ns */
  uint64_t lost;  /**< samples the kernel reports as lost; by event (and file) only */
  uint64_t throttled;   /**< times the kernel stopped the event; likewise */
  uint64_t reserved[4]; /**< 0, for later */
} evname_report_row;

/** How many rows there are. */
EVNAME_API size_t evname_report_row_count(const evname_report* report);
/** Most samples first; then by keys. EVNAME_OUT_OF_RANGE. */
EVNAME_API int evname_report_row_at(const evname_report* report, size_t index,
                                    evname_report_row* out);

/* ---- A recording with names ---- */

/** Events that get another name. */
typedef struct evname_renames evname_renames;

/** One of them. Texts live as long as the list. */
typedef struct evname_rename {
  uint64_t event;       /**< its index in the recording */
  const char* from;     /**< as it was recorded: "r11:u" */
  const char* to;       /**< "cpu_cycles:u" */
  uint64_t reserved[2]; /**< 0, for later */
} evname_rename;

/** Writes the recording to `path` with the names of the events that it has as codes; everything
 * else stays the same bytes. `path` appears whole or not at all; "-" is standard output. NULL:
 * nothing is written. `out` may be NULL; it has the events that got a name, or would.
 * EVNAME_IO. EVNAME_UNSUPPORTED: a form that no perf since 3.2 writes. */
EVNAME_API int evname_inject(const evname_recording* recording, const char* path,
                             evname_renames** out, evname_error* error);
/** How many there are. */
EVNAME_API size_t evname_renames_count(const evname_renames* renames);
/** EVNAME_OUT_OF_RANGE. */
EVNAME_API int evname_renames_at(const evname_renames* renames, size_t index, evname_rename* out);
/** Frees a list. */
EVNAME_API void evname_renames_free(evname_renames* renames);

#ifdef __cplusplus
}
#endif

#endif
