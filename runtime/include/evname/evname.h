#ifndef EVNAME_H
#define EVNAME_H
/** @file
 * evname for C and languages that call C: PMU event names to perf_event_attr and back, and the
 * events and samples of perf.data.
 *
 * Threads: no initialisation is needed. A machine, a recording and a list of events may be used by
 * several threads at once, an evname_samples by one at a time. Free a handle when no thread uses it
 * any more; freeing NULL does nothing.
 *
 * Results: functions that can fail return an enum evname_status; EVNAME_OK is 0. `error`, always
 * the last parameter, may be NULL and is written only on failure. Output handles are then set to
 * NULL. Any of them may return EVNAME_NO_MEMORY; its handles can then be used as before.
 *
 * Pointers must not be NULL unless a comment allows it.
 *
 * Text: all text ends with NUL. A returned `const char *` is "" if there is no text, NULL only if
 * its comment says so, and lives as long as the object that its comment names. Text is written to a
 * buffer of the caller as by snprintf(): it is truncated to fit, NUL is always written (unless the
 * size is 0), and the length of the whole text is returned.
 *
 * ABI: structs keep their size and layout as long as the library's soname does. Those that may grow
 * end with `reserved` words: the library sets them to 0 in its output; set them to 0 in your input.
 */

#include <stddef.h>
#include <stdint.h>

#include "evname/code.h"
#include "evname/export.h"
#include "evname/version.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Returns the EVNAME_VERSION of the running library, which may be later than this header's. */
EVNAME_API const char* evname_version(void);

/* ---- Errors ---- */

/** The result of a function. */
enum evname_status {
  EVNAME_OK = 0,
  EVNAME_INVALID_ARGUMENT = 1, /**< the text or value can't be used as it is: a syntax error, say */
  EVNAME_NOT_FOUND = 2,        /**< no such event, CPU, model, PMU or file */
  EVNAME_OUT_OF_RANGE = 3,     /**< a number or index does not fit its destination */
  EVNAME_CORRUPT = 4,          /**< bytes of a file contradict its format */
  EVNAME_IO = 5,               /**< the operating system reported an error */
  EVNAME_UNSUPPORTED = 6,      /**< well-formed, but this build can't do it */
  EVNAME_NO_MEMORY = 7,        /**< there is not enough memory */
  EVNAME_INTERNAL = 8          /**< a bug in the library; the message describes it */
};

/** The error has no single place in a text or file. */
#define EVNAME_NO_OFFSET UINT64_MAX

/** A failure, described for people. Texts that are too long are truncated. */
typedef struct evname_error {
  int32_t status;    /**< enum evname_status */
  uint32_t padding;  /**< 0 */
  uint64_t offset;   /**< of the fault in the text or file, in bytes; EVNAME_NO_OFFSET if none */
  char message[320]; /**< what went wrong, one sentence */
  char where[256];   /**< file, and :LINE or \@OFFSET where known; may be "" */
  char hint[256];    /**< what to try next; may be "" */
} evname_error;

/** Writes "where: message (hint)". Returns the length of the whole text. */
EVNAME_API size_t evname_error_text(const evname_error* error, char* buffer, size_t size);

/** Returns a status as text, such as "not found"; "unknown status" for other numbers. Static. */
EVNAME_API const char* evname_status_text(int status);

/* ---- Models: the event tables of this build ---- */

/** A model (a directory of event tables) of this build. */
typedef struct evname_model {
  const char* arch;     /**< "x86", "arm64", … */
  const char* name;     /**< "skylakex", "arm/neoverse-n1": as taken by evname_machine_named */
  uint64_t events;      /**< number of events on all its PMUs */
  uint64_t reserved[5]; /**< 0, for later */
} evname_model;

/** Returns the number of models of this build; 0 if there is no memory for the list, which the
 * first call makes. */
EVNAME_API size_t evname_model_count(void);
/** Returns a model; they are sorted by architecture, then name. The texts are static. Fails with
 * EVNAME_OUT_OF_RANGE. */
EVNAME_API int evname_model_at(size_t index, evname_model* out);

/* ---- Machines: what names are resolved against ---- */

/** A CPU, its event tables and its PMUs. */
typedef struct evname_machine evname_machine;

/** The machine that this program runs on. `sysfs` and `procfs` are the roots of trees captured on
 * another machine; NULL: /sys and /proc. */
EVNAME_API int evname_machine_live(const char* sysfs, const char* procfs, evname_machine** out,
                                   evname_error* error);

/** A machine named by a CPUID string in either spelling ("GenuineIntel-6-55-4",
 * "GenuineIntel,6,85,4"), by a model ("skylakex", "arm/neoverse-n1"), a short name ("skx", "n1"), a
 * code name ("zen4"), each in any case, or the kernel's name of a core PMU ("armv8_cortex_a72",
 * "alderlake_hybrid"). `sysfs` is the root of a tree to read the PMUs from; NULL: the PMUs that
 * this build describes. */
EVNAME_API int evname_machine_named(const char* cpu, const char* sysfs, evname_machine** out,
                                    evname_error* error);

/** The machine that a perf.data file or directory was recorded on. */
EVNAME_API int evname_machine_recorded(const char* path, evname_machine** out, evname_error* error);

/** The same machine with the events of a directory added to those of this build, for a CPU newer
 * than the build: a kernel-layout tree (ARCH/mapfile.csv, ARCH/MODEL/…json), a copy of Intel's
 * perfmon repository, or the JSON files of that CPU. `machine` is not changed and may be freed.
 * EVNAME_NOT_FOUND: the directory has no events for this CPU. */
EVNAME_API int evname_machine_with_events(const evname_machine* machine, const char* directory,
                                          evname_machine** out, evname_error* error);

/** The same as evname_machine_named with such a directory, for a CPU or model that only the
 * directory may have. */
EVNAME_API int evname_machine_named_with_events(const char* cpu, const char* sysfs,
                                                const char* directory, evname_machine** out,
                                                evname_error* error);

/** How evname_machine_open and evname_recording_open_with read. */
enum evname_open_flags {
  EVNAME_NO_USER_EVENTS = 1 /**< leave out the event files of the user */
};

/** The functions above, with flags. `cpu` is as for evname_machine_named; NULL: the machine that
 * this program runs on. `events` is a directory as for evname_machine_with_events; NULL: none.
 * Without EVNAME_NO_USER_EVENTS, this and the functions above lay the event files of the user over
 * the tables of the build: those of the directories in the environment variable EVNAME_EVENTS
 * (separated by ':'; set but empty: no event files of the user), and of those in
 * $XDG_DATA_HOME/evname/events and /usr/share/evname/events. EVNAME_INVALID_ARGUMENT: unknown
 * flags. */
EVNAME_API int evname_machine_open(const char* cpu, const char* sysfs, const char* procfs,
                                   const char* events, uint32_t flags, evname_machine** out,
                                   evname_error* error);

/** A directory whose events are laid over the tables of the build. Texts live as long as the
 * machine. */
typedef struct evname_laid_events {
  const char* directory; /**< as it was given or found */
  const char* version;   /**< that it states of this CPU's events, "V1.20"; may be "" */
  uint32_t is_users;     /**< 1: an event file of the user; 0: given to a function */
  uint32_t padding;      /**< 0 */
  uint64_t reserved[4];  /**< 0, for later */
} evname_laid_events;

/** Returns the number of these directories of a machine; mostly 0. */
EVNAME_API size_t evname_laid_events_count(const evname_machine* machine);
/** Returns one; where several have an event, the one with the lowest index counts. Fails with
 * EVNAME_OUT_OF_RANGE. */
EVNAME_API int evname_laid_events_at(const evname_machine* machine, size_t index,
                                     evname_laid_events* out);

/** Frees a machine. */
EVNAME_API void evname_machine_free(evname_machine* machine);

/** How the model of a machine was found. */
enum evname_matched_by {
  EVNAME_MATCHED_BY_NONE = 0,        /**< no table fits; only the kernel's own names resolve */
  EVNAME_MATCHED_BY_CPUID = 1,       /**< a mapfile pattern matched the CPUID string */
  EVNAME_MATCHED_BY_NAME = 2,        /**< the caller named the model */
  EVNAME_MATCHED_BY_CAPS = 3,        /**< fallback: the PMU's pmu_name */
  EVNAME_MATCHED_BY_ARCHITECTURE = 4 /**< fallback: the architecture's standard events */
};

/** The CPU of a machine, and how its model was found. Texts live as long as the machine. */
typedef struct evname_cpu {
  const char* arch;     /**< "x86", "arm64", … */
  const char* cpuid;    /**< in lookup form; "" if unknown */
  const char* model;    /**< "" if no table fits */
  const char* note;     /**< a sentence if the model is a fallback; else "" */
  uint32_t matched_by;  /**< enum evname_matched_by */
  uint32_t padding;     /**< 0 */
  uint64_t reserved[4]; /**< 0, for later */
} evname_cpu;

/** Gets the CPU of a machine. */
EVNAME_API void evname_machine_cpu(const evname_machine* machine, evname_cpu* out);

/** Returns what was skipped while reading the machine, for people; "" after the last one. Lives as
 * long as the machine. */
EVNAME_API const char* evname_machine_warning(const evname_machine* machine, size_t index);

/** Flags of evname_pmu. */
enum evname_pmu_flags {
  EVNAME_PMU_HAS_TYPE = 1, /**< `type` is known */
  EVNAME_PMU_CORE = 2,
  EVNAME_PMU_UNCORE = 4,
  EVNAME_PMU_PRESENT = 8 /**< found on the machine; not set: only described by this build */
};

/** A PMU of a machine. Texts live as long as the machine. */
typedef struct evname_pmu {
  const char* name;     /**< "cpu_atom", "uncore_imc_0" */
  const char* cpus;     /**< "0-3"; "": all, or unknown */
  uint32_t type;        /**< perf_event_attr.type */
  uint32_t flags;       /**< enum evname_pmu_flags */
  uint64_t reserved[4]; /**< 0, for later */
} evname_pmu;

/** Returns the number of PMUs. */
EVNAME_API size_t evname_pmu_count(const evname_machine* machine);
/** Gets a PMU; core PMUs come first. Fails with EVNAME_OUT_OF_RANGE. */
EVNAME_API int evname_pmu_at(const evname_machine* machine, size_t index, evname_pmu* out);

/* ---- Names to codes ---- */

/** Flags of evname_attr. */
enum evname_attr_flags {
  /* What the modifiers ask for; none is set without modifiers. */
  EVNAME_ATTR_EXCLUDE_USER = 1 << 1,
  EVNAME_ATTR_EXCLUDE_KERNEL = 1 << 2,
  EVNAME_ATTR_EXCLUDE_HV = 1 << 3,
  EVNAME_ATTR_EXCLUDE_HOST = 1 << 4,
  EVNAME_ATTR_EXCLUDE_GUEST = 1 << 5,
  EVNAME_ATTR_EXCLUDE_IDLE = 1 << 6,
  EVNAME_ATTR_PINNED = 1 << 7,
  EVNAME_ATTR_EXCLUSIVE = 1 << 8,
  EVNAME_ATTR_MODIFIERS = 1 << 9 /**< there were modifiers: bits that are 0 are requested as well */
};

/** The fields of perf_event_attr that an event sets. */
typedef struct evname_attr {
  const char* pmu; /**< "cpu", "uncore_imc_0"; "hardware", "hw_cache", … for the generic types;
                      lives as long as the machine */
  evname_code
      code; /**< the event to count; for a breakpoint, config[1] is bp_addr and config[2] bp_len */
  uint64_t period; /**< sample period that the event's table suggests; 0: none. Never set for you */
  uint32_t bp_type;    /**< for a breakpoint: read 1, write 2, execute 4 */
  uint32_t flags;      /**< enum evname_attr_flags */
  uint32_t precise_ip; /**< 0 to 3; the modifier `P` gives 3, and perf then tries lower values */
  uint32_t
      leader; /**< index, among the attrs of one text, of its group's leader; its own if it leads */
  uint32_t
      aux_action;   /**< perf_event_attr.aux_action: 1 start paused, 2 pause, 4 resume; 0: none */
  uint32_t padding; /**< 0 */
  uint64_t reserved[3]; /**< 0, for later */
} evname_attr;

/** Resolves a list of events in the syntax of `perf -e` ("mem_load_retired.l3_miss:u",
 * "{cycles,cpu/event=0xc0/}") to one attr per event and PMU. `count` is set to the number of attrs;
 * those beyond `room` are not written. Allocates nothing for a single name of the tables, with or
 * without modifiers. */
EVNAME_API int evname_resolve(const evname_machine* machine, const char* text, evname_attr* out,
                              size_t room, size_t* count, evname_error* error);

/** The result for one of several texts. */
typedef struct evname_answer {
  size_t first;         /**< index of its first attr */
  size_t count;         /**< number of its attrs; 0 if it failed */
  int32_t status;       /**< enum evname_status */
  uint32_t padding;     /**< 0 */
  uint64_t reserved[2]; /**< 0, for later */
} evname_answer;

/** Resolves each of `texts` by itself, even if others fail. The attrs are written to `out`, one
 * text after the other; `total` is set to their number, and those beyond `room` are not written.
 * `answers` and, unless NULL, `errors` have one element per text; that of a text that did not fail
 * has the status EVNAME_OK. Returns the first failure. */
EVNAME_API int evname_resolve_batch(const evname_machine* machine, const char* const* texts,
                                    size_t texts_count, evname_attr* out, size_t room,
                                    size_t* total, evname_answer* answers, evname_error* errors);

/** Writes what the event specifies, and nothing else, to a struct perf_event_attr of `size` bytes
 * (its sizeof, at least 64): type, config; config1 to config4 (for a breakpoint with bp_type) if
 * the struct has them; aux_action if there is one; the exclude_*, pinned and exclusive bits and
 * precise_ip that modifiers ask for, in addition to the bits already set; and the member `size` if
 * it is 0. All other members are the caller's choice and are left alone: sample_period,
 * sample_type, disabled, inherit, … EVNAME_NOT_FOUND: the type is unknown. EVNAME_OUT_OF_RANGE: the
 * event needs a member that a struct of this size does not have. On failure, nothing is written. */
EVNAME_API int evname_attr_fill(const evname_attr* attr, void* perf_event_attr, size_t size,
                                evname_error* error);

/* ---- Codes to names ---- */

/** Returns the best name with exactly this code, "" if there is none: on the named PMU, whatever
 * the code's type, or on the PMU of the type if `pmu` is NULL. By type, it allocates only for the
 * first code of each PMU. Lives as long as the machine. */
EVNAME_API const char* evname_exact_name(const evname_machine* machine, const char* pmu,
                                         const evname_code* code);

/** The names of a code. The texts are in the caller's buffer. */
typedef struct evname_names {
  const char* names;      /**< best first, each after the NUL of the one before */
  size_t count;           /**< 0: no name has this code, not even with qualifiers */
  const char* qualifiers; /**< to be added to the names: "cmask=0x1,inv=1"; "" if exact */
  const char* pmu;        /**< "cpu" */
  const char* terms;      /**< the code as terms, always exact: "event=0xd1,umask=0x20" */
  int32_t exact;          /**< 1: the names have exactly this code */
  uint32_t padding;       /**< 0 */
  uint64_t reserved[3];   /**< 0, for later */
} evname_names;

/** Gets all names of a code; `pmu` as for evname_exact_name. `needed` (may be NULL) is set to the
 * number of bytes that all texts take. If `size` is less, nothing is written to the buffer, all
 * texts are "", and the count is correct nevertheless. */
EVNAME_API int evname_names_of(const evname_machine* machine, const char* pmu,
                               const evname_code* code, evname_names* out, char* buffer,
                               size_t size, size_t* needed, evname_error* error);

/* ---- The events of a machine ---- */

/** A list of events. */
typedef struct evname_events evname_events;

/** Flags of evname_event. */
enum evname_event_flags {
  EVNAME_EVENT_DEPRECATED = 1,
  EVNAME_EVENT_PER_PACKAGE = 2,
  EVNAME_EVENT_OF_SYSFS = 4 /**< from the machine's sysfs, not from a table */
};

/** An event of a machine. Texts live as long as the list. */
typedef struct evname_event {
  const char* name;      /**< in lower case, except for sysfs events whose file name is not */
  const char* pmu;       /**< as in the tables: "cpu", "uncore_imc" (no instance number) */
  const char* topic;     /**< "memory"; "" for sysfs events */
  const char* terms;     /**< "event=0xd1,period=100007,umask=0x20" */
  const char* desc;      /**< one sentence; may be "" */
  const char* long_desc; /**< the full description; "" if `desc` is all there is */
  const char* unit;      /**< unit of a scaled count ("Bytes"); "": a number of events */
  const char* model;     /**< the model whose tables have it; "" if none */
  double scale;          /**< multiply a count by this to get `unit` */
  uint32_t flags;        /**< enum evname_event_flags */
  uint32_t padding;      /**< 0 */
  uint64_t reserved[4];  /**< 0, for later */
} evname_event;

/** Lists the events whose name matches the glob (ignoring case; NULL: all), sorted by PMU, then
 * name. */
EVNAME_API int evname_events_list(const evname_machine* machine, const char* glob,
                                  evname_events** out, evname_error* error);
/** Returns the number of events. */
EVNAME_API size_t evname_events_count(const evname_events* events);
/** Gets an event. Fails with EVNAME_OUT_OF_RANGE. */
EVNAME_API int evname_events_at(const evname_events* events, size_t index, evname_event* out);
/** Frees a list. */
EVNAME_API void evname_events_free(evname_events* events);

/* ---- Recordings ---- */

/** A recording of perf. */
typedef struct evname_recording evname_recording;

/** Opens a perf.data file, a directory of `perf record --threads`, the output of
 * `perf record -o -`, or "-" for standard input. Fails only if nothing at all can be read. The file
 * must not be truncated while it is open. */
EVNAME_API int evname_recording_open(const char* path, evname_recording** out, evname_error* error);
/** The same with flags (enum evname_open_flags). EVNAME_INVALID_ARGUMENT: unknown flags. */
EVNAME_API int evname_recording_open_with(const char* path, uint32_t flags, evname_recording** out,
                                          evname_error* error);
/** Closes a recording. */
EVNAME_API void evname_recording_free(evname_recording* recording);

/** Returns the machine that the recording was made on. It belongs to the recording: do not free it.
 */
EVNAME_API const evname_machine* evname_recording_machine(const evname_recording* recording);

/** Returns what is wrong with the file, for people; "" after the last one. Lives as long as the
 * recording. */
EVNAME_API const char* evname_recording_warning(const evname_recording* recording, size_t index);

/** Where the name of a recorded event came from. */
enum evname_named_by {
  EVNAME_NAMED_BY_RECORDING = 0, /**< what the user or perf called it */
  EVNAME_NAMED_BY_KERNEL = 1,    /**< a generic event as perf spells it */
  EVNAME_NAMED_BY_TABLES = 2,    /**< the machine's tables have that very code */
  EVNAME_NAMED_BY_CODE = 3       /**< nowhere: the code is spelled out */
};

/** An event of a recording. Texts and `ids` live as long as the recording. */
typedef struct evname_recorded_event {
  const char* name;          /**< symbolic, without modifiers */
  const char* recorded_name; /**< as perf prints it, with modifiers: "r11:u" */
  const char* modifiers;     /**< "u", "ppp" */
  const char* pmu;           /**< "cpu", "hardware", …; "type N" if unnamed */
  const uint64_t* ids;       /**< the kernel's ids, found in the event's samples */
  size_t ids_count;          /**< number of ids */
  evname_code code;          /**< the code of its attr */
  uint64_t sample_type;      /**< PERF_SAMPLE_… bits: the fields of its samples */
  int32_t exact;             /**< 0: no name has exactly this code; `name` spells it out */
  uint32_t named_by;         /**< enum evname_named_by */
  uint64_t reserved[4];      /**< 0, for later */
} evname_recorded_event;

/** Returns the number of events. */
EVNAME_API size_t evname_recorded_event_count(const evname_recording* recording);
/** Gets an event. Fails with EVNAME_OUT_OF_RANGE. */
EVNAME_API int evname_recorded_event_at(const evname_recording* recording, size_t index,
                                        evname_recorded_event* out);

/* ---- Samples ---- */

/** A pass over the samples of a recording. */
typedef struct evname_samples evname_samples;

/** How to read samples. */
enum evname_samples_flags {
  EVNAME_SAMPLES_FILE_ORDER = 1, /**< in the order of the file, not of time */
  EVNAME_SAMPLES_SALVAGE = 2     /**< after damage, continue at the next place that looks like
                                    records */
};

/** Bits of evname_sample.fields: one for each number and each list of sample_fields.def.
 * EVNAME_SAMPLE_TID stands for `comm`, too. */
enum evname_sample_fields {
#define EVNAME_SAMPLE_NUMBER(name, NAME, bit, ...) EVNAME_SAMPLE_##NAME = 1 << bit,
#define EVNAME_SAMPLE_LIST(name, NAME, bit, ...) EVNAME_SAMPLE_##NAME = 1 << bit,
#include "evname/sample_fields.def"
};

/** A sample. sample_fields.def describes its numbers and lists: `pid`, `time`, `ip`, …, and
 * `callchain` with `callchain_count`, … Numbers and lists that it does not have are 0. Lists and
 * `raw` are valid until the next call with this evname_samples. */
typedef struct evname_sample {
  uint64_t event;          /**< index of its event: evname_recorded_event_at */
  uint64_t fields;         /**< enum evname_sample_fields: the fields that it has */
  const char* comm;        /**< name of the thread at that time, ":TID" if unknown; lives as long as
                              the evname_samples */
  const char* cgroup_path; /**< "" if it is unknown; lives as long as the evname_samples */
  const void* raw;         /**< raw data, such as the fields of a tracepoint */
  size_t raw_size;         /**< number of bytes; 0: there are none */
#define EVNAME_SAMPLE_ALWAYS(name, type, ...) type name;
#define EVNAME_SAMPLE_NUMBER(name, NAME, bit, type, ...) type name;
#define EVNAME_SAMPLE_LIST(name, ...) \
  const uint64_t* name;               \
  size_t name##_count;
#include "evname/sample_fields.def"
  uint64_t reserved[8]; /**< 0, for later */
} evname_sample;

/** Begins a pass over all samples, in constant memory. `flags`: enum evname_samples_flags. The
 * recording may be freed before the pass ends, and the pass before its last sample. A recording
 * that comes through a pipe can be read only once. */
EVNAME_API int evname_samples_open(const evname_recording* recording, uint32_t flags,
                                   evname_samples** out, evname_error* error);
/** Ends a pass. */
EVNAME_API void evname_samples_free(evname_samples* samples);

/** Gets the next sample. Returns 1 if there is one, 0 at the end, and the negated enum
 * evname_status on failure, which also ends the pass. */
EVNAME_API int evname_samples_next(evname_samples* samples, evname_sample* out);

/** What a pass found so far. None of these problems ends the pass. */
typedef struct evname_tally {
  uint64_t samples; /**< read; one with counter values (`:S`) is passed on as one of each event it
                       counts */
  uint64_t unknown_ids; /**< samples of no event of the file: skipped */
  uint64_t malformed;   /**< samples shorter than their event requires: skipped */
  uint64_t lost;        /**< samples that the recorder reported as lost */
  uint64_t selected;    /**< accepted by the filter of evname_annotate or a report; 0 where there
                             is no filter to ask, as in evname_samples */
  uint64_t reserved[3]; /**< 0, for later */
} evname_tally;

/** Gets what the pass found so far. Fails only with EVNAME_NO_MEMORY. */
EVNAME_API int evname_samples_tally(const evname_samples* samples, evname_tally* out);

/** Returns what is wrong with the records, for people; complete only at the end of the pass. ""
 * after the last one. Lives as long as the evname_samples. */
EVNAME_API const char* evname_samples_warning(const evname_samples* samples, size_t index);

#ifdef __cplusplus
}
#endif

#endif
